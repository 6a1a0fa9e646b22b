// In: axes with one value per run. Out: one line per run across them; dragging along an axis keeps a range. The axis of
// numbers that span decades is logarithmic: learning rates do.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { sequential } from "../../base/colour";
import { value } from "../../base/format";
import { makeScale, ticks, type Scale } from "../../base/scale";
import { INK } from "../../base/theme";
import { colourOf, focusRun, nameOf, theme } from "../../data/runs";

export interface Axis {
  key: string;
  title: string;
  values: (number | string | boolean | null)[];
}
/** Least and greatest value; of words, their first and last place in the sorted list. */
export type Brush = [number, number];

interface Laid {
  axis: Axis;
  scale: Scale;
  words: string[] | null;
  x: number;
}

const TOP = 56;
const BOTTOM = 24;

export function Parallel(p: { axes: Axis[]; rows: string[]; kept: Set<string>; brushes: Record<string, Brush>; colourAxis: string; onBrush(key: string, b: Brush | null): void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 320 });
  useLayoutEffect(() => {
    const measure = () => setSize({ width: Math.max(box.current!.clientWidth, p.axes.length * 88), height: 320 });
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, [p.axes.length]);

  const laid = useMemo<Laid[]>(() => {
    const gap = p.axes.length > 1 ? (size.width - 128) / (p.axes.length - 1) : 0;
    return p.axes.map((axis, i) => {
      const x = 64 + i * gap;
      const given = axis.values.filter((v): v is number | string | boolean => v !== null);
      if (given.every((v) => typeof v === "number")) {
        const finite = (given as number[]).filter(Number.isFinite);
        const lo = Math.min(...finite, Infinity);
        const hi = Math.max(...finite, -Infinity);
        const log = lo > 0 && hi / lo >= 50;
        return { axis, x, words: null, scale: Number.isFinite(lo) ? makeScale(log ? "log" : "linear", lo, hi) : makeScale("linear", 0, 1) };
      }
      const words = [...new Set(given.map(String))].sort((m, n) => m.localeCompare(n, undefined, { numeric: true }));
      return { axis, x, words, scale: makeScale("linear", -0.5, words.length - 0.5) };
    });
  }, [p.axes, size.width]);

  const place = (l: Laid, v: number | string | boolean | null): number => {
    if (v === null) return NaN;
    const n = l.words ? l.words.indexOf(String(v)) : (v as number);
    return TOP + (1 - l.scale.at(n)) * (size.height - TOP - BOTTOM);
  };

  useLayoutEffect(() => {
    const e = canvas.current!;
    if (!size.width) return;
    const r = Math.min(3, devicePixelRatio || 1);
    e.width = size.width * r;
    e.height = size.height * r;
    const pen = e.getContext("2d")!;
    pen.scale(r, r);
    const ink = INK[theme.value];
    const by = laid.find((l) => l.axis.key === p.colourAxis);
    const draw = (i: number, strong: boolean) => {
      const run = p.rows[i];
      const on = p.kept.has(run);
      const v = by?.axis.values[i] ?? null;
      const t = by && v !== null ? by.scale.at(by.words ? by.words.indexOf(String(v)) : (v as number)) : NaN;
      pen.strokeStyle = !on ? ink.grid : by ? (Number.isFinite(t) ? sequential(t, theme.value) : ink.muted) : colourOf(run).colour;
      pen.globalAlpha = strong ? 1 : on ? (p.rows.length > 60 ? 0.45 : 0.75) : 0.6;
      pen.lineWidth = strong ? 3 : 1.5;
      pen.beginPath();
      let open = false;
      for (const l of laid) {
        const y = place(l, l.axis.values[i]);
        if (!Number.isFinite(y)) { open = false; continue; }
        if (open) pen.lineTo(l.x, y);
        else pen.moveTo(l.x, y);
        open = true;
      }
      pen.stroke();
    };
    p.rows.forEach((run, i) => { if (!p.kept.has(run)) draw(i, false); });
    p.rows.forEach((run, i) => { if (p.kept.has(run) && run !== focusRun.value) draw(i, false); });
    p.rows.forEach((run, i) => { if (run === focusRun.value) draw(i, true); });
    pen.globalAlpha = 1;
    for (const l of laid) {
      pen.strokeStyle = ink.muted;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(Math.round(l.x) + 0.5, TOP);
      pen.lineTo(Math.round(l.x) + 0.5, size.height - BOTTOM);
      pen.stroke();
      pen.font = `11px ${ink.font}`;
      pen.textBaseline = "middle";
      pen.textAlign = "left";
      const marks = l.words ? l.words.slice(0, 24).map((w, i) => ({ label: w.length > 14 ? w.slice(0, 13) + "…" : w, value: i })) : ticks(l.scale, 6);
      for (const m of marks) {
        const y = TOP + (1 - l.scale.at(m.value)) * (size.height - TOP - BOTTOM);
        const w = pen.measureText(m.label).width;
        pen.fillStyle = ink.background;
        pen.globalAlpha = 0.8;
        pen.fillRect(l.x + 4, y - 7, w + 4, 14);
        pen.globalAlpha = 1;
        pen.fillStyle = ink.muted;
        pen.fillText(m.label, l.x + 6, y);
      }
      const b = p.brushes[l.axis.key];
      if (b) {
        const y0 = TOP + (1 - l.scale.at(b[1] + (l.words ? 0.5 : 0))) * (size.height - TOP - BOTTOM);
        const y1 = TOP + (1 - l.scale.at(b[0] - (l.words ? 0.5 : 0))) * (size.height - TOP - BOTTOM);
        pen.fillStyle = ink.accent;
        pen.globalAlpha = 0.25;
        pen.fillRect(l.x - 8, y0, 16, Math.max(2, y1 - y0));
        pen.globalAlpha = 1;
      }
    }
    e.dataset.drawn = String(p.rows.length);
  }, [laid, size, p.kept, p.brushes, p.colourAxis, focusRun.value, theme.value]);

  const drag = useRef<{ l: Laid; y: number } | null>(null);
  const where = (e: PointerEvent) => {
    const r = canvas.current!.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top };
  };
  const onDown = (e: PointerEvent) => {
    const { x, y } = where(e);
    const l = laid.reduce<Laid | null>((b, c) => (Math.abs(c.x - x) < Math.abs((b?.x ?? Infinity) - x) ? c : b), null);
    if (!l || Math.abs(l.x - x) > 16) return;
    drag.current = { l, y };
    canvas.current!.setPointerCapture(e.pointerId);
  };
  const range = (l: Laid, y0: number, y1: number): Brush => {
    const t = (y: number) => Math.min(1, Math.max(0, 1 - (y - TOP) / (size.height - TOP - BOTTOM)));
    const a = l.scale.from(Math.min(t(y0), t(y1)));
    const b = l.scale.from(Math.max(t(y0), t(y1)));
    return l.words ? [Math.ceil(a), Math.floor(b)] : [Number(a.toPrecision(6)), Number(b.toPrecision(6))];
  };
  const onMove = (e: PointerEvent) => {
    const { x, y } = where(e);
    if (drag.current) {
      if (Math.abs(y - drag.current.y) > 4) p.onBrush(drag.current.l.axis.key, range(drag.current.l, drag.current.y, y));
      return;
    }
    // the line under the pointer comes forward
    let best: string | null = null;
    let far = 8;
    for (let k = 0; k + 1 < laid.length; k++) {
      const [a, b] = [laid[k], laid[k + 1]];
      if (x < a.x || x > b.x) continue;
      const t = (x - a.x) / (b.x - a.x || 1);
      p.rows.forEach((run, i) => {
        if (!p.kept.has(run)) return;
        const d = Math.abs(place(a, a.axis.values[i]) * (1 - t) + place(b, b.axis.values[i]) * t - y);
        if (d < far) { far = d; best = run; }
      });
    }
    if (focusRun.peek() !== best) focusRun.value = best;
  };
  const onUp = (e: PointerEvent) => {
    const d = drag.current;
    drag.current = null;
    if (d && Math.abs(where(e).y - d.y) <= 4) p.onBrush(d.l.axis.key, null);
  };

  return (
    <div class="parallel scroll-x" ref={box}>
      <div class="parallel-space" style={{ width: size.width + "px", height: size.height + "px" }}>
        <canvas ref={canvas} style={{ width: size.width + "px", height: size.height + "px" }} role="img" aria-label={`Parallel coordinates of ${p.rows.length} runs over ${p.axes.map((a) => a.title).join(", ")}; the table below holds the same values`} onPointerDown={onDown} onPointerMove={onMove} onPointerUp={onUp} onPointerLeave={() => (focusRun.value = null)} />
        {laid.map((l) => (
          <button key={l.axis.key} type="button" class={`axis-name ${l.axis.key.startsWith("m:") ? "metric" : ""}`} style={{ left: l.x + "px" }} title={p.brushes[l.axis.key] ? `${l.axis.title}: range ${p.brushes[l.axis.key].map((v) => value(v)).join(" … ")}; click to clear` : `${l.axis.title}: drag along the axis to keep a range`} onClick={() => p.onBrush(l.axis.key, null)}>{l.axis.title}</button>
        ))}
        {focusRun.value && <span class="parallel-focus">{nameOf(focusRun.value)}</span>}
      </div>
    </div>
  );
}
