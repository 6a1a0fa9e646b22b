// In: a Scene, a pen (canvas or SVG), a size. Out: the drawn chart. Not here: state, the DOM, cursors (Chart).
//
// Our own painter and not a chart library: every series has its own x column (nothing is joined or padded with nulls),
// x may be any metric and run backwards, and the same calls draw the screen, the PNG and the SVG.

import { ticks } from "../base/scale";
import { withAlpha } from "../base/colour";
import type { Pen } from "./pen";
import type { Column, Line, Mark, Scene } from "./scene";

export interface Ink {
  text: string;
  muted: string;
  grid: string;
  background: string;
  accent: string;
  font: string;
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Fixed margins: charts under each other have their axes under each other, and nothing moves when labels change. */
export function plotBox(width: number, height: number, labelled = false): Box {
  const left = labelled ? 72 : 56;
  const bottom = labelled ? 48 : 24;
  return { left, top: 8, width: Math.max(10, width - left - 12), height: Math.max(10, height - 8 - bottom) };
}

export const xPixel = (scene: Scene, box: Box, v: number) => box.left + scene.x.at(v) * box.width;
export const yPixel = (scene: Scene, box: Box, v: number) => box.top + (1 - scene.y.at(v)) * box.height;

/** More lines than this are a texture: dashes and raw lines under them cannot be told apart, and cost most of the time. */
export const CROWD = 100;

const half = (v: number) => Math.round(v) + 0.5;

function axes(pen: Pen, scene: Scene, box: Box, ink: Ink, labelled: boolean): void {
  pen.font = `11px ${ink.font}`;
  pen.lineWidth = 1;
  pen.strokeStyle = ink.grid;
  pen.fillStyle = ink.muted;
  pen.setLineDash([]);
  pen.beginPath();
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const t of ticks(scene.y, Math.max(2, Math.floor(box.height / 36)))) {
    const y = half(yPixel(scene, box, t.value));
    if (y < box.top - 1 || y > box.top + box.height + 1) continue;
    pen.moveTo(box.left, y);
    pen.lineTo(box.left + box.width, y);
    pen.fillText(t.label, box.left - 6, y);
  }
  pen.textAlign = "center";
  pen.textBaseline = "top";
  let edge = -Infinity;
  for (const t of ticks(scene.x, Math.max(2, Math.floor(box.width / 60)), scene.xUnit)) {
    const x = half(xPixel(scene, box, t.value));
    if (x < box.left - 1 || x > box.left + box.width + 1) continue;
    const w = pen.measureText(t.label).width / 2;
    if (x - w < edge + 6) continue;
    edge = x + w;
    pen.moveTo(x, box.top);
    pen.lineTo(x, box.top + box.height);
    pen.fillText(t.label, Math.min(x, box.left + box.width + 10 - w), box.top + box.height + 6);
  }
  pen.stroke();
  if (labelled) {
    pen.font = `12px ${ink.font}`;
    pen.fillStyle = ink.text;
    pen.fillText(scene.xLabel, box.left + box.width / 2, box.top + box.height + 26);
    pen.save();
    pen.translate(16, box.top + box.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(scene.yLabel || scene.title, 0, -6);
    pen.restore();
  }
}

/** One path through the finite points; a gap where a value is NaN, infinite or off a log axis. */
function trace(pen: Pen, scene: Scene, box: Box, x: Column, y: Column): void {
  const n = Math.min(x.length, y.length);
  const { at: xAt } = scene.x;
  const { at: yAt } = scene.y;
  const bottom = box.top + box.height;
  pen.beginPath();
  let open = false;
  for (let i = 0; i < n; i++) {
    const px = box.left + xAt(x[i]) * box.width;
    const py = bottom - yAt(y[i]) * box.height;
    if (px - px !== 0 || py - py !== 0) {
      open = false;
    } else if (open) {
      pen.lineTo(px, py);
    } else {
      pen.moveTo(px, py);
      open = true;
    }
  }
}

function dots(pen: Pen, scene: Scene, box: Box, line: Line, radius: number): void {
  pen.beginPath();
  for (let i = 0; i < line.x.length; i++) {
    const px = xPixel(scene, box, line.x[i]);
    const py = yPixel(scene, box, line.y[i]);
    if (px - px === 0 && py - py === 0) {
      pen.moveTo(px + radius, py);
      pen.arc(px, py, radius, 0, Math.PI * 2);
    }
  }
  pen.fill();
}

function band(pen: Pen, scene: Scene, box: Box, b: { x: Column; lo: Column; hi: Column }): void {
  pen.beginPath();
  const n = b.x.length;
  let open = false;
  for (let i = 0; i < n; i++) {
    const px = xPixel(scene, box, b.x[i]);
    const py = yPixel(scene, box, b.hi[i]);
    if (px - px !== 0 || py - py !== 0) continue;
    if (open) pen.lineTo(px, py);
    else pen.moveTo(px, py);
    open = true;
  }
  for (let i = n - 1; i >= 0; i--) {
    const px = xPixel(scene, box, b.x[i]);
    const py = yPixel(scene, box, b.lo[i]);
    if (px - px === 0 && py - py === 0 && open) pen.lineTo(px, py);
  }
  if (open) {
    pen.closePath();
    pen.fill();
  }
}

export function diamond(pen: Pen, x: number, y: number, r: number): void {
  pen.beginPath();
  pen.moveTo(x, y - r);
  pen.lineTo(x + r, y);
  pen.lineTo(x, y + r);
  pen.lineTo(x - r, y);
  pen.closePath();
}

function triangle(pen: Pen, x: number, y: number, r: number, up: boolean): void {
  const s = up ? -1 : 1;
  pen.beginPath();
  pen.moveTo(x, y + s * r);
  pen.lineTo(x + r, y - s * r);
  pen.lineTo(x - r, y - s * r);
  pen.closePath();
}

/** Where a mark stands; also what the mouse is tested against. */
export function markPlace(scene: Scene, box: Box, m: Mark): { x: number; y: number } {
  const x = xPixel(scene, box, m.x);
  if (m.kind === "inf") return { x, y: box.top + 5 };
  if (m.kind === "-inf") return { x, y: box.top + box.height - 5 };
  if (m.y === undefined) return { x, y: box.top + box.height };
  const y = yPixel(scene, box, m.y);
  return { x, y: y - y === 0 ? Math.min(box.top + box.height, Math.max(box.top, y)) : box.top + box.height };
}

function mark(pen: Pen, scene: Scene, box: Box, m: Mark, ink: Ink, size: number): void {
  const { x, y } = markPlace(scene, box, m);
  if (!(x >= box.left - 1 && x <= box.left + box.width + 1)) return;
  if (m.kind === "restart") {
    pen.strokeStyle = withAlpha(m.colour, 0.6);
    pen.setLineDash([3, 3]);
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(half(x), box.top);
    pen.lineTo(half(x), box.top + box.height);
    pen.stroke();
    pen.setLineDash([]);
    return;
  }
  pen.fillStyle = m.colour;
  pen.strokeStyle = ink.background;
  pen.lineWidth = 1.5;
  if (m.kind === "checkpoint") diamond(pen, x, y, size);
  else if (m.kind === "inf") triangle(pen, x, y, 4, true);
  else if (m.kind === "-inf") triangle(pen, x, y, 4, false);
  else {
    // NaN: a small cross, which no curve and no triangle looks like
    pen.strokeStyle = m.colour;
    pen.beginPath();
    pen.moveTo(x - 3.5, y - 3.5);
    pen.lineTo(x + 3.5, y + 3.5);
    pen.moveTo(x - 3.5, y + 3.5);
    pen.lineTo(x + 3.5, y - 3.5);
    pen.stroke();
    return;
  }
  pen.stroke();
  pen.fill();
}

export interface PaintOptions {
  /** axis names and room for them: exports and full screen */
  labelled?: boolean;
  /** key of the line to bring forward; the others fade */
  focus?: string | null;
  box?: Box;
}

export function paint(pen: Pen, scene: Scene, width: number, height: number, ink: Ink, o: PaintOptions = {}): Box {
  const box = o.box ?? plotBox(width, height, o.labelled);
  axes(pen, scene, box, ink, !!o.labelled);
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top - 4, box.width + 4, box.height + 8);
  pen.clip();
  pen.lineJoin = "round";
  const order = o.focus ? [...scene.lines].sort((a, b) => Number(a.key === o.focus) - Number(b.key === o.focus)) : scene.lines;
  const crowd = order.length > CROWD;
  for (const line of order) {
    const faded = o.focus && line.key !== o.focus ? 0.2 : 1;
    if (line.band) {
      pen.globalAlpha = 0.16 * faded;
      pen.fillStyle = line.colour;
      band(pen, scene, box, line.band);
    }
    pen.strokeStyle = line.colour;
    if (line.raw && !crowd) {
      pen.globalAlpha = 0.22 * faded;
      pen.lineWidth = 1;
      pen.setLineDash([]);
      trace(pen, scene, box, line.raw.x, line.raw.y);
      pen.stroke();
    }
    pen.globalAlpha = (line.alpha ?? 1) * faded;
    // a line with more points than pixels is a band already; a thinner stroke lets others show beside it
    const thin = crowd || line.x.length > box.width ? 1 : 1.5;
    pen.lineWidth = o.focus === line.key ? 2 : (line.width ?? thin);
    pen.setLineDash(crowd ? [] : line.dash);
    trace(pen, scene, box, line.x, line.y);
    pen.stroke();
    if (line.x.length === 1 || (!crowd && line.x.length <= box.width / 24)) {
      pen.fillStyle = line.colour;
      pen.setLineDash([]);
      dots(pen, scene, box, line, line.x.length === 1 ? 3 : 2);
    }
  }
  pen.globalAlpha = 1;
  pen.setLineDash([]);
  // many runs have many checkpoints: smaller marks leave their curves to be seen
  const size = scene.marks.length > 24 ? 3.5 : 4.5;
  const last = new Map<string, number>();
  for (const m of scene.marks) {
    // a hundred infinities in a row are one mark every few pixels; the badge has their number
    if (m.kind !== "checkpoint" && m.kind !== "restart") {
      const x = xPixel(scene, box, m.x);
      const key = m.kind + m.colour;
      if (Math.abs(x - (last.get(key) ?? -Infinity)) < 9) continue;
      last.set(key, x);
    }
    mark(pen, scene, box, m, ink, size);
  }
  pen.restore();
  return box;
}
