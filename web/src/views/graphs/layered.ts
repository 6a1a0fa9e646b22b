// In: boxes and edges of one scope. Out: places, in layers from top to bottom, in time linear in the edges: for scopes too
// wide for dagre, whose crossing minimisation takes minutes on thousands of boxes.

export interface Box {
  width: number;
  height: number;
}

export interface Placed {
  x: Float64Array;
  y: Float64Array;
  width: number;
  height: number;
}

const GAP_X = 24;
const GAP_Y = 48;
const MAX_ROW = 6000; // a layer of thousands of boxes is folded into rows

export function layered(boxes: Box[], edges: [number, number][]): Placed {
  const n = boxes.length;
  const outs: number[][] = Array.from({ length: n }, () => []);
  const ins: number[][] = Array.from({ length: n }, () => []);
  const waiting = new Int32Array(n);
  for (const [a, b] of edges) {
    outs[a].push(b);
    ins[b].push(a);
    waiting[b]++;
  }
  const layer = new Int32Array(n);
  const queue: number[] = [];
  const done = new Uint8Array(n);
  for (let i = 0; i < n; i++) if (!waiting[i]) queue.push(i);
  let head = 0;
  let next = 0;
  for (let count = 0; count < n; count++) {
    if (head >= queue.length) {
      // a cycle: its first unplaced box goes on as if its inputs were there
      while (next < n && done[next]) next++;
      if (next >= n) break;
      queue.push(next);
    }
    const i = queue[head++];
    if (done[i]) { count--; continue; }
    done[i] = 1;
    for (const j of outs[i]) {
      if (done[j]) continue;
      layer[j] = Math.max(layer[j], layer[i] + 1);
      if (--waiting[j] === 0) queue.push(j);
    }
  }
  const layers: number[][] = [];
  for (let i = 0; i < n; i++) (layers[layer[i]] ??= []).push(i);
  const rows = layers.filter(Boolean);
  const order = new Float64Array(n);
  rows.forEach((row) => row.forEach((i, k) => (order[i] = k)));
  for (let sweep = 0; sweep < 4; sweep++) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      const weight = new Map<number, number>();
      for (const i of row) {
        const near = down ? ins[i] : outs[i];
        let sum = 0;
        for (const j of near) sum += order[j];
        weight.set(i, near.length ? sum / near.length : order[i]);
      }
      row.sort((a, b) => weight.get(a)! - weight.get(b)!);
      row.forEach((i, k) => (order[i] = k));
    }
  }
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  let top = 0;
  let widest = 0;
  const lines: number[][] = [];
  for (const row of rows) {
    let line: number[] = [];
    let used = 0;
    for (const i of row) {
      if (used + boxes[i].width > MAX_ROW && line.length) { lines.push(line); line = []; used = 0; }
      line.push(i);
      used += boxes[i].width + GAP_X;
    }
    lines.push(line);
  }
  for (const line of lines) widest = Math.max(widest, line.reduce((s, i) => s + boxes[i].width + GAP_X, -GAP_X));
  for (const line of lines) {
    const total = line.reduce((s, i) => s + boxes[i].width + GAP_X, -GAP_X);
    const tall = Math.max(...line.map((i) => boxes[i].height));
    let at = (widest - total) / 2;
    for (const i of line) {
      x[i] = at + boxes[i].width / 2;
      y[i] = top + tall / 2;
      at += boxes[i].width + GAP_X;
    }
    top += tall + GAP_Y;
  }
  return { x, y, width: Math.max(1, widest), height: Math.max(1, top - GAP_Y) };
}
