// The table of pages. A new page is one folder under views/ and one line here; each is
// loaded when first looked at; the scalars come with the page, because they are what most people open it for.

import type { ComponentType } from "preact";
import { info } from "../data/board";
import Scalars from "../views/scalars";

export interface View {
  id: string;
  title: string;
  load(): Promise<{ default: ComponentType }>;
  /** pages without data stay reachable, but stand back */
  has(): boolean;
  /** few people log these: without data it has no tab, only its address */
  rare?: boolean;
}

const plugin = (name: string) => () => (info.value?.plugins[name] ?? 0) > 0;

export const VIEWS: View[] = [
  { id: "scalars", title: "Scalars", load: async () => ({ default: Scalars }), has: plugin("scalars") },
  { id: "images", title: "Images", load: () => import("../views/images"), has: plugin("images") },
  { id: "audio", title: "Audio", load: () => import("../views/audio"), has: plugin("audio") },
  { id: "text", title: "Text", load: () => import("../views/text"), has: plugin("text") },
  { id: "histograms", title: "Histograms", load: () => import("../views/histograms"), has: plugin("histograms") },
  { id: "distributions", title: "Distributions", load: () => import("../views/distributions"), has: plugin("histograms") },
  { id: "graphs", title: "Graphs", load: () => import("../views/graphs"), has: plugin("graphs") },
  { id: "profile", title: "Profile", load: () => import("../views/profile"), has: () => (info.value?.profiles ?? 0) > 0 },
  { id: "hparams", title: "HParams", load: () => import("../views/hparams"), has: plugin("hparams") },
  { id: "pr_curves", title: "PR curves", load: () => import("../views/pr_curves"), has: plugin("pr_curves") },
  { id: "meshes", title: "Meshes", load: () => import("../views/meshes"), has: plugin("meshes"), rare: true },
  { id: "projector", title: "Projector", load: () => import("../views/projector"), has: () => (info.value?.embeddings ?? 0) > 0, rare: true },
  { id: "checkpoints", title: "Checkpoints", load: () => import("../views/checkpoints"), has: () => (info.value?.checkpoints ?? 0) > 0 },
  { id: "runs", title: "Runs", load: () => import("../views/runs"), has: () => (info.value?.runs ?? 0) > 0 },
];
