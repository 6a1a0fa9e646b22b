// The shapes of docs/reference/http-api.md, as TypeScript. Nothing else.

/** JSON has no NaN or infinity: a value may be one of these words. */
export type Num = number | "NaN" | "Infinity" | "-Infinity" | null;

export interface Progress {
  files_done: number;
  files: number;
  bytes_done: number;
  bytes: number;
}

export interface Info {
  version: string;
  title: string;
  logdir: string;
  read_only: boolean;
  reload_interval: number;
  live: boolean;
  started: number;
  now: number;
  state: "waiting" | "loading" | "ready";
  progress: Progress;
  runs: number;
  points: number;
  plugins: Record<string, number>;
  checkpoints: number;
  profiles: number;
  embeddings?: number;
  problems: { where: string; message: string }[];
}

/** "quiet": nothing new, and nobody can know whether more will come. */
export type Status = "live" | "finished" | "quiet";

export interface Metric {
  last: Num;
  last_step: number | null;
  min: Num;
  min_step: number | null;
  max: Num;
  max_step: number | null;
  count: number;
}

export interface Run {
  id: string;
  name: string;
  colour: number;
  status: Status;
  status_why: string;
  start: number | null;
  end: number | null;
  age: number | null;
  step: number | null;
  points: number;
  tags: number;
  bytes: number;
  files: number;
  note: string;
  labels: string[];
  hidden: boolean;
  trashed: boolean;
  pinned: boolean;
  hparams: Record<string, number | string | boolean>;
  checkpoints: number;
  restarts: number[];
  metrics: Record<string, Metric>;
  problems: string[];
}

export interface RunsAnswer {
  runs: Run[];
  metrics: string[];
  gone: string[];
}

export interface Tag {
  tag: string;
  runs: number[];
  name: string;
  description: string;
  points: number;
  items?: number;
}

export interface TagsAnswer {
  runs: string[];
  plugins: Record<string, Tag[]>;
}

export interface Badge {
  read: number;
  dropped: number;
  purged: number;
  nan: number;
  inf: number;
  truncated: { file: string; byte: number } | null;
  restarts: number[];
  bad_records: number;
}

export interface MediaItem {
  blob?: string;
  error?: string;
  bytes?: number;
  width?: number;
  height?: number;
  type?: string;
  label?: string;
  rate?: number;
  channels?: number;
  seconds?: number;
}

export interface MediaAnswer {
  run: string;
  tag: string;
  count: number;
  offset: number;
  step: number[];
  wall: number[];
  items: MediaItem[][];
}

export interface MeshItem {
  vertices: string;
  faces: string | null;
  colours: string | null;
  n_vertices: number;
  n_faces: number;
  error?: string;
}

export interface MeshAnswer {
  run: string;
  tag: string;
  count: number;
  offset: number;
  step: number[];
  wall: number[];
  config: Record<string, unknown>;
  items: MeshItem[][];
}

export interface TextAnswer {
  run: string;
  tag: string;
  count: number;
  offset: number;
  step: number[];
  wall: number[];
  text: { shape: number[]; values: string[]; cut?: boolean }[];
}

export interface PrAnswer {
  run: string;
  tag: string;
  count: number;
  offset: number;
  step: number[];
  wall: number[];
  curves: Record<"precision" | "recall" | "tp" | "fp" | "tn" | "fn" | "thresholds", number[]>[];
}

export interface HParamsAnswer {
  hparams: { name: string; type: "number" | "string" | "bool"; values: (number | string | boolean)[]; name_shown?: string }[];
  metrics: { tag: string; name: string }[];
  rows: {
    run: string;
    values: Record<string, number | string | boolean>;
    status: string;
    metrics: Record<string, { last: Num; min: Num; max: Num }>;
  }[];
}

export interface GraphAnswer {
  kind: string;
  name: string[];
  op: string[];
  device: string[];
  shape?: string[];
  edges: { from: number[]; to: number[]; control: boolean[]; label: string[] };
  attrs: Record<string, unknown>[];
  count: number;
  cut: boolean;
}

export interface Checkpoint {
  run: string;
  id: string;
  prefix: string;
  number: number | null;
  step: number | null;
  wall: number | null;
  bytes: number;
  variables: number;
  pinned: boolean;
  latest: boolean;
  metrics: Record<string, Num>;
  error: string | null;
}

export interface CheckpointDetail extends Checkpoint {
  files: { name: string; bytes: number }[];
  tensors: { name: string; dtype: string; shape: number[]; bytes: number; shard: number }[];
  cut: boolean;
}

export interface Change {
  cursor: number;
  runs: string[];
  plugins: string[];
  new_runs: string[];
  gone: string[];
  tags: boolean;
  meta: boolean;
  checkpoints: boolean;
}

export interface CustomScalars {
  categories: {
    title: string;
    closed: boolean;
    charts: { title: string; kind: "multiline" | "margin"; tags: string[]; series?: { value: string; lower: string; upper: string }[] }[];
  }[];
}

export function num(v: Num | undefined): number | null {
  return v === null || v === undefined ? null : typeof v === "number" ? v : Number(v);
}
