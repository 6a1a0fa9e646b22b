// The runs page: everything the board knows of each run in one table: status, age, steps, metrics, hyperparameters, notes,
// labels. The filter and the switches are those of the panel beside it. Not here: editing (widgets/RunMenu).

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { age, bytes, duration, exact, integer, value } from "../../base/format";
import type { Run } from "../../api/types";
import { isSorting, json, oneOf, param } from "../../data/address";
import { allRuns, editRuns, tags, wantMetric } from "../../data/board";
import { colourOf, focusRun, hparamNames, isOn, listedRuns, metricNames, metricOf, setOn } from "../../data/runs";
import { fileName, save } from "../../chart/export";
import { Empty } from "../../widgets/Empty";
import { Select } from "../../widgets/Field";
import { IconButton } from "../../widgets/Icon";
import { mayEdit, RunMenu } from "../../widgets/RunMenu";
import { SortHead, type Sorting } from "../../widgets/SortHead";
import { Status } from "../../widgets/Status";
import { Swatch } from "../../widgets/Swatch";

const sort = param<Sorting<string>>("rsort", { by: "start", down: false }, json<Sorting<string>>(isSorting));
const best = param<"last" | "min" | "max">("rbest", "last", oneOf(["last", "min", "max"] as const));
const ROW = 32;

function cell(r: Run, by: string): number | string | null {
  if (by.startsWith("h:")) {
    const v = Object.hasOwn(r.hparams, by.slice(2)) ? r.hparams[by.slice(2)] : null;
    return typeof v === "boolean" ? String(v) : v;
  }
  if (by.startsWith("m:")) return metricOf(r, by.slice(2), best.value);
  switch (by) {
    case "name": return r.name;
    case "status": return r.status;
    case "age": return r.age;
    case "took": return r.start !== null && r.end !== null ? r.end - r.start : null;
    case "step": return r.step;
    case "points": return r.points;
    case "bytes": return r.bytes;
    case "checkpoints": return r.checkpoints;
    case "labels": return r.labels.join(", ");
    case "note": return r.note;
    default: return r.start;
  }
}

