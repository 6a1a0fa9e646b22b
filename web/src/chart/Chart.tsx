// In: a Scene and a size. Out: canvases that draw it, with cursor, zoom, pan, keyboard and words for a screen reader.
// Not here: which data (views), how lines are drawn (painter), the tooltip's box (Tooltip).

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { INK } from "../base/theme";
import { exact, value } from "../base/format";
import { theme } from "../data/runs";
import { cursor, tip, tipSort, TIP_SORTS, type TipRow } from "./cursor";
import { CROWD, markPlace, paint, plotBox, xPixel, yPixel, type Box } from "./painter";
import { nearest, type Column, type Line, type Mark, type Scene, type Span } from "./scene";
import { atText, summarise } from "./summary";

export interface ChartProps {
  scene: Scene;
  width: number;
  height: number;
  /** charts with the same axis name share the cursor */
  axis: string;
  labelled?: boolean;
  focus?: string | null;
  onFocus?(key: string | null): void;
  /** null resets; undefined leaves that axis as it is */
  onZoom?(x: Span | null | undefined, y: Span | null | undefined): void;
  onMark?(target: string): void;
  onEnter?(): void;
  onHover?(): void;
  /** extra facts of a point for the tooltip, by line key and index */
  extra?(line: Line, index: number): string;
  /** plain wheel zooms (full screen); else only with Ctrl */
  wheelZooms?: boolean;
}

interface Drag {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  pan: boolean;
  from: { x: Span; y: Span };
}

const ratio = () => Math.min(3, devicePixelRatio || 1);

