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

export function listen(listener: LiveListener): () => void {
  if (inReport) return () => {};
  const source = new EventSource("api/events");
  source.addEventListener("open", () => listener.onOpen(true));
  source.addEventListener("error", () => listener.onOpen(false));
  source.addEventListener("hello", (e) => {
    const { cursor, state } = JSON.parse((e as MessageEvent).data);
    listener.onHello(cursor, state);
  });
  source.addEventListener("progress", (e) => {
    const { state, progress } = JSON.parse((e as MessageEvent).data);
    listener.onProgress(state, progress);
  });
  source.addEventListener("change", (e) => listener.onChange(JSON.parse((e as MessageEvent).data)));
  return () => source.close();
}
