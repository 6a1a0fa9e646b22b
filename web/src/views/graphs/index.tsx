// The graphs page: op, Keras and torch graphs; scopes open and close; search; facts of a node. Placing is done in a worker.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { address } from "../../api/client";
import type { GraphAnswer } from "../../api/types";
import { bytes, integer, plural } from "../../base/format";
import { list, param, text } from "../../data/address";
import { info } from "../../data/board";
import { useJson } from "../../data/fetch";
import { nameOf, shownIds } from "../../data/runs";
import { Empty, ErrorCard } from "../../widgets/Empty";
import { Search, Select } from "../../widgets/Field";
import { IconButton } from "../../widgets/Icon";
import { GraphCanvas } from "./GraphCanvas";
import type { Ask, Laid } from "./layout.worker";
import LayoutWorker from "./layout.worker?worker";
import { ancestors, type Tree } from "./tree";

interface Listed { run: string; tag: string; kind: string; bytes: number }

const chosen = param("graph", "", text);
/** "*" alone: nobody has opened or closed anything yet */
const openScopes = param<string[]>("gopen", ["*"], list);
const selected = param("gnode", "", text);
const OPEN_ALL_UP_TO = 3000;
const FOUND = 60;
const LISTED = 100;
/** what a graph in a log is, in words */
const KINDS: Record<string, string> = { op: "ops", profile: "trace", keras: "layers" };

