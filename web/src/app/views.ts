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
}

const plugin = (name: string) => () => (info.value?.plugins[name] ?? 0) > 0;

export const VIEWS: View[] = [
  { id: "scalars", title: "Scalars", load: async () => ({ default: Scalars }), has: plugin("scalars") },
];
