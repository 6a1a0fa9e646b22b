// In: the lines a server answered for a card. Out: lines and marks for the chart, in the runs' colours. Not here: requests.

import { slotColour, slotDash } from "../../base/colour";
import { integer, value } from "../../base/format";
import { num } from "../../api/types";
import { checkpoints } from "../../data/board";
import { colourOf, groupColour, nameOf, theme } from "../../data/runs";
import type { SeriesLine } from "../../data/series";
import { nearest, type Line, type Mark } from "../../chart/scene";
import type { Card } from "./cards";

const BAD = ["nan", "inf", "-inf"] as const;
const BAD_NAMES = { nan: "NaN", inf: "+infinity", "-inf": "−infinity" };

export function keyOfLine(l: SeriesLine): string {
  return (l.group !== null ? "group:" + l.group : l.run!) + "\u0000" + l.tag + (l.segment ? "\u0000" + l.segment : "");
}

export const runOfKey = (key: string) => key.slice(0, key.indexOf("\u0000"));

/** A margin chart's value lines with their lower and upper lines as bands, where these have the same steps. */
export function withMargins(card: Card, series: SeriesLine[]): SeriesLine[] {
  if (!card.margins) return series;
  const by = new Map(series.map((l) => [l.run + "\u0000" + l.tag, l]));
  const used = new Set<SeriesLine>();
  const out = series.map((l) => {
    const m = card.margins!.find((k) => k.value === l.tag);
    const lower = m && by.get(l.run + "\u0000" + m.lower);
    const upper = m && by.get(l.run + "\u0000" + m.upper);
    if (!lower || !upper || lower.x.length !== l.x.length || upper.x.length !== l.x.length) return l;
    used.add(lower).add(upper);
    return { ...l, lo: lower.y, hi: upper.y };
  });
  return out.filter((_, i) => !used.has(series[i]));
}

export function toLines(card: Card, series: SeriesLine[], groupOfRun: Map<string, string>): Line[] {
  const several = card.tags.length > 1 && !(card.margins?.length === 1);
  const oneRun = new Set(series.map((l) => l.group ?? l.run)).size === 1;
  return series.map((l): Line => {
    const own = l.group !== null ? groupColour(l.group) : groupOfRun.has(l.run!) ? groupColour(groupOfRun.get(l.run!)!) : colourOf(l.run!);
    const at = card.tags.indexOf(l.tag);
    const colour = several && oneRun ? slotColour(at, theme.value) : own.colour;
    const dash = several && !oneRun ? slotDash(at * 12) : own.dash;
    const name = l.group !== null ? `${l.group} (${l.n})` : nameOf(l.run!);
    const label = (several ? (oneRun ? l.tag : `${name} · ${l.tag}`) : name) + (l.segment ? ` (part ${l.segment + 1})` : "");
    return {
      key: keyOfLine(l), label, colour, dash,
      x: l.x, y: l.s ?? l.y,
      raw: l.s ? { x: l.x, y: l.y } : undefined,
      band: l.lo && l.hi ? { x: l.x, lo: l.lo, hi: l.hi } : undefined,
      width: l.group !== null ? 2 : undefined,
    };
  });
}

/** Where NaN and infinities lie, where a run was started again, and the checkpoints that lie under its steps. */
export function toMarks(series: SeriesLine[], lines: Line[], stepAxis: boolean, withCheckpoints: boolean): Mark[] {
  const out: Mark[] = [];
  series.forEach((l, i) => {
    const line = lines[i];
    if (l.bad) {
      for (let k = 0; k < l.bad.x.length; k++) {
        const kind = BAD[l.bad.kind[k]] ?? "nan";
        const near = nearest(line.x, l.bad.x[k]);
        out.push({ kind, x: l.bad.x[k], y: kind === "nan" && near >= 0 ? line.y[near] : undefined, colour: line.colour, label: `${line.label}: ${BAD_NAMES[kind]} at ${value(l.bad.x[k], 8)}` });
      }
    }
    if (!stepAxis || l.group !== null) return;
    for (const step of l.badge?.restarts ?? []) {
      out.push({ kind: "restart", x: step, colour: line.colour, label: `${line.label} was started again at step ${integer(step)}` });
    }
    if (!withCheckpoints || l.segment) return;
    for (const c of checkpoints.value) {
      if (c.run !== l.run || c.step === null) continue;
      const near = nearest(line.x, c.step);
      if (near < 0) continue;
      const metrics = Object.entries(c.metrics).map(([k, v]) => `${k} ${value(num(v))}`).join(", ");
      out.push({ kind: "checkpoint", x: c.step, y: between(line, c.step, near), colour: line.colour, target: c.id, label: `◆ ${c.prefix} of ${line.label}, step ${integer(c.step)}${metrics ? ": " + metrics : ""} – click to open` });
    }
  });
  return out;
}

/** The line's height at x, so that a checkpoint sits on the curve and not beside it. */
function between(line: Line, x: number, near: number): number {
  const { x: xs, y: ys } = line;
  const other = xs[near] <= x ? Math.min(near + 1, xs.length - 1) : Math.max(near - 1, 0);
  const span = xs[other] - xs[near];
  if (!span) return ys[near];
  const v = ys[near] + ((x - xs[near]) / span) * (ys[other] - ys[near]);
  return Number.isFinite(v) ? v : ys[near];
}
