// The canvas of the timeline: layout, drawing, pointer and keys. In: a trace with levels. Out: frames, and what the person did.
// Only what is on the screen is looked at; a frame is drawn at most once per display refresh.

import { bytes } from "../../base/format";
import type { Theme } from "../../base/colour";
import type { InkColours } from "../../base/theme";
import { after, eventAt, type Lane, type Trace } from "./lanes";
import { CURVE, fillRow, HEADER, LANE, palette, ticks, word } from "./raster";

export interface Selection {
  t0: number;
  t1: number;
  top: number; // content pixels
  bottom: number;
}

interface Row {
  top: number;
  height: number;
  lane?: Lane;
  title?: string;
  curve?: number;
}

const RULER = 24;
const MAX_LABELS = 600;

export class Painter {
  t0 = 0;
  t1 = 1;
  scroll = 0;
  onMoved: (t0: number, t1: number) => void = () => {};
  onPicked: (event: number) => void = () => {};
  onBox: (box: Selection | null) => void = () => {};
  private canvas: HTMLCanvasElement | null = null;
  private pen!: CanvasRenderingContext2D;
  private rows: Row[] = [];
  private contentHeight = 0;
  private width = 1;
  private height = 1;
  private ratio = 1;
  private image: ImageData | null = null;
  private words: Uint32Array = new Uint32Array(0);
  private line: Uint32Array = new Uint32Array(0);
  private colours: Uint8Array = new Uint8Array(0);
  private paletteWords: Uint32Array = new Uint32Array(256);
  private ink!: InkColours;
  private theme: Theme = "light";
  private frame = 0;
  private selected = -1;
  private box: Selection | null = null;
  private laneOf = new Map<number, Row>();
  private arrows: [number, number][] = [];
  private undo: (() => void)[] = [];

  constructor(readonly trace: Trace) {
    let top = RULER;
    trace.curves.forEach((_, curve) => { this.rows.push({ top, height: CURVE, curve }); top += CURVE; });
    let track = -1;
    for (const lane of trace.lanes) {
      if (lane.track !== track) {
        track = lane.track;
        const t = trace.tracks[track];
        const title = [t.thread, t.layer === "python" ? "Python frames, sampled" : "", t.process].filter(Boolean).join(" · ");
        this.rows.push({ top, height: HEADER, title });
        top += HEADER;
      }
      this.rows.push({ top, height: LANE, lane });
      top += LANE;
    }
    this.contentHeight = top + 16;
  }

  attach(canvas: HTMLCanvasElement, [t0, t1]: [number, number]): void {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d", { alpha: false })!;
    this.t0 = t0;
    this.t1 = Math.max(t1, t0 + 10);
    this.listen(canvas);
    this.resize();
  }

  detach(): void {
    for (const f of this.undo) f();
    this.undo = [];
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.canvas = null;
  }

  look(colours: Uint8Array, ink: InkColours, theme: Theme): void {
    this.colours = colours;
    this.ink = ink;
    this.theme = theme;
    const made = palette(this.trace.kinds, theme);
    this.paletteWords = made.words;
    this.ask();
  }

  select(event: number, box: Selection | null): void {
    this.selected = event;
    this.box = box;
    this.arrows = [];
    if (event >= 0) {
      const { flowSource: a, flowTarget: b } = this.trace;
      for (let i = 0; i < a.length && this.arrows.length < 200; i++) if (a[i] === event || b[i] === event) this.arrows.push([a[i], b[i]]);
    }
    this.ask();
  }

  resize(): void {
    const e = this.canvas;
    if (!e) return;
    const b = e.parentElement!.getBoundingClientRect();
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.width = Math.max(1, Math.floor(b.width));
    this.height = Math.max(1, Math.floor(b.height));
    e.width = Math.round(this.width * this.ratio);
    e.height = Math.round(this.height * this.ratio);
    e.style.width = this.width + "px";
    e.style.height = this.height + "px";
    this.image = null;
    this.clampScroll();
    this.ask();
  }

  fit(): void { this.move(0, this.trace.end); }
  zoom(factor: number, at = this.width / 2): void {
    const centre = this.timeAt(at);
    const length = Math.min(Math.max((this.t1 - this.t0) * factor, 20), this.trace.end * 1.5);
    const left = (at / this.width) * length;
    this.move(centre - left, centre - left + length);
  }

