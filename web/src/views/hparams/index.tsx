// The hparams page: all runs with their hyperparameters and metrics, as a table and as parallel coordinates; a range drawn
// on an axis keeps the runs inside it, in both.

import { useMemo } from "preact/hooks";
import { num, type HParamsAnswer } from "../../api/types";
import { exact, value } from "../../base/format";
import { isNumber, isObject, isSorting, json, oneOf, param, text } from "../../data/address";
import { info } from "../../data/board";
import { useJson } from "../../data/fetch";
import { colourOf, focusRun, nameOf, setOn, shownIds } from "../../data/runs";
import { Empty, ErrorCard } from "../../widgets/Empty";
import { Select } from "../../widgets/Field";
import { SortHead, type Sorting } from "../../widgets/SortHead";
import { Swatch } from "../../widgets/Swatch";
import { fileName, save } from "../../chart/export";
import { Icon } from "../../widgets/Icon";
import { Parallel, type Axis, type Brush } from "./Parallel";

type Which = "last" | "min" | "max";
const which = param<Which>("hpv", "last", oneOf(["last", "min", "max"] as const));
const brushes = param<Record<string, Brush>>("hpb", {}, json<Record<string, Brush>>((v) => isObject(v) && Object.values(v).every((b) => Array.isArray(b) && b.length === 2 && b.every(isNumber))));
const sort = param<Sorting<string>>("hps", { by: "run", down: false }, json<Sorting<string>>(isSorting));
const colourAxis = param("hpc", "", text);

const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/lr0.1").as_default():
    summary.hparams({"lr": 0.1, "optimizer": "adam"})
    summary.scalar("loss", 0.2, step=100)`;

interface Row {
  run: string;
  status: string;
  cells: Map<string, number | string | boolean | null>;
}

export default function HParams() {
  const { data, error } = useJson<HParamsAnswer>("api/hparams");
  const rows = useMemo<Row[]>(() => {
    if (!data) return [];
    return data.rows.map((r) => {
      const cells = new Map<string, number | string | boolean | null>();
      for (const h of data.hparams) cells.set("h:" + h.name, Object.hasOwn(r.values, h.name) ? r.values[h.name] : null);
      for (const m of data.metrics) cells.set("m:" + m.tag, Object.hasOwn(r.metrics, m.tag) ? num(r.metrics[m.tag][which.value]) : null);
      return { run: r.run, status: r.status, cells };
    });
  }, [data, which.value]);
  if (error) return <ErrorCard message={error} />;
  if (!data) return null;
  if (!data.rows.length) return <Empty title="No hyperparameters yet" code={EXAMPLE}>Log them into <code>{info.value?.logdir}</code>:</Empty>;

  const axes: Axis[] = [
    ...data.hparams.map((h) => ({ key: "h:" + h.name, title: h.name_shown || h.name })),
    ...data.metrics.map((m) => ({ key: "m:" + m.tag, title: m.name || m.tag })),
  ].map((a) => ({ ...a, values: rows.map((r) => r.cells.get(a.key) ?? null) }));
  const inside = rows.filter((r) => axes.every((a, k) => {
    const b = brushes.value[a.key];
    return !b || within(axes[k], r.cells.get(a.key) ?? null, b);
  }));
  const kept = new Set(inside.map((r) => r.run));
  const { by, down } = sort.value;
  const ordered = [...inside].sort((a, b) => {
    const [x, y] = by === "run" ? [nameOf(a.run), nameOf(b.run)] : by === "status" ? [a.status, b.status] : [a.cells.get(by) ?? null, b.cells.get(by) ?? null];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true });
    return down ? -order : order;
  });
  const csv = () => {
    const cell = (v: unknown) => (/[",\n]/.test(String(v ?? "")) ? `"${String(v).replace(/"/g, '""')}"` : String(v ?? ""));
    const head = ["run", "status", ...axes.map((a) => a.title)].map(cell).join(",");
    const body = ordered.map((r) => [r.run, r.status, ...axes.map((a) => r.cells.get(a.key))].map(cell).join(","));
    save(fileName("hparams", "csv"), new Blob([[head, ...body].join("\n")], { type: "text/csv" }));
  };
  return (
    <div class="page">
      <div class="toolbar" role="toolbar" aria-label="HParams">
        <Select label="metric values" value={which.value} options={[["last", "last"], ["min", "least"], ["max", "greatest"]] as const} onChange={(v) => (which.value = v)} />
        <Select label="lines coloured by" value={colourAxis.value} options={[["", "run"], ...axes.map((a) => [a.key, a.title] as const)]} onChange={(v) => (colourAxis.value = v)} />
        <span class="dim" role="status">{kept.size} of {rows.length} runs</span>
        {Object.keys(brushes.value).length > 0 && <button type="button" class="link" onClick={() => (brushes.value = {})}>clear ranges</button>}
        <button type="button" class="link" onClick={() => { setOn(rows.map((r) => r.run), false); setOn([...kept], true); }}>show only these on the charts</button>
        <span class="spring" />
        <button type="button" class="icon-button" title="Save the table as CSV" aria-label="Save the table as CSV" onClick={csv}><Icon name="download" /></button>
      </div>
      <section class="card flat" aria-label="Parallel coordinates">
        <Parallel axes={axes} rows={rows.map((r) => r.run)} kept={kept} brushes={brushes.value} colourAxis={colourAxis.value} onBrush={(key, b) => {
          const next = { ...brushes.value };
          if (b) next[key] = b;
          else delete next[key];
          brushes.value = next;
        }} />
      </section>
      <div class="card flat scroll-x" tabIndex={0} role="region" aria-label="Table of runs">
        <table class="data">
          <thead><tr>
            <SortHead name="run" column="run" sort={sort.value} onSort={(s) => (sort.value = s)} left />
            <SortHead name="status" column="status" sort={sort.value} onSort={(s) => (sort.value = s)} left />
            {axes.map((a) => <SortHead key={a.key} name={a.title} column={a.key} sort={sort.value} onSort={(s) => (sort.value = s)} title={a.key.startsWith("m:") ? `${which.value} value` : "hyperparameter"} />)}
          </tr></thead>
          <tbody>
            {ordered.slice(0, 1000).map((r) => (
              <tr key={r.run} class={focusRun.value === r.run ? "on" : shownIds.value.has(r.run) ? "" : "off"} onMouseEnter={() => (focusRun.value = r.run)} onMouseLeave={() => (focusRun.value = null)}>
                <th scope="row"><Swatch {...colourOf(r.run)} /> {nameOf(r.run)}</th>
                <td class="left dim">{r.status}</td>
                {axes.map((a) => { const v = r.cells.get(a.key); return <td key={a.key} title={typeof v === "number" ? exact(v) : undefined}>{typeof v === "number" ? value(v) : v === null || v === undefined ? "–" : String(v)}</td>; })}
              </tr>
            ))}
          </tbody>
        </table>
        {ordered.length > 1000 && <p class="dim">The first 1 000 rows; narrow them down with ranges above.</p>}
      </div>
    </div>
  );
}

function within(axis: Axis, v: number | string | boolean | null, b: Brush): boolean {
  if (v === null) return false;
  if (typeof v === "number" && !axis.values.some((x) => typeof x === "string")) return v >= b[0] && v <= b[1];
  const words = [...new Set(axis.values.filter((x) => x !== null).map(String))].sort((m, n) => m.localeCompare(n, undefined, { numeric: true }));
  const at = words.indexOf(String(v));
  return at >= b[0] && at <= b[1];
}
