// In: a scene. Out: an SVG text or a PNG with title, axis names and legend: fit for a paper, not a picture of the screen.

import { onPaper } from "../base/colour";
import { INK } from "../base/theme";
import { paint, type Ink } from "./painter";
import { SvgPen, type Pen } from "./pen";
import type { Scene } from "./scene";

const TITLE = 36;
const ROW = 20;

function legendRows(pen: Pen, scene: Scene, width: number, ink: Ink): { label: string; x: number; y: number; colour: string; dash: number[] }[] {
  pen.font = `12px ${ink.font}`;
  const out = [];
  let x = 72;
  let y = 0;
  for (const l of scene.lines) {
    const w = 28 + pen.measureText(l.label).width + 16;
    if (x + w > width - 12 && x > 72) { x = 72; y += ROW; }
    out.push({ label: l.label, x, y, colour: l.colour, dash: l.dash });
    x += w;
  }
  return out;
}

function drawAll(pen: Pen, scene: Scene, width: number, plot: number, height: number, ink: Ink): void {
  pen.fillStyle = ink.background;
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = ink.text;
  pen.font = `600 14px ${ink.font}`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillText(scene.title, 72, TITLE / 2);
  pen.save();
  paint(pen, scene, width, TITLE + plot, ink, { labelled: true, box: { left: 72, top: TITLE, width: width - 84, height: plot - 52 } });
  pen.restore();
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  for (const r of legendRows(pen, scene, width, ink)) {
    const y = TITLE + plot + ROW / 2 + r.y;
    pen.strokeStyle = r.colour;
    pen.lineWidth = 2.5;
    pen.setLineDash(r.dash);
    pen.beginPath();
    pen.moveTo(r.x, y);
    pen.lineTo(r.x + 20, y);
    pen.stroke();
    pen.setLineDash([]);
    pen.fillStyle = ink.text;
    pen.font = `12px ${ink.font}`;
    pen.fillText(r.label, r.x + 28, y);
  }
}

function measured(scene: Scene, width: number, ink: Ink): number {
  const rows = legendRows(document.createElement("canvas").getContext("2d")!, scene, width, ink);
  return rows.length ? rows[rows.length - 1].y + ROW + 8 : 0;
}

function paper(scene: Scene): Scene {
  return { ...scene, lines: scene.lines.map((l) => ({ ...l, colour: onPaper(l.colour) })), marks: scene.marks.map((m) => ({ ...m, colour: onPaper(m.colour) })) };
}

export function toSvg(shown: Scene, width = 800, plot = 440): string {
  const ink = INK.light;
  const scene = paper(shown);
  const height = TITLE + plot + measured(scene, width, ink);
  const pen = new SvgPen(width, height);
  drawAll(pen as unknown as Pen, scene, width, plot, height, ink);
  return pen.text();
}

export function toPng(shown: Scene, width = 800, plot = 440, scale = 2): Promise<Blob> {
  const ink = INK.light;
  const scene = paper(shown);
  const height = TITLE + plot + measured(scene, width, ink);
  const canvas = document.createElement("canvas");
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d")!;
  pen.scale(scale, scale);
  drawAll(pen, scene, width, plot, height, ink);
  return new Promise((done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error("the browser made no picture"))), "image/png"));
}

export function fileName(title: string, extension: string): string {
  return (title.replace(/[^\w.=+-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 80) || "chart") + "." + extension;
}

export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
