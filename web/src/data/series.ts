// In: what each visible chart wants. Out: its lines as typed columns. All charts that ask in one tick share one request;
// after a change only lines that changed come back. Not here: drawing (chart/), a report's own series (data/local).

import { effect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { postFrame } from "../api/client";
import { inReport } from "../api/report";
import { readFrame, type ColumnSpec } from "../api/frame";
import type { Badge } from "../api/types";
import { lastChange, revision } from "./board";

export type Column = Float64Array | Float32Array;
export type XAxis = "step" | "relative" | "wall" | { metric: string };

export interface Common {
  width: number;
  x: XAxis;
  range: [number | null, number | null] | null;
  smooth: { kind: "none" | "ema" | "gaussian"; weight: number };
  restarts: "last" | "all" | "split";
  outliers: [number, number] | null;
  wall: boolean;
  aggregate: { line: string; band: string };
}

export interface SeriesSpec {
  common: Common;
  lines: [run: string, tag: string][];
  groups: { id: string; runs: string[]; tags: string[] }[];
}

export interface SeriesLine {
  run: string | null;
  group: string | null;
  tag: string;
  segment: number;
  v: number;
  n: number;
  x: Column;
  y: Column;
  s: Column | null;
  w: Column | null;
  lo: Column | null;
  hi: Column | null;
  bad: { x: Column; kind: Column } | null;
  total: number;
  shown: number;
  domain: [number, number] | null;
  extent: [number, number] | null;
  q: [number, number] | null;
  badge: Badge | null;
  /** pixels it was picked for; Infinity: every point is here */
  pixels: number;
}

interface WireLine {
  run?: string;
  group?: string;
  tag: string;
  segment?: number;
  v?: number;
  n?: number;
  same?: boolean;
  x: ColumnSpec;
  y: ColumnSpec;
  s?: ColumnSpec;
  w?: ColumnSpec;
  lo?: ColumnSpec;
  hi?: ColumnSpec;
  bad?: { x: ColumnSpec; kind: ColumnSpec };
  total: number;
  shown: number;
  domain?: [number, number];
  extent?: [number, number];
  q?: [number, number];
  badge?: Badge;
}

const LINES_PER_REQUEST = 500;
const POINT_BUDGET = 400_000; // points of one request: with a thousand runs on a chart each gets fewer pixels
const POINTS_PER_PIXEL = 4; // at most, as the board picks them
const AT_ONCE = 3;

export function readLines(buffer: ArrayBuffer, before?: Map<string, SeriesLine>, width = 0): SeriesLine[] {
  const { header, column } = readFrame<{ lines: WireLine[] }>(buffer);
  return header.lines.map((l) => {
    if (l.same) {
      const old = before?.get(lineKey(l));
      if (old) return old;
    }
    return {
      run: l.run ?? null, group: l.group ?? null, tag: l.tag, segment: l.segment ?? 0, v: l.v ?? 0, n: l.n ?? 1,
      x: column(l.x), y: column(l.y),
      s: l.s ? column(l.s) : null, w: l.w ? column(l.w) : null,
      lo: l.lo ? column(l.lo) : null, hi: l.hi ? column(l.hi) : null,
      bad: l.bad ? { x: column(l.bad.x), kind: column(l.bad.kind) } : null,
      total: l.total, shown: l.shown, domain: l.domain ?? null, extent: l.extent ?? null, q: l.q ?? null, badge: l.badge ?? null,
      pixels: !width || l.x[2] + (l.bad?.x[2] ?? 0) >= l.shown ? Infinity : width,
    };
  });
}

const lineKey = (l: { run?: string | null; group?: string | null; tag: string; segment?: number }) =>
  `${l.group ?? ""}\u0000${l.run ?? ""}\u0000${l.tag}\u0000${l.segment ?? 0}`;

interface Subscriber {
  spec: SeriesSpec;
  key: string;
  held: SeriesLine[];
  /** what the held lines were asked with, but for the width */
  heldFor: string;
  deliver(lines: SeriesLine[] | null, error: string | null): void;
  batch: Batch | null;
}

interface Batch {
  members: Set<Subscriber>;
  abort: AbortController;
}

/** Lines held from before are good enough when they were picked for nearly as many pixels: switching a run off fetches nothing anew. */
const NEARLY = 0.75;
const askedFor = (c: Common) => JSON.stringify({ ...c, width: c.width ? 1 : 0 });

const pixelsFor = (width: number, lines: number) => (width ? Math.max(50, Math.min(width, Math.floor(POINT_BUDGET / Math.max(1, lines) / POINTS_PER_PIXEL))) : 0);

/** The wanted lines, when all of them are held already and nobody is asking for newer ones: a run was only switched off. */
function heldLines(sub: Subscriber): SeriesLine[] | null {
  const { common, lines, groups } = sub.spec;
  if (sub.batch || pending.has(sub) || groups.length || common.restarts === "split" || sub.heldFor !== askedFor(common)) return null;
  const width = pixelsFor(common.width, lines.length);
  const by = new Map(sub.held.map((l) => [lineKey(l), l]));
  const out: SeriesLine[] = [];
  for (const [run, tag] of lines) {
    const line = by.get(lineKey({ run, tag }));
    if (!line || line.pixels < width * NEARLY) return null;
    out.push(line);
  }
  return out;
}

const subscribers = new Set<Subscriber>();
const pending = new Set<Subscriber>();
const queue: (() => Promise<void>)[] = [];
let running = 0;
let scheduled = false;

function want(sub: Subscriber): void {
  const old = sub.batch;
  if (old) {
    old.members.delete(sub);
    sub.batch = null;
    if (!old.members.size) old.abort.abort();
  }
  pending.add(sub);
  if (!scheduled) {
    scheduled = true;
    queueMicrotask(flush);
  }
}

function flush(): void {
  scheduled = false;
  const byCommon = new Map<string, Subscriber[]>();
  for (const sub of pending) {
    // charts of different widths ask together, for the widest: a few points more cost less than another request
    const k = askedFor(sub.spec.common);
    const same = byCommon.get(k);
    if (same) same.push(sub);
    else byCommon.set(k, [sub]);
  }
  pending.clear();
  for (const subs of byCommon.values()) {
    let members: Subscriber[] = [];
    let count = 0;
    for (const sub of subs) {
      const n = sub.spec.lines.length + sub.spec.groups.length;
      if (count && count + n > LINES_PER_REQUEST) {
        enqueue(members);
        members = [];
        count = 0;
      }
      members.push(sub);
      count += n;
    }
    if (members.length) enqueue(members);
  }
}

function enqueue(members: Subscriber[]): void {
  const batch: Batch = { members: new Set(members), abort: new AbortController() };
  for (const m of members) m.batch = batch;
  queue.push(() => send(batch));
  pump();
}

function pump(): void {
  while (running < AT_ONCE && queue.length) {
    running++;
    void queue.shift()!().finally(() => {
      running--;
      pump();
    });
  }
}

async function send(batch: Batch): Promise<void> {
  const members = [...batch.members];
  if (!members.length) return;
  const common = { ...members[0].spec.common, width: Math.max(...members.map((m) => m.spec.common.width)) };
  const index = new Map<string, number>();
  const lines: [string, string][] = [];
  const known: number[] = [];
  const before = new Map<string, SeriesLine>();
  const groups = new Map<string, SeriesSpec["groups"][number]>();
  const wanted = askedFor(common);
  const many = members.reduce((sum, m) => sum + m.spec.lines.length + m.spec.groups.length, 0);
  const width = pixelsFor(common.width, many);
  for (const sub of members) {
    const fresh = sub.heldFor === wanted && common.restarts !== "split";
    const held = new Map(fresh ? sub.held.map((l) => [lineKey(l), l]) : []);
    for (const [run, tag] of sub.spec.lines) {
      const k = lineKey({ run, tag });
      if (index.has(k)) continue;
      index.set(k, lines.length);
      lines.push([run, tag]);
      const old = held.get(k);
      const good = old && old.pixels >= width * NEARLY;
      if (good) before.set(k, old);
      known.push(good ? old.v : -1);
    }
    for (const g of sub.spec.groups) groups.set(g.id + "\u0000" + g.tags.join("\u0000"), g);
  }
  const body = { ...common, width, lines, groups: [...groups.values()], known: before.size ? known : undefined, outliers: common.outliers ?? undefined };
  try {
    const answer = inReport ? (await import("./local")).localSeries(body) : readLines(await postFrame("api/series", body, batch.abort.signal), before, width);
    const byTag = new Map<string, SeriesLine[]>();
    for (const l of answer) {
      const k = (l.group !== null ? "g" + l.group : "r" + l.run) + "\u0000" + l.tag;
      const same = byTag.get(k);
      if (same) same.push(l);
      else byTag.set(k, [l]);
    }
    for (const sub of batch.members) {
      sub.batch = null;
      const out: SeriesLine[] = [];
      for (const [run, tag] of sub.spec.lines) out.push(...(byTag.get("r" + run + "\u0000" + tag) ?? []));
      for (const g of sub.spec.groups) for (const tag of g.tags) out.push(...(byTag.get("g" + g.id + "\u0000" + tag) ?? []));
      sub.held = out;
      sub.heldFor = wanted;
      sub.deliver(out, null);
    }
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") return;
    for (const sub of batch.members) {
      sub.batch = null;
      sub.deliver(null, (e as Error).message);
    }
  }
}

// A change touches only the charts that show one of its runs.
let started = false;
function followChanges(): void {
  if (started) return;
  started = true;
  effect(() => {
    if (!revision.value) return;
    const change = lastChange.peek();
    if (change && !change.plugins.includes("scalars")) return;
    const touched = change ? new Set(change.runs) : null;
    for (const sub of subscribers) {
      // anything may have changed, the board itself too: its line versions then mean nothing
      if (!touched) sub.heldFor = "";
      const hit = !touched || sub.spec.lines.some(([r]) => touched.has(r)) || sub.spec.groups.some((g) => g.runs.some((r) => touched.has(r)));
      if (hit) want(sub);
    }
  });
}

export interface SeriesState {
  /** null until the first answer; afterwards the old lines stay until new ones are there */
  lines: SeriesLine[] | null;
  loading: boolean;
  error: string | null;
  /** the key of the spec that `lines` answer */
  key: string;
}

export function useSeries(spec: SeriesSpec | null): SeriesState {
  const [state, setState] = useState<SeriesState>({ lines: null, loading: true, error: null, key: "" });
  const sub = useRef<Subscriber | null>(null);
  const key = useMemo(() => (spec ? JSON.stringify(spec) : ""), [spec]);
  useLayoutEffect(() => {
    if (!spec) return;
    followChanges();
    const s = (sub.current ??= { spec, key, held: [], heldFor: "", deliver: () => {}, batch: null });
    s.spec = spec;
    s.key = key;
    s.deliver = (lines, error) => setState((old) => ({ lines: lines ?? old.lines, loading: false, error, key: lines ? s.key : old.key }));
    subscribers.add(s);
    const held = heldLines(s);
    if (held) {
      s.held = held;
      s.deliver(held, null);
      return;
    }
    setState((old) => (old.loading ? old : { ...old, loading: true }));
    want(s);
  }, [key]);
  useLayoutEffect(
    () => () => {
      const s = sub.current;
      if (!s) return;
      subscribers.delete(s);
      pending.delete(s);
      if (s.batch) {
        s.batch.members.delete(s);
        if (!s.batch.members.size) s.batch.abort.abort();
        s.batch = null;
      }
      s.deliver = () => {};
    },
    [],
  );
  return state;
}
