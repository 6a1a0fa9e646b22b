// In: a checkpoint's id. Out: the checkpoints page, with that one open. Views do not import views: they meet in the address.

import type { Signal } from "@preact/signals";
import { param, text } from "./address";

export const openedCheckpoint = param("ckpt", "", text);

export function openCheckpoint(id: string, view: Signal<string>): void {
  openedCheckpoint.value = id;
  view.value = "checkpoints";
}
