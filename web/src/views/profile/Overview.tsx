// The overview: where a step's time goes, what to do about it, the heaviest ops. In: the analysis. Out: one glance.

import { integer, plural, bytes } from "../../base/format";
import { PARTS, PART_COLOUR, percent, time, type OpRow, type Overview as Data } from "./types";

const MEANS: Record<string, string> = {
  compute: "ops and kernels", input: "waiting for data", copy: "moving memory", python: "Python and launching", idle: "nothing ran",
};

export function Overview({ data }: { data: Data }) {
  const { split } = data;
  const steps = split.step[0] >= 0;
  const mean = split.length.length ? split.length.reduce((a, b) => a + b, 0) / split.length.length : 0;
  return (
    <div class="profile-overview">
      <section class="card" aria-label="Where the time goes">
        <div class="card-head"><h3>{steps ? `${plural(split.steps, "step")}, ${time(mean)} each` : `The capture, ${time(mean)}`}</h3></div>
        <div class="split-bar" role="img" aria-label={PARTS.map((p) => `${p} ${percent(split.share[p])}`).join(", ")}>
          {PARTS.map((p) => split.share[p] > 0.002 && <span key={p} style={{ flexGrow: split.share[p], background: PART_COLOUR[p] }} title={`${p} ${percent(split.share[p])}`} />)}
        </div>
        <table class="data split-table">
          <tbody>{PARTS.map((p) => (
            <tr key={p}><th scope="row"><span class="dot" style={{ background: PART_COLOUR[p] }} /> {p} <span class="dim">{MEANS[p]}</span></th><td data-part={p}>{percent(split.share[p])}</td><td>{time(split.total[p] / Math.max(1, split.steps))}</td></tr>
          ))}</tbody>
        </table>
        <p class="card-foot">{split.sampled ? "host sampled" : "host not sampled: short pauses count as Python"} · thread {split.thread}{steps && split.steps > 1 ? ` · median ${time(split.median)}, 90 % below ${time(split.p90)}` : ""}</p>
      </section>
      <section class="card" aria-label="Advice">
        <div class="card-head"><h3>What to do</h3></div>
        <ul class="advice">{data.advice.map((a) => <li key={a.text}>{a.text}</li>)}{!data.advice.length && <li class="dim">Nothing stands out.</li>}</ul>
      </section>
      {steps && split.steps > 1 && <Steps split={split} />}
      <Heaviest title="Heaviest ops" rows={data.ops} />
      {data.functions.length > 0 && <Heaviest title="Heaviest Python functions" rows={data.functions} />}
      <section class="card" aria-label="About this capture">
        <div class="card-head"><h3>About</h3></div>
        <dl>
          <dt>events</dt><dd>{integer(data.events)}</dd><dt>length</dt><dd>{time(data.seconds * 1e9)}</dd>
          {data.about.engines && <><dt>engines</dt><dd>{data.about.engines.join(", ") || "none: host only"}</dd></>}
          {data.about.samples !== undefined && <><dt>samples</dt><dd>{integer(data.about.samples)}, every {data.about.sample_ms} ms</dd></>}
          {data.about.overhead !== undefined && <><dt>cost of sampling</dt><dd data-overhead>{percent(data.about.overhead)} of one core</dd></>}
          {data.memory.map((m) => <><dt>{m.name}</dt><dd>at most {m.unit === "bytes" ? bytes(m.peak) : m.peak}</dd></>)}
        </dl>
      </section>
    </div>
  );
}

function Steps({ split }: { split: Data["split"] }) {
  const shown = split.length.slice(0, 200);
  const top = Math.max(...shown, 1);
  return (
    <section class="card wide" aria-label="Each step">
      <div class="card-head"><h3>Each step</h3></div>
      <div class="step-bars" role="img" aria-label={`${shown.length} steps between ${time(Math.min(...shown))} and ${time(top)}`}>
        {shown.map((length, i) => (
          <span class="step-bar" key={i} title={`step ${split.step[i]}: ${time(length)}; ` + PARTS.map((p) => `${p} ${time(split.each[p][i])}`).join(", ")} style={{ height: `${(length / top) * 100}%` }}>
            {PARTS.map((p) => <i key={p} style={{ flexGrow: split.each[p][i] / Math.max(length, 1), background: PART_COLOUR[p] }} />)}
          </span>
        ))}
      </div>
    </section>
  );
}

function Heaviest({ title, rows }: { title: string; rows: OpRow[] }) {
  const top = Math.max(...rows.map((r) => r.own), 1);
  return (
    <section class="card" aria-label={title}>
      <div class="card-head"><h3>{title}</h3></div>
      {rows.length ? (
        <table class="data"><thead><tr><th scope="col" class="left">name</th><th scope="col">own time</th><th scope="col">calls</th></tr></thead>
          <tbody>{rows.map((r) => <tr key={r.kind + r.name}><th scope="row" title={r.name}><span class="bar" style={{ width: `${(r.own / top) * 100}%` }} />{r.name}</th><td>{time(r.own)}</td><td>{integer(r.calls)}</td></tr>)}</tbody>
        </table>
      ) : <p class="dim pad">No ops were captured.</p>}
    </section>
  );
}