export default function Runs() {
  const body = useRef<HTMLDivElement>(null);
  const [span, setSpan] = useState({ top: 0, height: 900 });
  useLayoutEffect(() => {
    const e = body.current;
    if (!e) return;
    const measure = () => setSpan({ top: e.scrollTop, height: e.clientHeight });
    measure();
    e.addEventListener("scroll", measure, { passive: true });
    return () => e.removeEventListener("scroll", measure);
  }, [listedRuns.value.length > 0]);
  const { by, down } = sort.value;
  const runs = [...listedRuns.value].sort((a, b) => {
    const [x, y] = [cell(a, by), cell(b, by)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true });
    return down ? -order : order;
  });
  const metrics = metricNames.value;
  const hparams = hparamNames.value;
  const columns: [string, string, boolean?][] = [["name", "run", true], ["status", "status", true], ["age", "last point"], ["took", "duration"], ["step", "step"], ...metrics.map((m): [string, string] => ["m:" + m, m]), ...hparams.map((h): [string, string] => ["h:" + h, h]), ["labels", "labels", true], ["note", "note", true], ["points", "points"], ["checkpoints", "◆"], ["bytes", "size"]];
  if (!allRuns.value.length) return <Empty title="No runs yet" />;
  const first = Math.max(0, Math.floor(span.top / ROW) - 8);
  const last = Math.min(runs.length, first + Math.ceil(span.height / ROW) + 16);
  const chosen = runs.filter(isOn);
  const csv = () => {
    const quote = (v: unknown) => (/[",\n]/.test(String(v ?? "")) ? `"${String(v).replace(/"/g, '""')}"` : String(v ?? ""));
    const text = [columns.map(([, n]) => quote(n)).join(","), ...runs.map((r) => columns.map(([k]) => { const v = cell(r, k); return quote(typeof v === "number" ? exact(v) : v); }).join(","))].join("\n");
    save(fileName("runs", "csv"), new Blob([text], { type: "text/csv" }));
  };
  return (
    <div class="page fill">
      <div class="toolbar" role="toolbar" aria-label="Runs">
        <Select label="metric values" value={best.value} options={[["last", "last"], ["min", "least"], ["max", "greatest"]] as const} onChange={(v) => (best.value = v)} />
        <Select label="add metric" hideLabel value="" options={[["", "add a metric …"], ...(tags.value.plugins.scalars ?? []).filter((t) => !metrics.includes(t.tag)).slice(0, 500).map((t) => [t.tag, t.tag] as const)]} onChange={(v) => v && wantMetric(v, metrics)} />
        <span class="dim" role="status">{integer(runs.length)} listed, {integer(chosen.length)} switched on</span>
        {mayEdit() && chosen.length > 0 && chosen.length < allRuns.value.length && (
          <>
            <button type="button" class="link" onClick={() => void editRuns(chosen.map((r) => r.id), { hidden: true })}>hide these {chosen.length}</button>
            <button type="button" class="link" onClick={() => void editRuns(chosen.map((r) => r.id), { trashed: true })}>move these {chosen.length} to trash</button>
          </>
        )}
        <span class="spring" />
        <IconButton name="download" label="Save the table as CSV" onClick={csv} />
      </div>
      <div class="card flat scroll-both" ref={body} tabIndex={0} role="region" aria-label="Table of runs">
        <table class="data runs-table">
          <thead><tr><th scope="col"><span class="sr">shown</span></th>{columns.map(([k, n, left]) => <SortHead key={k} name={n} column={k} sort={sort.value} onSort={(s) => (sort.value = s)} left={left} />)}<th scope="col"><span class="sr">more</span></th></tr></thead>
          <tbody>
            {first > 0 && <tr aria-hidden="true"><td colSpan={columns.length + 2} style={{ height: first * ROW + "px" }} /></tr>}
            {runs.slice(first, last).map((r) => (
              <tr key={r.id} class={`${isOn(r) ? "" : "off"} ${focusRun.value === r.id ? "on" : ""}`} onMouseEnter={() => (focusRun.value = r.id)} onMouseLeave={() => (focusRun.value = null)}>
                <td><input type="checkbox" checked={isOn(r)} disabled={r.hidden || r.trashed} aria-label={r.name} onChange={(e) => setOn([r.id], e.currentTarget.checked)} /></td>
                {columns.map(([k, , left]) => <Cell key={k} run={r} column={k} left={!!left} />)}
                <td><RunMenu run={r} /></td>
              </tr>
            ))}
            {last < runs.length && <tr aria-hidden="true"><td colSpan={columns.length + 2} style={{ height: (runs.length - last) * ROW + "px" }} /></tr>}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Cell({ run: r, column, left }: { run: Run; column: string; left: boolean }) {
  if (column === "name") return <th scope="row" title={r.id}><Swatch {...colourOf(r.id)} /> {r.name}{r.pinned ? " ⌖" : ""}</th>;
  if (column === "status") return <td class="left"><Status run={r} word />{r.problems.length > 0 && <span class="bad" role="img" aria-label="problems" title={r.problems.join("\n")}> ⚠</span>}</td>;
  const v = cell(r, column);
  if (v === null) return <td class={left ? "left dim" : "dim"}>–</td>;
  if (column === "age") return <td class="dim">{r.end === null ? duration(v as number) : age(r.end)}</td>;
  if (column === "took") return <td class="dim">{duration(v as number)}</td>;
  if (column === "bytes") return <td class="dim">{bytes(v as number)}</td>;
  if (column === "note") return <td class="left note" title={r.note}>{r.note}</td>;
  if (column === "labels") return <td class="left">{r.labels.map((l) => <span key={l} class="label">{l}</span>)}</td>;
  if (typeof v === "number") return <td title={exact(v)}>{column === "step" || column === "points" || column === "checkpoints" ? integer(v) : value(v)}</td>;
  return <td class={left ? "left" : ""}>{v}</td>;
}
