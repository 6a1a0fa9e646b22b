// What the API says of captures (docs/reference/http-api.md). Times are nanoseconds.

export interface Capture {
  id: string;
  run: string;
  name: string;
  host: string;
  wall: number;
  bytes: number;
  kind: "trace" | "xplane";
  files: string[];
}

export const PARTS = ["compute", "input", "copy", "python", "idle"] as const;
export type Part = (typeof PARTS)[number];

export interface OpRow {
  name: string;
  detail: string;
  kind: string;
  calls: number;
  total: number;
  own: number;
  longest: number;
}

export interface Overview {
  events: number;
  seconds: number;
  about: { overhead?: number; samples?: number; sample_ms?: number; engines?: string[]; host?: string; python?: string; start_seconds?: number };
  device: boolean;
  split: {
    share: Record<Part, number>;
    total: Record<Part, number>;
    thread: string;
    sampled: boolean;
    steps: number;
    step: number[];
    length: number[];
    each: Record<Part, number[]>;
    median: number;
    p90: number;
  };
  advice: { text: string; share: number; topic: string }[];
  ops: OpRow[];
  functions: OpRow[];
  memory: { name: string; unit: string; peak: number; points: number }[];
}

/** Nanoseconds as a person reads them, to three digits. */
export function time(ns: number): string {
  const a = Math.abs(ns);
  const show = (v: number, unit: string) => `${Number(v.toPrecision(3))}\u202f${unit}`.replace("-", "−");
  if (a >= 1e9) return show(ns / 1e9, "s");
  if (a >= 1e6) return show(ns / 1e6, "ms");
  if (a >= 1e3) return show(ns / 1e3, "µs");
  return show(ns, "ns");
}

export const percent = (share: number): string => `${(share * 100).toFixed(share < 0.0995 && share > 0 ? 1 : 0)}\u202f%`;

export const PART_COLOUR: Record<Part, string> = { compute: "#3f7fd8", input: "#c9722a", copy: "#8a63c9", python: "#3a9a63", idle: "#9aa3ae" };

/** A capture does not change when summaries do: told so, the page does not ask for its megabytes again. */
export const PLUGIN = "profile";
