// In: a kind of axis and its domain. Out: value → 0..1 and back, ticks with labels. Not here: pixels (chart/).

import { clock, date, duration, value } from "./format";

export type ScaleKind = "linear" | "log" | "symlog";
export type Unit = "number" | "step" | "relative" | "wall";

export interface Scale {
  readonly kind: ScaleKind;
  readonly min: number;
  readonly max: number;
  /** 0..1 inside the domain; NaN where the value has no place (a log axis and a value ≤ 0). */
  at(v: number): number;
  from(t: number): number;
}

export function makeScale(kind: ScaleKind, min: number, max: number, threshold = 1): Scale {
  if (!(max > min)) {
    const pad = min === 0 ? 1 : Math.abs(min) * 0.5;
    [min, max] = kind === "log" && min > 0 ? [min / 2, min * 2] : [min - pad, min + pad];
  }
  const forward =
    kind === "log" ? Math.log10
    : kind === "symlog" ? (v: number) => Math.asinh(v / threshold)
    : (v: number) => v;
  const back =
    kind === "log" ? (t: number) => 10 ** t
    : kind === "symlog" ? (t: number) => Math.sinh(t) * threshold
    : (t: number) => t;
  const lo = forward(min);
  const span = forward(max) - lo;
  return { kind, min, max, at: (v) => (forward(v) - lo) / span, from: (t) => back(lo + t * span) };
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const r = rough / power;
  return (r <= 1.001 ? 1 : r <= 2.001 ? 2 : r <= 2.501 ? 2.5 : r <= 5.001 ? 5 : 10) * power;
}

function linearTicks(min: number, max: number, count: number, integers: boolean): number[] {
  let step = niceStep((max - min) / Math.max(1, count));
  // one label says nothing about a scale: rather one too many than that
  if (Math.floor(max / step) - Math.ceil(min / step) < 1) step = niceStep((max - min) / (2 * Math.max(1, count)));
  if (integers) step = step === 2.5 ? 5 : Math.max(1, step);
  const out: number[] = [];
  for (let i = Math.ceil(min / step - 1e-9); i * step <= max + step * 1e-9 && out.length < 64; i++) {
    // i * step and not a running sum, so that 0.1 steps stay 0.3 and not 0.30000000000000004
    out.push(Number((i * step).toPrecision(12)));
  }
  return out;
}

const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];

function timeTicks(min: number, max: number, count: number, wall: boolean): number[] {
  const rough = (max - min) / Math.max(1, count);
  if (rough < 1) return linearTicks(min, max, count, false);
  const step = CLOCK_STEPS.find((s) => s >= rough) ?? Math.ceil(rough / 604800) * 604800;
  const shift = wall ? new Date(min * 1000).getTimezoneOffset() * 60 : 0;
  const out: number[] = [];
  for (let v = Math.ceil((min - shift) / step) * step + shift; v <= max && out.length < 64; v += step) out.push(v);
  return out;
}

export interface Tick {
  value: number;
  label: string;
}

export function ticks(scale: Scale, count: number, unit: Unit = "number"): Tick[] {
  const { kind, min, max } = scale;
  let values: number[];
  if (kind === "log" && max / min >= 5) {
    values = [];
    const lo = Math.floor(Math.log10(min));
    const hi = Math.ceil(Math.log10(max));
    const every = Math.max(1, Math.ceil((hi - lo) / count));
    const minor = hi - lo <= Math.max(2, count / 3) ? [1, 2, 5] : [1];
    for (let e = lo; e <= hi; e += every) {
      for (const m of minor) {
        const v = Number((m * 10 ** e).toPrecision(3));
        if (v >= min * 0.9999 && v <= max * 1.0001) values.push(v);
      }
    }
  } else if (kind === "symlog") {
    values = [];
    const seen = new Set<number>();
    for (let i = 0; i <= count; i++) {
      const v = scale.from(i / count);
      const rounded = v === 0 || Math.abs(v) < 1e-9 * Math.max(Math.abs(min), Math.abs(max)) ? 0 : Number(v.toPrecision(1));
      if (!seen.has(rounded) && rounded >= min && rounded <= max) seen.add(rounded);
    }
    if (min <= 0 && max >= 0) seen.add(0);
    values = [...seen].sort((a, b) => a - b);
    let last = -Infinity;
    values = values.filter((v) => v === 0 || scale.at(v) - last > 0.5 / count ? ((last = scale.at(v)), true) : false);
  } else if (unit === "wall" || unit === "relative") {
    values = timeTicks(min, max, count, unit === "wall");
  } else {
    values = linearTicks(min, max, count, unit === "step");
  }
  const gap = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(max - min);
  return values.map((v) => ({ value: v, label: tickLabel(v, gap, unit) }));
}

function tickLabel(v: number, gap: number, unit: Unit): string {
  if (unit === "wall") return gap >= 86400 ? date(v).slice(5) : gap >= 60 ? clock(v).slice(0, 5) : clock(v);
  if (unit === "relative") {
    if (v === 0) return "0";
    if (gap >= 86400) return +(v / 86400).toFixed(1) + " d";
    if (gap >= 3600) return +(v / 3600).toFixed(1) + " h";
    if (gap >= 60) return +(v / 60).toFixed(1) + " min";
    return gap >= 1 ? +v.toFixed(0) + " s" : duration(v);
  }
  const a = Math.abs(v);
  if (a >= 1e4 && a < 1e15) {
    for (const [size, suffix] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
      if (a >= size) {
        const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(gap / size) - 1e-9)));
        return Number((v / size).toFixed(digits)).toString().replace("-", "−") + suffix;
      }
    }
  }
  // as many digits as tell neighbouring ticks apart, at most what a double holds
  const digits = a === 0 ? 1 : Math.min(12, Math.max(1, Math.ceil(Math.log10(a / gap) + 1.01)));
  return value(v, Math.max(digits, 2));
}
