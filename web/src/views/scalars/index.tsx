// The scalars page: a toolbar, and cards of charts by tag group.

import { useEffect } from "preact/hooks";
import { getJson } from "../../api/client";
import type { CustomScalars } from "../../api/types";
import { info, loadedOnce } from "../../data/board";
import { shownRuns, allShown } from "../../data/runs";
import { Empty } from "../../widgets/Empty";
import { VirtualGrid } from "../../widgets/VirtualGrid";
import { Combine, combining } from "./Combine";
import { columns, tagFilter, toggleSection } from "../../data/tags";
import { cardByKey, layout, scalarTags, sections } from "./cards";
import { FullScreen } from "./FullScreen";
import { Limits, limiting } from "./Limits";
import { full } from "./options";
import { CARD_HEIGHT, ScalarCard } from "./ScalarCard";
import { Toolbar } from "./Toolbar";

const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/first").as_default():
    for step in range(100):
        summary.scalar("loss", 1 / (step + 1), step=step)`;

export default function Scalars() {
  const layouts = info.value?.plugins.custom_scalars ?? 0;
  useEffect(() => {
    if (layouts) void getJson<CustomScalars>("api/custom_scalars").then((a) => (layout.value = a.data), () => (layout.value = { categories: [] }));
  }, [layouts]);
  // the log's own charts stand first: drawing the others before they are known would make everything jump
  const known = !layouts || layout.value !== null;
  const opened = full.value ? cardByKey(full.value) : undefined;
  return (
    <>
      <Toolbar />
      {!known ? null : loadedOnce.value && !sections.value.length ? <Nothing /> : (
        <VirtualGrid sections={sections.value} cardHeight={CARD_HEIGHT} minWidth={340} columns={columns.value} keyOf={(c) => c.key} onToggle={toggleSection}
          fill="tall" render={(card, width, height) => <ScalarCard card={card} width={width} height={height} />} />
      )}
      {opened && <FullScreen card={opened} key={opened.key} />}
      {combining.value && <Combine />}
      {limiting.value && <Limits key={limiting.value.key} />}
    </>
  );
}

function Nothing() {
  if (info.value && info.value.state !== "ready") return null;
  if (!scalarTags.value.length) return <Empty title="No scalars yet" code={EXAMPLE}>Log some into <code>{info.value?.logdir}</code>, and they appear here within a second:</Empty>;
  if (!shownRuns.value.length) return <Empty title="No run is shown"><button type="button" class="button" onClick={allShown}>Show all runs</button></Empty>;
  return <Empty title="No tag fits the filter"><button type="button" class="button" onClick={() => (tagFilter.value = "")}>Clear “{tagFilter.value}”</button></Empty>;
}
