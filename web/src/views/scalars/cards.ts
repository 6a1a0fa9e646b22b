// In: the tags, the filter, the pins and the charts made in the page. Out: sections of cards, in a stable order.
// Not here: the data of a card (ScalarCard).

import { computed, signal } from "@preact/signals";
import type { CustomScalars } from "../../api/types";
import { tags } from "../../data/board";
import { shownIds } from "../../data/runs";
import { fitsFilter, shut } from "../../data/tags";
import { multi, pinned } from "./options";
import type { Section } from "../../widgets/VirtualGrid";

export interface Card {
  key: string;
  title: string;
  tags: string[];
  description: string;
  made: boolean;
  /** value, lower and upper tag: drawn as a line in a band */
  margins?: { value: string; lower: string; upper: string }[];
}

export const scalarTags = computed(() => tags.value.plugins.scalars ?? []);

/** Which runs have a tag: run ids by tag. */
export const runsOfTag = computed(() => {
  const names = tags.value.runs;
  return new Map(scalarTags.value.map((t) => [t.tag, t.runs.map((i) => names[i])]));
});

export const cards = computed<Card[]>(() => {
  const shown = shownIds.value;
  const names = tags.value.runs;
  const fits = fitsFilter.value;
  const out: Card[] = [];
  for (const t of scalarTags.value) {
    if (fits(t.tag) && t.runs.some((i) => shown.has(names[i]))) {
      out.push({ key: t.tag, title: t.name || t.tag, tags: [t.tag], description: t.description, made: false });
    }
  }
  return out;
});

export const madeCards = computed<Card[]>(() => multi.value.map((m) => ({ key: "multi:" + m.title, title: m.title, tags: m.tags, description: "", made: true })));

export function cardByKey(key: string): Card | undefined {
  const made = madeCards.value.find((c) => c.key === key);
  if (made) return made;
  const laid = laidOut.value.flatMap((s) => s.items).find((c) => c.key === key);
  if (laid) return laid;
  const t = scalarTags.value.find((s) => s.tag === key);
  return t && { key: t.tag, title: t.name || t.tag, tags: [t.tag], description: t.description, made: false };
}

/** The charts that the log itself asks for (custom scalars): tags by regular expressions that must fit from their start. */
export const layout = signal<CustomScalars | null>(null);

function fitting(patterns: string[]): string[] {
  const out = new Set<string>();
  for (const p of patterns) {
    try {
      const re = new RegExp(`^(?:${p})`);
      for (const t of scalarTags.value) if (re.test(t.tag)) out.add(t.tag);
    } catch {
      if (runsOfTag.value.has(p)) out.add(p);
    }
  }
  return [...out];
}

const laidOut = computed<Section<Card>[]>(() =>
  (layout.value?.categories ?? []).map((c, i) => ({
    key: "\u0002" + c.title,
    title: c.title,
    open: c.closed ? shut.value.includes("\u0002" + c.title) : !shut.value.includes("\u0002" + c.title),
    items: c.charts
      .map((chart): Card => {
        const margins = chart.kind === "margin" ? (chart.series ?? []) : undefined;
        const tags = margins ? margins.flatMap((m) => [m.value, m.lower, m.upper]).filter((t) => runsOfTag.value.has(t)) : fitting(chart.tags);
        return { key: `layout:${i}:${chart.title}`, title: chart.title, tags, description: "", made: false, margins };
      })
      .filter((card) => card.tags.length && card.tags.some((t) => fitsFilter.value(t))),
  })).filter((s) => s.items.length),
);

export const groupOf = (tag: string) => (tag.includes("/") ? tag.slice(0, tag.indexOf("/")) : "");

export const sections = computed<Section<Card>[]>(() => {
  const closed = new Set(shut.value);
  const out: Section<Card>[] = [];
  const pins = pinned.value.map((k) => cardByKey(k)).filter((c): c is Card => !!c);
  if (pins.length) out.push({ key: "\u0001pinned", title: "Pinned", items: pins, open: !closed.has("\u0001pinned") });
  if (madeCards.value.length) out.push({ key: "\u0001made", title: "Combined", items: madeCards.value, open: !closed.has("\u0001made") });
  out.push(...laidOut.value);
  const by = new Map<string, Card[]>();
  for (const c of cards.value) {
    const g = groupOf(c.tags[0]);
    const same = by.get(g);
    if (same) same.push(c);
    else by.set(g, [c]);
  }
  for (const [g, items] of by) out.push({ key: g, title: g || "Ungrouped", items, open: !closed.has(g) });
  return out;
});

export function togglePin(key: string): void {
  pinned.value = pinned.value.includes(key) ? pinned.value.filter((k) => k !== key) : [...pinned.value, key];
}
