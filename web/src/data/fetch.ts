// In: an address of the API. Out: its answer as component state, asked again when the board says that it changed; the old
// answer stays until the new one is there. Answers are kept for a while, so that scrolling back costs nothing.

import { useEffect, useState } from "preact/hooks";
import { getFrame, getJson } from "../api/client";
import { lastChange, revision } from "./board";

export interface Fetched<T> {
  data: T | null;
  error: string | null;
  loading: boolean;
}

const KEPT = 120;
const kept = new Map<string, { at: number; value: unknown }>();

function keep(path: string, at: number, value: unknown): void {
  kept.delete(path);
  kept.set(path, { at, value });
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
}

/** `run` and `plugin` say which changes concern this answer; without them every change does. */
export function useFetch<T>(path: string | null, read: (path: string, signal: AbortSignal) => Promise<T>, run?: string, plugin?: string): Fetched<T> {
  const [state, setState] = useState<Fetched<T>>(() => {
    const old = path ? kept.get(path) : undefined;
    return { data: (old?.value as T) ?? null, error: null, loading: !!path };
  });
  const now = revision.value;
  const [seen, setSeen] = useState({ path: "", at: -1 });
  useEffect(() => {
    if (!path) return;
    if (seen.path === path && seen.at !== now) {
      const c = lastChange.peek();
      if (c && ((plugin && !c.plugins.includes(plugin)) || (run && !c.runs.includes(run)))) return;
    }
    const old = kept.get(path);
    if (old && old.at === now) {
      setState({ data: old.value as T, error: null, loading: false });
      setSeen({ path, at: now });
      return;
    }
    const abort = new AbortController();
    setState((s) => ({ data: seen.path === path ? s.data : ((old?.value as T) ?? null), error: null, loading: true }));
    read(path, abort.signal).then(
      (value) => {
        keep(path, now, value);
        setState({ data: value, error: null, loading: false });
        setSeen({ path, at: now });
      },
      (e: Error) => {
        if (e.name !== "AbortError") setState((s) => ({ ...s, error: e.message, loading: false }));
      },
    );
    return () => abort.abort();
  }, [path, now]);
  return state;
}

const json = async (path: string, signal: AbortSignal) => (await getJson<unknown>(path, signal)).data;

export function useJson<T>(path: string | null, run?: string, plugin?: string): Fetched<T> {
  return useFetch<T>(path, json as (path: string, signal: AbortSignal) => Promise<T>, run, plugin);
}

export function useFrame<T>(path: string | null, decode: (buffer: ArrayBuffer) => T, run?: string, plugin?: string): Fetched<T> {
  return useFetch<T>(path, async (p, signal) => decode(await getFrame(p, signal)), run, plugin);
}
