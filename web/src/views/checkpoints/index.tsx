// The checkpoints page: every checkpoint of every shown run, and the variables inside the one that is open.

import { useMemo, useState } from "preact/hooks";
import { address } from "../../api/client";
import { num, type Checkpoint, type CheckpointDetail } from "../../api/types";
import { age, bytes, clock, date, integer, plural, value } from "../../base/format";
import { isSorting, json, param } from "../../data/address";
import { checkpoints, info } from "../../data/board";
import { useJson } from "../../data/fetch";
import { openedCheckpoint } from "../../data/open";
import { colourOf, focusRun, nameOf, runById, shownIds } from "../../data/runs";
import { Empty, ErrorCard } from "../../widgets/Empty";
import { Search, Toggle } from "../../widgets/Field";
import { IconButton } from "../../widgets/Icon";
import { SortHead, type Sorting } from "../../widgets/SortHead";
import { Swatch } from "../../widgets/Swatch";

const sort = param<Sorting<string>>("cks", { by: "step", down: true }, json<Sorting<string>>(isSorting));
const EXAMPLE = `from milepost import train

checkpoint = train.Checkpoint(model=model, optimizer=optimizer)
manager = train.CheckpointManager(checkpoint, "runs/first/ckpts", max_to_keep=3)
manager.save(checkpoint_number=step)`;

