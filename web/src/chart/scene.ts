// In: lines as columns and what the axes should be. Out: one value, Scene, that painter, tooltip and exports all read.
// Not here: pixels of a canvas (painter), the mouse (Chart), where columns come from (data/series).

import { makeScale, type Scale, type ScaleKind, type Unit } from "../base/scale";

export type Column = Float64Array | Float32Array;

export interface Line {
  key: string;
  label: string;
  colour: string;
  dash: number[];
  x: Column;
  y: Column;
  /** the values as logged, drawn faintly under a smoothed line; same x unless given */
  raw?: { x: Column; y: Column };
  band?: { x: Column; lo: Column; hi: Column };
  width?: number;
  alpha?: number;
}

export type MarkKind = "checkpoint" | "nan" | "inf" | "-inf" | "restart";

export interface Mark {
  kind: MarkKind;
  x: number;
  /** absent: the mark stands on the x axis and not on a curve */
  y?: number;
  colour: string;
  label: string;
  /** what a click opens */
  target?: string;
}

export type Span = [min: number, max: number];

export interface Scene {
  title: string;
  lines: Line[];
  marks: Mark[];
  x: Scale;
  y: Scale;
  xUnit: Unit;
  xLabel: string;
  yLabel: string;
}

export interface SceneOptions {
  title: string;
  lines: Line[];
  marks?: Mark[];
  xKind: ScaleKind;
  yKind: ScaleKind;
  xUnit: Unit;
  xLabel: string;
  yLabel?: string;
  /** the user's zoom; what is absent follows the data */
  xZoom?: Span | null;
  yZoom?: Span | null;
  /** y range shared with other charts */
  yShared?: Span | null;
  clipOutliers?: boolean;
}

export function extent(columns: Column[], positive = false): Span | null {
  let lo = Infinity;
  let hi = -Infinity;
  for (const c of columns) {
    for (let i = 0; i < c.length; i++) {
      const v = c[i];
      if (v < lo && v > (positive ? 0 : -Infinity)) lo = v;
      if (v > hi && v < Infinity) hi = v;
    }
  }
  if (positive && hi <= 0) return null;
  return lo <= hi ? [lo, hi] : null;
}

/** y of the points whose x is inside the span, plus the neighbours that the line to them crosses. */
function inside(x: Column, y: Column, span: Span | null): Column {
  if (!span) return y;
  let from = 0;
  let to = x.length;
  // x grows for every axis but "another metric"; there the whole column is looked at
  let sorted = true;
  for (let i = 1; i < x.length; i++) if (x[i] < x[i - 1]) { sorted = false; break; }
  if (!sorted) return y.filter((_, i) => x[i] >= span[0] && x[i] <= span[1]) as Column;
  while (from < to && x[from] < span[0]) from++;
  while (to > from && x[to - 1] > span[1]) to--;
  return y.subarray(Math.max(0, from - 1), Math.min(x.length, to + 1)) as Column;
}

export function yExtent(lines: Line[], xZoom: Span | null, positive: boolean, clip: boolean): Span | null {
  const columns: Column[] = [];
  for (const line of lines) {
    if (line.band) {
      columns.push(inside(line.band.x, line.band.lo, xZoom), inside(line.band.x, line.band.hi, xZoom));
    }
    columns.push(inside(line.x, line.y, xZoom));
    // the faint raw line may leave the frame when it is clipped, as an outlier would
    if (line.raw && !clip) columns.push(inside(line.raw.x, line.raw.y, xZoom));
  }
  if (!clip) return extent(columns, positive);
  const all: number[] = [];
  for (const c of columns) for (const v of c) if (Number.isFinite(v) && (!positive || v > 0)) all.push(v);
  if (all.length < 3) return extent(columns, positive);
  const sorted = Float64Array.from(all).sort();
  const q = (p: number) => sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(p * (sorted.length - 1))))];
  return [q(0.05), q(0.95)];
}

function padded(span: Span, kind: ScaleKind): Span {
  const [lo, hi] = span;
  if (kind === "log") {
    const r = Math.max(hi / lo, 1.02) ** 0.05;
    return [lo / r, hi * r];
  }
  const pad = (hi - lo) * 0.05 || (lo === 0 ? 1 : Math.abs(lo) * 0.1);
  return [lo - pad, hi + pad];
}

/** Where symlog turns from linear to log: a thousandth of the largest magnitude shows three decades on each side. */
function symlogThreshold(span: Span): number {
  return Math.max(Math.abs(span[0]), Math.abs(span[1])) / 1000 || 1;
}

export function makeScene(o: SceneOptions): Scene {
  const xs = o.xZoom ?? extent(o.lines.map((l) => l.x), o.xKind === "log") ?? [o.xKind === "log" ? 1 : 0, o.xKind === "log" ? 10 : 1];
  const ys =
    o.yZoom ??
    padded(o.yShared ?? yExtent(o.lines, o.xZoom ?? null, o.yKind === "log", !!o.clipOutliers) ?? (o.yKind === "log" ? [1, 10] : [0, 1]), o.yKind);
  return {
    title: o.title,
    lines: o.lines,
    marks: o.marks ?? [],
    x: makeScale(o.xKind, xs[0], xs[1], symlogThreshold(xs)),
    y: makeScale(o.yKind, ys[0], ys[1], symlogThreshold(ys)),
    xUnit: o.xUnit,
    xLabel: o.xLabel,
    yLabel: o.yLabel ?? "",
  };
}

/** Index of the point nearest to x; binary search when x grows, else a scan. */
export function nearest(x: Column, at: number): number {
  const n = x.length;
  if (!n) return -1;
  if (x[0] <= x[n - 1]) {
    let lo = 0;
    let hi = n - 1;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (x[mid] < at) lo = mid + 1;
      else hi = mid;
    }
    if (lo > 0 && Math.abs(x[lo - 1] - at) <= Math.abs(x[lo] - at)) lo--;
    return lo;
  }
  let best = 0;
  for (let i = 1; i < n; i++) if (Math.abs(x[i] - at) < Math.abs(x[best] - at)) best = i;
  return best;
}
