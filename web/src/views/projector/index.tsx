// The projector: the points of an embedding along three principal components; labels and thumbnails under the pointer; the points
// nearest to the chosen one, measured in all dimensions. Not here: components and distances (the board), pixels (chart/raster).

import { useMemo, useState } from "preact/hooks";
import { address } from "../../api/client";
import { integer, plural, value } from "../../base/format";
import { flag, number, oneOf, param, text } from "../../data/address";
import { info } from "../../data/board";
import { useFrame, useJson } from "../../data/fetch";
import { theme } from "../../data/runs";
import { Empty, ErrorCard } from "../../widgets/Empty";
import { Search, Select, Toggle } from "../../widgets/Field";
import { IconButton } from "../../widgets/Icon";
import { colours, places, readTable, type Table } from "./points";
import { Space } from "./Space";

interface Listed { run: string; tag: string; shape: number[] | null; labels: boolean; sprite: boolean; error: string | null }

const chosen = param("emb", "", text);
const by = param("eby", 0, number);
const axes = param("eaxes", "1 2 3", text);
const flat = param("eflat", false, flag);
const thumbs = param("ethumbs", false, flag);
const metric = param<"cosine" | "euclidean">("emetric", "cosine", oneOf(["cosine", "euclidean"] as const));
/** row of the whole table; -1: none */
const point = param("epoint", -1, number);
const find = param("efind", "", text);
const FOUND = 200;

const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/first").as_default():
    summary.embedding(matrix, metadata=labels, step=0)   # points × dimensions, one label a point`;

export default function Projector() {
  const { data, error } = useJson<{ embeddings: Listed[] }>("api/embeddings");
  if (error) return <ErrorCard message={error} />;
  if (!data) return null;
  const all = data.embeddings;
  if (!all.length) return <Empty title="No embeddings yet" code={EXAMPLE}>Log one into <code>{info.value?.logdir}</code>; a <code>projector_config.pbtxt</code> with its tables or a checkpoint is found, too:</Empty>;
  const key = (e: Listed) => `${e.run}\u0001${e.tag}`;
  const now = all.find((e) => key(e) === chosen.value) ?? all.find((e) => !e.error) ?? all[0];
  return (
    <div class="page fill">
      <div class="toolbar" role="toolbar" aria-label="Embeddings">
        <Select label="embedding" value={key(now)} options={all.map((e) => [key(e), `${e.run} · ${e.tag.replace("/.ATTRIBUTES/VARIABLE_VALUE", "")}${e.shape ? ` (${e.shape.join(" × ")})` : ""}`] as const)} onChange={(v) => { chosen.value = v; point.value = -1; }} />
        {now.error === null && <Settings listed={now} />}
      </div>
      {now.error !== null ? <ErrorCard message={now.error} /> : <Embedding key={key(now)} listed={now} />}
    </div>
  );
}

const tableAddress = (e: Listed) => address("api/embedding", { run: e.run, tag: e.tag });

function Settings({ listed }: { listed: Listed }) {
  const { data } = useFrame(tableAddress(listed), readTable);
  const n = data?.components.length ?? 0;
  const triples: [string, string][] = [];
  for (let k = 1; k + 2 <= Math.max(3, n); k++) triples.push([`${k} ${k + 1} ${k + 2}`, `${k}, ${k + 1}, ${k + 2}`]);
  return (
    <>
      {!!data?.names.length && <Select label="colour by" value={String(by.value)} options={[["-1", "nothing"], ...data.names.map((name, i): [string, string] => [String(i), name])]} onChange={(v) => (by.value = Number(v))} />}
      {n > 3 && <Select label="components" value={axes.value} options={triples} onChange={(v) => (axes.value = v)} />}
      <Toggle label="flat" value={flat.value} onChange={(v) => (flat.value = v)} />
      {data?.sprite && <Toggle label="thumbnails" value={thumbs.value} onChange={(v) => (thumbs.value = v)} />}
    </>
  );
}

function labelOf(t: Table, i: number): string {
  const cells = t.labels[i];
  return cells ? cells.filter(Boolean).join(" · ") || `point ${integer(t.row[i])}` : `point ${integer(t.row[i])}`;
}

