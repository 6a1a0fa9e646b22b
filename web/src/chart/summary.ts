// In: a scene. Out: what it shows, in words: for screen readers, and for anyone who copies it.

import { duration, integer, clock, date, value } from "../base/format";
import type { Unit } from "../base/scale";
import type { Line, Scene } from "./scene";

export function atText(x: number, unit: Unit): string {
  if (unit === "step") return integer(x);
  if (unit === "relative") return duration(x);
  if (unit === "wall") return date(x) + " " + clock(x);
  return value(x, 6);
}

function describe(line: Line, unit: Unit): string {
  const n = Math.min(line.x.length, line.y.length);
  let first = -1, last = -1, lo = -1, hi = -1;
  for (let i = 0; i < n; i++) {
    const v = line.y[i];
    if (!Number.isFinite(v)) continue;
    if (first < 0) first = i;
    last = i;
    if (lo < 0 || v < line.y[lo]) lo = i;
    if (hi < 0 || v > line.y[hi]) hi = i;
  }
  if (first < 0) return `${line.label}: no finite value`;
  if (first === last) return `${line.label}: one point, ${value(line.y[first])} at ${atText(line.x[first], unit)}`;
  return `${line.label}: from ${value(line.y[first])} to ${value(line.y[last])}, lowest ${value(line.y[lo])} at ${atText(line.x[lo], unit)}, highest ${value(line.y[hi])} at ${atText(line.x[hi], unit)}`;
}

export function summarise(scene: Scene): string {
  const n = scene.lines.length;
  if (!n) return `${scene.title}: no line to show`;
  const head = `${scene.title}, ${n === 1 ? "one line" : n + " lines"} over ${scene.xLabel} ${atText(scene.x.min, scene.xUnit)} to ${atText(scene.x.max, scene.xUnit)}. `;
  const told = scene.lines.slice(0, 5).map((l) => describe(l, scene.xUnit));
  return head + told.join(". ") + (n > 5 ? `. And ${n - 5} more.` : ".");
}
