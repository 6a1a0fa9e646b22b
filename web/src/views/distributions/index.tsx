// The distributions page: how the percentiles 0, 6.68, 15.87, 30.85, 50, 69.15, 84.13, 93.32, 100 of a histogram move with
// the steps. In a normal distribution these are 1.5, 1, 0.5 … standard deviations from the mean.

import { useMemo, useState } from "preact/hooks";
import { address } from "../../api/client";
import { readFrame, type ColumnSpec } from "../../api/frame";
import { Chart } from "../../chart/Chart";
import { makeScene, type Line, type Span } from "../../chart/scene";
import { value } from "../../base/format";
import { colourOf, theme } from "../../data/runs";
import { useFrame } from "../../data/fetch";
import { ErrorCard } from "../../widgets/Empty";
import { RunTitle } from "../../widgets/RunTitle";
import { TagPage, type TagCard } from "../../widgets/TagPage";

interface Percentiles {
  step: Float64Array | Float32Array;
  p: (Float64Array | Float32Array)[];
  percents: number[];
}

function decode(buffer: ArrayBuffer): Percentiles {
  const { header, column } = readFrame<{ columns: Record<string, ColumnSpec>; percents: number[] }>(buffer);
  return { step: column(header.columns.step), p: Array.from({ length: 9 }, (_, i) => column(header.columns["p" + i])), percents: header.percents };
}

const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/first").as_default():
    summary.histogram("weights", model.weight, step=0)`;

export default function Distributions() {
  return <TagPage plugin="histograms" fill="tall" cardHeight={256} minWidth={340} empty={{ title: "No distributions yet", code: EXAMPLE }} render={(card, width, height) => <DistributionCard card={card} width={width} height={height} />} />;
}

function DistributionCard({ card, width, height }: { card: TagCard; width: number; height: number }) {
  const { run, tag } = card;
  const { data, error } = useFrame(address("api/distributions", { run: run.id, tag: tag.tag, max_steps: 500 }), decode, run.id, "histograms");
  const [zoom, setZoom] = useState<{ x: Span | null; y: Span | null }>({ x: null, y: null });
  const scene = useMemo(() => {
    const { colour } = colourOf(run.id);
    const lines: Line[] = !data ? [] : [4, 3, 2, 1].map((k): Line => {
      const [lo, hi] = [data.p[4 - k], data.p[4 + k]];
      return { key: "p" + k, label: `${data.percents[4 - k]} – ${data.percents[4 + k]} %`, colour, dash: [], x: data.step, y: hi, band: { x: data.step, lo, hi }, width: 0.5, alpha: 0.35 };
    });
    if (data) lines.push({ key: "median", label: "median", colour, dash: [], x: data.step, y: data.p[4] });
    return makeScene({ title: tag.tag, lines, xKind: "linear", yKind: "linear", xUnit: "step", xLabel: "step", xZoom: zoom.x, yZoom: zoom.y });
  }, [data, theme.value, zoom]);
  return (
    <article class="card" aria-label={`${tag.tag} of ${run.name}`}>
      <RunTitle run={run} />
      {error ? <ErrorCard message={error} /> : (
        <Chart scene={scene} width={width - 2} height={height - 42} axis="step" onZoom={(x, y) => setZoom({ x: x === undefined ? zoom.x : x, y: y === undefined ? zoom.y : y })}
          extra={(line, i) => (data && line.key !== "median" ? "from " + value(data.p[4 - Number(line.key.slice(1))][i]) : "")} />
      )}
    </article>
  );
}
