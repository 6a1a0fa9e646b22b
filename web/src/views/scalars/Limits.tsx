// In: the card whose axes are to be set by hand. Out: a dialog of four numbers; an empty one follows the data.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Scene, Span } from "../../chart/scene";
import { Dialog } from "../../widgets/Dialog";
import { linkZoom, setZoom, zoomOf } from "./options";

export const limiting = signal<{ key: string; title: string; scene: Scene } | null>(null);

export function Limits() {
  const { key, title, scene } = limiting.value!;
  const zoom = zoomOf(key);
  const [x, setX] = useState([zoom.x?.[0] ?? "", zoom.x?.[1] ?? ""].map(String));
  const [y, setY] = useState([zoom.y?.[0] ?? "", zoom.y?.[1] ?? ""].map(String));
  const close = () => (limiting.value = null);
  const span = (typed: string[], min: number, max: number): Span | null => {
    if (typed.every((t) => t.trim() === "")) return null;
    const [a, b] = [typed[0].trim() === "" ? min : Number(typed[0]), typed[1].trim() === "" ? max : Number(typed[1])];
    return Number.isFinite(a) && Number.isFinite(b) && a < b ? [a, b] : null;
  };
  const apply = (e: Event) => {
    e.preventDefault();
    setZoom(key, span(x, scene.x.min, scene.x.max), span(y, scene.y.min, scene.y.max));
    close();
  };
  const field = (label: string, value: string, set: (v: string) => void, now: number) => (
    <label class="form-row"><span>{label}</span><input type="text" inputMode="decimal" value={value} placeholder={String(Number(now.toPrecision(5)))} onInput={(e) => set(e.currentTarget.value)} /></label>
  );
  return (
    <Dialog title={`Axis limits of ${title}`} onClose={close}>
      <form class="form two" onSubmit={apply}>
        {field("y from", y[0], (v) => setY([v, y[1]]), scene.y.min)}
        {field("y to", y[1], (v) => setY([y[0], v]), scene.y.max)}
        {field("x from", x[0], (v) => setX([v, x[1]]), scene.x.min)}
        {field("x to", x[1], (v) => setX([x[0], v]), scene.x.max)}
        <p class="dim">An empty field follows the data.{linkZoom.value ? " The x limits hold for all charts." : ""}</p>
        <div class="form-end">
          <button type="button" class="button" onClick={close}>Cancel</button>
          <button type="submit" class="button main">Apply</button>
        </div>
      </form>
    </Dialog>
  );
}
