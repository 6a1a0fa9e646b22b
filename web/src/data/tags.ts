// In: the tags of the board and the tag filter in the address. Out: what fits it. Shared by every page that has cards by tag.

import { computed } from "@preact/signals";
import { list, number, param, text } from "./address";
import { tags } from "./board";
import { shownRuns } from "./runs";
import type { Run, Tag } from "../api/types";

export const tagFilter = param("t", "", text);
export const columns = param("cols", 0, number);
/** Sections that are folded. */
export const shut = param<string[]>("shut", [], list);

export function toggleSection(key: string): void {
  shut.value = shut.value.includes(key) ? shut.value.filter((k) => k !== key) : [...shut.value, key];
}

export const tagFilterError = computed(() => {
  try {
    new RegExp(tagFilter.value);
    return null;
  } catch {
    return "not a regular expression; looking for the text itself";
  }
});

export const fitsFilter = computed<(s: string) => boolean>(() => {
  const wanted = tagFilter.value;
  if (!wanted) return () => true;
  try {
    const re = new RegExp(wanted, "i");
    return (s) => re.test(s);
  } catch {
    const plain = wanted.toLowerCase();
    return (s) => s.toLowerCase().includes(plain);
  }
});

/** The tags of one kind that fit the filter, each with the shown runs that have it. */
export function tagsWithRuns(plugin: string): { tag: Tag; runs: Run[] }[] {
  const names = tags.value.runs;
  const shown = new Map(shownRuns.value.map((r) => [r.id, r]));
  return (tags.value.plugins[plugin] ?? [])
    .filter((t) => fitsFilter.value(t.tag))
    .map((tag) => ({ tag, runs: tag.runs.map((i) => shown.get(names[i])).filter((r): r is Run => !!r) }))
    .filter((t) => t.runs.length);
}
