// In: a graph as columns of nodes, "/" in a name being a scope. Out: the tree of scopes, and for each scope the edges between
// its children. Built once per graph; opening a scope builds nothing anew. Not here: places (layered, worker).

import type { GraphAnswer } from "../../api/types";

export interface TreeNode {
  /** full path; of an op that has the name of a scope, the path and "/(op)" */
  id: string;
  label: string;
  parent: number;
  children: number[];
  /** index in the graph, or -1 for a scope */
  leaf: number;
  leaves: number;
  depth: number;
}

export interface LevelEdge {
  from: number;
  to: number;
  n: number;
  control: boolean;
  label: string;
}

export interface Tree {
  nodes: TreeNode[];
  byId: Map<string, number>;
  /** edges between the children of a scope */
  edges: Map<number, LevelEdge[]>;
}

const MAX_DEPTH = 64;

export function buildTree(g: Pick<GraphAnswer, "name" | "edges">): Tree {
  const nodes: TreeNode[] = [{ id: "", label: "", parent: -1, children: [], leaf: -1, leaves: 0, depth: 0 }];
  const byId = new Map<string, number>([["", 0]]);
  const scopes = new Set<string>();
  for (const name of g.name) for (let i = name.indexOf("/"), d = 0; i > 0 && d < MAX_DEPTH; i = name.indexOf("/", i + 1), d++) scopes.add(name.slice(0, i));

  const add = (id: string, label: string, parent: number, leaf: number): number => {
    const at = nodes.length;
    nodes.push({ id, label, parent, children: [], leaf, leaves: leaf >= 0 ? 1 : 0, depth: nodes[parent].depth + 1 });
    nodes[parent].children.push(at);
    byId.set(id, at);
    return at;
  };
  const scope = (id: string): number => {
    const known = byId.get(id);
    if (known !== undefined) return known;
    const cut = id.lastIndexOf("/");
    // names may nest deeper than a call stack should: parents are made from the outside in
    const path: string[] = [id];
    for (let c = cut; c > 0; c = path[path.length - 1].lastIndexOf("/")) {
      const up = path[path.length - 1].slice(0, c);
      if (byId.has(up)) break;
      path.push(up);
    }
    let made = 0;
    for (const p of path.reverse()) {
      const c = p.lastIndexOf("/");
      made = add(p, p.slice(c + 1), c > 0 ? byId.get(p.slice(0, c))! : 0, -1);
    }
    return made;
  };

  const place = new Int32Array(g.name.length);
  g.name.forEach((name, i) => {
    const isScope = scopes.has(name);
    const cut = name.lastIndexOf("/");
    const parent = isScope ? scope(name) : cut > 0 ? scope(name.slice(0, cut)) : 0;
    const id = isScope ? name + "/(op)" : name;
    place[i] = add(byId.has(id) ? `${id}#${i}` : id, isScope ? "(op)" : name.slice(cut + 1) || name, parent, i);
  });
  countLeaves(nodes);

  const edges = new Map<number, LevelEdge[]>();
  const seen = new Map<string, LevelEdge>();
  const { from, to, control, label } = g.edges;
  for (let e = 0; e < from.length; e++) {
    let a = place[from[e]];
    let b = place[to[e]];
    if (a === undefined || b === undefined || a === b) continue;
    while (nodes[a].depth > nodes[b].depth) a = nodes[a].parent;
    while (nodes[b].depth > nodes[a].depth) b = nodes[b].parent;
    if (a === b) continue;
    while (nodes[a].parent !== nodes[b].parent) {
      a = nodes[a].parent;
      b = nodes[b].parent;
    }
    const key = a + ">" + b;
    const old = seen.get(key);
    if (old) {
      old.n++;
      old.control &&= !!control[e];
      continue;
    }
    const made: LevelEdge = { from: a, to: b, n: 1, control: !!control[e], label: label?.[e] ?? "" };
    seen.set(key, made);
    const level = edges.get(nodes[a].parent);
    if (level) level.push(made);
    else edges.set(nodes[a].parent, [made]);
  }
  return { nodes, byId, edges };
}

function countLeaves(nodes: TreeNode[]): void {
  for (const n of nodes) n.leaves = n.leaf >= 0 ? 1 : 0;
  // children always come after their parent
  for (let i = nodes.length - 1; i > 0; i--) nodes[nodes[i].parent].leaves += nodes[i].leaves;
}

export function ancestors(tree: Tree, id: string): string[] {
  const out: string[] = [];
  for (let i = tree.byId.get(id) ?? 0; i > 0; i = tree.nodes[i].parent) out.push(tree.nodes[i].id);
  return out.slice(1);
}

/** Scopes that hold little beside one another are opened at once: a graph should not begin as a single box. */
export function worthOpening(tree: Tree): string[] {
  const out: string[] = [];
  let level = [0];
  let boxes = 0;
  while (level.length && boxes < 12) {
    const next = level.flatMap((i) => tree.nodes[i].children);
    // few boxes may be opened into many, some into some more: what is seen first should be read at a glance
    if (next.length > (boxes < 4 ? 120 : 30)) break;
    boxes = next.length;
    if (level[0] !== 0) for (const i of level) if (tree.nodes[i].leaf < 0) out.push(tree.nodes[i].id);
    level = next.filter((i) => tree.nodes[i].leaf < 0);
  }
  return out;
}
