// The top line: where we are, the pages, and whether it is live.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { bytes, integer, plural } from "../base/format";
import { hash, view } from "../data/address";
import { connection, info, paused, problem, refresh, refreshing, setPaused } from "../data/board";
import { theme } from "../data/runs";
import { IconButton } from "../widgets/Icon";
import { toggleTheme } from "./theme";
import { VIEWS } from "./views";
import { helpOpen } from "./Help";

export const panelOpen = signal(typeof innerWidth === "undefined" || innerWidth >= 900);

export function currentView(): string {
  return VIEWS.some((v) => v.id === view.value) ? view.value : (VIEWS.find((v) => v.has())?.id ?? VIEWS[0].id);
}

export function Header() {
  const now = currentView();
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => { tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }); }, [now]);
  return (
    <header class="top">
      <IconButton name="runs" label="Runs (r)" on={panelOpen.value} onClick={() => (panelOpen.value = !panelOpen.value)} />
      <a class="brand" href={hash("")} title={info.value?.logdir} onClick={(e) => { e.preventDefault(); view.value = ""; }}>
        <svg width="18" height="18" viewBox="0 0 32 32" aria-hidden="true"><path d="M16 2 30 16 16 30 2 16Z" class="brand-mark" /><path d="m16 10 6 6-6 6-6-6Z" class="brand-hole" /></svg>
        <span class="brand-name">{info.value?.title || "milepost"}</span>
        <span class="brand-dir dim">{info.value?.logdir}</span>
      </a>
      <nav class="tabs" aria-label="Pages" ref={tabs}>
        {VIEWS.filter((v) => !v.rare || v.id === now || v.has()).map((v) => (
          <a key={v.id} href={hash(v.id)} class={v.has() ? "" : "without"} aria-current={v.id === now ? "page" : undefined}
            onClick={(e) => { if (!e.ctrlKey && !e.metaKey && !e.shiftKey) { e.preventDefault(); view.value = v.id; } }}>
            {v.title}
          </a>
        ))}
      </nav>
      <LiveState />
      <IconButton name={theme.value === "dark" ? "sun" : "moon"} label={theme.value === "dark" ? "Light theme" : "Dark theme"} onClick={toggleTheme} />
      <IconButton name="keys" label="Keyboard (?)" class="wide-only" onClick={() => (helpOpen.value = true)} />
    </header>
  );
}

function LiveState() {
  const i = info.value;
  if (connection.value === "report") return <span class="live dim">report</span>;
  const loading = i && i.state !== "ready";
  let word = connection.value === "open" ? "live" : connection.value === "lost" ? "no connection" : "connecting";
  let kind = connection.value as string;
  let title = i ? `${integer(i.points)} points in ${plural(i.runs, "run")}` : "";
  if (paused.value) { word = "paused"; kind = "paused"; }
  if (i?.state === "waiting") { word = "waiting"; kind = "loading"; title = `${i.logdir} does not exist yet`; }
  else if (loading) {
    const p = i.progress;
    word = p.bytes ? `loading ${Math.floor((100 * p.bytes_done) / p.bytes)} %` : "loading";
    kind = "loading";
    title = `still loading: ${p.files_done} of ${p.files} files, ${bytes(p.bytes_done)} of ${bytes(p.bytes)}`;
  }
  if (problem.value) title = problem.value;
  return (
    <span class="live-box">
      <span class={`live ${kind}`} role="status" title={title}><span class="live-dot" aria-hidden="true" /><span class="live-word">{word}</span></span>
      <IconButton name={paused.value ? "play" : "pause"} label={paused.value ? "Go on (space)" : "Pause updates (space)"} class="wide-only" on={paused.value} onClick={() => setPaused(!paused.value)} />
      <IconButton name="refresh" label="Look for new data now (g)" class={refreshing.value ? "turning" : ""} onClick={() => void refresh()} />
    </span>
  );
}
