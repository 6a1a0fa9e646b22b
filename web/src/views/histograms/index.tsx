// The histograms page: how a distribution moves with the steps, ridge behind ridge or laid over each other.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { address } from "../../api/client";
import { readFrame, type ColumnSpec } from "../../api/frame";
import { INK } from "../../base/theme";
import { integer, value } from "../../base/format";
import { tip } from "../../chart/cursor";
import { fileName, save } from "../../chart/export";
import { SvgPen, type Pen } from "../../chart/pen";
import { oneOf, param } from "../../data/address";
import { colourOf, theme } from "../../data/runs";
import { useFrame } from "../../data/fetch";
import { ErrorCard } from "../../widgets/Empty";
import { Select } from "../../widgets/Field";
import { IconButton } from "../../widgets/Icon";
import { RunTitle } from "../../widgets/RunTitle";
import { TagPage, type TagCard } from "../../widgets/TagPage";
import { paintRidges, pick, toRidges, type Buckets, type Mode } from "./ridges";

const mode = param<Mode>("hist", "offset", oneOf(["offset", "overlay"] as const));
const HEIGHT = 254;

function decode(buffer: ArrayBuffer): Buckets {
  const { header, column } = readFrame<{ columns: Record<keyof Buckets, ColumnSpec> }>(buffer);
  const c = header.columns;
  return { step: column(c.step), wall: column(c.wall), start: column(c.start), left: column(c.left), right: column(c.right), n: column(c.n) };
}

const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/first").as_default():
    summary.histogram("weights", model.weight, step=0)`;

export default function Histograms() {
  return (
    <TagPage plugin="histograms" fill="wide" cardHeight={288} minWidth={340} empty={{ title: "No histograms yet", code: EXAMPLE }}
      toolbar={<Select label="mode" value={mode.value} options={[["offset", "offset"], ["overlay", "overlay"]] as const} onChange={(v) => (mode.value = v)} />}
      render={(card, width) => <HistogramCard card={card} width={width - 2} />} />
  );
}

function HistogramCard({ card, width }: { card: TagCard; width: number }) {
  const { run, tag } = card;
  const { data, error } = useFrame(address("api/histograms", { run: run.id, tag: tag.tag, max_steps: 60 }), decode, run.id, "histograms");
  const ridges = useMemo(() => (data ? toRidges(data) : null), [data]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [focus, setFocus] = useState(-1);
  const { colour } = colourOf(run.id);
  const ink = INK[theme.value];
  useLayoutEffect(() => {
    const e = canvas.current;
    if (!e || !ridges) return;
    const r = Math.min(3, devicePixelRatio || 1);
    e.width = width * r;
    e.height = HEIGHT * r;
    const pen = e.getContext("2d")!;
    pen.scale(r, r);
    paintRidges(pen, ridges, width, HEIGHT, mode.value, colour, ink, focus);
    e.dataset.drawn = String(ridges.ridges.length);
  }, [ridges, width, mode.value, colour, ink, focus]);

  const say = (i: number, bin: number, left: number, top: number) => {
    if (!ridges) return;
    const r = ridges.ridges[i];
    const size = (ridges.max - ridges.min) / r.y.length;
    setFocus(i);
    tip.value = { left, top, title: tag.tag, heading: `step ${integer(r.step)}`, note: `${value(ridges.min + bin * size)} … ${value(ridges.min + (bin + 1) * size)}: ${value(r.y[bin], 5)} of ${integer(r.total)}`, rows: [] };
  };
  const onMove = (e: PointerEvent) => {
    if (!ridges) return;
    const b = canvas.current!.getBoundingClientRect();
    const at = pick(ridges, e.clientX - b.left, e.clientY - b.top, width, HEIGHT, mode.value);
    if (at) say(at.ridge, at.bin, e.clientX, e.clientY);
  };
  const onKey = (e: KeyboardEvent) => {
    if (!ridges || (e.key !== "ArrowUp" && e.key !== "ArrowDown")) return;
    const n = ridges.ridges.length;
    const i = focus < 0 ? n - 1 : Math.min(n - 1, Math.max(0, focus + (e.key === "ArrowUp" ? -1 : 1)));
    const b = canvas.current!.getBoundingClientRect();
    const y = ridges.ridges[i].y;
    say(i, y.indexOf(Math.max(...y)), b.left + width / 2, b.top + HEIGHT / 2);
    e.preventDefault();
  };
  const clear = () => { setFocus(-1); tip.value = null; };
  const exportSvg = () => {
    if (!ridges) return;
    const pen = new SvgPen(720, 420);
    pen.fillStyle = INK.light.background;
    pen.fillRect(0, 0, 720, 420);
    pen.fillStyle = INK.light.text;
    pen.font = `600 14px ${INK.light.font}`;
    pen.fillText(`${tag.tag} · ${run.name}`, 16, 20);
    pen.translate(0, 28);
    paintRidges(pen as unknown as Pen, ridges, 720, 392, mode.value, colour, INK.light, -1);
    save(fileName(`${run.name}_${tag.tag}`, "svg"), new Blob([pen.text()], { type: "image/svg+xml" }));
  };
  const last = ridges?.ridges[ridges.ridges.length - 1];
  const words = last ? `${tag.tag} of ${run.name}: ${ridges!.ridges.length} histograms up to step ${integer(last.step)}, values ${value(ridges!.min)} to ${value(ridges!.max)}` : tag.tag;
  return (
    <article class="card" aria-label={`${tag.tag} of ${run.name}`}>
      <RunTitle run={run}><IconButton name="download" label="Save as SVG" onClick={exportSvg} /></RunTitle>
      {error ? <ErrorCard message={error} /> : (
        <canvas ref={canvas} class="ridges" style={{ width: width + "px", height: HEIGHT + "px" }} tabIndex={0} role="img" aria-roledescription="histogram" aria-label={words} onPointerMove={onMove} onPointerLeave={clear} onBlur={clear} onKeyDown={onKey} />
      )}
    </article>
  );
}
