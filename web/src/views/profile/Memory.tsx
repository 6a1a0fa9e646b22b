// Memory over time. In: curves in columns. Out: one chart a curve, with its peak and what ran then.

import { useLayoutEffect, useRef } from "preact/hooks";
import { address } from "../../api/client";
import { readFrame, type ColumnSpec } from "../../api/frame";
import { bytes, integer } from "../../base/format";
import { INK } from "../../base/theme";
import { tip } from "../../chart/cursor";
import { useFrame } from "../../data/fetch";
import { theme } from "../../data/runs";
import { ErrorCard } from "../../widgets/Empty";
import { after } from "./lanes";
import { PLUGIN, time } from "./types";

interface Curve {
  name: string;
  unit: string;
  peak: number;
  thinned: boolean;
  time: Float64Array;
  value: Float64Array;
}

function decode(buffer: ArrayBuffer): Curve[] {
  const { header, column } = readFrame<{ curves: (Omit<Curve, "time" | "value"> & { time: ColumnSpec; value: ColumnSpec })[] }>(buffer);
  return header.curves.map((c) => ({ ...c, time: column(c.time) as Float64Array, value: column(c.value) as Float64Array }));
}

export function Memory({ id }: { id: string }) {
  const { data, error } = useFrame(address("api/capture/memory", { id }), decode, undefined, PLUGIN);
  if (error) return <ErrorCard message={error} />;
  if (!data) return null;
  if (!data.length) return <p class="dim pad">This capture recorded no memory. torch records it (ProfilerOptions.memory), and so does any trace with counters.</p>;
  return <div class="memory">{data.map((c) => <Chart key={c.name} curve={c} />)}</div>;
}

const HEIGHT = 200;
const shown = (c: Curve, v: number) => (c.unit === "bytes" ? bytes(v) : String(Number(v.toPrecision(5))));

function Chart({ curve }: { curve: Curve }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const end = curve.time[curve.time.length - 1] || 1;
  useLayoutEffect(() => {
    const e = canvas.current!;
    const draw = () => {
      const width = e.parentElement!.clientWidth;
      const ratio = Math.min(2, devicePixelRatio || 1);
      e.width = width * ratio;
      e.height = HEIGHT * ratio;
      e.style.width = width + "px";
      e.style.height = HEIGHT + "px";
      const pen = e.getContext("2d")!;
      const ink = INK[theme.value];
      pen.scale(ratio, ratio);
      pen.beginPath();
      pen.moveTo(0, HEIGHT);
      let i = 0;
      for (let x = 0; x <= width; x++) {
        const until = ((x + 1) / width) * end;
        let high = curve.value[i];
        while (i + 1 < curve.time.length && curve.time[i + 1] <= until) high = Math.max(high, curve.value[++i]);
        pen.lineTo(x, HEIGHT - (high / Math.max(curve.peak, 1)) * (HEIGHT - 12));
      }
      pen.lineTo(width, HEIGHT);
      pen.fillStyle = ink.accent + "33";
      pen.fill();
      pen.strokeStyle = ink.accent;
      pen.stroke();
      e.dataset.drawn = String(curve.time.length);
    };
    draw();
    const watch = new ResizeObserver(draw);
    watch.observe(e.parentElement!);
    return () => watch.disconnect();
  }, [curve, theme.value]);
  return (
    <section class="card" aria-label={curve.name}>
      <div class="card-head"><h3>{curve.name}</h3></div>
      <div><canvas ref={canvas} role="img" aria-label={`${curve.name}: at most ${shown(curve, curve.peak)}`}
        onPointerMove={(e) => {
          const b = canvas.current!.getBoundingClientRect();
          const t = ((e.clientX - b.left) / b.width) * end;
          const i = Math.max(0, after(curve.time, t, 0, curve.time.length) - 1);
          tip.value = { left: e.clientX, top: e.clientY, title: curve.name, heading: shown(curve, curve.value[i]), note: `at ${time(t)}`, rows: [] };
        }} onPointerLeave={() => (tip.value = null)} /></div>
      <p class="card-foot">at most {shown(curve, curve.peak)} · {integer(curve.time.length)} points{curve.thinned ? ", thinned evenly" : ""}</p>
    </section>
  );
}
