// In: lanes and a window of time. Out: pixels. Rows are filled as whole machine words, not drawn shape by shape: a frame costs
// the same whether a lane holds a hundred events or a million, with or without a graphics card.

import type { Theme } from "../../base/colour";
import { oklch } from "../../base/colour";
import { after, DIMMED, levelFor, type Lane, type Trace } from "./lanes";

export const LANE = 18; // css pixels of one nesting level
export const HEADER = 22; // of a track's title
export const CURVE = 44; // of a memory curve

const SHADES = 6;
// one hue for each kind of event, so that ops, copies and Python are told apart at any zoom; shades tell names apart
const HUES: Record<string, [hue: number, chroma: number]> = {
  other: [250, 0.02], op: [255, 0.12], kernel: [285, 0.13], copy: [325, 0.12], input: [55, 0.12], python: [150, 0.1],
  step: [25, 0.1], span: [200, 0.09], state: [250, 0.03], runtime: [95, 0.07],
};
const STATES: Record<string, [number, number]> = { python: [150, 0.1], native: [255, 0.12], idle: [250, 0.005], "waiting for a core": [25, 0.12] };

export function palette(kinds: string[], theme: Theme): { css: string[]; words: Uint32Array } {
  const css: string[] = [];
  for (const kind of [...kinds, ...Object.keys(STATES)]) {
    const [hue, chroma] = HUES[kind] && css.length < kinds.length * SHADES ? HUES[kind] : (STATES[kind] ?? [250, 0.02]);
    for (let i = 0; i < SHADES; i++) {
      const light = theme === "light" ? 0.72 + (i % 3) * 0.05 : 0.44 + (i % 3) * 0.05;
      css.push(oklch(light, chroma, hue + (i - SHADES / 2) * 5));
    }
  }
  css[DIMMED] = theme === "light" ? "#e3e6ea" : "#262b32";
  const words = new Uint32Array(256);
  for (let i = 0; i < 256; i++) if (css[i]) words[i] = word(css[i]);
  return { css, words };
}

/** #rrggbb as a little-endian RGBA word. */
export function word(hex: string): number {
  const v = parseInt(hex.slice(1), 16);
  return (0xff000000 | ((v & 0xff) << 16) | (v & 0xff00) | (v >> 16)) >>> 0;
}

function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return (h >>> 0) % SHADES;
}

/** A palette slot for every name, by the kind it has most often; DIMMED for those a search does not match. */
export function colourNames(trace: Trace, matches: ((name: string) => boolean) | null): Uint8Array {
  const kindOf = new Uint8Array(trace.names.length);
  for (let i = trace.name.length - 1; i >= 0; i--) kindOf[trace.name[i]] = trace.kind[i];
  const state = trace.kinds.indexOf("state");
  const states = Object.keys(STATES);
  return Uint8Array.from(trace.names, (name, i) => {
    if (matches && !matches(name)) return DIMMED;
    if (kindOf[i] === state) return (trace.kinds.length + Math.max(0, states.indexOf(name))) * SHADES + 1;
    return kindOf[i] * SHADES + hash(name);
  });
}

export interface Window {
  t0: number;
  nsPerPixel: number; // device pixels
}

/** One lane as a row of pixels. */
export function fillRow(row: Uint32Array, trace: Trace, lane: Lane, colours: Uint8Array, words: Uint32Array, w: Window, background: number): void {
  row.fill(background);
  const width = row.length;
  const t1 = w.t0 + width * w.nsPerPixel;
  const k = levelFor(lane, w.nsPerPixel);
  if (k < 0) {
    let i = after(trace.start, w.t0, lane.from, lane.to);
    if (i > lane.from) i--;
    for (; i < lane.to && trace.start[i] < t1; i++) paint(row, (trace.start[i] - w.t0) / w.nsPerPixel, (trace.start[i] + trace.duration[i] - w.t0) / w.nsPerPixel, words[colours[trace.name[i]]], width);
    return;
  }
  const level = lane.levels[k];
  let i = after(level.start, w.t0, 0, level.start.length);
  if (i > 0) i--;
  for (; i < level.start.length && level.start[i] < t1; i++) paint(row, (level.start[i] - w.t0) / w.nsPerPixel, (level.end[i] - w.t0) / w.nsPerPixel, words[level.colour[i]], width);
}

function paint(row: Uint32Array, a: number, b: number, colour: number, width: number): void {
  let x0 = Math.floor(a);
  let x1 = Math.max(x0 + 1, Math.round(b));
  if (x1 - x0 > 3) x1--; // a hair between neighbours
  if (x0 < 0) x0 = 0;
  if (x1 > width) x1 = width;
  if (x1 > x0) row.fill(colour, x0, x1);
}

/** Tick distance and label for a ruler with about one tick in `pixels`. */
export function ticks(nsPerPixel: number, pixels: number): number {
  const rough = nsPerPixel * pixels;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  return [1, 2, 5, 10].map((m) => m * power).find((v) => v >= rough) ?? 10 * power;
}
