// The timeline: every event of a capture on one canvas. In: a trace in columns. Out: pan, zoom, search, selection and sums.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { address } from "../../api/client";
import { integer, plural } from "../../base/format";
import { INK } from "../../base/theme";
import { isSpan, json, param, text } from "../../data/address";
import { useFetch, useJson } from "../../data/fetch";
import { theme } from "../../data/runs";
import { ErrorCard } from "../../widgets/Empty";
import { Search } from "../../widgets/Field";
import { IconButton } from "../../widgets/Icon";
import { buildLevels, loadTrace, sumUp, type Lane, type Trace } from "./lanes";
import { Painter, type Selection } from "./painter";
import { colourNames } from "./raster";
import { percent, PLUGIN, time } from "./types";

const find = param("find", "", text);
const span = param<[number, number] | null>("span", null, json<[number, number] | null>((v) => v === null || isSpan(v)));

export function Timeline({ id }: { id: string }) {
  const { data, error, loading } = useFetch<Trace>(address("api/capture/events", { id }), loadTrace, undefined, PLUGIN);
  if (error) return <ErrorCard message={error} />;
  if (!data) return <p class="dim pad" role="status">{loading ? "Reading the trace …" : ""}</p>;
  if (!data.start.length) return <ErrorCard message="This capture holds no events." />;
  return <Canvas key={id} id={id} trace={data} />;
}

function matcher(q: string): ((name: string) => boolean) | null {
  if (!q) return null;
  const low = q.toLowerCase();
  return (name) => name.toLowerCase().includes(low);
}

function Canvas({ id, trace }: { id: string; trace: Trace }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [selected, setSelected] = useState(-1);
  const [box, setBox] = useState<Selection | null>(null);
  const painter = useMemo(() => new Painter(trace), [trace]);
  const names = useMemo(() => {
    const colours = colourNames(trace, matcher(find.value));
    buildLevels(trace, colours);
    return colours;
  }, [trace, find.value]);
  const found = useMemo(() => matching(trace, find.value), [trace, find.value]);

  useLayoutEffect(() => {
    const e = canvas.current!;
    painter.attach(e, span.peek() ?? [0, trace.end]);
    const watch = new ResizeObserver(() => painter.resize());
    watch.observe(e.parentElement!);
    return () => { watch.disconnect(); painter.detach(); };
  }, [painter]);
  useEffect(() => painter.look(names, INK[theme.value], theme.value), [painter, names, theme.value]);
  useEffect(() => painter.select(selected, box), [painter, selected, box]);
  useEffect(() => {
    painter.onMoved = (t0, t1) => (span.value = [Math.round(t0), Math.round(t1)]);
    painter.onPicked = setSelected;
    painter.onBox = setBox;
  }, [painter]);

  const go = (direction: number) => {
    if (!found.length) return;
    const here = found.indexOf(selected);
    const next = here < 0 ? found.find((i) => trace.start[i] >= painter.t0) ?? found[0] : found[(here + direction + found.length) % found.length];
    setSelected(next);
    painter.show(next);
  };
  return (
    <div class="timeline">
      <div class="toolbar" role="toolbar" aria-label="Timeline">
        <Search id="tag-filter" label="Find events" value={find.value} placeholder="find events" onChange={(v) => (find.value = v)} />
        {find.value && <><IconButton name="left" label="Previous match" onClick={() => go(-1)} /><IconButton name="right" label="Next match" onClick={() => go(1)} /></>}
        <span class="dim" role="status">{find.value ? plural(found.length, "match", "matches") : plural(trace.start.length, "event")}</span>
        <span class="spring" />
        <IconButton name="plus" label="Zoom in (W)" onClick={() => painter.zoom(0.5)} />
        <IconButton name="minus" label="Zoom out (S)" onClick={() => painter.zoom(2)} />
        <IconButton name="fit" label="Show everything (0)" onClick={() => painter.fit()} />
        <span class="dim keys">drag to pan · Ctrl + wheel to zoom · Shift + drag to sum up</span>
      </div>
      <div class="timeline-view">
        <canvas ref={canvas} tabIndex={0} role="application" aria-label={`Timeline of ${integer(trace.start.length)} events over ${time(trace.end)}. Arrow keys pan, W and S zoom, 0 shows everything.`} />
      </div>
      {box ? <Summed trace={trace} box={box} lanes={painter.lanesIn(box)} close={() => setBox(null)} /> : selected >= 0 ? <Details id={id} trace={trace} event={selected} pick={(i) => { setSelected(i); painter.show(i); }} close={() => setSelected(-1)} /> : null}
    </div>
  );
}

