// Two captures side by side, by step. In: both ids. Out: what became faster, what slower.

import { address } from "../../api/client";
import { param, text } from "../../data/address";
import { useJson } from "../../data/fetch";
import { ErrorCard } from "../../widgets/Empty";
import { Select } from "../../widgets/Field";
import { PARTS, PLUGIN, time, type Capture, type Part } from "./types";

const other = param("with", "", text);

interface Compared {
  steps: [number, number];
  length: [number, number];
  ratio: number | null;
  parts: Record<Part, [number, number]>;
  ops: { name: string; kind: string; own: [number, number]; calls: [number, number]; change: number }[];
}

export function Compare({ id, captures, title }: { id: string; captures: Capture[]; title(c: Capture): string }) {
  const rest = captures.filter((c) => c.id !== id);
  const chosen = rest.find((c) => c.id === other.value)?.id ?? rest[0]?.id;
  const { data, error } = useJson<Compared>(chosen ? address("api/capture/compare", { a: chosen, b: id }) : null, undefined, PLUGIN);
  if (!chosen) return <p class="dim pad">There is only one capture: make a second one to compare.</p>;
  const change = (a: number, b: number) => <td class={b > a * 1.02 ? "worse" : b < a * 0.98 ? "better" : ""}>{b - a > 0 ? "+" : ""}{time(b - a)}</td>;
  return (
    <>
      <div class="toolbar" role="toolbar" aria-label="Compare">
        <Select label="compare with" value={chosen} options={rest.map((c) => [c.id, title(c)] as const)} onChange={(v) => (other.value = v)} />
        {data && data.ratio !== null && <strong role="status">{data.ratio < 1 ? `${(1 / data.ratio).toFixed(2)} times as fast` : `${data.ratio.toFixed(2)} times as long`}</strong>}
      </div>
      {error ? <ErrorCard message={error} /> : data && (
        <div class="scroll-x card flat" tabIndex={0} role="region" aria-label="Comparison">
          <table class="data">
            <thead><tr><th scope="col" class="left">in a step</th><th scope="col">before</th><th scope="col">this</th><th scope="col">change</th></tr></thead>
            <tbody>
              <tr><th scope="row">whole step</th><td>{time(data.length[0])}</td><td>{time(data.length[1])}</td>{change(...data.length)}</tr>
              {PARTS.map((p) => <tr key={p}><th scope="row">{p}</th><td>{time(data.parts[p][0])}</td><td>{time(data.parts[p][1])}</td>{change(...data.parts[p])}</tr>)}
            </tbody>
            <thead><tr><th scope="col" class="left">op, own time in a step</th><th scope="col">before</th><th scope="col">this</th><th scope="col">change</th></tr></thead>
            <tbody>{data.ops.slice(0, 200).map((r) => <tr key={r.kind + r.name}><th scope="row" title={r.name}>{r.name}</th><td>{time(r.own[0])}</td><td>{time(r.own[1])}</td>{change(...r.own)}</tr>)}</tbody>
          </table>
        </div>
      )}
    </>
  );
}
