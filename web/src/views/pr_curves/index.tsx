// The PR curves page: precision over recall of every run at a step, all runs of a tag on one chart.

import { useMemo, useState } from "preact/hooks";
import { address, getJson } from "../../api/client";
import type { PrAnswer, Run } from "../../api/types";
import { Chart } from "../../chart/Chart";
import { makeScene, type Line, type Span } from "../../chart/scene";
import { value } from "../../base/format";
import { colourOf, focusRun, theme } from "../../data/runs";
import { useFetch } from "../../data/fetch";
import { linkSteps, nearestIndex, useStep } from "../../data/steps";
import { ErrorCard } from "../../widgets/Empty";
import { Toggle } from "../../widgets/Field";
import { StepSlider } from "../../widgets/StepSlider";
import { TagPage, type TagCard } from "../../widgets/TagPage";

const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/first").as_default():
    summary.pr_curve("cats", labels, predictions, step=0)`;

export default function PrCurves() {
  return (
    <TagPage plugin="pr_curves" together cardHeight={360} minWidth={400} empty={{ title: "No PR curves yet", code: EXAMPLE }}
      toolbar={<Toggle label="same step everywhere" value={linkSteps.value} onChange={(v) => (linkSteps.value = v)} />}
      render={(card, width) => <PrCard card={card} width={width} />} />
  );
}

async function readAll(runs: Run[], tag: string, signal: AbortSignal): Promise<PrAnswer[]> {
  return Promise.all(runs.slice(0, 50).map(async (r) => (await getJson<PrAnswer>(address("api/pr_curves", { run: r.id, tag }), signal)).data));
}

function PrCard({ card, width }: { card: TagCard; width: number }) {
  const { tag, runs } = card;
  const key = `${tag.tag}\u0000${runs.map((r) => r.id).join("\u0000")}`;
  const { data, error } = useFetch<PrAnswer[]>(key, (_, signal) => readAll(runs, tag.tag, signal), undefined, "pr_curves");
  const steps = useMemo(() => [...new Set((data ?? []).flatMap((d) => d.step))].sort((a, b) => a - b), [data]);
  const [index, setIndex] = useStep(steps);
  const [zoom, setZoom] = useState<{ x: Span | null; y: Span | null }>({ x: null, y: null });
  const { scene, curves } = useMemo(() => {
    const lines: Line[] = [];
    const curves = new Map<string, { curve: PrAnswer["curves"][number]; order: number[] }>();
    for (const d of data ?? []) {
      const at = nearestIndex(d.step, index >= 0 ? steps[index] : null);
      const curve = d.curves[at];
      if (!curve) continue;
      // drawn by growing recall, so that the cursor finds a point by binary search
      // where nothing is predicted positive there is no precision, only the 0 that stands in the file: no point of the curve
      const order = curve.recall.map((_, i) => i).filter((i) => curve.tp[i] + curve.fp[i] > 0).sort((a, b) => curve.recall[a] - curve.recall[b] || curve.precision[b] - curve.precision[a]);
      const { colour, dash } = colourOf(d.run);
      lines.push({ key: d.run, label: runs.find((r) => r.id === d.run)?.name ?? d.run, colour, dash, x: Float64Array.from(order, (i) => curve.recall[i]), y: Float64Array.from(order, (i) => curve.precision[i]) });
      curves.set(d.run, { curve, order });
    }
    const scene = makeScene({ title: tag.tag, lines, xKind: "linear", yKind: "linear", xUnit: "number", xLabel: "recall", yLabel: "precision", xZoom: zoom.x ?? [0, 1], yZoom: zoom.y ?? [0, 1.02] });
    return { scene, curves };
  }, [data, index, theme.value, zoom]);
  return (
    <article class="card" aria-label={tag.tag}>
      <header class="card-head"><h3 title={tag.description}>{tag.name || tag.tag}</h3></header>
      {error ? <ErrorCard message={error} /> : (
        <Chart scene={scene} width={width - 2} height={276} axis={"pr:" + tag.tag} labelled focus={focusRun.value} onFocus={(k) => (focusRun.value = k)} onZoom={(x, y) => setZoom({ x: x === undefined ? zoom.x : x, y: y === undefined ? zoom.y : y })}
          extra={(line, i) => {
            const c = curves.get(line.key);
            if (!c) return "";
            const k = c.order[i];
            return `threshold ${value(c.curve.thresholds[k], 3)} · TP ${c.curve.tp[k]} FP ${c.curve.fp[k]}`;
          }} />
      )}
      <footer class="media-foot"><StepSlider steps={steps} index={index} onChange={setIndex} label={tag.tag} /></footer>
    </article>
  );
}
