// In: a kind of summary and how one card of it looks. Out: a page of cards, a section for each tag, a card for each run that
// has it, only those on screen alive. Images, audio, text, histograms, distributions and PR curves are all this.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Run, Tag } from "../api/types";
import { info, tags } from "../data/board";
import { shownRuns } from "../data/runs";
import { columns, fitsFilter, shut, tagFilter, tagFilterError, tagsWithRuns, toggleSection } from "../data/tags";
import { Empty } from "./Empty";
import { Search } from "./Field";
import { VirtualGrid, type Section } from "./VirtualGrid";

export interface TagCard {
  tag: Tag;
  run: Run;
  /** for cards that show several runs at once */
  runs: Run[];
}

export interface TagPageProps {
  plugin: string;
  /** one card per tag, with all its runs, instead of one per run */
  together?: boolean;
  cardHeight: number;
  minWidth: number;
  toolbar?: ComponentChildren;
  empty: { title: string; code: string };
  render(card: TagCard, width: number, height: number): ComponentChildren;
  fill?: "wide" | "tall";
  /** which tags have a section, and its title, where that is not simply all of them */
  keep?(tag: string): boolean;
  named?(tag: string): string;
}

export function TagPage(p: TagPageProps) {
  const sections = useMemo<Section<TagCard>[]>(() => {
    const closed = new Set(shut.value);
    const all = tagsWithRuns(p.plugin).filter(({ tag }) => p.keep?.(tag.tag) ?? true);
    if (!p.together) {
      return all.map(({ tag, runs }) => ({ key: tag.tag, title: p.named?.(tag.tag) ?? (tag.name || tag.tag), open: !closed.has(tag.tag), items: runs.map((run) => ({ tag, run, runs })) }));
    }
    const by = new Map<string, TagCard[]>();
    for (const { tag, runs } of all) {
      const g = tag.tag.includes("/") ? tag.tag.slice(0, tag.tag.indexOf("/")) : "";
      by.set(g, [...(by.get(g) ?? []), { tag, run: runs[0], runs }]);
    }
    return [...by].map(([g, items]) => ({ key: g, title: g || "Ungrouped", items, open: !closed.has(g) }));
  }, [tags.value, shownRuns.value, fitsFilter.value, shut.value, p.plugin, p.together]);
  const any = (tags.value.plugins[p.plugin] ?? []).length > 0;
  return (
    <>
      <div class="toolbar" role="toolbar" aria-label="Cards">
        <Search id="tag-filter" label="Filter tags by regular expression" value={tagFilter.value} placeholder="tags: regex" onChange={(v) => (tagFilter.value = v)} error={tagFilterError.value} />
        {p.toolbar}
      </div>
      {sections.length ? (
        <VirtualGrid sections={sections} cardHeight={p.cardHeight} minWidth={p.minWidth} columns={columns.value} keyOf={(c) => c.run.id + "\u0000" + c.tag.tag} onToggle={toggleSection} fill={p.fill} render={p.render} />
      ) : !any ? (
        <Empty title={p.empty.title} code={p.empty.code}>Log some into <code>{info.value?.logdir}</code>:</Empty>
      ) : (
        <Empty title="Nothing fits">No shown run has a tag that fits the filter.</Empty>
      )}
    </>
  );
}
