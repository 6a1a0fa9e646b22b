// In: the board's event stream. Out: calls of `onChange` and `onProgress`, and whether the stream stands. Not here: what is
// asked again after a change (data/).

import type { Change, Progress } from "./types";
import { inReport } from "./report";

export interface LiveListener {
  onOpen(open: boolean): void;
  onHello(cursor: number, state: string): void;
  onProgress(state: "waiting" | "loading" | "ready", progress: Progress): void;
  onChange(change: Change): void;
}

const AGAIN_MS = 2000;

export function listen(listener: LiveListener): () => void {
  if (inReport) return () => {};
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout>;
  const start = () => {
    source = new EventSource("api/events");
    const data = (e: Event) => JSON.parse((e as MessageEvent).data);
    source.addEventListener("open", () => listener.onOpen(true));
    source.addEventListener("error", () => {
      listener.onOpen(false);
      // the browser tries again by itself after a broken stream, but gives up for good after a refusal
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(start, AGAIN_MS);
    });
    source.addEventListener("hello", (e) => listener.onHello(data(e).cursor, data(e).state));
    source.addEventListener("progress", (e) => listener.onProgress(data(e).state, data(e).progress));
    source.addEventListener("change", (e) => listener.onChange(data(e)));
  };
  start();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