  move(t0: number, t1: number): void {
    const length = t1 - t0;
    const low = Math.min(Math.max(t0, -length / 2), this.trace.end - length / 2);
    this.t0 = low;
    this.t1 = low + length;
    this.ask();
    this.onMoved(this.t0, this.t1);
  }

  /** Bring an event into view. */
  show(event: number): void {
    const length = Math.max(this.trace.duration[event] * 6, 1000, Math.min(this.t1 - this.t0, this.trace.duration[event] * 40));
    const middle = this.trace.start[event] + this.trace.duration[event] / 2;
    this.move(middle - length / 2, middle + length / 2);
    const row = this.rowOf(event);
    if (row && (row.top < this.scroll + RULER || row.top + LANE > this.scroll + this.height)) this.scroll = row.top - this.height / 2;
    this.clampScroll();
  }

  lanesIn(box: Selection): Lane[] {
    return this.rows.filter((r) => r.lane && r.top < box.bottom && r.top + r.height > box.top).map((r) => r.lane!);
  }

  private rowOf(event: number): Row | undefined {
    let row = this.laneOf.get(event);
    if (!row) {
      row = this.rows.find((r) => r.lane && r.lane.from <= event && event < r.lane.to);
      if (row) this.laneOf.set(event, row);
    }
    return row;
  }

