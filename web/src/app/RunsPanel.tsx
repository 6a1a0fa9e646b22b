// The runs beside every page: filter, switch on and off, group, colour. Virtual: a thousand rows cost what thirty do.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { integer, plural, value } from "../base/format";
import type { Run } from "../api/types";
import { allRuns, info, tags, wantMetric } from "../data/board";
import { aggregate, colourBy, colourOf, filter, filterText, focusRun, groupBy, groupColour, hparamNames, isOn, keyOf, listedRuns, metricNames, metricOf, setOn, showHidden, showTrash, shownRuns } from "../data/runs";
import { Search, Select } from "../widgets/Field";
import { RunMenu } from "../widgets/RunMenu";
import { Status } from "../widgets/Status";
import { param, text } from "../data/address";

const ROW = 32;
/** the metric beside each name, and the order: "start" | "name" | "step" | "value" | "status" */
export const panelMetric = param("pm", "", text);
const order = param("sort", "start", text);

type Item = { kind: "run"; run: Run } | { kind: "group"; id: string; runs: Run[] };

function sorted(runs: Run[], metric: string): Run[] {
  const out = [...runs];
  const by = order.value;
  if (by === "start") out.sort((a, b) => (a.start ?? Infinity) - (b.start ?? Infinity) || a.name.localeCompare(b.name, undefined, { numeric: true }));
  if (by === "name") out.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  if (by === "step") out.sort((a, b) => (b.step ?? -1) - (a.step ?? -1));
  if (by === "value") out.sort((a, b) => (metricOf(a, metric) ?? Infinity) - (metricOf(b, metric) ?? Infinity));
  if (by === "status") out.sort((a, b) => "live quiet finished".indexOf(a.status) - "live quiet finished".indexOf(b.status));
  return out.sort((a, b) => Number(b.pinned) - Number(a.pinned));
}

export function RunsPanel() {
  const runs = listedRuns.value;
  const metric = panelMetric.value || metricNames.value.find((m) => /loss/.test(m)) || metricNames.value[0] || "";
  // the board sends a few metrics beside each run; any other is one choice away
  const metrics = [...new Set([...metricNames.value, ...(tags.value.plugins.scalars ?? []).slice(0, 500).map((t) => t.tag)])];
  const items = useMemo<Item[]>(() => {
    const ordered = sorted(runs, metric);
    if (!groupBy.value) return ordered.map((run) => ({ kind: "run", run }));
    const by = new Map<string, Run[]>();
    for (const r of ordered) {
      const k = keyOf(r, groupBy.value) ?? "(none)";
      const same = by.get(k);
      if (same) same.push(r);
      else by.set(k, [r]);
    }
    return [...by].flatMap(([id, members]): Item[] => [{ kind: "group", id, runs: members }, ...members.map((run): Item => ({ kind: "run", run }))]);
  }, [runs, order.value, metric, groupBy.value]);

  const list = useRef<HTMLDivElement>(null);
  const [span, setSpan] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const e = list.current!;
    const measure = () => setSpan({ top: e.scrollTop, height: e.clientHeight });
    measure();
    e.addEventListener("scroll", measure, { passive: true });
    const watch = new ResizeObserver(measure);
    watch.observe(e);
    return () => { e.removeEventListener("scroll", measure); watch.disconnect(); };
  }, []);
  const first = Math.max(0, Math.floor(span.top / ROW) - 6);
  const last = Math.min(items.length, Math.ceil((span.top + span.height) / ROW) + 6);

  const onCount = runs.filter(isOn).length;
  const all = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => { if (all.current) all.current.indeterminate = onCount > 0 && onCount < runs.length; });
  const trash = allRuns.value.filter((r) => r.trashed).length;
  const hidden = allRuns.value.filter((r) => r.hidden && !r.trashed).length;
  const hp = hparamNames.value.map((h) => ["h:" + h, h] as const);
  const grouping = [["", "no groups"], ["seed", "seeds (name without its number)"], ["folder", "folder"], ["label", "label"], ...hp, ...(groupBy.value.startsWith("r:") ? [[groupBy.value, "regex " + groupBy.value.slice(2)] as const] : []), ["r:", "regex …"]] as const;
  const colouring = [["run", "run"], ["group", "group"], ...hp, ...(colourBy.value.startsWith("r:") ? [[colourBy.value, "regex " + colourBy.value.slice(2)] as const] : []), ["r:", "regex …"]] as const;
  const pick = (set: (v: string) => void) => (v: string) => set(v === "r:" ? "r:(.*)" : v);

  return (
    <aside class="panel" aria-label="Runs">
      <div class="panel-top">
        <Search id="run-filter" label="Filter runs by name (regular expression) or condition" value={filterText.value} placeholder="filter: name or lr>1e-3" onChange={(v) => (filterText.value = v)} error={filter.value.error} />
        <div class="panel-head">
          <label class="check-all" title="Switch all listed runs on or off">
            <input ref={all} type="checkbox" checked={onCount > 0 && onCount === runs.length} aria-label="All listed runs" onChange={(e) => setOn(runs.map((r) => r.id), e.currentTarget.checked)} />
            <span>{onCount === runs.length ? plural(runs.length, "run") : `${integer(onCount)} of ${plural(runs.length, "run")}`}</span>
          </label>
          <Select label="Order" hideLabel value={order.value} onChange={(v) => (order.value = v)} options={[["start", "by start"], ["name", "by name"], ["step", "by step"], ["value", "by value"], ["status", "by status"]]} />
          {metrics.length > 0 && <Select label="Metric" hideLabel value={metric} onChange={(v) => { wantMetric(v, metricNames.peek()); panelMetric.value = v; }} options={metrics.map((m) => [m, m] as const)} />}
        </div>
      </div>
      <div class="run-list" ref={list} tabIndex={-1}>
        <div class="run-space" role={items.length ? "list" : undefined} style={{ height: items.length * ROW + "px" }}>
          {items.slice(first, last).map((item, i) => {
            const top = { transform: `translateY(${(first + i) * ROW}px)` };
            return item.kind === "group" ? <GroupRow key={"g:" + item.id} id={item.id} runs={item.runs} style={top} /> : <RunRow key={item.run.id} run={item.run} metric={metric} style={top} indent={!!groupBy.value} />;
          })}
        </div>
        {!items.length && <p class="panel-empty dim">{allRuns.value.length ? (showTrash.value ? "The trash is empty." : "No run fits the filter.") : info.value?.state === "ready" ? "No runs yet." : ""}</p>}
      </div>
      <div class="panel-foot">
        <Select label="group by" value={groupBy.value} options={grouping} onChange={pick((v) => (groupBy.value = v))} />
        {groupBy.value.startsWith("r:") && <Pattern label="Group by regex" value={groupBy.value} onChange={(v) => (groupBy.value = v)} />}
        {groupBy.value && (
          <Select label="shown as" value={aggregate.value} onChange={(v) => (aggregate.value = v)}
            options={[["mean/std", "mean ± std"], ["mean/ci", "mean ± 95 % CI"], ["mean/minmax", "mean, min–max"], ["mean/none", "mean"], ["median/std", "median ± std"], ["median/ci", "median ± 95 % CI"], ["median/minmax", "median, min–max"], ["median/none", "median"]]} />
        )}
        <Select label="colour by" value={colourBy.value} options={colouring} onChange={pick((v) => (colourBy.value = v))} />
        {colourBy.value.startsWith("r:") && <Pattern label="Colour by regex" value={colourBy.value} onChange={(v) => (colourBy.value = v)} />}
        <div class="panel-links">
          {(hidden > 0 || showHidden.value) && <button type="button" class="link" aria-pressed={showHidden.value} onClick={() => (showHidden.value = !showHidden.value)}>{showHidden.value ? "don’t list hidden" : `${hidden} hidden`}</button>}
          {(trash > 0 || showTrash.value) && <button type="button" class="link" aria-pressed={showTrash.value} onClick={() => (showTrash.value = !showTrash.value)}>{showTrash.value ? "leave the trash" : `trash (${trash})`}</button>}
          <span class="dim">{plural(shownRuns.value.length, "run")} drawn</span>
        </div>
      </div>
    </aside>
  );
}

