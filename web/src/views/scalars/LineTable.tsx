// In: the lines of a chart. Out: a table of them: value under the cursor, last, least, greatest; sorted by any column.

import { useState } from "preact/hooks";
import { exact, integer, value } from "../../base/format";
import { cursor } from "../../chart/cursor";
import { nearest, type Scene } from "../../chart/scene";
import { atText } from "../../chart/summary";
import { focusRun } from "../../data/runs";
import type { SeriesLine } from "../../data/series";
import { Swatch } from "../../widgets/Swatch";
import { SortHead, type Sorting } from "../../widgets/SortHead";
import { keyOfLine, runOfKey } from "./lines";

interface Row {
  key: string;
  name: string;
  colour: string;
  dash: number[];
  here: number;
  last: number;
  min: number;
  minAt: number;
  max: number;
  maxAt: number;
  points: number;
}

const COLUMNS: [keyof Row, string][] = [["name", "run"], ["here", "at cursor"], ["last", "last"], ["min", "least"], ["minAt", "at"], ["max", "greatest"], ["maxAt", "at"], ["points", "points"]];

export function LineTable({ scene, series }: { scene: Scene; series: SeriesLine[] | null }) {
  const [sort, setSort] = useState<Sorting<keyof Row>>({ by: "name", down: false });
  const at = cursor.value?.x;
  const by = new Map((series ?? []).map((l) => [keyOfLine(l), l]));
  const rows: Row[] = scene.lines.map((l) => {
    const n = l.y.length;
    let lo = 0, hi = 0;
    const raw = l.raw?.y ?? l.y;
    for (let i = 1; i < n; i++) {
      if (raw[i] < raw[lo] || Number.isNaN(raw[lo])) lo = i;
      if (raw[i] > raw[hi] || Number.isNaN(raw[hi])) hi = i;
    }
    const here = at === undefined ? -1 : nearest(l.x, at);
    return { key: l.key, name: l.label, colour: l.colour, dash: l.dash, here: here < 0 ? NaN : l.y[here], last: n ? raw[n - 1] : NaN, min: n ? raw[lo] : NaN, minAt: n ? l.x[lo] : NaN, max: n ? raw[hi] : NaN, maxAt: n ? l.x[hi] : NaN, points: by.get(l.key)?.total ?? n };
  });
  rows.sort((a, b) => {
    const [x, y] = [a[sort.by], b[sort.by]];
    const order = typeof x === "string" ? x.localeCompare(y as string, undefined, { numeric: true }) : (x as number) - (y as number) || 0;
    return sort.down ? -order : order;
  });
  return (
    <div class="table-wrap" tabIndex={0} role="region" aria-label="Values of the lines">
      <table class="data">
        <thead><tr>{COLUMNS.map(([k, name]) => <SortHead key={k} name={name} column={k} sort={sort} onSort={setSort} left={k === "name"} />)}</tr></thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.key} class={focusRun.value === runOfKey(r.key) ? "on" : ""} onMouseEnter={() => (focusRun.value = runOfKey(r.key))} onMouseLeave={() => (focusRun.value = null)}>
              <th scope="row"><Swatch colour={r.colour} dash={r.dash} /> {r.name}</th>
              <td>{Number.isNaN(r.here) && at === undefined ? "–" : value(r.here, 6)}</td>
              <td title={exact(r.last)}>{value(r.last, 6)}</td>
              <td title={exact(r.min)}>{value(r.min, 6)}</td>
              <td class="dim">{atText(r.minAt, scene.xUnit)}</td>
              <td title={exact(r.max)}>{value(r.max, 6)}</td>
              <td class="dim">{atText(r.maxAt, scene.xUnit)}</td>
              <td class="dim">{integer(r.points)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