function Embedding({ listed }: { listed: Listed }) {
  const { data: table, error } = useFrame(tableAddress(listed), readTable);
  const [hovered, setHovered] = useState(-1);
  const drawn = useMemo(() => {
    if (!table) return null;
    const three = axes.value.split(" ").map((v) => Number(v) - 1);
    return { vertices: places(table, three, flat.value), ...colours(table, by.value, theme.value) };
  }, [table, by.value, axes.value, flat.value, theme.value]);
  const selected = useMemo(() => (table && point.value >= 0 ? table.row.findIndex((r) => r === point.value) : -1), [table, point.value]);
  const near = useJson<{ rows: number[]; distance: number[] }>(table && point.value >= 0 ? address("api/embedding/neighbours", { run: listed.run, tag: listed.tag, row: point.value, metric: metric.value, count: 30 }) : null);
  const at = useMemo(() => new Map(Array.from(table?.row ?? [], (r, i) => [r, i])), [table]);
  const found = useMemo(() => {
    if (!table || !find.value.trim()) return [];
    const wanted = find.value.toLowerCase();
    const out: number[] = [];
    for (let i = 0; i < table.row.length && out.length < 5000; i++) if (labelOf(table, i).toLowerCase().includes(wanted)) out.push(i);
    return out;
  }, [table, find.value]);
  if (error) return <ErrorCard message={error} />;
  if (!table || !drawn) return <div class="graph-wait dim" role="status">reading the points …</div>;
  const neighbours = point.value >= 0 ? (near.data?.rows ?? []).flatMap((r) => at.get(r) ?? []) : [];
  const three = axes.value.split(" ").map((v) => Number(v) - 1).slice(0, flat.value ? 2 : 3);
  const seen = three.reduce((sum, k) => sum + (table.share[k] ?? 0), 0);
  const { width, height } = table.sprite ?? { width: 0, height: 0 };
  const sheet = table.sprite ? { src: address("api/embedding/sprite", { run: listed.run, tag: listed.tag }), width, height, across: Math.ceil(Math.sqrt(table.points)) } : null;
  return (
    <div class="graph">
      <div class="graph-main">
        <Space vertices={drawn.vertices} rgb={drawn.rgb} flat={flat.value} selected={selected} near={find.value ? found : neighbours} hovered={hovered} onHover={setHovered} onSelect={(i) => (point.value = i < 0 ? -1 : table.row[i])}
          labelOf={(i) => table.labels[i]?.[Math.max(0, Math.min(by.value, table.names.length - 1))] || labelOf(table, i)} rowOf={(i) => table.row[i]} sheet={sheet} thumbs={thumbs.value} label={`${listed.tag}: ${plural(table.row.length, "point")}, ${plural(table.dimensions, "dimension")}`} />
        <p class="projector-facts dim">{plural(table.points, "point")}{table.row.length < table.points ? `, ${integer(table.row.length)} drawn` : ""} · {plural(table.dimensions, "dimension")} · components {three.map((k) => k + 1).join(", ")} hold {value(100 * seen, 3)} % of the variance</p>
      </div>
      <aside class="graph-side" aria-label="Points">
        <div class="pad"><Search id="tag-filter" label="Find points by label" value={find.value} placeholder="find a label" onChange={(v) => (find.value = v)} /></div>
        {find.value ? <Points title={`${found.length >= 5000 ? "5 000 or more" : integer(found.length)} found`} table={table} rows={found.slice(0, FOUND)} />
          : selected >= 0 ? (
            <section class="node-facts" aria-label="Chosen point">
              <header class="dialog-head"><h2>{labelOf(table, selected)}</h2><IconButton name="close" label="Close" onClick={() => (point.value = -1)} /></header>
              <dl class="facts">
                <div><dt>row</dt><dd>{integer(point.value)}</dd></div>
                {table.names.map((name, k) => <div key={name}><dt>{name}</dt><dd class="wrap">{table.labels[selected]?.[k]}</dd></div>)}
              </dl>
              <div class="pad"><Select label="nearest by" value={metric.value} options={[["cosine", "cosine distance"], ["euclidean", "euclidean distance"]]} onChange={(v) => (metric.value = v as "cosine")} /></div>
              {near.error ? <ErrorCard message={near.error} /> : <Points title="nearest in all dimensions" table={table} rows={neighbours} distance={near.data ? new Map(near.data.rows.map((r, k) => [r, near.data!.distance[k]])) : undefined} />}
            </section>
          ) : drawn.legend.entries.length ? (
            <ul class="legend" aria-label="Colours">
              {drawn.legend.entries.map((e) => <li key={e.text}><span class="legend-dot" style={{ background: e.colour }} aria-hidden="true" /> {e.text} {e.count > 0 && <span class="dim">{integer(e.count)}</span>}</li>)}
            </ul>
          ) : <p class="dim pad">Point at something to see its label, click it to see what is near.</p>}
      </aside>
    </div>
  );
}

function Points({ title, table, rows, distance }: { title: string; table: Table; rows: number[]; distance?: Map<number, number> }) {
  return (
    <div class="facts-list">
      <h3>{title}</h3>
      {rows.map((i) => (
        <button key={i} type="button" class="point-row" onClick={() => { point.value = table.row[i]; find.value = ""; }}>
          <span>{labelOf(table, i)}</span>{distance && <span class="dim">{value(distance.get(table.row[i]) ?? null, 3)}</span>}
        </button>
      ))}
    </div>
  );
}
