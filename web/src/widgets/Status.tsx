// In: a run's status. Out: a dot and a word; the shape differs too, so that colour is not the only sign.

import type { Status as S } from "../api/types";

const WORDS: Record<S, string> = { live: "live", finished: "done", stalled: "stalled" };

export function Status({ status, word }: { status: S; word?: boolean }) {
  return (
    <span class={`status ${status}`} title={WORDS[status]}>
      <span class="status-dot" aria-hidden="true" />
      {word ? WORDS[status] : <span class="sr">{WORDS[status]}</span>}
    </span>
  );
}
