// In: the badges of a card's lines. Out: the truth about what was read, in one short line; the details on demand.

import { integer, plural } from "../../base/format";
import type { SeriesLine } from "../../data/series";

export function facts(series: SeriesLine[]): { points: number; lines: number; short: string[]; long: string[]; ok: boolean } {
  let points = 0, dropped = 0, nan = 0, inf = 0, purged = 0, bad = 0, restarts = 0, cut = 0;
  const long: string[] = [];
  const seen = new Set<string>();
  for (const l of series) {
    points += l.segment ? 0 : l.total;
    const b = l.badge;
    if (!b) continue;
    dropped += b.dropped; nan += b.nan; inf += b.inf; purged += b.purged; bad += b.bad_records; restarts += b.restarts.length;
    if (b.truncated) {
      const text = `${b.truncated.file} ends in the middle of a record at byte ${integer(b.truncated.byte)}`;
      if (!seen.has(text)) { seen.add(text); long.push(text); cut++; }
    }
    if (b.restarts.length) long.push(`${l.run ?? l.group}: started again at step ${b.restarts.slice(0, 8).map(integer).join(", ")}`);
  }
  const short: string[] = [];
  short.push(dropped ? plural(dropped, "dropped", "dropped") : "0 dropped");
  if (nan) short.push(`${integer(nan)} NaN`);
  if (inf) short.push(`${integer(inf)} ∞`);
  if (purged) short.push(`${integer(purged)} replaced`);
  if (restarts) short.push(plural(restarts, "restart"));
  if (bad) short.push(plural(bad, "bad record"));
  if (cut) short.push("tail unfinished");
  return { points, lines: series.length, short, long, ok: !dropped && !bad };
}

export function Badge({ series, loading, error }: { series: SeriesLine[] | null; loading: boolean; error: string | null }) {
  if (!series) return <span class="dim">{error ? "not loaded" : "loading …"}</span>;
  if (!series.length) return <span class="dim">no points in the runs shown</span>;
  const f = facts(series);
  const title = [`${integer(f.points)} points in ${plural(f.lines, "line")}, every one read from the files`, ...f.short, ...f.long].join("\n");
  return (
    <span class={`badge ${f.ok ? "" : "bad"}`} title={title}>
      {f.ok ? <span class="tick" role="img" aria-label="nothing lost">✓</span> : <span role="img" aria-label="points were lost">⚠</span>} {plural(f.points, "point")} · {f.short.join(" · ")}
      {loading && <span class="loading-dot" aria-label="loading" />}
      {error && <span class="bad" title={error}> · not up to date</span>}
    </span>
  );
}
