// The profile page: which captures there are, and six ways to look at one. In: api/captures. Out: the chosen way.

import { useEffect, useState } from "preact/hooks";
import { address, getJson } from "../../api/client";
import { age, bytes } from "../../base/format";
import { oneOf, param, text } from "../../data/address";
import { info } from "../../data/board";
import { useJson } from "../../data/fetch";
import { Empty, ErrorCard } from "../../widgets/Empty";
import { Select } from "../../widgets/Field";
import { Compare } from "./Compare";
import { Flame } from "./Flame";
import { Memory } from "./Memory";
import { Ops } from "./Ops";
import { Overview } from "./Overview";
import { Timeline } from "./Timeline";
import { PLUGIN, type Capture, type Overview as Analysis } from "./types";
import "./style.css";

const WAYS = ["overview", "timeline", "ops", "flame", "memory", "compare"] as const;
type Way = (typeof WAYS)[number];
const way = param<Way>("way", "overview", oneOf(WAYS));
const chosen = param("capture", "", text);
const TITLES: Record<Way, string> = { overview: "Overview", timeline: "Timeline", ops: "Ops", flame: "Flame graph", memory: "Memory", compare: "Compare" };

const EXAMPLE = `from milepost import profiler

with profiler.Profile("runs/first"):
    for step in range(10):
        with profiler.Trace("train", step=step):
            train_step()`;

const title = (c: Capture) => `${c.run === "." ? "" : c.run + " / "}${c.name}${c.host && c.host !== c.name ? ` (${c.host})` : ""}`;

const EVERY = 5000;

/** The list, looked at every few seconds: a capture alone changes no event file, so the board does not tell of it. */
function useCaptures(): { captures: Capture[] | null; error: string | null } {
  const [state, setState] = useState<{ captures: Capture[] | null; error: string | null }>({ captures: null, error: null });
  useEffect(() => {
    let stopped = false;
    const look = () => getJson<{ captures: Capture[] }>("api/captures").then(
      ({ data }) => { if (!stopped) setState((old) => (JSON.stringify(old.captures) === JSON.stringify(data.captures) ? old : { captures: data.captures, error: null })); },
      (e: Error) => { if (!stopped) setState((old) => ({ ...old, error: old.captures ? null : e.message })); },
    );
    void look();
    const timer = setInterval(look, EVERY);
    return () => { stopped = true; clearInterval(timer); };
  }, []);
  return state;
}

export default function Profile() {
  const { captures, error } = useCaptures();
  if (error) return <ErrorCard message={error} />;
  if (!captures) return null;
  if (!captures.length) return <Empty title="No profiles yet" code={EXAMPLE}>Capture some steps under <code>{info.value?.logdir}</code>, or run <code>milepost profile record -- python train.py</code>. Traces of torch, JAX and TensorFlow are shown, too.</Empty>;
  const one = captures.find((c) => c.id === chosen.value) ?? captures[0];
  return (
    <div class={`page profile ${way.value === "timeline" ? "full" : ""}`}>
      <div class="toolbar" role="toolbar" aria-label="Capture">
        <Select hideLabel label="capture" value={one.id} options={captures.map((c) => [c.id, title(c)] as const)} onChange={(v) => (chosen.value = v)} />
        <nav class="ways" aria-label="Ways to look at it">
          {WAYS.map((w) => <button type="button" key={w} class={way.value === w ? "on" : ""} aria-current={way.value === w ? "page" : undefined} onClick={() => (way.value = w)}>{TITLES[w]}</button>)}
        </nav>
        <span class="spring" />
        <a class="button" href={address("api/capture/file", { id: one.id })} download title={`The trace file as it is (${bytes(one.bytes)}, ${age(one.wall)}): ui.perfetto.dev and chrome://tracing open it`}>Download for Perfetto</a>
      </div>
      <Shown key={one.id + one.wall} one={one} captures={captures} />
    </div>
  );
}

function Shown({ one, captures }: { one: Capture; captures: Capture[] }) {
  // the analysis is asked for first on every way: a broken file is one error card, whatever was to be seen
  const { data, error } = useJson<Analysis>(address("api/capture", { id: one.id }), undefined, PLUGIN);
  if (error) return <div class="card flat broken"><ErrorCard message={error} /></div>;
  if (!data) return <p class="dim pad" role="status">Reading {one.name} …</p>;
  if (way.value === "timeline") return <Timeline id={one.id} />;
  if (way.value === "ops") return <Ops id={one.id} />;
  if (way.value === "flame") return <Flame id={one.id} />;
  if (way.value === "memory") return <Memory id={one.id} />;
  if (way.value === "compare") return <Compare id={one.id} captures={captures} title={title} />;
  return <Overview data={data} />;
}
