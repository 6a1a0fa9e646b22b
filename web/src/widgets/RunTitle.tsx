// In: a run. Out: its name with its colour, as the head of a card.

import type { ComponentChildren } from "preact";
import type { Run } from "../api/types";
import { colourOf } from "../data/runs";
import { Swatch } from "./Swatch";

export function RunTitle({ run, tag, children }: { run: Run; tag?: string; children?: ComponentChildren }) {
  const { colour, dash } = colourOf(run.id);
  return (
    <header class="card-head">
      <h3 title={tag ? `${run.id} · ${tag}` : run.id}><Swatch colour={colour} dash={dash} />&nbsp;<span class="title-end">{run.name}</span>{tag && <span class="dim title-start">&nbsp;{tag}</span>}</h3>
      <div class="actions">{children}</div>
    </header>
  );
}
