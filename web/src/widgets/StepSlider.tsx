// In: the steps of a card and the one shown. Out: a slider over them, with the step and its time in words.

import { clock, date, integer } from "../base/format";
import { Slider } from "./Field";

export function StepSlider(p: { steps: ArrayLike<number>; wall?: ArrayLike<number>; index: number; onChange(i: number): void; label: string }) {
  const n = p.steps.length;
  if (!n) return null;
  const at = Math.max(0, p.index);
  return (
    <div class="step-slider">
      <Slider label={`Step of ${p.label}`} hideLabel wide min={0} max={Math.max(0, n - 1)} step={1} value={at} disabled={n < 2} shown={`step ${integer(p.steps[at])}`} onChange={p.onChange} />
      <span class="dim step-facts">{[n > 1 ? `${integer(at + 1)}/${integer(n)}` : "", p.wall ? `${date(p.wall[at])} ${clock(p.wall[at])}` : ""].filter(Boolean).join(" · ")}</span>
    </div>
  );
}
