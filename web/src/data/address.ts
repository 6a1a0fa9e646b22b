// In: the hash of the address. Out: one signal per parameter, written back when it changes; defaults are left out. So any
// state can be sent to somebody by copying the address. Not here: preferences of this browser (theme, panel width).

import { effect, signal, type Signal } from "@preact/signals";

export interface Codec<T> {
  write(v: T): string;
  read(s: string): T;
}

export const text: Codec<string> = { write: (v) => v, read: (s) => s };
export const number: Codec<number> = { write: (v) => String(v), read: (s) => (Number.isFinite(Number(s)) ? Number(s) : 0) };
export const flag: Codec<boolean> = { write: (v) => (v ? "1" : "0"), read: (s) => s === "1" };
/** A list whose members may hold any character. */
export const list: Codec<string[]> = {
  write: (v) => v.map((s) => s.replace(/[\\,]/g, "\\$&")).join(","),
  read: (s) => (s === "" ? [] : s.split(/(?<!\\),/).map((p) => p.replace(/\\([\\,])/g, "$1"))),
};
/** Anything else, if it has the shape that `fits` asks for: an address may be typed by hand. */
export function json<T>(fits: (v: unknown) => boolean): Codec<T> {
  return {
    write: (v) => JSON.stringify(v),
    read: (s) => {
      const v: unknown = JSON.parse(s);
      if (!fits(v)) throw new TypeError("not the shape that was expected");
      return v as T;
    },
  };
}
export const isNumber = (v: unknown): v is number => typeof v === "number" && Number.isFinite(v);
export const isSpan = (v: unknown): boolean => Array.isArray(v) && v.length === 2 && v.every(isNumber) && v[0] < v[1];
export const isObject = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v);
export const isSorting = (v: unknown): boolean => isObject(v) && typeof v.by === "string" && typeof v.down === "boolean";
export function oneOf<T extends string>(allowed: readonly T[]): Codec<T> {
  return { write: (v) => v, read: (s) => (allowed.includes(s as T) ? (s as T) : allowed[0]) };
}

interface Bound {
  signal: Signal<unknown>;
  write(): string | null;
  read(s: string | undefined): void;
}

const bound = new Map<string, Bound>();
const boundCount = signal(0); // views bring their parameters when they are loaded
let current = parse();
export const view = signal(current.view);

function parse(): { view: string; query: Map<string, string> } {
  const hash = location.hash.replace(/^#\/?/, "");
  const cut = hash.indexOf("?");
  const query = new Map<string, string>();
  for (const [k, v] of new URLSearchParams(cut < 0 ? "" : hash.slice(cut + 1))) query.set(k, v);
  return { view: cut < 0 ? hash : hash.slice(0, cut), query };
}

export function param<T>(key: string, fallback: T, codec: Codec<T>): Signal<T> {
  const decode = (s: string | undefined): T => {
    if (s === undefined) return fallback;
    try {
      return codec.read(s);
    } catch {
      return fallback; // an address typed by hand must never break the page
    }
  };
  const blank = codec.write(fallback);
  const s = signal(decode(current.query.get(key)));
  bound.set(key, {
    signal: s as Signal<unknown>,
    write: () => {
      const out = codec.write(s.value);
      return out === blank ? null : out;
    },
    read: (t) => {
      if ((t ?? blank) !== codec.write(s.peek())) s.value = decode(t);
    },
  });
  boundCount.value = bound.size;
  return s;
}

export function hash(forView = view.value): string {
  const query = new URLSearchParams();
  // parameters of views that are not loaded yet are kept as they came
  for (const [k, v] of current.query) if (!bound.has(k)) query.set(k, v);
  for (const [k, b] of bound) {
    const v = b.write();
    if (v !== null) query.set(k, v);
  }
  const q = query.toString();
  return `#/${forView}${q ? "?" + q : ""}`;
}

let timer: ReturnType<typeof setTimeout> | undefined;
let writtenView = current.view;

export function startAddress(): void {
  effect(() => {
    void boundCount.value;
    const next = hash();
    clearTimeout(timer);
    // browsers refuse more than ~100 history calls in 30 s: a slider must not write on every pixel
    const push = view.value !== writtenView;
    timer = setTimeout(() => {
      if (next === location.hash) return;
      if (push && writtenView) history.pushState(null, "", next);
      else history.replaceState(null, "", next);
      writtenView = view.peek();
    }, push ? 0 : 250);
  });
  const reread = () => {
    current = parse();
    writtenView = current.view;
    view.value = current.view;
    for (const [k, b] of bound) b.read(current.query.get(k));
  };
  addEventListener("hashchange", reread);
  addEventListener("popstate", reread);
}
