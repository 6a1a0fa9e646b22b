// In: a table of points from the board, and what to colour by. Out: places in space and colours. Not here: drawing, requests.

import { readFrame, type ColumnSpec } from "../../api/frame";
import { slotColour } from "../../base/colour";
import { toRgb } from "../../chart/raster";

export interface Table {
  points: number;
  dimensions: number;
  /** each component's share of the variance */
  share: number[];
  names: string[];
  labels: string[][];
  sprite: { width: number; height: number } | null;
  /** the rows of the whole table that are here */
  row: Float64Array | Float32Array;
  components: (Float64Array | Float32Array)[];
}

interface Header extends Omit<Table, "row" | "components"> {
  columns: Record<string, ColumnSpec>;
}

export function readTable(buffer: ArrayBuffer): Table {
  const { header, column } = readFrame<Header>(buffer);
  const { columns, ...rest } = header;
  const components = Object.keys(columns).filter((k) => k[0] === "c").map((k) => column(columns[k]));
  return { ...rest, row: column(columns.row), components };
}

/** xyz after xyz along three components; a missing one, or the third of a flat view, is 0. */
export function places(t: Table, axes: number[], flat: boolean): Float32Array {
  const n = t.row.length;
  const out = new Float32Array(3 * n);
  axes.forEach((c, k) => {
    const from = t.components[c];
    if (!from || (flat && k === 2)) return;
    for (let i = 0; i < n; i++) out[3 * i + k] = from[i];
  });
  return out;
}

export interface Legend {
  kind: "none" | "classes" | "scale";
  entries: { text: string; colour: string; count: number }[];
}

const MAX_CLASSES = 50;

function ramp(t: number, dark: boolean): [number, number, number] {
  // blue to yellow through grey: light grows all the way, so that it reads without colour, too
  const [a, b] = dark ? [[60, 90, 200], [250, 225, 90]] : [[30, 50, 150], [225, 170, 20]];
  return [0, 1, 2].map((k) => Math.round(a[k] + (b[k] - a[k]) * t)) as [number, number, number];
}

/** Numbers are a scale, few different texts are classes, anything else has one colour. */
export function colours(t: Table, by: number, theme: "light" | "dark"): { rgb: Uint8Array; legend: Legend } {
  const n = t.row.length;
  const rgb = new Uint8Array(3 * n);
  const fill = (i: number, c: ArrayLike<number>) => { rgb[3 * i] = c[0]; rgb[3 * i + 1] = c[1]; rgb[3 * i + 2] = c[2]; };
  const column = by >= 0 && by < t.names.length ? t.labels.map((l) => l[by]) : null;
  const classes = new Map<string, number>();
  for (const v of column ?? []) {
    classes.set(v, (classes.get(v) ?? 0) + 1);
    if (classes.size > MAX_CLASSES) break;
  }
  // a label of its own for each point is a name and no class
  if (column && classes.size <= MAX_CLASSES && classes.size * 2 <= Math.max(n, 4)) {
    const order = [...classes.keys()].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    const css = order.map((_, k) => slotColour(k, theme));
    const made = css.map(toRgb);
    const at = new Map(order.map((v, k) => [v, k]));
    column.forEach((v, i) => fill(i, made[at.get(v)!]));
    return { rgb, legend: { kind: "classes", entries: order.map((text, k) => ({ text: text || "(none)", colour: css[k], count: classes.get(text)! })) } };
  }
  const numbers = column?.map(Number);
  if (numbers?.length && numbers.every(Number.isFinite)) {
    const lo = numbers.reduce((a, b) => Math.min(a, b));
    const hi = numbers.reduce((a, b) => Math.max(a, b));
    const css = (c: number[]) => `rgb(${c.join(" ")})`;
    numbers.forEach((v, i) => fill(i, ramp(hi > lo ? (v - lo) / (hi - lo) : 0.5, theme === "dark")));
    return { rgb, legend: { kind: "scale", entries: [{ text: String(lo), colour: css(ramp(0, theme === "dark")), count: 0 }, { text: String(hi), colour: css(ramp(1, theme === "dark")), count: 0 }] } };
  }
  const one = toRgb(slotColour(0, theme));
  for (let i = 0; i < n; i++) fill(i, one);
  return { rgb, legend: { kind: "none", entries: [] } };
}