function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const r = ratio();
  const w = Math.round(width * r);
  const h = Math.round(height * r);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const pen = canvas.getContext("2d")!;
  pen.setTransform(r, 0, 0, r, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

function pointAt(line: Line, x: number): { i: number; v: number; raw: number | null } | null {
  const i = nearest(line.x, x);
  if (i < 0) return null;
  let raw: number | null = null;
  if (line.raw) raw = line.raw.y[line.raw.x.length === line.x.length ? i : nearest(line.raw.x as Column, x)];
  return { i, v: line.y[i], raw };
}

function zoomed(scale: Scene["x"], from: number, to: number): Span {
  const a = scale.from(Math.min(from, to));
  const b = scale.from(Math.max(from, to));
  return [a, b];
}

export function Chart(p: ChartProps) {
  const { scene, width, height } = p;
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const me = useRef({}).current;
  const drag = useRef<Drag | null>(null);
  const redraw = useRef<() => void>(() => {});
  const scenePan = useRef<Scene | null>(null);
  const pointer = useRef<[number, number, number, number] | null>(null);
  const touches = useRef(new Map<number, { x: number; y: number }>());
  const [said, setSaid] = useState("");
  const box = useMemo(() => plotBox(width, height, p.labelled), [width, height, p.labelled]);
  const ink = INK[theme.value];

  // a crowd is painted once: under one line in front it is only faded, by the style sheet
  const isCrowd = scene.lines.length > CROWD;
  const front = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (!isCrowd) return;
    const pen = sized(front.current!, width, height);
    if (p.focus) paint(pen, { ...scene, lines: scene.lines.filter((l) => l.key === p.focus) }, width, height, ink, { labelled: p.labelled, focus: p.focus, box });
  }, [isCrowd, scene, width, height, ink, p.focus, box]);

  useLayoutEffect(() => {
    paint(sized(base.current!, width, height), scene, width, height, ink, { labelled: p.labelled, focus: isCrowd ? null : p.focus, box });
    // what was drawn, for those who ask the page and not the eye
    const said = base.current!.dataset;
    said.drawn = String(scene.lines.length);
    const places = scene.marks.filter((m) => m.kind === "checkpoint").map((m) => markPlace(scene, box, m));
    said.marks = String(places.length);
    if (places.length && places.length <= 50) said.markPlaces = JSON.stringify(places.map((q) => [Math.round(q.x), Math.round(q.y)]));
  }, [scene, width, height, ink, isCrowd || p.focus, box]);

  // The overlay follows the shared cursor without rendering a component.
  useEffect(() => {
    const draw = () => {
      const canvas = over.current;
      if (!canvas) return;
      const c = cursor.value;
      const d = drag.current;
      if ((!c || c.axis !== p.axis) && !d) {
        if (canvas.dataset.used) {
          sized(canvas, width, height);
          delete canvas.dataset.used;
        }
        return;
      }
      const pen = sized(canvas, width, height);
      canvas.dataset.used = "1";
      if (d && !d.pan && (Math.abs(d.x1 - d.x0) > 4 || Math.abs(d.y1 - d.y0) > 4)) drawSelection(pen, d, box, ink.accent);
      if (c && c.axis === p.axis) drawCursor(pen, scene, box, c.x, ink.muted, ink.background, p.focus ?? null);
    };
    const stop = cursor.subscribe(draw);
    redraw.current = draw;
    return stop;
  }, [scene, width, height, ink, p.axis, p.focus, box]);

  useEffect(() => () => { if (cursor.peek()?.owner === me) { cursor.value = null; tip.value = null; } }, []);

  const place = (e: { clientX: number; clientY: number }) => {
    const r = over.current!.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top, r };
  };

  const markAt = (x: number, y: number): Mark | null => {
    let best: Mark | null = null;
    let far = 10;
    for (const m of scene.marks) {
      const at = markPlace(scene, box, m);
      const d = m.kind === "restart" ? Math.abs(at.x - x) + 4 : Math.hypot(at.x - x, at.y - y);
      if (d < far) { far = d; best = m; }
    }
    return best;
  };

  const show = (px: number, py: number, left: number, top: number) => {
    pointer.current = [px, py, left, top];
    const x = scene.x.from(Math.min(1, Math.max(0, (px - box.left) / box.width)));
    const rows: TipRow[] = [];
    let snapped = x;
    let closest = Infinity;
    for (const line of scene.lines) {
      const at = pointAt(line, x);
      if (!at) continue;
      const lx = xPixel(scene, box, line.x[at.i]);
      if (lx < box.left - 2 || lx > box.left + box.width + 2) continue;
      const ly = yPixel(scene, box, at.v);
      const distance = Math.hypot((lx - px) / 4, ly - py);
      if (distance < closest) { closest = distance; snapped = line.x[at.i]; }
      rows.push({ key: line.key, colour: line.colour, dash: line.dash, label: line.label, value: at.v, raw: at.raw, at: p.extra?.(line, at.i) ?? "", x: line.x[at.i], distance });
    }
    for (const r of rows) if (r.x !== snapped) r.at = atText(r.x, scene.xUnit) + (r.at ? " · " + r.at : "");
    const mark = markAt(px, py);
    cursor.value = { axis: p.axis, x, owner: me };
    tip.value = rows.length || mark
      ? { left, top, title: scene.title, heading: `${scene.xLabel} ${atText(snapped, scene.xUnit)}`, rows, note: mark ? mark.label : "" }
      : null;
    over.current!.style.cursor = mark?.target ? "pointer" : "crosshair";
    const best = rows.reduce<TipRow | null>((b, r) => (!b || r.distance < b.distance ? r : b), null);
    p.onFocus?.(best && best.distance < 24 && scene.lines.length > 1 ? best.key : null);
    return { rows, best, snapped, mark };
  };

  // new points under a resting pointer: the tooltip follows them
  useEffect(() => {
    if (pointer.current && cursor.peek()?.owner === me && !drag.current) show(...pointer.current);
  }, [scene]);

  const clear = () => {
    pointer.current = null;
    if (cursor.peek()?.owner === me) {
      cursor.value = null;
      tip.value = null;
    }
    p.onFocus?.(null);
  };

  const panTo = (d: Drag) => {
    const dx = (d.x1 - d.x0) / box.width;
    const dy = (d.y1 - d.y0) / box.height;
    const still = Math.abs(d.y1 - d.y0) < 8;
    p.onZoom?.(d.from.x.map((t) => scenePan.current!.x.from(t - dx)) as Span, still ? undefined : (d.from.y.map((t) => scenePan.current!.y.from(t + dy)) as Span));
  };

  const onDown = (e: PointerEvent) => {
    const { x, y } = place(e);
    if (e.pointerType === "touch") {
      touches.current.set(e.pointerId, { x, y });
      show(x, y, e.clientX, e.clientY);
      return;
    }
    if (!p.onZoom || (e.button !== 0 && e.button !== 1)) return;
    const pan = e.shiftKey || e.button === 1;
    scenePan.current = scene;
    drag.current = { x0: x, y0: y, x1: x, y1: y, pan, from: { x: [0, 1], y: [0, 1] } };
    over.current!.setPointerCapture(e.pointerId);
  };

  const onMove = (e: PointerEvent) => {
    const { x, y } = place(e);
    p.onHover?.();
    if (e.pointerType === "touch" && touches.current.size === 2 && p.onZoom) {
      const before = [...touches.current.values()];
      touches.current.set(e.pointerId, { x, y });
      const after = [...touches.current.values()];
      const at = (v: number) => (v - box.left) / box.width;
      const [a0, a1] = before.map((t) => at(t.x)).sort((m, n) => m - n);
      const [b0, b1] = after.map((t) => at(t.x)).sort((m, n) => m - n);
      if (b1 - b0 > 0.05) {
        const k = (a1 - a0) / (b1 - b0);
        p.onZoom(zoomed(scene.x, a0 - b0 * k, a0 + (1 - b0) * k), undefined);
      }
      return;
    }
    const d = drag.current;
    if (d) {
      d.x1 = x;
      d.y1 = y;
      cursor.value = null;
      tip.value = null;
      if (d.pan) panTo(d);
      else redraw.current();
      return;
    }
    show(x, y, e.clientX, e.clientY);
  };

  const onUp = (e: PointerEvent) => {
    touches.current.delete(e.pointerId);
    const d = drag.current;
    drag.current = null;
    if (!d || d.pan) return;
    const dx = Math.abs(d.x1 - d.x0);
    const dy = Math.abs(d.y1 - d.y0);
    redraw.current();
    if (dx < 5 && dy < 5) {
      const m = markAt(d.x0, d.y0);
      if (m?.target) p.onMark?.(m.target);
      return;
    }
    const clampX = (v: number) => Math.min(1, Math.max(0, (v - box.left) / box.width));
    const clampY = (v: number) => Math.min(1, Math.max(0, 1 - (v - box.top) / box.height));
    const xs = dx >= 8 && dx > dy / 4 ? zoomed(scene.x, clampX(d.x0), clampX(d.x1)) : undefined;
    const ys = dy >= 8 && dy > dx / 4 ? zoomed(scene.y, clampY(d.y0), clampY(d.y1)) : undefined;
    p.onZoom?.(xs, ys);
  };

  const zoomAbout = (t: number, k: number) => p.onZoom?.(zoomed(scene.x, t - t * k, t + (1 - t) * k), undefined);

  useEffect(() => {
    const canvas = over.current!;
    // not through the component: only a listener that says so may stop the page from scrolling
    const wheel = (e: WheelEvent) => {
      if (!p.onZoom || !(e.ctrlKey || e.metaKey || p.wheelZooms)) return;
      e.preventDefault();
      const { x } = place(e);
      zoomAbout((x - box.left) / box.width, Math.exp(Math.sign(e.deltaY) * 0.25));
    };
    canvas.addEventListener("wheel", wheel, { passive: false });
    return () => canvas.removeEventListener("wheel", wheel);
  });

  const onKey = (e: KeyboardEvent) => {
    const c = cursor.peek();
    const t = c?.owner === me ? scene.x.at(c.x) : 0.5;
    const r = over.current!.getBoundingClientRect();
    const go = (to: number) => {
      const line = scene.lines.find((l) => l.key === p.focus) ?? scene.lines[0];
      const px = box.left + Math.min(1, Math.max(0, to)) * box.width;
      const at = line ? pointAt(line, scene.x.from(Math.min(1, Math.max(0, to)))) : null;
      const py = at ? yPixel(scene, box, at.v) : box.top;
      const shown = show(px, Number.isFinite(py) ? py : box.top, r.left + px, r.top + (Number.isFinite(py) ? py : 0));
      if (line && at) setSaid(`${scene.xLabel} ${atText(line.x[at.i], scene.xUnit)}, ${line.label} ${value(at.v, 5)}${shown.mark ? ", " + shown.mark.label : ""}`);
    };
    const step = 8 / box.width;
    switch (e.key) {
      case "ArrowRight": e.shiftKey ? p.onZoom?.(zoomed(scene.x, 0.2, 1.2), undefined) : go(t + step); break;
      case "ArrowLeft": e.shiftKey ? p.onZoom?.(zoomed(scene.x, -0.2, 0.8), undefined) : go(t - step); break;
      case "ArrowUp": case "ArrowDown": {
        if (!scene.lines.length) return;
        const now = scene.lines.findIndex((l) => l.key === p.focus);
        const next = scene.lines[(now + (e.key === "ArrowUp" ? -1 : 1) + scene.lines.length) % scene.lines.length];
        p.onFocus?.(next.key);
        setSaid(next.label);
        break;
      }
      case "Home": go(0); break;
      case "End": go(1); break;
      case "+": case "=": zoomAbout(t, 0.5); break;
      case "-": case "_": zoomAbout(t, 2); break;
      case "0": case "Backspace": p.onZoom?.(null, null); break;
      case "s": tipSort.value = TIP_SORTS[(TIP_SORTS.indexOf(tipSort.value) + 1) % TIP_SORTS.length]; break;
      case "c": {
        // every number can be copied: the values under the cursor, one line each
        const rows = tip.peek()?.rows;
        if (!rows?.length) return;
        void navigator.clipboard?.writeText(rows.map((q) => [q.label, exact(q.x), exact(q.raw ?? q.value)].join("\t")).join("\n"));
        setSaid(`${rows.length} values copied`);
        break;
      }
      case "Escape": if (!c) return; clear(); break;
      case "Enter": {
        const px = box.left + t * box.width;
        const m = c?.owner === me ? scene.marks.find((k) => k.target && Math.abs(xPixel(scene, box, k.x) - px) < 8) : null;
        if (m?.target) p.onMark?.(m.target);
        else p.onEnter?.();
        break;
      }
      default: return;
    }
    e.preventDefault();
    e.stopPropagation();
  };

  const words = useMemo(() => summarise(scene), [scene]);
  return (
    <div class="chart" style={{ width: width + "px", height: height + "px" }}>
      <canvas ref={base} class={isCrowd && p.focus ? "behind" : undefined} style={{ width: width + "px", height: height + "px" }} aria-hidden="true" />
      {isCrowd && <canvas ref={front} class="front" style={{ width: width + "px", height: height + "px" }} aria-hidden="true" />}
      <canvas
        ref={over} class="over" style={{ width: width + "px", height: height + "px" }}
        tabIndex={0} role="img" aria-roledescription="chart" aria-label={words}
        onPointerDown={onDown} onPointerMove={onMove} onPointerUp={onUp}
        onPointerCancel={(e) => { touches.current.delete(e.pointerId); drag.current = null; }}
        onPointerLeave={clear} onBlur={clear} onKeyDown={onKey}
        onDblClick={() => p.onZoom?.(null, null)}
      />
      <span class="sr" aria-live="polite">{said}</span>
    </div>
  );
}

