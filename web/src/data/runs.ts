// In: all runs, and the filter, choice, grouping and colouring in the address. Out: the runs that are shown, their colours,
// their groups: the same on every page. Not here: the table that shows them (app/RunsPanel).

import { computed, signal } from "@preact/signals";
import { slotColour, slotDash, sequential, type Theme } from "../base/colour";
import { num, type Run } from "../api/types";
import { allRuns } from "./board";
import { list, param, text } from "./address";
import { parseFilter } from "./expression";

export const theme = signal<Theme>("light");

export const filterText = param("q", "", text);
/** Runs switched off one by one; or, when not empty, the only ones switched on. Never both. */
export const off = param<string[]>("off", [], list);
export const only = param<string[]>("on", [], list);
/** "" | "folder" | "label" | "h:NAME" | "r:REGEX" */
export const groupBy = param("group", "", text);
export const aggregate = param("agg", "mean/std", text);
/** "run" | "group" | "h:NAME" | "r:REGEX" */
export const colourBy = param("colour", "run", text);
export const showTrash = signal(false);
export const showHidden = signal(false);
/** The run that the mouse or the keyboard is on; its curve comes forward on every chart. */
export const focusRun = signal<string | null>(null);

export const runById = computed(() => new Map(allRuns.value.map((r) => [r.id, r])));
export const filter = computed(() => parseFilter(filterText.value));

/** The rows of the table: what the filter lets through. */
export const listedRuns = computed(() =>
  allRuns.value.filter((r) => (r.trashed ? showTrash.value : !showTrash.value) && (showHidden.value || !r.hidden || r.trashed) && filter.value.test(r)),
);

const offSet = computed(() => new Set(off.value));
const onSet = computed(() => new Set(only.value));

export function isOn(run: Run): boolean {
  if (run.trashed || run.hidden) return false;
  return onSet.value.size ? onSet.value.has(run.id) : !offSet.value.has(run.id);
}

/** What charts draw. */
export const shownRuns = computed(() => allRuns.value.filter((r) => isOn(r) && filter.value.test(r)));
export const shownIds = computed(() => new Set(shownRuns.value.map((r) => r.id)));

export function setOn(ids: string[], value: boolean): void {
  const now = new Set(allRuns.value.filter((r) => isOn(r)).map((r) => r.id));
  for (const id of ids) value ? now.add(id) : now.delete(id);
  choose(now);
}

export function choose(wanted: Set<string>): void {
  const all = allRuns.value.filter((r) => !r.hidden && !r.trashed).map((r) => r.id);
  const out = all.filter((id) => !wanted.has(id));
  // the shorter list goes into the address; an empty choice is "everything off"
  if (out.length <= wanted.size || wanted.size === 0) {
    off.value = out;
    only.value = [];
  } else {
    only.value = [...wanted];
    off.value = [];
  }
}

/** The key of a run in a grouping such as "h:lr", or null when it has none. */
export function keyOf(run: Run, by: string): string | null {
  if (by.startsWith("h:")) {
    const v = Object.hasOwn(run.hparams, by.slice(2)) ? run.hparams[by.slice(2)] : undefined;
    return v === undefined ? null : `${by.slice(2)}=${v}`;
  }
  if (by.startsWith("r:")) {
    try {
      const m = new RegExp(by.slice(2)).exec(run.name);
      return m ? (m[1] ?? m[0]) : null;
    } catch {
      return null;
    }
  }
  if (by === "folder") return run.name.includes("/") ? run.name.slice(0, run.name.lastIndexOf("/")) : ".";
  if (by === "label") return run.labels[0] ?? null;
  if (by === "seed") return run.name.replace(/[-_.=]?\d+$/, "") || run.name;
  return null;
}

export interface Group {
  id: string;
  runs: Run[];
}

export const groups = computed<Group[]>(() => {
  const by = groupBy.value;
  if (!by) return [];
  const made = new Map<string, Run[]>();
  for (const r of shownRuns.value) {
    const k = keyOf(r, by) ?? "(none)";
    const members = made.get(k);
    if (members) members.push(r);
    else made.set(k, [r]);
  }
  return [...made].map(([id, runs]) => ({ id, runs }));
});

const colours = computed(() => {
  const t = theme.value;
  const by = colourBy.value === "group" ? groupBy.value : colourBy.value;
  const out = new Map<string, { colour: string; dash: number[] }>();
  if (!by || by === "run") {
    for (const r of allRuns.value) out.set(r.id, { colour: slotColour(r.colour, t), dash: slotDash(r.colour) });
    return out;
  }
  if (by.startsWith("h:")) {
    const values = allRuns.value.map((r) => (Object.hasOwn(r.hparams, by.slice(2)) ? r.hparams[by.slice(2)] : undefined));
    const numbers = [...new Set(values.filter((v): v is number => typeof v === "number"))].sort((a, b) => a - b);
    if (numbers.length > 2) {
      // by rank and not by value: 1e-5 … 1e-1 would else be one colour and one more
      allRuns.value.forEach((r, i) => {
        const at = numbers.indexOf(values[i] as number);
        out.set(r.id, { colour: at < 0 ? slotColour(0, t) : sequential(at / (numbers.length - 1), t), dash: [] });
      });
      return out;
    }
  }
  const slots = new Map<string, number>();
  for (const r of allRuns.value) {
    const k = keyOf(r, by) ?? "";
    if (!slots.has(k)) slots.set(k, slots.size);
    out.set(r.id, { colour: slotColour(slots.get(k)!, t), dash: slotDash(slots.get(k)!) });
  }
  return out;
});

export function colourOf(id: string): { colour: string; dash: number[] } {
  return colours.value.get(id) ?? { colour: slotColour(0, theme.value), dash: [] };
}

// over all runs and not only those shown: hiding a run must not recolour the others
const groupSlots = computed(() => {
  const slots = new Map<string, number>();
  for (const r of allRuns.value) {
    const k = keyOf(r, groupBy.value) ?? "(none)";
    if (!slots.has(k)) slots.set(k, slots.size);
  }
  return slots;
});

export function groupColour(id: string): { colour: string; dash: number[] } {
  const slot = groupSlots.value.get(id) ?? 0;
  return { colour: slotColour(slot, theme.value), dash: slotDash(slot) };
}

export const nameOf = (id: string): string => runById.value.get(id)?.name ?? id;

export const hparamNames = computed(() => {
  const names = new Set<string>();
  for (const r of allRuns.value) for (const k of Object.keys(r.hparams)) names.add(k);
  return [...names].sort();
});

export const metricNames = computed(() => {
  const names = new Set<string>();
  for (const r of allRuns.value) for (const k of Object.keys(r.metrics)) names.add(k);
  return [...names];
});

export function metricOf(run: Run, metric: string, which: "last" | "min" | "max" = "last"): number | null {
  return Object.hasOwn(run.metrics, metric) ? num(run.metrics[metric][which]) : null;
}

export function allShown(): void {
  filterText.value = "";
  off.value = [];
  only.value = [];
}
