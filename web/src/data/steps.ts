// In: the step that the address names. Out: which sample of a card is shown. Linked: one slider moves every card of a page.

import { useState } from "preact/hooks";
import { flag, isNumber, json, param } from "./address";

export const linkSteps = param("lstep", true, flag);
/** null: the newest, and it stays the newest while points arrive */
export const step = param<number | null>("step", null, json<number | null>((v) => v === null || isNumber(v)));

export function nearestIndex(steps: ArrayLike<number>, wanted: number | null): number {
  const n = steps.length;
  if (!n || wanted === null) return n - 1;
  let best = 0;
  for (let i = 1; i < n; i++) if (Math.abs(steps[i] - wanted) <= Math.abs(steps[best] - wanted)) best = i;
  return best;
}

/** The index of the sample to show, and how to choose another. */
export function useStep(steps: ArrayLike<number>): [number, (index: number) => void] {
  const [own, setOwn] = useState<number | null>(null);
  const wanted = linkSteps.value ? step.value : own;
  const set = (i: number) => {
    const value = i >= steps.length - 1 ? null : steps[i];
    if (linkSteps.peek()) step.value = value;
    else setOwn(value);
  };
  return [nearestIndex(steps, wanted), set];
}
