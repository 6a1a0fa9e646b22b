// The op table: own and total time by name, shape, module or Python function. In: rows from the API. Out: a sortable table.

import { useState } from "preact/hooks";
import { address } from "../../api/client";
import { integer, plural } from "../../base/format";
import { oneOf, param } from "../../data/address";
import { useJson } from "../../data/fetch";
import { ErrorCard } from "../../widgets/Empty";
import { Search, Select } from "../../widgets/Field";
import { SortHead, type Sorting } from "../../widgets/SortHead";
import { percent, PLUGIN, time, type OpRow } from "./types";

const BY = ["name", "shape", "module", "function"] as const;
const by = param<(typeof BY)[number]>("by", "name", oneOf(BY));
type Column = "name" | "detail" | "kind" | "calls" | "own" | "total" | "mean" | "longest";

export function Ops({ id }: { id: string }) {
  const { data, error } = useJson<{ rows: OpRow[]; count: number; own: number }>(address("api/capture/ops", { id, by: by.value }), undefined, PLUGIN);
  const [sort, setSort] = useState<Sorting<Column>>({ by: "own", down: true });
  const [find, setFind] = useState("");
  if (error) return <ErrorCard message={error} />;
  const cell = (r: OpRow, c: Column) => (c === "mean" ? r.total / Math.max(1, r.calls) : r[c]);
  const rows = (data?.rows ?? []).filter((r) => (r.name + " " + r.detail).toLowerCase().includes(find.toLowerCase())).sort((a, b) => {
    const [x, y] = [cell(a, sort.by), cell(b, sort.by)];
    const order = typeof x === "string" ? x.localeCompare(y as string, undefined, { numeric: true }) : x - (y as number);
    return sort.down ? -order : order;
  });
  const head = (name: string, column: Column, left = false) => <SortHead name={name} column={column} sort={sort} onSort={setSort} left={left} />;
  return (
    <>
      <div class="toolbar" role="toolbar" aria-label="Ops">
        <Search id="tag-filter" label="Find ops" value={find} placeholder="find ops" onChange={setFind} />
        <Select label="by" value={by.value} options={BY.map((b) => [b, b === "function" ? "Python function" : b] as const)} onChange={(v) => (by.value = v)} />
        <span class="dim" role="status">{data ? `${plural(rows.length, "row")}, ${time(rows.reduce((n, r) => n + r.own, 0))} own time` : "…"}</span>
      </div>
      <div class="scroll-x card flat" tabIndex={0} role="region" aria-label="Op table">
        <table class="data">
          <thead><tr>{head("name", "name", true)}{by.value === "shape" || by.value === "module" ? head(by.value, "detail", true) : null}{head("kind", "kind", true)}{head("own", "own")}<th scope="col">share</th>{head("total", "total")}{head("calls", "calls")}{head("mean", "mean")}{head("longest", "longest")}</tr></thead>
          <tbody>{rows.slice(0, 1000).map((r) => (
            <tr key={r.kind + r.name + r.detail}><th scope="row" title={r.name}>{r.name}</th>{by.value === "shape" || by.value === "module" ? <td class="left">{r.detail || "–"}</td> : null}<td class="left">{r.kind}</td><td>{time(r.own)}</td><td>{percent(r.own / Math.max(1, data!.own))}</td><td>{time(r.total)}</td><td>{integer(r.calls)}</td><td>{time(r.total / Math.max(1, r.calls))}</td><td>{time(r.longest)}</td></tr>
          ))}</tbody>
        </table>
      </div>
    </>
  );
}
