// In: a graph once, then which scopes are open. Out: boxes and edges with places. Runs beside the page, so that a large
// graph never stops it. Each scope is laid out by itself, from the inside out: opening one moves nothing inside the others.

import dagre from "@dagrejs/dagre";
import { buildTree, worthOpening, type Tree } from "./tree";
import { layered } from "./layered";
import type { GraphAnswer } from "../../api/types";

export interface LaidBox {
  id: string;
  label: string;
  leaf: number;
  leaves: number;
  open: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
  depth: number;
}

export interface LaidEdge {
  from: string;
  to: string;
  points: number[];
  n: number;
  control: boolean;
  label: string;
}

export interface Laid {
  boxes: LaidBox[];
  edges: LaidEdge[];
  width: number;
  height: number;
  ms: number;
}

/** `open` of "*" alone: choose which scopes are worth opening, and say so. */
export type Ask = { graph: Pick<GraphAnswer, "name" | "edges">; open: string[] } | { open: string[] };

const DAGRE_UP_TO = 160;
const PAD = 20;
const HEAD = 26;

let tree: Tree | null = null;

interface Inner {
  boxes: LaidBox[];
  edges: LaidEdge[];
  width: number;
  height: number;
}

const textWidth = (s: string) => Math.min(220, Math.max(56, s.length * 6.6 + 24));

function scope(at: number, open: Set<string>): Inner {
  const t = tree!;
  const children = t.nodes[at].children;
  const inners = children.map((c) => {
    const node = t.nodes[c];
    const opened = node.leaf < 0 && open.has(node.id);
    const inner = opened ? scope(c, open) : null;
    const label = node.leaf < 0 && !opened ? `${node.label} (${node.leaves})` : node.label;
    return inner ? { inner, width: Math.max(inner.width, textWidth(node.label)) + 2 * PAD, height: inner.height + HEAD + 2 * PAD } : { inner, width: textWidth(label), height: node.leaf < 0 ? 34 : 26 };
  });
  const index = new Map(children.map((c, i) => [c, i]));
  const level = t.edges.get(at) ?? [];
  let x: ArrayLike<number>;
  let y: ArrayLike<number>;
  let width: number;
  let height: number;
  let bends: (number[] | null)[] = [];
  if (children.length <= DAGRE_UP_TO) {
    const g = new dagre.graphlib.Graph({ multigraph: false });
    g.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 44, edgesep: 12 });
    g.setDefaultEdgeLabel(() => ({}));
    inners.forEach((b, i) => g.setNode(String(i), { width: b.width, height: b.height }));
    for (const e of level) g.setEdge(String(index.get(e.from)), String(index.get(e.to)), {});
    dagre.layout(g);
    x = inners.map((_, i) => g.node(String(i)).x);
    y = inners.map((_, i) => g.node(String(i)).y);
    width = g.graph().width ?? 1;
    height = g.graph().height ?? 1;
    bends = level.map((e) => (g.edge(String(index.get(e.from)), String(index.get(e.to))).points ?? []).flatMap((p: { x: number; y: number }) => [p.x, p.y]));
  } else {
    const made = layered(inners, level.map((e) => [index.get(e.from)!, index.get(e.to)!]));
    ({ x, y, width, height } = made);
  }
  const boxes: LaidBox[] = [];
  const edges: LaidEdge[] = [];
  level.forEach((e, k) => {
    const a = index.get(e.from)!;
    const b = index.get(e.to)!;
    const points = bends[k] ?? [x[a], y[a] + inners[a].height / 2, x[b], y[b] - inners[b].height / 2];
    edges.push({ from: t.nodes[e.from].id, to: t.nodes[e.to].id, points, n: e.n, control: e.control, label: e.label });
  });
  children.forEach((c, i) => {
    const node = t.nodes[c];
    const { inner, width: w, height: h } = inners[i];
    const left = x[i] - w / 2;
    const top = y[i] - h / 2;
    boxes.push({ id: node.id, label: node.label, leaf: node.leaf, leaves: node.leaves, open: !!inner, x: left, y: top, width: w, height: h, depth: node.depth });
    if (!inner) return;
    const dx = left + (w - inner.width) / 2;
    const dy = top + HEAD + PAD;
    for (const b of inner.boxes) boxes.push({ ...b, x: b.x + dx, y: b.y + dy });
    for (const e of inner.edges) edges.push({ ...e, points: e.points.map((v, k) => v + (k % 2 ? dy : dx)) });
  });
  return { boxes, edges, width, height };
}

self.onmessage = (m: MessageEvent<Ask>) => {
  const started = performance.now();
  try {
    const fresh = "graph" in m.data;
    if ("graph" in m.data) tree = buildTree(m.data.graph);
    const chosen = m.data.open[0] === "*" ? worthOpening(tree!) : undefined;
    const inner = scope(0, new Set(chosen ?? m.data.open));
    const laid: Laid = { ...inner, ms: performance.now() - started };
    self.postMessage(fresh ? { laid, tree, open: chosen } : { laid });
  } catch (e) {
    self.postMessage({ error: String((e as Error).message ?? e) });
  }
};
