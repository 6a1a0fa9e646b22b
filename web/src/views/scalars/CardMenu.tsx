// In: a card, what it shows now. Out: its ⋯ menu: exports, combining with other tags, the address of this state.

import { address } from "../../api/client";
import { inReport } from "../../api/report";
import { fileName, save, toPng, toSvg } from "../../chart/export";
import type { Scene } from "../../chart/scene";
import { exact } from "../../base/format";
import type { SeriesLine } from "../../data/series";
import { shownRuns } from "../../data/runs";
import { Icon } from "../../widgets/Icon";
import { Menu, MenuItem } from "../../widgets/Menu";
import { runsOfTag, type Card } from "./cards";
import { multi, restarts, setZoom } from "./options";
import { combining } from "./Combine";
import { limiting } from "./Limits";

function runsOf(card: Card): string[] {
  const shown = new Set(shownRuns.value.map((r) => r.id));
  const out = new Set<string>();
  for (const t of card.tags) for (const r of runsOfTag.value.get(t) ?? []) if (shown.has(r)) out.add(r);
  return [...out];
}

/** All points come from the server; a report has only its own. */
function exportData(card: Card, series: SeriesLine[] | null, format: "csv" | "json"): void {
  if (!inReport) {
    const a = document.createElement("a");
    a.href = address("api/export", { run: runsOf(card), tag: card.tags, format, restarts: restarts.value });
    a.download = fileName(card.title, format);
    a.click();
    return;
  }
  const rows = series ?? [];
  const body =
    format === "json"
      ? JSON.stringify({ series: rows.map((l) => ({ run: l.run, tag: l.tag, step: [...l.x], value: [...l.y] })) })
      : "run,tag,step,value\n" + rows.flatMap((l) => Array.from(l.x, (x, i) => [l.run ?? l.group, l.tag, x, exact(l.y[i])].map((v) => (/[",\n]/.test(String(v)) ? `"${String(v).replace(/"/g, '""')}"` : v)).join(","))).join("\n");
  save(fileName(card.title, format), new Blob([body], { type: format === "json" ? "application/json" : "text/csv" }));
}

export function CardMenu({ card, scene, series }: { card: Card; scene: Scene; series: SeriesLine[] | null }) {
  return (
    <Menu label={`More for ${card.title}`} face={<Icon name="more" />}>
      {(close) => {
        const then = (f: () => void) => () => { f(); close(); };
        return (
          <>
            <div class="menu-label">Data, all points</div>
            <MenuItem onClick={then(() => exportData(card, series, "csv"))}>CSV</MenuItem>
            <MenuItem onClick={then(() => exportData(card, series, "json"))}>JSON</MenuItem>
            <div class="menu-label">Chart with legend</div>
            <MenuItem onClick={then(() => save(fileName(card.title, "svg"), new Blob([toSvg(scene)], { type: "image/svg+xml" })))}>SVG</MenuItem>
            <MenuItem onClick={then(() => void toPng(scene).then((b) => save(fileName(card.title, "png"), b)))}>PNG</MenuItem>
            <hr />
            <MenuItem onClick={then(() => (combining.value = { title: "", tags: [...card.tags], from: card.made ? card.title : null }))}>{card.made ? "Change its tags …" : "Combine with other tags …"}</MenuItem>
            {card.made && <MenuItem onClick={then(() => (multi.value = multi.value.filter((m) => "multi:" + m.title !== card.key)))}>Remove this chart</MenuItem>}
            <MenuItem onClick={then(() => (limiting.value = { key: card.key, title: card.title, scene }))}>Axis limits …</MenuItem>
            <MenuItem onClick={then(() => setZoom(card.key, null, null))}>Reset zoom</MenuItem>
          </>
        );
      }}
    </Menu>
  );
}
