// The one cursor that all charts share, and the one tooltip. In: where the pointer or the keyboard is. Out: two signals.

import { signal } from "@preact/signals";
import { oneOf, param } from "../data/address";

export interface Cursor {
  /** the kind of x axis: charts of another kind do not follow */
  axis: string;
  x: number;
  owner: object;
}

export interface TipRow {
  key: string;
  colour: string;
  dash: number[];
  label: string;
  value: number;
  raw: number | null;
  /** where the point lies, when not where the heading says, and what else is known of it */
  at: string;
  x: number;
  /** pixels from the pointer */
  distance: number;
}

export interface Tip {
  left: number;
  top: number;
  title: string;
  heading: string;
  rows: TipRow[];
  note: string;
}

export const cursor = signal<Cursor | null>(null);
export const tip = signal<Tip | null>(null);
export const TIP_SORTS = ["nearest", "descending", "ascending", "name"] as const;
export type TipSort = (typeof TIP_SORTS)[number];
export const tipSort = param<TipSort>("tip", "nearest", oneOf(TIP_SORTS));

export function sortRows(rows: TipRow[], by: TipSort): TipRow[] {
  const out = [...rows];
  if (by === "name") return out.sort((a, b) => a.label.localeCompare(b.label, undefined, { numeric: true }));
  if (by === "nearest") return out.sort((a, b) => a.distance - b.distance);
  return out.sort((a, b) => (by === "ascending" ? a.value - b.value : b.value - a.value));
}