const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/first").as_default():
    summary.graph(model, example_input)`;

export default function Graphs() {
  const { data, error } = useJson<{ graphs: Listed[] }>("api/graphs");
  const all = (data?.graphs ?? []).filter((g) => shownIds.value.has(g.run));
  if (error) return <ErrorCard message={error} />;
  if (!data) return null;
  if (!data.graphs.length) return <Empty title="No graphs yet" code={EXAMPLE}>Log one into <code>{info.value?.logdir}</code>:</Empty>;
  if (!all.length) return <Empty title="No shown run has a graph" />;
  const key = (g: Listed) => `${g.run}\u0001${g.tag}`;
  const now = all.find((g) => key(g) === chosen.value) ?? all[0];
  return (
    <div class="page fill">
      <div class="toolbar" role="toolbar" aria-label="Graphs">
        <Select label="graph" value={key(now)} options={all.map((g) => [key(g), `${nameOf(g.run)} · ${g.tag === "__run_graph__" ? "graph" : g.tag} (${KINDS[g.kind] ?? g.kind}, ${bytes(g.bytes)})`] as const)} onChange={(v) => { chosen.value = v; openScopes.value = ["*"]; selected.value = ""; }} />
      </div>
      <Graph key={key(now)} listed={now} />
    </div>
  );
}

function useLayout(graph: GraphAnswer | null, open: string[]): { tree: Tree | null; laid: Laid | null; error: string | null } {
  const worker = useRef<Worker | null>(null);
  const [state, setState] = useState<{ tree: Tree | null; laid: Laid | null; error: string | null }>({ tree: null, laid: null, error: null });
  // started before the graph is there: its script loads while the graph does
  useEffect(() => {
    const w = new LayoutWorker();
    worker.current = w;
    w.onmessage = (m: MessageEvent<{ tree?: Tree; open?: string[]; laid?: Laid; error?: string }>) => {
      const { open: opened, ...news } = m.data;
      setState((s) => ({ ...s, ...news }));
      if (opened) openScopes.value = opened;
    };
    w.onerror = (e) => setState((s) => ({ ...s, error: e.message || "the layout failed" }));
    return () => w.terminate();
  }, []);
  useEffect(() => {
    if (graph) worker.current!.postMessage({ graph: { name: graph.name, edges: graph.edges }, open: openScopes.peek() } satisfies Ask);
  }, [graph]);
  useEffect(() => {
    if (state.tree) worker.current?.postMessage({ open } satisfies Ask);
  }, [open]);
  return state;
}

function Graph({ listed }: { listed: Listed }) {
  const { data, error } = useJson<GraphAnswer>(address("api/graph", { run: listed.run, tag: listed.tag }), listed.run, "graphs");
  const open = openScopes.value;
  const { tree, laid, error: failed } = useLayout(data, open);
  const [find, setFind] = useState("");
  const [fit, setFit] = useState(0);
  const [goto, setGoto] = useState("");
  const found = useMemo(() => {
    if (!tree || !find.trim() || !data) return [];
    const wanted = find.toLowerCase();
    const out: string[] = [];
    for (const n of tree.nodes) {
      if (n.id && (n.id.toLowerCase().includes(wanted) || (n.leaf >= 0 && data.op[n.leaf].toLowerCase().includes(wanted)))) out.push(n.id);
      if (out.length >= 5000) break;
    }
    return out;
  }, [tree, find, data]);
  const hits = useMemo(() => new Set(found), [found]);
  const toggle = (id: string) => (openScopes.value = open.includes(id) ? open.filter((o) => o !== id) : [...open, id]);
  const show = (id: string) => {
    if (!tree) return;
    const need = ancestors(tree, id).filter((a) => !open.includes(a));
    if (need.length) openScopes.value = [...open, ...need];
    selected.value = id;
    setGoto(id);
  };
  if (error || failed) return <ErrorCard message={error ?? failed!} />;
  const scopes = tree ? tree.nodes.filter((n) => n.leaf < 0 && n.id).map((n) => n.id) : [];
  return (
    <div class="graph">
      <div class="graph-main">
        {laid && data ? <GraphCanvas laid={laid} opOf={(i) => data.op[i]} selected={selected.value} hits={hits} onSelect={(id) => (selected.value = id)} onToggle={toggle} fit={fit} goto={goto} /> : <div class="graph-wait dim" role="status">{data ? "placing the nodes …" : "reading the graph …"}</div>}
        <div class="graph-tools">
          <IconButton name="fit" label="Show all" onClick={() => setFit(fit + 1)} />
          <IconButton name="plus" label="Open all scopes" disabled={!data || data.count > OPEN_ALL_UP_TO} onClick={() => { openScopes.value = scopes; setFit(fit + 1); }} />
          <IconButton name="minus" label="Close all scopes" onClick={() => { openScopes.value = []; setFit(fit + 1); }} />
        </div>
      </div>
      <aside class="graph-side" aria-label="Nodes">
        <div class="pad"><Search id="tag-filter" label="Find nodes by name or op" value={find} placeholder="find a node or op" onChange={setFind} /></div>
        {find && (
          <div class="found" role="list" aria-label="Found nodes">
            {found.slice(0, FOUND).map((id) => <div role="listitem" key={id}><button type="button" class="menu-item" title={id} onClick={() => show(id)}>{id}</button></div>)}
            <p class="dim pad">{found.length > FOUND ? `${integer(found.length)} found` : found.length ? "" : "nothing found"}</p>
          </div>
        )}
        {data && tree && !find && !selected.value && <Outline tree={tree} graph={data} open={open} onToggle={toggle} onShow={show} />}
        {data && tree && selected.value && <NodeFacts id={selected.value} tree={tree} graph={data} open={open.includes(selected.value)} onToggle={toggle} onShow={show} />}
        <p class="dim pad">{data ? `${plural(data.count, "node")}, ${plural(data.edges.from.length, "edge")}${data.cut ? ", cut" : ""}` : ""}</p>
      </aside>
    </div>
  );
}

/** The scopes as a list, open ones with what is in them: the graph for those who do not use a mouse. */
function Outline({ at = 0, tree, graph, open, onToggle, onShow }: { at?: number; tree: Tree; graph: GraphAnswer; open: string[]; onToggle(id: string): void; onShow(id: string): void }) {
  const inside = tree.nodes[at].children;
  return (
    <ul class="outline">
      {inside.slice(0, LISTED).map((i) => {
        const n = tree.nodes[i];
        const opened = n.leaf < 0 && open.includes(n.id);
        const shape = n.leaf >= 0 ? graph.shape?.[n.leaf] : "";
        return (
          <li key={n.id}>
            <span class="outline-row">
              {n.leaf < 0 && <button type="button" class="icon-button" aria-expanded={opened} aria-label={`Open ${n.label}`} onClick={() => onToggle(n.id)}>{opened ? "−" : "+"}</button>}
              <button type="button" class="link plain" onClick={() => onShow(n.id)}>{n.label}</button> <span class="dim">{n.leaf < 0 ? integer(n.leaves) : shape}</span>
            </span>
            {opened && <Outline at={i} tree={tree} graph={graph} open={open} onToggle={onToggle} onShow={onShow} />}
          </li>
        );
      })}
      {inside.length > LISTED && <li class="dim">{integer(inside.length - LISTED)} more</li>}
    </ul>
  );
}

function NodeFacts({ id, tree, graph, open, onToggle, onShow }: { id: string; tree: Tree; graph: GraphAnswer; open: boolean; onToggle(id: string): void; onShow(id: string): void }) {
  const at = tree.byId.get(id);
  if (at === undefined) return null;
  const n = tree.nodes[at];
  const level = tree.edges.get(n.parent) ?? [];
  const ins = n.leaf >= 0 ? graph.edges.to.flatMap((t, e) => (t === n.leaf ? [graph.name[graph.edges.from[e]]] : [])) : level.filter((e) => e.to === at).map((e) => tree.nodes[e.from].id);
  const outs = n.leaf >= 0 ? graph.edges.from.flatMap((f, e) => (f === n.leaf ? [graph.name[graph.edges.to[e]]] : [])) : level.filter((e) => e.from === at).map((e) => tree.nodes[e.to].id);
  const attrs = n.leaf >= 0 ? Object.entries(graph.attrs?.[n.leaf] ?? {}) : [];
  const links = (title: string, ids: string[]) => (
    <div class="facts-list"><h3>{title} <span class="dim">{ids.length}</span></h3>{ids.slice(0, 40).map((i, k) => <button key={k} type="button" class="menu-item" title={i} onClick={() => onShow(i)}>{i}</button>)}</div>
  );
  return (
    <section class="node-facts" aria-label={`Node ${id}`}>
      <header class="dialog-head"><h2 title={id}>{n.label}</h2><IconButton name="close" label="Close" onClick={() => (selected.value = "")} /></header>
      <dl class="facts">
        <div><dt>name</dt><dd class="wrap">{id}</dd></div>
        {n.leaf >= 0 ? <div><dt>op</dt><dd>{graph.op[n.leaf]}</dd></div> : <div><dt>nodes</dt><dd>{integer(n.leaves)}</dd></div>}
        {n.leaf >= 0 && graph.shape?.[n.leaf] && <div><dt>shape</dt><dd>{graph.shape[n.leaf]}</dd></div>}
        {n.leaf >= 0 && graph.device[n.leaf] && <div><dt>device</dt><dd>{graph.device[n.leaf]}</dd></div>}
        {attrs.slice(0, 30).map(([k, v]) => <div key={k}><dt>{k}</dt><dd class="wrap">{typeof v === "string" ? v : JSON.stringify(v)}</dd></div>)}
      </dl>
      {n.leaf < 0 && <div class="pad"><button type="button" class="button" onClick={() => onToggle(id)}>{open ? "Close the scope" : "Open the scope"}</button></div>}
      {links("inputs", ins)}
      {links("outputs", outs)}
    </section>
  );
}
