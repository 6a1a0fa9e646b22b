// In: the buckets of a histogram tag over its steps. Out: its drawing, offset (one ridge behind the other) or overlaid, and
// what lies under the pointer. Not here: the DOM.

import { ticks, makeScale, type Scale } from "../../base/scale";
import { withAlpha } from "../../base/colour";
import type { InkColours } from "../../base/theme";
import type { Pen } from "../../chart/pen";

export interface Buckets {
  step: ArrayLike<number>;
  wall: ArrayLike<number>;
  /** buckets of step i are start[i] … start[i + 1] */
  start: ArrayLike<number>;
  left: ArrayLike<number>;
  right: ArrayLike<number>;
  n: ArrayLike<number>;
}

export interface Ridge {
  step: number;
  /** density over `bins` equal bins of the common range: ridges of differing buckets become comparable */
  y: Float64Array;
  total: number;
}

export interface Ridges {
  ridges: Ridge[];
  min: number;
  max: number;
  peak: number;
}

export type Mode = "offset" | "overlay";

export function toRidges(b: Buckets, bins = 60): Ridges {
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < b.left.length; i++) {
    if (!(b.n[i] > 0)) continue;
    if (b.left[i] > -1e300 && b.left[i] < min) min = b.left[i];
    if (b.right[i] < 1e300 && b.right[i] > max) max = b.right[i];
  }
  if (!(min <= max)) [min, max] = [0, 1];
  if (min === max) [min, max] = [min - 0.5, max + 0.5];
  const width = (max - min) / bins;
  let peak = 0;
  const ridges = Array.from({ length: b.step.length }, (_, s): Ridge => {
    const y = new Float64Array(bins);
    let total = 0;
    for (let i = b.start[s]; i < b.start[s + 1]; i++) {
      const lo = Math.max(min, b.left[i]);
      const hi = Math.min(max, b.right[i]);
      const count = b.n[i];
      if (!(count > 0)) continue;
      total += count;
      if (hi <= lo) {
        y[Math.min(bins - 1, Math.max(0, Math.floor((lo - min) / width)))] += count;
        continue;
      }
      // a bucket's count is spread evenly over the bins it covers
      const first = Math.min(bins - 1, Math.floor((lo - min) / width));
      const last = Math.min(bins - 1, Math.floor((hi - min) / width));
      for (let k = first; k <= last; k++) {
        const part = Math.min(hi, min + (k + 1) * width) - Math.max(lo, min + k * width);
        y[k] += (count * Math.max(0, part)) / (hi - lo);
      }
    }
    for (const v of y) if (v > peak) peak = v;
    return { step: b.step[s], y, total };
  });
  return { ridges, min, max, peak: peak || 1 };
}

export interface Place {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const placeOf = (width: number, height: number): Place => ({ left: 16, right: width - 56, top: 12, bottom: height - 24 });

function baseline(r: Ridges, i: number, p: Place, mode: Mode): number {
  if (mode === "overlay" || r.ridges.length < 2) return p.bottom;
  const room = p.bottom - p.top;
  const back = p.top + room * 0.4;
  const first = r.ridges[0].step;
  const span = r.ridges[r.ridges.length - 1].step - first || 1;
  return back + ((r.ridges[i].step - first) / span) * (p.bottom - back);
}

function peakHeight(p: Place, mode: Mode): number {
  return (p.bottom - p.top) * (mode === "overlay" ? 0.94 : 0.38);
}

function outline(pen: Pen, r: Ridges, i: number, p: Place, mode: Mode, x: Scale): void {
  const base = baseline(r, i, p, mode);
  const k = peakHeight(p, mode) / r.peak;
  const y = r.ridges[i].y;
  const bin = (r.max - r.min) / y.length;
  pen.beginPath();
  pen.moveTo(p.left, base);
  for (let b = 0; b < y.length; b++) pen.lineTo(p.left + x.at(r.min + (b + 0.5) * bin) * (p.right - p.left), base - y[b] * k);
  pen.lineTo(p.right, base);
}

export function paintRidges(pen: Pen, r: Ridges, width: number, height: number, mode: Mode, colour: string, ink: InkColours, focus: number): void {
  const p = placeOf(width, height);
  const x = makeScale("linear", r.min, r.max);
  pen.font = `11px ${ink.font}`;
  pen.fillStyle = ink.muted;
  pen.strokeStyle = ink.grid;
  pen.lineWidth = 1;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  pen.beginPath();
  for (const t of ticks(x, Math.max(2, Math.floor(width / 80)))) {
    const px = Math.round(p.left + x.at(t.value) * (p.right - p.left)) + 0.5;
    pen.moveTo(px, p.top);
    pen.lineTo(px, p.bottom);
    pen.fillText(t.label, px, p.bottom + 6);
  }
  pen.stroke();
  const n = r.ridges.length;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  let lastLabel = -Infinity;
  for (let i = 0; i < n; i++) {
    const old = n < 2 ? 1 : i / (n - 1);
    outline(pen, r, i, p, mode, x);
    if (mode === "offset") {
      pen.fillStyle = ink.background;
      pen.globalAlpha = 0.75;
      pen.fill();
      pen.fillStyle = colour;
      pen.globalAlpha = 0.12 + 0.3 * old;
      pen.fill();
    }
    pen.globalAlpha = focus < 0 ? (mode === "overlay" ? 0.15 + 0.75 * old : 0.4 + 0.5 * old) : i === focus ? 1 : 0.15;
    pen.strokeStyle = colour;
    pen.lineWidth = i === focus ? 2 : 1;
    pen.stroke();
    pen.globalAlpha = 1;
    const base = baseline(r, i, p, mode);
    if (mode === "offset" && (base - lastLabel > 14 || i === n - 1) && (i === n - 1 || p.bottom - base > 14)) {
      lastLabel = base;
      pen.fillStyle = i === focus ? ink.text : ink.muted;
      pen.fillText(short(r.ridges[i].step), p.right + 6, base);
    }
  }
  if (focus >= 0 && mode === "offset") {
    outline(pen, r, focus, p, mode, x);
    pen.strokeStyle = withAlpha(ink.text, 0.9);
    pen.lineWidth = 1.5;
    pen.stroke();
  }
}

function short(step: number): string {
  return step >= 1e6 ? +(step / 1e6).toFixed(2) + "M" : step >= 1e4 ? +(step / 1e3).toFixed(1) + "k" : String(step);
}

/** Which ridge and which bin the pointer is on. */
export function pick(r: Ridges, px: number, py: number, width: number, height: number, mode: Mode): { ridge: number; bin: number } | null {
  const p = placeOf(width, height);
  const n = r.ridges.length;
  if (!n) return null;
  const bins = r.ridges[0].y.length;
  const bin = Math.min(bins - 1, Math.max(0, Math.floor(((px - p.left) / (p.right - p.left)) * bins)));
  const k = peakHeight(p, mode) / r.peak;
  let best = -1;
  let far = Infinity;
  for (let i = 0; i < n; i++) {
    const d = Math.abs(baseline(r, i, p, mode) - r.ridges[i].y[bin] * k - py);
    if (d <= far) { far = d; best = i; }
  }
  return { ridge: best, bin };
}
