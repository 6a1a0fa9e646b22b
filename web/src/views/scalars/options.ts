// The settings of the scalars page, each in the address; and the request for series that follows from them.

import { computed } from "@preact/signals";
import { flag, isNumber, isObject, isSpan, json, list, number, oneOf, param, text } from "../../data/address";
import { aggregate } from "../../data/runs";
import type { Common, XAxis } from "../../data/series";
import type { ScaleKind, Unit } from "../../base/scale";
import type { Span } from "../../chart/scene";

/** "step" | "relative" | "wall" | "m:TAG" */
export const xAxis = param("x", "step", text);
const KINDS = ["linear", "log", "symlog"] as const;
export const xKind = param<ScaleKind>("xs", "linear", oneOf(KINDS));
export const yKind = param<ScaleKind>("ys", "linear", oneOf(KINDS));
export const smoothing = param("s", 0.6, number);
export const smoothKind = param<"ema" | "gaussian" | "none">("sk", "ema", oneOf(["ema", "gaussian", "none"] as const));
export const clipOutliers = param("clip", false, flag);
export const sharedY = param("ysame", false, flag);
export const restarts = param<Common["restarts"]>("rs", "last", oneOf(["last", "all", "split"] as const));
export const showMarks = param("marks", true, flag);
export const pinned = param<string[]>("pin", [], list);
/** Charts made in the page: several tags on one chart. */
export interface MultiChart {
  title: string;
  tags: string[];
}
export const multi = param<MultiChart[]>("multi", [], json<MultiChart[]>((v) => Array.isArray(v) && v.every((m) => isObject(m) && typeof m.title === "string" && Array.isArray(m.tags) && m.tags.every((t) => typeof t === "string"))));
export const full = param("full", "", text);
/** Zooming one chart's x axis zooms all. */
export const linkZoom = param("link", true, flag);
export const xZoom = param<Span | null>("xz", null, json<Span | null>((v) => v === null || isSpan(v)));
/** [x0, x1, y0, y1] by card; null where that side follows the data */
export type CardZoom = [number | null, number | null, number | null, number | null];
export const cardZoom = param<Record<string, CardZoom>>("zoom", {}, json<Record<string, CardZoom>>((v) => isObject(v) && Object.values(v).every((z) => Array.isArray(z) && z.length === 4 && z.every((n) => n === null || isNumber(n)))));

export const xUnit = computed<Unit>(() => (xAxis.value === "step" ? "step" : xAxis.value === "relative" ? "relative" : xAxis.value === "wall" ? "wall" : "number"));
export const xName = computed(() => (xAxis.value.startsWith("m:") ? xAxis.value.slice(2) : xAxis.value === "relative" ? "time since start" : xAxis.value === "wall" ? "time" : "step"));

function axis(): XAxis {
  const x = xAxis.value;
  return x.startsWith("m:") ? { metric: x.slice(2) } : x === "relative" || x === "wall" ? x : "step";
}

export function commonFor(width: number, range: Span | null, wall: boolean): Common {
  const [line, band] = aggregate.value.split("/");
  return {
    width: Math.max(0, Math.round(width)),
    x: axis(),
    range,
    smooth: smoothKind.value === "none" || smoothing.value <= 0 ? { kind: "none", weight: 0 } : { kind: smoothKind.value, weight: smoothing.value },
    restarts: restarts.value,
    outliers: clipOutliers.value ? [0.05, 0.95] : null,
    wall,
    aggregate: { line: line || "mean", band: band || "std" },
  };
}

export function zoomOf(key: string): { x: Span | null; y: Span | null } {
  const own = cardZoom.value[key];
  const y: Span | null = own && own[2] !== null && own[3] !== null ? [own[2], own[3]] : null;
  if (linkZoom.value) return { x: xZoom.value, y };
  return { x: own && own[0] !== null && own[1] !== null ? [own[0], own[1]] : null, y };
}

const short = (v: number) => Number(v.toPrecision(7));

export function setZoom(key: string, x: Span | null | undefined, y: Span | null | undefined): void {
  const own: CardZoom = [...(cardZoom.peek()[key] ?? [null, null, null, null])];
  const put = (at: 0 | 2, span: Span | null) => {
    own[at] = span ? short(span[0]) : null;
    own[at + 1] = span ? short(span[1]) : null;
  };
  if (x !== undefined) {
    if (linkZoom.peek()) xZoom.value = x ? [short(x[0]), short(x[1])] : null;
    else put(0, x);
  }
  if (y !== undefined) put(2, y);
  const all = { ...cardZoom.peek() };
  if (own.every((v) => v === null)) delete all[key];
  else all[key] = own;
  if (JSON.stringify(all) !== JSON.stringify(cardZoom.peek())) cardZoom.value = all;
}

export function clearZoom(): void {
  xZoom.value = null;
  cardZoom.value = {};
}
