// The flame graph: time by call path, widest first. In: a tree in columns. Out: a canvas on which a path can be opened.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { address } from "../../api/client";
import { integer } from "../../base/format";
import { INK } from "../../base/theme";
import { tip } from "../../chart/cursor";
import { oneOf, param } from "../../data/address";
import { useJson } from "../../data/fetch";
import { theme } from "../../data/runs";
import { oklch } from "../../base/colour";
import { ErrorCard } from "../../widgets/Empty";
import { Select } from "../../widgets/Field";
import { percent, PLUGIN, time } from "./types";

interface Tree {
  name: string[];
  parent: number[];
  total: number[];
  own: number[];
  calls: number[];
}

interface Box {
  node: number;
  depth: number;
  x: number;
  width: number;
}

const of = param<"python" | "ops">("flame", "python", oneOf(["python", "ops"] as const));
const ROW = 19;

/** Boxes under `root`, as shares of its width; children by falling time. */
export function layout(tree: Tree, root: number): Box[] {
  const children: number[][] = tree.name.map(() => []);
  for (let i = 1; i < tree.parent.length; i++) children[tree.parent[i]].push(i);
  const out: Box[] = [];
  const queue: Box[] = [{ node: root, depth: 0, x: 0, width: 1 }];
  while (queue.length) {
    const box = queue.pop()!;
    out.push(box);
    const whole = Math.max(tree.total[box.node], children[box.node].reduce((n, c) => n + tree.total[c], 0), 1);
    let x = box.x;
    for (const c of children[box.node].sort((a, b) => tree.total[b] - tree.total[a])) {
      const width = (tree.total[c] / whole) * box.width;
      if (width > 0.0004) queue.push({ node: c, depth: box.depth + 1, x, width });
      x += width;
    }
  }
  return out;
}

export function Flame({ id }: { id: string }) {
  const { data, error } = useJson<Tree>(address("api/capture/flame", { id, of: of.value }), undefined, PLUGIN);
  const [root, setRoot] = useState(0);
  const canvas = useRef<HTMLCanvasElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const shown = data && root < data.name.length ? root : 0;
  const boxes = useMemo(() => (data ? layout(data, shown) : []), [data, shown]);
  const depth = boxes.reduce((n, b) => Math.max(n, b.depth), 0) + 1;
  useLayoutEffect(() => {
    const e = canvas.current;
    if (!e || !data) return;
    const draw = () => {
      const ratio = Math.min(2, devicePixelRatio || 1);
      const width = holder.current!.clientWidth;
      e.width = width * ratio;
      e.height = depth * ROW * ratio;
      e.style.width = width + "px";
      e.style.height = depth * ROW + "px";
      const pen = e.getContext("2d")!;
      pen.scale(ratio, ratio);
      pen.font = `11px ${INK[theme.value].font}`;
      pen.textBaseline = "middle";
      for (const b of boxes) {
        const [x, w] = [b.x * width, b.width * width];
        if (w < 0.5) continue;
        pen.fillStyle = shade(data.name[b.node], theme.value === "light");
        pen.fillRect(x, b.depth * ROW, Math.max(0.5, w - 1), ROW - 1);
        const room = Math.floor((w - 8) / 5.8);
        if (room < 3) continue;
        pen.fillStyle = theme.value === "light" ? "#14181d" : "#eef1f4";
        const text = data.name[b.node];
        pen.fillText(text.length > room ? text.slice(0, room - 1) + "…" : text, x + 4, b.depth * ROW + ROW / 2);
      }
      e.dataset.drawn = String(boxes.length);
    };
    draw();
    const watch = new ResizeObserver(draw);
    watch.observe(holder.current!);
    return () => watch.disconnect();
  }, [data, boxes, depth, theme.value]);
  if (error) return <ErrorCard message={error} />;
  const at = (e: MouseEvent): Box | undefined => {
    const b = canvas.current!.getBoundingClientRect();
    const x = (e.clientX - b.left) / b.width;
    const row = Math.floor((e.clientY - b.top) / ROW);
    return boxes.find((o) => o.depth === row && x >= o.x && x < o.x + o.width);
  };
  const path: number[] = [];
  if (data) for (let i = shown; i >= 0; i = data.parent[i]) path.unshift(i);
  return (
    <>
      <div class="toolbar" role="toolbar" aria-label="Flame graph">
        <Select label="of" value={of.value} options={[["python", "Python functions"], ["ops", "ops and spans"]] as const} onChange={(v) => { of.value = v; setRoot(0); }} />
        <nav class="flame-path" aria-label="Open path">{data && path.map((i) => <button type="button" class="link" key={i} onClick={() => setRoot(i)}>{data.name[i]}</button>)}</nav>
      </div>
      {data && data.name.length === 1 && <p class="dim pad">{of.value === "python" ? "No Python frames in this capture: captures made with milepost.profiler sample them." : "No ops in this capture."}</p>}
      <div ref={holder} class="flame card flat">
        <canvas ref={canvas} tabIndex={0} role="img" aria-label={data ? `Flame graph of ${integer(data.name.length)} paths, ${time(data.total[0])}` : "Flame graph"}
          onClick={(e) => { const b = at(e); if (b) setRoot(b.node); }}
          onPointerMove={(e) => { const b = at(e); tip.value = b && data ? { left: e.clientX, top: e.clientY, title: data.name[b.node], heading: `${time(data.total[b.node])}, ${percent(data.total[b.node] / Math.max(1, data.total[0]))}`, note: `own ${time(data.own[b.node])}, ${integer(data.calls[b.node])} calls`, rows: [] } : null; }}
          onPointerLeave={() => (tip.value = null)} onKeyDown={(e) => { if (e.key === "Escape") setRoot(0); }} />
      </div>
    </>
  );
}

function shade(name: string, light: boolean): string {
  let h = 0;
  for (let i = 0; i < Math.min(name.length, 24); i++) h = (h * 31 + name.charCodeAt(i)) | 0;
  return oklch(light ? 0.8 : 0.42, 0.09, 40 + ((h >>> 0) % 40));
}