function Pattern(p: { label: string; value: string; onChange(v: string): void }) {
  return <Search label={p.label} value={p.value.slice(2)} placeholder="regex; its first group counts" onChange={(v) => p.onChange("r:" + v)} />;
}

function RunRow({ run, metric, style, indent }: { run: Run; metric: string; style: Record<string, string>; indent: boolean }) {
  const { colour, dash } = colourOf(run.id);
  const on = isOn(run);
  const title = [run.name !== run.id ? run.id : "", run.note, run.labels.length ? "labels: " + run.labels.join(", ") : "", ...Object.entries(run.hparams).slice(0, 12).map(([k, v]) => `${k} = ${v}`)].filter(Boolean).join("\n");
  return (
    <div role="listitem" class={`run ${on ? "" : "off"} ${focusRun.value === run.id ? "on" : ""} ${indent ? "indent" : ""}`} style={style} onMouseEnter={() => on && (focusRun.value = run.id)} onMouseLeave={() => (focusRun.value = null)}>
      <label class="run-name" title={title}>
        <input type="checkbox" checked={on} disabled={run.trashed || run.hidden} onChange={(e) => setOn([run.id], e.currentTarget.checked)} aria-label={run.name} />
        <svg class="run-dot" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
          {dash.length ? <circle cx="6" cy="6" r="4" fill="none" stroke={colour} stroke-width="3" stroke-dasharray="3 2" /> : <circle cx="6" cy="6" r="5" fill={colour} />}
        </svg>
        <RunName name={run.name} />
        {run.problems.length > 0 && <span class="bad" role="img" aria-label="problems" title={run.problems.join("\n")}>⚠</span>}
        {run.pinned && <span class="dim" title="pinned">⌖</span>}
        {run.note && <span class="dim" title={run.note}>✎</span>}
        {run.labels.slice(0, 2).map((l) => <span key={l} class="label">{l}</span>)}
      </label>
      <Status run={run} />
      <span class="run-step">{run.step === null ? "–" : integer(run.step)}</span>
      <span class="run-value" title={metric}>{value(metricOf(run, metric), 3)}</span>
      <RunMenu run={run} />
    </div>
  );
}

/** What tells runs of one folder apart is the end of the name: it is cut last. */
function RunName({ name }: { name: string }) {
  const cut = name.lastIndexOf("/") + 1;
  return <span class="run-text">{cut > 0 && <span class="run-start">{name.slice(0, cut)}</span>}<span class="run-end">{name.slice(cut)}</span></span>;
}

function GroupRow({ id, runs, style }: { id: string; runs: Run[]; style: Record<string, string> }) {
  const on = runs.filter(isOn).length;
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => { box.current!.indeterminate = on > 0 && on < runs.length; });
  return (
    <div role="listitem" class="run group" style={style}>
      <label class="run-name">
        <input ref={box} type="checkbox" checked={on === runs.length} onChange={(e) => setOn(runs.map((r) => r.id), e.currentTarget.checked)} aria-label={"group " + id} />
        <svg class="run-dot" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true"><rect x="1" y="1" width="10" height="10" rx="2" fill={groupColour(id).colour} /></svg>
        <span class="run-text">{id}</span>
      </label>
      <span class="dim">{integer(runs.length)}</span>
    </div>
  );
}
