// In: a request for series, and the one frame that a report holds. Out: the lines a server would answer. The arithmetic
// (range, least and greatest per pixel, smoothing) is the server's, on at most 20 000 points a line.

import { reportSeries } from "../api/report";
import { readLines, type Column, type Common, type SeriesLine } from "./series";

let whole: Map<string, SeriesLine> | null = null;
const origins = new Map<string, number>();

function lines(): Map<string, SeriesLine> {
  if (!whole) {
    whole = new Map();
    for (const l of readLines(reportSeries())) {
      whole.set(l.run + "\u0000" + l.tag, l);
      if (l.w?.length) origins.set(l.run!, Math.min(origins.get(l.run!) ?? Infinity, l.w[0]));
    }
  }
  return whole;
}

export function smooth(x: Column, y: Column, kind: string, weight: number): Float64Array | null {
  const n = y.length;
  if (kind === "none" || weight <= 0 || !n) return null;
  const out = new Float64Array(n);
  if (kind === "ema") {
    const gaps = Float64Array.from({ length: Math.max(0, n - 1) }, (_, i) => x[i + 1] - x[i]).filter((g) => g > 0).sort();
    const median = gaps.length ? gaps[gaps.length >> 1] : 1;
    let sum = 0;
    let norm = 0;
    for (let i = 0; i < n; i++) {
      if (!Number.isFinite(y[i])) { out[i] = y[i]; continue; }
      const keep = i ? weight ** Math.max(0, (x[i] - x[i - 1]) / median || 1) : weight;
      sum = sum * keep + (1 - keep) * y[i];
      norm = norm * keep + (1 - keep);
      out[i] = norm > 0 ? sum / norm : y[i];
    }
    return out;
  }
  const sigma = weight * 0.1 * (x[n - 1] - x[0]) || 1;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    let norm = 0;
    for (let j = i; j >= 0 && x[i] - x[j] <= 3 * sigma; j--) add(j);
    for (let j = i + 1; j < n && x[j] - x[i] <= 3 * sigma; j++) add(j);
    out[i] = norm ? sum / norm : y[i];
    function add(j: number) {
      if (!Number.isFinite(y[j])) return;
      const k = Math.exp(-0.5 * ((x[j] - x[i]) / sigma) ** 2);
      sum += k * y[j];
      norm += k;
    }
  }
  return out;
}

function onAxis(l: SeriesLine, axis: Common["x"]): Column {
  if (axis === "step" || !l.w) return l.x;
  if (axis === "wall") return l.w;
  if (axis === "relative") {
    const zero = origins.get(l.run!) ?? l.w[0];
    return Float64Array.from(l.w, (w) => w - zero);
  }
  const other = lines().get(l.run + "\u0000" + axis.metric);
  const out = new Float64Array(l.x.length).fill(NaN);
  if (other) for (let i = 0, j = -1; i < out.length; i++) {
    while (j + 1 < other.x.length && other.x[j + 1] <= l.x[i]) j++;
    if (j >= 0) out[i] = other.y[j];
  }
  return out;
}

/** Indexes of the first, the last, and the least and greatest of every pixel. */
function cut(x: Column, y: Column, from: number, to: number, width: number): number[] {
  if (!width || to - from <= 2 * width) return Array.from({ length: to - from }, (_, i) => from + i);
  const span = x[to - 1] - x[from] || 1;
  const kept: number[] = [];
  let i = from;
  while (i < to) {
    const bucket = Math.floor(((x[i] - x[from]) / span) * width);
    let lo = i;
    let hi = i;
    for (; i < to && Math.floor(((x[i] - x[from]) / span) * width) === bucket; i++) {
      if (y[i] < y[lo]) lo = i;
      if (y[i] > y[hi]) hi = i;
    }
    if (lo === hi) kept.push(lo);
    else kept.push(Math.min(lo, hi), Math.max(lo, hi));
  }
  if (kept[0] !== from) kept.unshift(from);
  if (kept[kept.length - 1] !== to - 1) kept.push(to - 1);
  return kept;
}

export function localSeries(body: Omit<Common, "outliers"> & { lines: [string, string][]; groups: { id: string; runs: string[]; tags: string[] }[] }): SeriesLine[] {
  const out: SeriesLine[] = [];
  for (const [run, tag] of body.lines) {
    const l = lines().get(run + "\u0000" + tag);
    if (l) out.push(one(l, body));
  }
  for (const g of body.groups) for (const tag of g.tags) {
    const members = g.runs.map((r) => lines().get(r + "\u0000" + tag)).filter((l): l is SeriesLine => !!l);
    if (members.length) out.push(one(together(g.id, tag, members, body), body));
  }
  return out;
}

function one(l: SeriesLine, body: Omit<Common, "outliers">): SeriesLine {
  const x = onAxis(l, body.x);
  const s = smooth(x, l.y, body.smooth.kind, body.smooth.weight);
  let from = 0;
  let to = x.length;
  if (body.range && typeof body.x === "string") {
    const [a, b] = [body.range[0] ?? -Infinity, body.range[1] ?? Infinity];
    while (from < to && x[from] < a) from++;
    while (to > from && x[to - 1] > b) to--;
    from = Math.max(0, from - 1);
    to = Math.min(x.length, to + 1);
  }
  const keep = typeof body.x === "string" ? cut(x, l.y, from, to, body.width) : cut(x, l.y, from, to, 0);
  const take = (c: Column | null) => (c ? Float64Array.from(keep, (i) => c[i]) : null);
  return { ...l, x: take(x)!, y: take(l.y)!, s: take(s), w: take(l.w), lo: take(l.lo), hi: take(l.hi), shown: to - from };
}

function together(id: string, tag: string, members: SeriesLine[], body: Omit<Common, "outliers">): SeriesLine {
  const at = new Map<number, number[]>();
  for (const m of members) for (let i = 0; i < m.x.length; i++) {
    const same = at.get(m.x[i]);
    if (same) same.push(m.y[i]);
    else at.set(m.x[i], [m.y[i]]);
  }
  const steps = [...at.keys()].sort((a, b) => a - b);
  const y = new Float64Array(steps.length);
  const lo = new Float64Array(steps.length);
  const hi = new Float64Array(steps.length);
  steps.forEach((step, i) => {
    const v = at.get(step)!.filter(Number.isFinite).sort((a, b) => a - b);
    const mean = v.reduce((a, b) => a + b, 0) / v.length;
    const sd = v.length > 1 ? Math.sqrt(v.reduce((a, b) => a + (b - mean) ** 2, 0) / (v.length - 1)) : 0;
    const middle = v.length % 2 ? v[v.length >> 1] : (v[v.length / 2 - 1] + v[v.length / 2]) / 2;
    y[i] = body.aggregate.line === "median" ? middle : mean;
    const half = body.aggregate.band === "ci" ? (1.96 * sd) / Math.sqrt(v.length) : sd;
    lo[i] = body.aggregate.band === "minmax" ? v[0] : y[i] - half;
    hi[i] = body.aggregate.band === "minmax" ? v[v.length - 1] : y[i] + half;
  });
  const first = members[0];
  return { ...first, run: null, group: id, tag, n: members.length, x: Float64Array.from(steps), y, lo: body.aggregate.band === "none" ? null : lo, hi: body.aggregate.band === "none" ? null : hi, w: null, bad: null, total: members.reduce((a, m) => a + m.total, 0) };
}
