// The frame of the page: header, runs, and the page that the address names.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Tooltip } from "../chart/Tooltip";
import { allRuns, info, loadedOnce, problem } from "../data/board";
import { EditRun, editing } from "../widgets/RunMenu";
import { Empty } from "../widgets/Empty";
import { Header, currentView, panelOpen } from "./Header";
import { Help, helpOpen } from "./Help";
import { RunsPanel } from "./RunsPanel";
import { VIEWS } from "./views";

const loaded = new Map<string, ComponentType>();

function useView(id: string): ComponentType | null {
  const [, again] = useState(0);
  useEffect(() => {
    if (loaded.has(id)) return;
    let stopped = false;
    void VIEWS.find((v) => v.id === id)!.load().then((m) => {
      loaded.set(id, m.default);
      if (!stopped) again((n) => n + 1);
    }, () => {
      // the board was replaced by another version while this page was open: its files have other names
      problem.value = "This page is older than the board. Reload it.";
    });
    return () => { stopped = true; };
  }, [id]);
  return loaded.get(id) ?? null;
}

/** The first page is fetched while the rest of the script still runs. */
export async function preload(id: string): Promise<void> {
  loaded.set(id, (await VIEWS.find((v) => v.id === id)!.load()).default);
}

export function App() {
  const id = currentView();
  const View = useView(id);
  const i = info.value;
  useEffect(() => {
    document.title = `${VIEWS.find((v) => v.id === id)!.title} · ${i?.title || "milepost"}`;
  }, [id, i?.title]);
  const nothing = loadedOnce.value && !allRuns.value.length && !i?.checkpoints && !i?.profiles && !i?.embeddings;
  return (
    <div class={`app ${panelOpen.value ? "with-panel" : ""}`}>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById("main")!.focus(); }}>Skip to the charts</a>
      <Header />
      {panelOpen.value && <div class="shade" onClick={() => (panelOpen.value = false)} />}
      {panelOpen.value && <RunsPanel />}
      <main id="main" class="scroll" tabIndex={-1}>
        {problem.value && <div class="problem" role="alert">{problem.value} <button type="button" class="link" onClick={() => (problem.value = null)}>dismiss</button></div>}
        {nothing ? <Waiting /> : View && loadedOnce.value ? <View /> : null}
      </main>
      <Tooltip />
      {editing.value && <EditRun key={editing.value.id} />}
      {helpOpen.value && <Help />}
    </div>
  );
}

function Waiting() {
  const i = info.value;
  if (!i) return null;
  if (i.state === "waiting") return <Empty title={`Waiting for ${i.logdir}`}>The directory does not exist yet. Runs appear here as soon as something is logged into it.</Empty>;
  if (i.state === "loading") return <Empty title="Still loading">{i.progress.files_done} of {i.progress.files} files read.</Empty>;
  return (
    <Empty title={`No runs in ${i.logdir} yet`} code={'from milepost import summary\n\nwith summary.create_file_writer("' + i.logdir.replace(/["\\]/g, "\\$&") + '/first").as_default():\n    summary.scalar("loss", 0.5, step=0)'}>
      Anything that writes TensorBoard event files into this directory shows up within a second: PyTorch, Keras, JAX, Lightning, TensorFlow, or Milepost itself:
    </Empty>
  );
}
