// In: the extents of the cards on screen. Out: one y range per section, for "same y range". Not here: single cards' ranges.

import { signal } from "@preact/signals";
import type { SeriesLine } from "../../data/series";
import type { Span } from "../../chart/scene";
import { groupOf, type Card } from "./cards";

const offers = new Map<string, Map<string, Span>>();
const changed = signal(0);

export function offerExtent(card: Card, series: SeriesLine[], clip: boolean): void {
  let lo = Infinity;
  let hi = -Infinity;
  for (const l of series) {
    const e = clip ? (l.q ?? l.extent) : l.extent;
    if (e) { lo = Math.min(lo, e[0]); hi = Math.max(hi, e[1]); }
  }
  if (!(lo <= hi)) return;
  const group = card.made ? card.key : groupOf(card.tags[0]);
  const all = offers.get(group) ?? new Map<string, Span>();
  offers.set(group, all);
  const old = all.get(card.key);
  if (old && old[0] === lo && old[1] === hi) return;
  all.set(card.key, [lo, hi]);
  // cards render one after the other: the range is known when the last of them has spoken
  queueMicrotask(() => changed.value++);
}

export function sharedExtent(card: Card): Span | null {
  void changed.value;
  const all = offers.get(card.made ? card.key : groupOf(card.tags[0]));
  if (!all?.size) return null;
  const spans = [...all.values()];
  return [Math.min(...spans.map((s) => s[0])), Math.max(...spans.map((s) => s[1]))];
}