  private timeAt(x: number): number { return this.t0 + (x / this.width) * (this.t1 - this.t0); }
  private xAt(t: number): number { return ((t - this.t0) / (this.t1 - this.t0)) * this.width; }
  private clampScroll(): void { this.scroll = Math.max(0, Math.min(this.scroll, this.contentHeight - this.height)); }
  private ask(): void { if (!this.frame && this.canvas) this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); }); }

  private draw(): void {
    const e = this.canvas;
    if (!e || !this.ink) return;
    const began = performance.now();
    const { width: w, height: h } = e;
    if (!this.image) {
      this.image = new ImageData(w, h);
      this.words = new Uint32Array(this.image.data.buffer);
      this.line = new Uint32Array(w);
    }
    const background = word(this.ink.background);
    this.words.fill(background);
    const window = { t0: this.t0, nsPerPixel: (this.t1 - this.t0) / w };
    const visible = this.rows.filter((r) => r.top + r.height > this.scroll + RULER && r.top < this.scroll + this.height);
    for (const row of visible) {
      if (!row.lane) continue;
      fillRow(this.line, this.trace, row.lane, this.colours, this.paletteWords, window, background);
      const y0 = Math.max(Math.round(RULER * this.ratio), Math.round((row.top - this.scroll) * this.ratio));
      const y1 = Math.min(h, Math.round((row.top - this.scroll + LANE - 2) * this.ratio));
      for (let y = y0; y < y1; y++) this.words.set(this.line, y * w);
    }
    this.pen.setTransform(1, 0, 0, 1, 0, 0);
    this.pen.putImageData(this.image, 0, 0);
    this.pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const step = this.drawGrid();
    this.writeTexts(visible);
    this.drawSelection();
    this.drawRuler(step);
    e.dataset.drawn = String(Number(e.dataset.drawn ?? 0) + 1);
    e.dataset.took = (performance.now() - began).toFixed(2);
  }

  private writeTexts(visible: Row[]): void {
    const { pen, trace } = this;
    pen.textBaseline = "middle";
    let labels = 0;
    for (const row of visible) {
      const y = row.top - this.scroll;
      if (row.title !== undefined) {
        pen.font = `600 11px ${this.ink.font}`;
        pen.fillStyle = this.ink.muted;
        pen.fillText(row.title.slice(0, 120), 8, y + HEADER / 2 + 2);
      } else if (row.curve !== undefined) this.drawCurve(row.curve, y);
      else if (row.lane) {
        pen.font = `11px ${this.ink.font}`;
        pen.fillStyle = this.theme === "light" ? "#14181d" : "#eef1f4";
        // only events wide enough for a few letters have a label; they are few by construction
        const least = ((this.t1 - this.t0) / this.width) * 34;
        if (row.lane.to - row.lane.from > 20_000 && least > this.trace.end / 20) continue;
        let i = after(trace.start, this.t0, row.lane.from, row.lane.to);
        if (i > row.lane.from) i--;
        const end = after(trace.start, this.t1, i, row.lane.to);
        if (end - i > 20_000) continue; // nothing this dense has room for text
        for (; i < end && labels < MAX_LABELS; i++) {
          if (trace.duration[i] < least) continue;
          const a = Math.max(this.xAt(trace.start[i]), 0);
          const b = Math.min(this.xAt(trace.start[i] + trace.duration[i]), this.width);
          const room = Math.floor((b - a - 8) / 5.8);
          if (room < 3) continue;
          const name = trace.names[trace.name[i]];
          pen.fillText(name.length > room ? name.slice(0, room - 1) + "…" : name, a + 4, y + LANE / 2 - 0.5);
          labels++;
        }
      }
    }
  }

  private drawCurve(index: number, y: number): void {
    const { pen } = this;
    const { time: t, value: v, name, unit } = this.trace.curves[index];
    let top = 0;
    for (let i = 0; i < v.length; i++) if (v[i] > top) top = v[i];
    pen.beginPath();
    pen.moveTo(0, y + CURVE - 4);
    let i = Math.max(0, after(t, this.t0, 0, t.length) - 1);
    for (let x = 0; x <= this.width; x++) {
      const until = this.timeAt(x + 1);
      let high = v[Math.min(i, v.length - 1)] ?? 0;
      while (i + 1 < t.length && t[i + 1] <= until) { i++; if (v[i] > high) high = v[i]; }
      if (t.length && t[0] > until) high = 0;
      pen.lineTo(x, y + CURVE - 4 - (top ? (high / top) * (CURVE - 20) : 0));
    }
    pen.lineTo(this.width, y + CURVE - 4);
    pen.fillStyle = this.ink.accent + "40";
    pen.fill();
    pen.strokeStyle = this.ink.accent;
    pen.stroke();
    pen.font = `600 11px ${this.ink.font}`;
    pen.fillStyle = this.ink.muted;
    pen.fillText(`${name}, at most ${unit === "bytes" ? bytes(top) : Number(top.toPrecision(4))}`, 8, y + 9);
  }

  private drawSelection(): void {
    const { pen, trace } = this;
    pen.strokeStyle = this.ink.text;
    pen.lineWidth = 1.5;
    if (this.selected >= 0) {
      const row = this.rowOf(this.selected);
      if (row) {
        const a = this.xAt(trace.start[this.selected]);
        const b = this.xAt(trace.start[this.selected] + trace.duration[this.selected]);
        pen.strokeRect(a - 1, row.top - this.scroll - 0.5, Math.max(3, b - a + 1), LANE - 1);
      }
    }
    pen.strokeStyle = this.ink.accent;
    for (const [from, to] of this.arrows) {
      const one = this.rowOf(from);
      const two = this.rowOf(to);
      if (!one || !two) continue;
      const x0 = this.xAt(trace.start[from] + trace.duration[from]);
      const x1 = this.xAt(trace.start[to]);
      const y0 = one.top - this.scroll + LANE / 2;
      const y1 = two.top - this.scroll + LANE / 2;
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.bezierCurveTo(x0 + 40, y0, x1 - 40, y1, x1, y1);
      pen.moveTo(x1 - 6, y1 - 4);
      pen.lineTo(x1, y1);
      pen.lineTo(x1 - 6, y1 + 4);
      pen.stroke();
    }
    if (this.box) {
      const a = this.xAt(this.box.t0);
      const b = this.xAt(this.box.t1);
      pen.fillStyle = this.ink.accent + "26";
      pen.fillRect(a, this.box.top - this.scroll, b - a, this.box.bottom - this.box.top);
      pen.strokeRect(a, this.box.top - this.scroll, b - a, this.box.bottom - this.box.top);
    }
  }

  private drawGrid(): number {
    const { pen } = this;
    const step = ticks((this.t1 - this.t0) / this.width, 110);
    pen.strokeStyle = this.ink.muted;
    pen.lineWidth = 1;
    pen.globalAlpha = 0.15;
    pen.beginPath();
    for (let t = Math.ceil(this.t0 / step) * step; t < this.t1; t += step) {
      const x = Math.round(this.xAt(t)) + 0.5;
      pen.moveTo(x, RULER - 8);
      pen.lineTo(x, this.height);
    }
    pen.stroke();
    pen.globalAlpha = 1;
    return step;
  }

  private drawRuler(step: number): void {
    const { pen } = this;
    pen.fillStyle = this.ink.background;
    pen.fillRect(0, 0, this.width, RULER);
    pen.font = `11px ${this.ink.font}`;
    pen.fillStyle = this.ink.muted;
    for (let t = Math.ceil(this.t0 / step) * step; t < this.t1; t += step) pen.fillText(t === 0 ? "0" : label(t, step), Math.round(this.xAt(t)) + 4, RULER / 2);
  }

  private listen(e: HTMLCanvasElement): void {
    const on = <K extends keyof HTMLElementEventMap>(type: K, f: (event: HTMLElementEventMap[K]) => void, options?: AddEventListenerOptions) => {
      e.addEventListener(type, f, options);
      this.undo.push(() => e.removeEventListener(type, f, options));
    };
    let drag: { x: number; y: number; t0: number; t1: number; scroll: number; moved: boolean; box: boolean } | null = null;
    const at = (event: PointerEvent | WheelEvent | MouseEvent) => {
      const b = e.getBoundingClientRect();
      return { x: event.clientX - b.left, y: event.clientY - b.top };
    };
    on("pointerdown", (event) => {
      const { x, y } = at(event);
      drag = { x, y, t0: this.t0, t1: this.t1, scroll: this.scroll, moved: false, box: event.shiftKey };
      e.setPointerCapture(event.pointerId);
    });
    on("pointermove", (event) => {
      if (!drag) return;
      const { x, y } = at(event);
      if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 3) drag.moved = true;
      if (!drag.moved) return;
      if (drag.box) {
        const [a, b] = [this.timeAt(Math.min(x, drag.x)), this.timeAt(Math.max(x, drag.x))];
        this.box = { t0: a, t1: b, top: Math.min(y, drag.y) + this.scroll, bottom: Math.max(y, drag.y) + this.scroll };
        this.ask();
        return;
      }
      const shift = ((drag.x - x) / this.width) * (drag.t1 - drag.t0);
      this.scroll = drag.scroll + drag.y - y;
      this.clampScroll();
      this.move(drag.t0 + shift, drag.t1 + shift);
    });
    on("pointerup", (event) => {
      const { x, y } = at(event);
      if (drag && !drag.moved) { this.onBox(null); this.onPicked(this.pick(x, y)); }
      else if (drag?.box && this.box) this.onBox({ ...this.box });
      drag = null;
    });
    on("dblclick", (event) => { const { x, y } = at(event); const i = this.pick(x, y); if (i >= 0) this.show(i); });
    on("wheel", (event) => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(event.deltaY * 0.004), at(event).x);
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const shift = ((event.deltaX || event.deltaY) / this.width) * (this.t1 - this.t0);
        this.move(this.t0 + shift, this.t1 + shift);
      } else { this.scroll += event.deltaY; this.clampScroll(); this.ask(); }
    }, { passive: false });
    on("keydown", (event) => {
      const part = (this.t1 - this.t0) * 0.15;
      const keys: Record<string, () => void> = {
        w: () => this.zoom(0.7), "+": () => this.zoom(0.7), s: () => this.zoom(1.4), "-": () => this.zoom(1.4),
        a: () => this.move(this.t0 - part, this.t1 - part), ArrowLeft: () => this.move(this.t0 - part, this.t1 - part),
        d: () => this.move(this.t0 + part, this.t1 + part), ArrowRight: () => this.move(this.t0 + part, this.t1 + part),
        ArrowUp: () => { this.scroll -= 3 * LANE; this.clampScroll(); this.ask(); }, ArrowDown: () => { this.scroll += 3 * LANE; this.clampScroll(); this.ask(); },
        "0": () => this.fit(), f: () => { if (this.selected >= 0) this.show(this.selected); },
        Escape: () => { this.onBox(null); this.onPicked(-1); },
      };
      const f = !event.ctrlKey && !event.metaKey && !event.altKey ? keys[event.key] : undefined;
      if (f) { f(); event.preventDefault(); event.stopPropagation(); }
    });
  }

  private pick(x: number, y: number): number {
    const row = y < RULER ? undefined : this.rows.find((r) => r.lane && y + this.scroll >= r.top && y + this.scroll < r.top + LANE);
    return row ? eventAt(this.trace, row.lane!, this.timeAt(x), ((this.t1 - this.t0) / this.width) * 1.5) : -1;
  }
}

function label(t: number, step: number): string {
  const [size, unit] = step >= 1e9 ? [1e9, "s"] : step >= 1e6 ? [1e6, "ms"] : step >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return `${Number((t / size).toFixed(3))} ${unit}`;
}

