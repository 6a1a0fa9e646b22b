// In: a run's status. Out: a dot and a word; the shape differs too, so that colour is not the only sign.

import type { Run, Status as S } from "../api/types";
import { age } from "../base/format";

const WORDS: Record<S, string> = { live: "live", finished: "done", quiet: "quiet" };

export function Status({ run, word }: { run: Run; word?: boolean }) {
  const said = WORDS[run.status] ?? run.status;
  const since = run.status === "quiet" && run.end !== null ? `, last point ${age(run.end)}` : "";
  return (
    <span class={`status ${run.status}`} title={`${said}${since}: ${run.status_why}`}>
      <span class="status-dot" aria-hidden="true" />
      {word ? said : <span class="sr">{said}</span>}
    </span>
  );
}
