// In: the columns of a capture. Out: lanes, each with its events and coarser and coarser versions of them, so that any zoom
// looks at a few thousand blocks at most. Not here: pixels (raster), the component (Timeline).

import { getFrame } from "../../api/client";

export interface Track {
  process: string;
  thread: string;
  layer: string;
  device: boolean;
}

/** Stretches of time with a colour; sorted, disjoint. The finest level has one for each event. */
export interface Level {
  start: Float64Array;
  end: Float64Array;
  colour: Uint8Array;
}

export interface Lane {
  track: number;
  depth: number;
  from: number; // its events: [from, to) of the columns
  to: number;
  levels: Level[]; // levels[0] is never stored: it is the columns themselves
}

export interface Curve {
  name: string;
  unit: string;
  time: Float64Array;
  value: Float64Array;
}

export interface Trace {
  names: string[];
  kinds: string[];
  tracks: Track[];
  end: number;
  start: Float64Array;
  duration: Float32Array;
  name: Uint32Array;
  kind: Uint8Array;
  row: Uint32Array;
  lanes: Lane[];
  flowSource: Uint32Array;
  flowTarget: Uint32Array;
  curves: Curve[];
}

type Spec = [type: string, offset: number, length: number];

export async function loadTrace(path: string, signal?: AbortSignal): Promise<Trace> {
  return decode(await getFrame(path, signal));
}

export function decode(buffer: ArrayBuffer): Trace {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== 0x3146504d) throw new Error("not a frame: the answer does not begin with MPF1");
  const size = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, size)));
  // whole numbers stay whole here: a million events as doubles would be twice the memory
  const column = ([type, offset, n]: Spec) => {
    const at = 8 + size + offset;
    if (type === "f8") return new Float64Array(buffer, at, n);
    if (type === "f4") return new Float32Array(buffer, at, n);
    return type === "u4" ? new Uint32Array(buffer, at, n) : new Uint8Array(buffer, at, n);
  };
  const c = header.columns as Record<string, Spec>;
  const begin = column(c.lane_begin) as Uint32Array;
  const tracks = column(c.lane_track) as Uint32Array;
  const lanes: Lane[] = [];
  for (let i = 0; i < tracks.length; i++) {
    const depth = i && tracks[i] === tracks[i - 1] ? lanes[i - 1].depth + 1 : 0;
    lanes.push({ track: tracks[i], depth, from: begin[i], to: begin[i + 1], levels: [] });
  }
  return {
    names: header.names, kinds: header.kinds, tracks: header.tracks, end: header.end, lanes,
    start: column(c.start) as Float64Array, duration: column(c.duration) as Float32Array, name: column(c.name) as Uint32Array,
    kind: column(c.kind) as Uint8Array, row: column(c.row) as Uint32Array,
    flowSource: column(c.flow_source) as Uint32Array, flowTarget: column(c.flow_target) as Uint32Array,
    curves: (header.curves as { name: string; unit: string; time: Spec; value: Spec }[]).map((m) => ({ name: m.name, unit: m.unit, time: column(m.time) as Float64Array, value: column(m.value) as Float64Array })),
  };
}

const FINEST = 2048; // ns; below this every event is drawn by itself
const STEP = 4; // each level is this much coarser
export const DIMMED = 255; // the colour of what a search did not find

/** Blocks shorter than `resolution` join a neighbour nearer than that; a block has the colour of its longest part. */
function coarser(start: Float64Array, end: Float64Array, colour: Uint8Array, from: number, to: number, resolution: number): Level {
  let n = 0;
  const s = new Float64Array(to - from);
  const e = new Float64Array(to - from);
  const c = new Uint8Array(to - from);
  let longest = 0;
  for (let i = from; i < to; i++) {
    const length = end[i] - start[i];
    const joins = n > 0 && start[i] - e[n - 1] < resolution && (length < resolution || e[n - 1] - s[n - 1] < resolution);
    if (!joins) {
      s[n] = start[i];
      e[n] = end[i];
      c[n] = colour[i];
      longest = length;
      n++;
      continue;
    }
    if (end[i] > e[n - 1]) e[n - 1] = end[i];
    // what a search found must not vanish behind what it did not
    if (c[n - 1] === DIMMED ? colour[i] !== DIMMED || length > longest : colour[i] !== DIMMED && length > longest) {
      c[n - 1] = colour[i];
      longest = length;
    }
  }
  return { start: s.slice(0, n), end: e.slice(0, n), colour: c.slice(0, n) };
}

/** Build every lane's levels for the colours of the names (DIMMED where a search does not match). */
export function buildLevels(trace: Trace, colourOfName: Uint8Array): void {
  const n = trace.start.length;
  const end = new Float64Array(n);
  const colour = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    end[i] = trace.start[i] + trace.duration[i];
    colour[i] = colourOfName[trace.name[i]];
  }
  for (const lane of trace.lanes) {
    lane.levels = [];
    let level = coarser(trace.start, end, colour, lane.from, lane.to, FINEST);
    let resolution = FINEST;
    lane.levels.push(level);
    while (level.start.length > 64 && resolution < trace.end) {
      resolution *= STEP;
      level = coarser(level.start, level.end, level.colour, 0, level.start.length, resolution);
      lane.levels.push(level);
    }
  }
}

/** The coarsest level that still shows everything a pixel can; -1: the events themselves. */
export function levelFor(lane: Lane, nsPerPixel: number): number {
  if (nsPerPixel < FINEST) return -1;
  const k = Math.floor(Math.log(nsPerPixel / FINEST) / Math.log(STEP));
  return Math.min(k, lane.levels.length - 1);
}

/** The first index in [from, to) whose start is after `time`. */
export function after(start: Float64Array, time: number, from: number, to: number): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (start[middle] <= time) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The event of a lane at a time, or -1. */
export function eventAt(trace: Trace, lane: Lane, time: number, slack: number): number {
  const i = after(trace.start, time + slack, lane.from, lane.to) - 1;
  if (i < lane.from) return -1;
  return trace.start[i] + trace.duration[i] >= time - slack ? i : -1;
}

export interface Sum {
  name: number;
  kind: number;
  count: number;
  total: number;
}

/** Events of the lanes that lie in a stretch of time, summed by name; only the part inside counts. */
export function sumUp(trace: Trace, lanes: Lane[], t0: number, t1: number): { rows: Sum[]; count: number } {
  const rows = new Map<number, Sum>();
  let count = 0;
  for (const lane of lanes) {
    let i = after(trace.start, t0, lane.from, lane.to);
    if (i > lane.from && trace.start[i - 1] + trace.duration[i - 1] > t0) i--;
    for (; i < lane.to && trace.start[i] < t1; i++) {
      const inside = Math.min(t1, trace.start[i] + trace.duration[i]) - Math.max(t0, trace.start[i]);
      const key = trace.name[i] * 16 + trace.kind[i];
      let row = rows.get(key);
      if (!row) rows.set(key, (row = { name: trace.name[i], kind: trace.kind[i], count: 0, total: 0 }));
      row.count++;
      row.total += inside;
      count++;
    }
  }
  return { rows: [...rows.values()].sort((a, b) => b.total - a.total), count };
}
