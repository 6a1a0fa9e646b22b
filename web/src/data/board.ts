// In: the board's info, runs and tags, from the boot block, the API and the event stream. Out: signals of them, kept fresh.
// Not here: which runs are shown (data/runs), the columns of series (data/series).

import { batch, effect, signal } from "@preact/signals";
import { address, ApiError, bootBlock, getJson, write } from "../api/client";
import { listen } from "../api/live";
import { inReport } from "../api/report";
import { list, param } from "./address";
import type { Change, Checkpoint, Info, Run, RunsAnswer, TagsAnswer } from "../api/types";

export const info = signal<Info | null>(null);
export const allRuns = signal<Run[]>([]);
export const tags = signal<TagsAnswer>({ runs: [], plugins: {} });
export const checkpoints = signal<Checkpoint[]>([]);
export const connection = signal<"connecting" | "open" | "lost" | "report">(inReport ? "report" : "connecting");
export const paused = signal(false);
export const problem = signal<string | null>(null);
/** Grows with every change of data that is shown; views that hold data look at it. */
export const revision = signal(0);
/** What the last change touched; null: anything may have changed. */
export const lastChange = signal<Change | null>(null);
export const refreshing = signal(false);
export const loadedOnce = signal(false);

/** Metrics asked for beside runs; none: the board chooses. */
export const wantedMetrics = param<string[]>("metrics", [], list);

/** Show a metric beside the runs that the board did not choose by itself. */
export function wantMetric(tag: string, present: string[]): void {
  if (present.includes(tag)) return;
  wantedMetrics.value = [...present, tag];
}

let cursor = 0;

function failed(e: unknown): void {
  if (e instanceof DOMException && e.name === "AbortError") return;
  problem.value = e instanceof ApiError ? e.message + (e.todo ? " – " + e.todo : "") : String(e);
}

function takeRuns(answer: RunsAnswer, partial: boolean): void {
  if (!partial) {
    allRuns.value = answer.runs;
    return;
  }
  if (!answer.runs.length && !answer.gone.length) return;
  const by = new Map(allRuns.peek().map((r) => [r.id, r]));
  for (const id of answer.gone) by.delete(id);
  for (const r of answer.runs) by.set(r.id, r);
  allRuns.value = [...by.values()].sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
}

async function readRuns(since?: number): Promise<void> {
  const answer = await getJson<RunsAnswer>(address("api/runs", { since, metrics: inReport ? undefined : wantedMetrics.peek() }));
  cursor = since === undefined ? answer.cursor : Math.max(cursor, answer.cursor);
  takeRuns(answer.data, since !== undefined);
}

async function readTags(): Promise<void> {
  tags.value = (await getJson<TagsAnswer>("api/tags")).data;
}

async function readInfo(): Promise<void> {
  info.value = (await getJson<Info>("api/info")).data;
}

async function readCheckpoints(): Promise<void> {
  checkpoints.value = (await getJson<{ checkpoints: Checkpoint[] }>("api/checkpoints")).data.checkpoints;
}

export async function readAll(): Promise<void> {
  try {
    await Promise.all([readInfo(), readRuns(), readTags()]);
    if (info.value?.checkpoints) await readCheckpoints();
    batch(() => {
      problem.value = null;
      loadedOnce.value = true;
      lastChange.value = null;
      revision.value++;
    });
  } catch (e) {
    failed(e);
  }
}

/** A live run becomes quiet by nothing happening, so nothing tells of it: ask, as long as one is live. */
const LIVE_CHECK_MS = 30_000;

function keepStatus(): void {
  setInterval(() => {
    if (document.hidden || paused.peek() || connection.peek() !== "open") return;
    if (allRuns.peek().some((r) => r.status === "live")) void readRuns().catch(failed);
  }, LIVE_CHECK_MS);
}

let waiting: Change[] = [];
let working = false;

async function applyChanges(): Promise<void> {
  if (working || paused.value || document.hidden) return;
  working = true;
  try {
    while (waiting.length && !paused.value) {
      const all = waiting;
      waiting = [];
      const before = cursor;
      const fresh = all.some((c) => c.tags || c.new_runs.length || c.gone.length);
      const tasks: Promise<void>[] = [readRuns(before)];
      if (fresh) tasks.push(readTags(), readInfo());
      if (all.some((c) => c.checkpoints)) tasks.push(readCheckpoints());
      await Promise.all(tasks);
      const runs = new Set(all.flatMap((c) => c.runs));
      const plugins = new Set(all.flatMap((c) => c.plugins));
      batch(() => {
        lastChange.value = { ...all[all.length - 1], runs: [...runs], plugins: [...plugins] };
        problem.value = null;
        revision.value++;
      });
    }
  } catch (e) {
    failed(e);
  } finally {
    working = false;
  }
}

export function setPaused(value: boolean): void {
  paused.value = value;
  if (!value) void applyChanges();
}

export async function refresh(): Promise<void> {
  if (refreshing.value || inReport) return;
  refreshing.value = true;
  try {
    await write("POST", "api/refresh", {});
    await readAll();
  } catch (e) {
    failed(e);
  } finally {
    refreshing.value = false;
  }
}

export async function editRuns(ids: string[], set: Partial<Record<keyof Run, unknown>>): Promise<void> {
  try {
    const { runs } = await write<{ runs: Run[] }>("PATCH", "api/runs", { runs: ids, set });
    // the answer holds the runs' facts, not the metrics this page had asked for
    const old = new Map(allRuns.peek().map((r) => [r.id, r]));
    takeRuns({ runs: runs.map((r) => ({ ...old.get(r.id), ...r })), metrics: [], gone: [] }, true);
  } catch (e) {
    failed(e);
  }
}

export function startBoard(): void {
  const boot = inReport ? null : bootBlock<{ info: Info; runs: RunsAnswer; tags: TagsAnswer; cursor: number }>();
  if (boot) {
    batch(() => {
      info.value = boot.info;
      allRuns.value = boot.runs.runs;
      tags.value = boot.tags;
      loadedOnce.value = true;
    });
    cursor = boot.cursor;
    if (boot.info.checkpoints) void readCheckpoints().catch(failed);
  } else {
    void readAll();
  }
  let away = false;
  listen({
    onOpen: (open) => {
      if (!open) away = true;
      connection.value = open ? "open" : "lost";
    },
    onHello: (c, state) => {
      // after an absence the board may be another one, whose count began again: its number says nothing
      const stale = away || c > cursor || (state === "ready" && info.peek()?.state !== "ready");
      if (loadedOnce.peek() && stale) void readAll();
      away = false;
      cursor = c;
    },
    onProgress: (state, progress) => {
      const before = info.peek();
      if (before) info.value = { ...before, state, progress };
      if (state === "ready" && before?.state !== "ready") void readAll();
    },
    onChange: (change) => {
      waiting.push(change);
      void applyChanges();
    },
  });
  keepStatus();
  let asked = boot ? "" : wantedMetrics.peek().join("\u0000");
  effect(() => {
    const now = wantedMetrics.value.join("\u0000");
    if (now === asked) return;
    asked = now;
    void readRuns().catch(failed);
  });
  document.addEventListener("visibilitychange", () => void applyChanges());
}