const MAX_MATCHES = 100_000;

function matching(trace: Trace, q: string): number[] {
  const test = matcher(q);
  if (!test) return [];
  const hit = Uint8Array.from(trace.names, (n) => (test(n) ? 1 : 0));
  const out: number[] = [];
  for (let i = 0; i < trace.name.length && out.length < MAX_MATCHES; i++) if (hit[trace.name[i]]) out.push(i);
  return out.sort((a, b) => trace.start[a] - trace.start[b]);
}

interface Detail {
  name: string;
  category: string;
  kind: string;
  start: number;
  duration: number;
  own: number;
  process: string;
  thread: string;
  args: Record<string, unknown>;
}

function Details(p: { id: string; trace: Trace; event: number; pick(i: number): void; close(): void }) {
  const { data, error } = useJson<Detail>(address("api/capture/event", { id: p.id, row: p.trace.row[p.event] }), undefined, PLUGIN);
  const arrows = flows(p.trace, p.event);
  return (
    <aside class="timeline-detail card" aria-label="Selected event">
      <div class="card-head"><h3 title={p.trace.names[p.trace.name[p.event]]}>{p.trace.names[p.trace.name[p.event]]}</h3><IconButton name="close" label="Close" onClick={p.close} /></div>
      {error ? <ErrorCard message={error} /> : data && (
        <dl>
          <dt>duration</dt><dd>{time(data.duration)}</dd><dt>own time</dt><dd>{time(data.own)}</dd><dt>start</dt><dd>{time(data.start)}</dd>
          <dt>kind</dt><dd>{data.kind}{data.category && data.category !== data.kind ? ` (${data.category})` : ""}</dd><dt>thread</dt><dd>{data.thread}, {data.process}</dd>
          {arrows.map(([word, i]) => <><dt>{word}</dt><dd><button type="button" class="link" onClick={() => p.pick(i)}>{p.trace.names[p.trace.name[i]]}</button></dd></>)}
          {Object.entries(data.args).slice(0, 40).map(([k, v]) => <><dt>{k}</dt><dd>{typeof v === "string" ? v : JSON.stringify(v)}</dd></>)}
        </dl>
      )}
    </aside>
  );
}

export function flows(trace: Trace, event: number): [string, number][] {
  const out: [string, number][] = [];
  for (let i = 0; i < trace.flowSource.length && out.length < 20; i++) {
    if (trace.flowSource[i] === event) out.push(["leads to", trace.flowTarget[i]]);
    if (trace.flowTarget[i] === event) out.push(["comes from", trace.flowSource[i]]);
  }
  return out;
}

function Summed(p: { trace: Trace; box: Selection; lanes: Lane[]; close(): void }) {
  const { rows, count } = useMemo(() => sumUp(p.trace, p.lanes, p.box.t0, p.box.t1), [p.trace, p.box]);
  const length = p.box.t1 - p.box.t0;
  return (
    <aside class="timeline-detail card" aria-label="Sum of the selection">
      <div class="card-head"><h3>{plural(count, "event")} in {time(length)}</h3><IconButton name="close" label="Close" onClick={p.close} /></div>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Sums by name">
        <table class="data">
          <thead><tr><th scope="col" class="left">name</th><th scope="col">time</th><th scope="col">of it</th><th scope="col">count</th></tr></thead>
          <tbody>{rows.slice(0, 100).map((r) => <tr key={r.name * 16 + r.kind}><th scope="row" title={p.trace.names[r.name]}>{p.trace.names[r.name]}</th><td>{time(r.total)}</td><td>{percent(r.total / length)}</td><td>{integer(r.count)}</td></tr>)}</tbody>
        </table>
      </div>
    </aside>
  );
}