export default function Checkpoints() {
  const [find, setFind] = useState("");
  const [latest, setLatest] = useState(false);
  const shown = checkpoints.value.filter((c) => (shownIds.value.has(c.run) || !runById.value.has(c.run)) && (!latest || c.latest) && (c.id + " " + nameOf(c.run)).toLowerCase().includes(find.toLowerCase()));
  const metrics = useMemo(() => [...new Set(shown.flatMap((c) => Object.keys(c.metrics)))].slice(0, 8), [shown.length, checkpoints.value]);
  if (!checkpoints.value.length) return <Empty title="No checkpoints yet" code={EXAMPLE}>Save some under <code>{info.value?.logdir}</code>: they are listed here, and marked ◆ on the run’s curves.</Empty>;
  const cell = (c: Checkpoint, by: string): number | string => {
    if (by === "name") return c.id;
    if (by === "run") return nameOf(c.run);
    if (by.startsWith("m:")) return num(c.metrics[by.slice(2)]) ?? Infinity;
    return (c[by as "step" | "wall" | "bytes" | "variables"] as number | null) ?? -1;
  };
  const rows = [...shown].sort((a, b) => {
    const [x, y] = [cell(a, sort.value.by), cell(b, sort.value.by)];
    const order = typeof x === "string" ? x.localeCompare(y as string, undefined, { numeric: true }) : x - (y as number);
    return sort.value.down ? -order : order;
  });
  const head = (name: string, by: string, left = false) => <SortHead name={name} column={by} sort={sort.value} onSort={(s) => (sort.value = s)} left={left} />;
  const opened = openedCheckpoint.value;
  return (
    <div class={`page split ${opened ? "open" : ""}`}>
      <div class="split-main">
        <div class="toolbar" role="toolbar" aria-label="Checkpoints">
          <Search id="tag-filter" label="Find checkpoints" value={find} placeholder="find" onChange={setFind} />
          <Toggle label="latest of each run" value={latest} onChange={setLatest} />
          <span class="dim" role="status">{plural(rows.length, "checkpoint")}, {bytes(rows.reduce((n, c) => n + c.bytes, 0))}</span>
        </div>
        <div class="scroll-x card flat" tabIndex={0} role="region" aria-label="Checkpoints">
          <table class="data">
            <thead><tr>{head("checkpoint", "name", true)}{head("run", "run", true)}{head("step", "step")}{head("saved", "wall")}{head("size", "bytes")}{head("variables", "variables")}{metrics.map((m) => head(m, "m:" + m))}</tr></thead>
            <tbody>
              {rows.slice(0, 2000).map((c) => (
                <tr key={c.id} class={opened === c.id ? "on" : ""} onMouseEnter={() => (focusRun.value = c.run)} onMouseLeave={() => (focusRun.value = null)}>
                  <th scope="row"><button type="button" class="link ckpt" aria-expanded={opened === c.id} onClick={() => (openedCheckpoint.value = opened === c.id ? "" : c.id)}><span class="ckpt-mark" style={{ color: colourOf(c.run).colour }} aria-hidden="true">◆</span> {c.prefix}</button>{c.latest && <span class="label">latest</span>}{c.pinned && <span class="label">pinned</span>}{c.error && <span class="bad" title={c.error}> ⚠ {c.error}</span>}</th>
                  <td class="left"><Swatch {...colourOf(c.run)} /> {nameOf(c.run)}</td>
                  <td>{c.step === null ? "–" : integer(c.step)}</td>
                  <td class="dim" title={c.wall ? `${date(c.wall)} ${clock(c.wall)}` : ""}>{c.wall ? age(c.wall) : "–"}</td>
                  <td>{bytes(c.bytes)}</td>
                  <td>{integer(c.variables)}</td>
                  {metrics.map((m) => <td key={m}>{Object.hasOwn(c.metrics, m) ? value(num(c.metrics[m])) : "–"}</td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      {opened && <Detail id={opened} key={opened} />}
    </div>
  );
}

function Detail({ id }: { id: string }) {
  const { data, error } = useJson<CheckpointDetail>(address("api/checkpoint", { id }));
  const [find, setFind] = useState("");
  const [order, setOrder] = useState<Sorting<"name" | "bytes">>({ by: "name", down: false });
  const tensors = (data?.tensors ?? []).filter((t) => t.name.toLowerCase().includes(find.toLowerCase()));
  tensors.sort((a, b) => (order.by === "name" ? a.name.localeCompare(b.name, undefined, { numeric: true }) : a.bytes - b.bytes) * (order.down ? -1 : 1));
  return (
    <section class="split-side" aria-label={`Checkpoint ${id}`}>
      <header class="dialog-head"><h2>◆ {id}</h2><IconButton name="close" label="Close" onClick={() => (openedCheckpoint.value = "")} /></header>
      {error && <ErrorCard message={error} />}
      {data && (
        <>
          <dl class="facts">
            <div><dt>step</dt><dd>{data.step === null ? "–" : integer(data.step)}</dd></div>
            <div><dt>saved</dt><dd>{data.wall ? `${date(data.wall)} ${clock(data.wall)}` : "–"}</dd></div>
            <div><dt>size</dt><dd>{bytes(data.bytes)}</dd></div>
            {Object.entries(data.metrics).map(([k, v]) => <div key={k}><dt>{k}</dt><dd>{value(num(v), 6)}</dd></div>)}
          </dl>
          <div class="facts dim">{data.files.map((f) => `${f.name} (${bytes(f.bytes)})`).join(" · ")}</div>
          <div class="pad"><Search label="Find variables" value={find} placeholder={`find in ${plural(data.tensors.length, "variable")}`} onChange={setFind} /></div>
          <div class="scroll-y" tabIndex={0} role="region" aria-label="Variables">
            <table class="data">
              <thead><tr><SortHead name="variable" column={"name" as const} sort={order} onSort={setOrder} left /><th scope="col" class="left">dtype</th><th scope="col" class="left">shape</th><SortHead name="size" column={"bytes" as const} sort={order} onSort={setOrder} /></tr></thead>
              <tbody>{tensors.slice(0, 2000).map((t) => <tr key={t.name}><th scope="row" class="var" title={t.name}>{t.name}</th><td class="left dim">{t.dtype}</td><td class="left">{t.shape.length ? t.shape.join(" × ") : "scalar"}</td><td>{bytes(t.bytes)}</td></tr>)}</tbody>
            </table>
            {(data.cut || tensors.length > 2000) && <p class="dim pad">Not all are shown; search to find others.</p>}
          </div>
        </>
      )}
    </section>
  );
}