function drawSelection(pen: CanvasRenderingContext2D, d: Drag, box: Box, accent: string): void {
  const dx = Math.abs(d.x1 - d.x0);
  const dy = Math.abs(d.y1 - d.y0);
  const wide = dx >= 8 && dx > dy / 4;
  const tall = dy >= 8 && dy > dx / 4;
  const left = wide ? Math.max(box.left, Math.min(d.x0, d.x1)) : box.left;
  const right = wide ? Math.min(box.left + box.width, Math.max(d.x0, d.x1)) : box.left + box.width;
  const top = tall ? Math.max(box.top, Math.min(d.y0, d.y1)) : box.top;
  const bottom = tall ? Math.min(box.top + box.height, Math.max(d.y0, d.y1)) : box.top + box.height;
  pen.fillStyle = accent;
  pen.globalAlpha = 0.14;
  pen.fillRect(left, top, right - left, bottom - top);
  pen.globalAlpha = 0.7;
  pen.strokeStyle = accent;
  pen.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
  pen.globalAlpha = 1;
}

function drawCursor(pen: CanvasRenderingContext2D, scene: Scene, box: Box, x: number, muted: string, background: string, focus: string | null): void {
  const px = xPixel(scene, box, x);
  if (!(px >= box.left && px <= box.left + box.width)) return;
  pen.strokeStyle = muted;
  pen.globalAlpha = 0.6;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(Math.round(px) + 0.5, box.top);
  pen.lineTo(Math.round(px) + 0.5, box.top + box.height);
  pen.stroke();
  pen.globalAlpha = 1;
  if (scene.lines.length > 60) return;
  for (const line of scene.lines) {
    const at = pointAt(line, x);
    if (!at) continue;
    const lx = xPixel(scene, box, line.x[at.i]);
    const ly = yPixel(scene, box, at.v);
    if (!Number.isFinite(ly) || lx < box.left - 1 || lx > box.left + box.width + 1 || ly < box.top - 2 || ly > box.top + box.height + 2) continue;
    pen.fillStyle = line.colour;
    pen.strokeStyle = background;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(lx, ly, line.key === focus ? 4.5 : 3, 0, Math.PI * 2);
    pen.fill();
    pen.stroke();
  }
}

