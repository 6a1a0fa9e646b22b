// In: placed boxes and edges. Out: the drawing, moved and zoomed with mouse, wheel, fingers and keys. Not here: placing them.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { slotColour, withAlpha } from "../../base/colour";
import { INK } from "../../base/theme";
import { theme } from "../../data/runs";
import type { Laid, LaidBox } from "./layout.worker";

export interface GraphCanvasProps {
  laid: Laid;
  opOf(leaf: number): string;
  selected: string;
  hits: Set<string>;
  onSelect(id: string): void;
  onToggle(id: string): void;
  /** grows when the whole graph should be shown again */
  fit: number;
  /** the box to bring to the middle */
  goto: string;
}

interface Place { x: number; y: number; k: number }

function opColour(op: string): number {
  let h = 7;
  for (let i = 0; i < op.length; i++) h = (h * 31 + op.charCodeAt(i)) >>> 0;
  return h % 12;
}

export function GraphCanvas(p: GraphCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [at, setAt] = useState<Place>({ x: 0, y: 0, k: 1 });
  const [hover, setHover] = useState<string | null>(null);
  const fitted = useRef(-1);

  useLayoutEffect(() => {
    const e = box.current!;
    const measure = () => setSize({ width: e.clientWidth, height: e.clientHeight });
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(e);
    return () => watch.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (!size.width || fitted.current === p.fit) return;
    fitted.current = p.fit;
    const whole = Math.min(1.25, (size.width - 48) / p.laid.width, (size.height - 48) / p.laid.height);
    // a graph that would be dust is shown readable, from its beginning
    const k = Math.max(0.7, whole);
    const first = p.laid.boxes.reduce((a, b) => (b.y < a.y ? b : a), p.laid.boxes[0]);
    const middle = whole < k && first ? first.x + first.width / 2 : p.laid.width / 2;
    setAt({ k, x: size.width / 2 - middle * k, y: Math.max(24, (size.height - p.laid.height * k) / 2) });
  }, [size, p.fit, p.laid]);

  useEffect(() => {
    const b = p.laid.boxes.find((c) => c.id === p.goto);
    if (b && size.width) setAt((old) => { const k = Math.max(old.k, 0.8); return { k, x: size.width / 2 - (b.x + b.width / 2) * k, y: size.height / 2 - (b.y + b.height / 2) * k }; });
  }, [p.goto, p.laid]);

  useLayoutEffect(() => {
    const e = canvas.current!;
    if (!size.width) return;
    const r = Math.min(3, devicePixelRatio || 1);
    e.width = size.width * r;
    e.height = size.height * r;
    const pen = e.getContext("2d")!;
    const ink = INK[theme.value];
    const { x, y, k } = at;
    pen.setTransform(r * k, 0, 0, r * k, r * x, r * y);
    const seen = (b: { x: number; y: number; width: number; height: number }) => b.x * k + x < size.width && (b.x + b.width) * k + x > 0 && b.y * k + y < size.height && (b.y + b.height) * k + y > 0;
    const opened = p.laid.boxes.filter((b) => b.open);
    for (const b of opened) {
      pen.fillStyle = withAlpha(ink.accent, 0.05);
      pen.strokeStyle = b.id === p.selected ? ink.accent : ink.muted;
      pen.globalAlpha = b.id === p.selected ? 1 : 0.6;
      pen.lineWidth = (b.id === p.selected ? 2 : 1) / Math.min(1, k);
      pen.beginPath();
      pen.roundRect(b.x, b.y, b.width, b.height, 8);
      pen.fill();
      pen.stroke();
      pen.globalAlpha = 1;
      if (k > 0.25) {
        pen.fillStyle = ink.text;
        pen.font = `600 12px ${ink.font}`;
        pen.textAlign = "left";
        pen.textBaseline = "middle";
        pen.fillText("− " + b.label, b.x + 10, b.y + 15, b.width - 16);
      }
    }
    for (const e2 of p.laid.edges) {
      const near = e2.from === p.selected || e2.to === p.selected;
      pen.strokeStyle = near ? ink.accent : ink.muted;
      pen.globalAlpha = near ? 1 : p.laid.edges.length > 2000 ? 0.12 : 0.45;
      pen.lineWidth = Math.min(6, 1 + Math.log2(e2.n) * 0.6) / Math.max(0.4, Math.min(1, k));
      pen.setLineDash(e2.control ? [4, 4] : []);
      const q = e2.points;
      if (q.length < 4) continue;
      pen.beginPath();
      pen.moveTo(q[0], q[1]);
      for (let i = 2; i + 3 < q.length; i += 2) pen.quadraticCurveTo(q[i], q[i + 1], (q[i] + q[i + 2]) / 2, (q[i + 1] + q[i + 3]) / 2);
      pen.lineTo(q[q.length - 2], q[q.length - 1]);
      pen.stroke();
      if (k > 0.35) {
        const [ex, ey] = [q[q.length - 2], q[q.length - 1]];
        pen.setLineDash([]);
        pen.fillStyle = pen.strokeStyle;
        pen.beginPath();
        pen.moveTo(ex, ey);
        pen.lineTo(ex - 4, ey - 7);
        pen.lineTo(ex + 4, ey - 7);
        pen.closePath();
        pen.fill();
        if (e2.label && (near || k > 0.65)) {
          pen.font = `${10 / Math.min(1, k)}px ${ink.font}`;
          pen.textAlign = "center";
          pen.fillStyle = ink.muted;
          pen.globalAlpha = 1;
          const m = Math.floor(q.length / 4) * 2;
          const text = e2.label.slice(0, 24);
          pen.strokeStyle = ink.background;
          pen.lineWidth = 3 / k;
          pen.strokeText(text, q[m], q[m + 1]);
          pen.fillText(text, q[m], q[m + 1]);
        }
      }
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    let drawn = 0;
    for (const b of p.laid.boxes) {
      if (b.open || !seen(b)) continue;
      drawn++;
      const isScope = b.leaf < 0;
      const hit = p.hits.has(b.id);
      const colour = isScope ? ink.muted : slotColour(opColour(p.opOf(b.leaf)), theme.value);
      pen.fillStyle = ink.background;
      pen.strokeStyle = b.id === p.selected || hit ? ink.accent : isScope ? ink.muted : colour;
      pen.lineWidth = (b.id === p.selected ? 2.5 : b.id === hover ? 2 : hit ? 2 : 1) / Math.max(0.3, Math.min(1, k));
      pen.beginPath();
      pen.roundRect(b.x, b.y, b.width, b.height, isScope ? 6 : 13);
      pen.fill();
      pen.fillStyle = withAlpha(isScope ? ink.accent : colour, isScope ? 0.1 : 0.16);
      pen.fill();
      pen.stroke();
      if (k > 0.3) {
        pen.font = `${isScope ? "600 " : ""}12px ${ink.font}`;
        pen.fillStyle = ink.text;
        pen.fillText(isScope ? `+ ${b.label} (${b.leaves})` : b.label, b.x + b.width / 2, b.y + b.height / 2 + 0.5, b.width - 10);
      }
    }
    e.dataset.drawn = String(drawn + opened.length);
    e.dataset.layoutMs = p.laid.ms.toFixed(1);
  }, [p.laid, at, size, p.selected, hover, p.hits, theme.value]);

  const under = (e: { clientX: number; clientY: number }): LaidBox | null => {
    const r = canvas.current!.getBoundingClientRect();
    const px = (e.clientX - r.left - at.x) / at.k;
    const py = (e.clientY - r.top - at.y) / at.k;
    let best: LaidBox | null = null;
    for (const b of p.laid.boxes) if (px >= b.x && px <= b.x + b.width && py >= b.y && py <= b.y + b.height && (!best || b.depth > best.depth)) best = b;
    return best;
  };
  const drag = useRef<{ x: number; y: number; from: Place; moved: boolean } | null>(null);
  const zoom = (k: number, cx = size.width / 2, cy = size.height / 2) => setAt((o) => { const n = Math.min(4, Math.max(0.02, o.k * k)); return { k: n, x: cx - ((cx - o.x) / o.k) * n, y: cy - ((cy - o.y) / o.k) * n }; });

  useEffect(() => {
    const e = canvas.current!;
    const wheel = (w: WheelEvent) => {
      w.preventDefault();
      const r = e.getBoundingClientRect();
      zoom(Math.exp(-Math.max(-60, Math.min(60, w.deltaY)) * 0.004), w.clientX - r.left, w.clientY - r.top);
    };
    e.addEventListener("wheel", wheel, { passive: false });
    return () => e.removeEventListener("wheel", wheel);
  });

  const onKey = (e: KeyboardEvent) => {
    const move = (x: number, y: number) => setAt((o) => ({ ...o, x: o.x + x, y: o.y + y }));
    switch (e.key) {
      case "ArrowLeft": move(64, 0); break;
      case "ArrowRight": move(-64, 0); break;
      case "ArrowUp": move(0, 64); break;
      case "ArrowDown": move(0, -64); break;
      case "+": case "=": zoom(1.3); break;
      case "-": zoom(1 / 1.3); break;
      case "Enter": if (p.selected) p.onToggle(p.selected); break;
      default: return;
    }
    e.preventDefault();
    e.stopPropagation();
  };

  return (
    <div class="graph-canvas" ref={box}>
      <canvas ref={canvas} style={{ width: size.width + "px", height: size.height + "px" }} tabIndex={0} role="img" aria-roledescription="graph" aria-label={`Graph: ${p.laid.boxes.length} boxes, ${p.laid.edges.length} connections are shown. The list beside it holds the same nodes.`}
        onPointerDown={(e) => { drag.current = { x: e.clientX, y: e.clientY, from: at, moved: false }; canvas.current!.setPointerCapture(e.pointerId); }}
        onPointerMove={(e) => {
          const d = drag.current;
          if (!d) { const id = under(e)?.id ?? null; if (id !== hover) setHover(id); return; }
          if (Math.hypot(e.clientX - d.x, e.clientY - d.y) > 3) d.moved = true;
          if (d.moved) setAt({ k: d.from.k, x: d.from.x + e.clientX - d.x, y: d.from.y + e.clientY - d.y });
        }}
        onPointerUp={(e) => {
          const d = drag.current;
          drag.current = null;
          if (d && !d.moved) p.onSelect(under(e)?.id ?? "");
        }}
        onDblClick={(e) => { const b = under(e); if (b && b.leaf < 0) p.onToggle(b.id); }}
        onKeyDown={onKey} />
    </div>
  );
}
