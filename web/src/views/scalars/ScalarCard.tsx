// In: a card and its width. Out: its chart, its actions and its truth badge. Not here: requests (data/series), drawing (chart/).

import { useMemo, useState } from "preact/hooks";
import { Chart } from "../../chart/Chart";
import { makeScene, type Span } from "../../chart/scene";
import { CROWD, plotBox } from "../../chart/painter";
import { view } from "../../data/address";
import { checkpoints } from "../../data/board";
import { colourBy, focusRun, groupBy, groups, keyOf, shownRuns, theme } from "../../data/runs";
import { useSeries, type SeriesLine } from "../../data/series";
import { duration } from "../../base/format";
import { IconButton } from "../../widgets/Icon";
import { ErrorCard } from "../../widgets/Empty";
import { Badge } from "./Badge";
import { CardMenu } from "./CardMenu";
import { runsOfTag, togglePin, type Card } from "./cards";
import { keyOfLine, runOfKey, toLines, toMarks, withMargins } from "./lines";
import { clipOutliers, commonFor, full, pinned, setZoom, sharedY, showMarks, xAxis, xKind, xName, xUnit, yKind, zoomOf } from "./options";
import { offerExtent, sharedExtent } from "./shared";
import { openCheckpoint } from "../../data/open";

export const CARD_HEIGHT = 272;
const HEAD = 32;
const FOOT = 24;

export function useCardScene(card: Card, width: number, wall: boolean, labelled: boolean, height: number) {
  const zoom = zoomOf(card.key);
  const plotWidth = plotBox(width, height, labelled).width;
  const runs = shownRuns.value;
  const grouped = groupBy.value !== "";
  const spec = useMemo(() => {
    const shown = new Set(runs.map((r) => r.id));
    const lines: [string, string][] = [];
    if (!grouped) for (const tag of card.tags) for (const run of runsOfTag.value.get(tag) ?? []) if (shown.has(run)) lines.push([run, tag]);
    const made = grouped
      ? groups.value.map((g) => ({ id: g.id, runs: g.runs.map((r) => r.id), tags: card.tags })).filter((g) => g.runs.length)
      : [];
    return { common: commonFor(plotWidth, zoom.x, wall), lines, groups: made };
  }, [card, runs, grouped, groups.value, plotWidth, JSON.stringify(commonFor(plotWidth, zoom.x, wall)), runsOfTag.value]);
  const state = useSeries(spec);
  const series = useMemo(() => (state.lines ? withMargins(card, state.lines) : null), [state.lines, card.margins]);
  const own = useMemo(() => {
    if (!series) return null;
    const groupOfRun = new Map<string, string>();
    if (colourBy.value === "group" && groupBy.value) for (const r of runs) groupOfRun.set(r.id, keyOf(r, groupBy.value) ?? "(none)");
    const lines = toLines(card, series, groupOfRun);
    const marks = toMarks(series, lines, xAxis.value === "step", showMarks.value);
    return { lines, marks };
  }, [series, theme.value, runs, checkpoints.value, showMarks.value, xAxis.value, colourBy.value, groupBy.value, groups.value]);
  const clip = clipOutliers.value;
  if (sharedY.value && series) offerExtent(card, series, clip);
  const shared = sharedY.value ? sharedExtent(card) : null;
  const scene = useMemo(
    () =>
      makeScene({
        title: card.title,
        lines: own?.lines ?? [],
        marks: own?.marks,
        xKind: xKind.value,
        yKind: yKind.value,
        xUnit: xUnit.value,
        xLabel: xName.value,
        xZoom: zoom.x,
        yZoom: zoom.y,
        yShared: shared ?? (clip && series ? clippedExtent(series, yKind.value === "log") : null),
        clipOutliers: clip,
      }),
    [own, xKind.value, yKind.value, xUnit.value, xName.value, zoom.x?.[0], zoom.x?.[1], zoom.y?.[0], zoom.y?.[1], clip, shared?.[0], shared?.[1]],
  );
  return { state, series, scene, zoom };
}

/** The 5–95 % range over all points, as the server counted them: the drawn ones alone would overrate the extremes. */
function clippedExtent(series: SeriesLine[], positive: boolean): Span | null {
  let lo = Infinity;
  let hi = -Infinity;
  for (const l of series) if (l.q) { lo = Math.min(lo, l.q[0]); hi = Math.max(hi, l.q[1]); }
  return lo < hi && (!positive || lo > 0) ? [lo, hi] : null;
}

export function extraOf(series: SeriesLine[] | null): ((line: { key: string }, i: number) => string) | undefined {
  if (!series?.some((l) => l.w)) return undefined;
  const by = new Map(series.map((l) => [keyOfLine(l), l]));
  return (line, i) => {
    const w = by.get(line.key)?.w;
    return w && w.length ? duration(w[Math.min(i, w.length - 1)] - w[0]) : "";
  };
}

export function ScalarCard({ card, width, height: outer }: { card: Card; width: number; height: number }) {
  const height = outer - HEAD - FOOT - 2;
  const [hovered, setHovered] = useState(false);
  // the tooltip's times need one column more; of a thousand lines that is a second of waiting for a small thing
  const { state, series, scene } = useCardScene(card, width - 2, hovered && shownRuns.value.length * card.tags.length <= CROWD, false, height);
  const focus = focusRun.value;
  const focusKey = focus ? (scene.lines.find((l) => runOfKey(l.key) === focus)?.key ?? null) : null;
  return (
    <article class={`card ${state.loading && series ? "stale" : ""}`} aria-label={card.title} data-card={card.key}>
      <header class="card-head">
        <h3 title={card.tags.join(", ") + (card.description ? " – " + card.description : "")}><CardTitle title={card.title} /></h3>
        <div class="actions">
          <IconButton name="pin" label={pinned.value.includes(card.key) ? "Unpin" : "Pin to the top"} on={pinned.value.includes(card.key)} onClick={() => togglePin(card.key)} />
          <IconButton name="expand" label="Full screen" onClick={() => (full.value = card.key)} />
          <CardMenu card={card} scene={scene} series={series} />
        </div>
      </header>
      {state.error && !series ? <ErrorCard message={state.error} /> : (
        <Chart scene={scene} width={width - 2} height={height} axis={xAxis.value} focus={focusKey}
          onFocus={(k) => { const run = k ? runOfKey(k) : null; if (focusRun.peek() !== run) focusRun.value = run; }}
          onZoom={(x, y) => setZoom(card.key, x, y)} onEnter={() => (full.value = card.key)}
          onHover={() => hovered || setHovered(true)} onMark={(id) => openCheckpoint(id, view)} extra={extraOf(series)} />
      )}
      <footer class="card-foot"><Badge series={series} loading={state.loading} error={state.error} /></footer>
    </article>
  );
}

/** The last part of a tag is what tells cards of one section apart; the rest is dimmed, and cut first. */
function CardTitle({ title }: { title: string }) {
  const cut = title.lastIndexOf("/");
  return cut < 0 ? <span class="title-end">{title}</span> : <><span class="dim title-start">{title.slice(0, cut + 1)}</span><span class="title-end">{title.slice(cut + 1)}</span></>;
}
