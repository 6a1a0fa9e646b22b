// The keys of the page: what they do, in a dialog; and the listener that does the page-wide ones.

import { signal } from "@preact/signals";
import { paused, refresh, setPaused } from "../data/board";
import { view } from "../data/address";
import { Dialog } from "../widgets/Dialog";
import { currentView, panelOpen } from "./Header";
import { VIEWS } from "./views";
import { toggleTheme } from "./theme";

export const helpOpen = signal(false);

const KEYS: [string, string][] = [
  ["f", "filter runs"], ["t", "filter tags"], ["r", "show or hide the runs"], ["[  ]", "page before, page after"],
  ["space", "pause or go on"], ["g", "look for new data now"], ["d", "dark or light"], ["?", "this list"],
  ["← →", "on a chart: move the cursor"], ["↑ ↓", "on a chart: choose a line"], ["+ −", "on a chart: zoom in, out"],
  ["Shift ← →", "on a chart: pan"], ["0", "on a chart: reset zoom"], ["Enter", "on a chart: full screen, or open the checkpoint"], ["s", "on a chart: order of the tooltip"], ["c", "on a chart: copy the values under the cursor"],
  ["drag", "zoom; Shift-drag pans; double-click resets; Ctrl-wheel zooms"],
];

export function Help() {
  return (
    <Dialog title="Keyboard" onClose={() => (helpOpen.value = false)}>
      <dl class="keys">{KEYS.map(([k, what]) => <div key={k}><dt><kbd>{k}</kbd></dt><dd>{what}</dd></div>)}</dl>
    </Dialog>
  );
}

export function startKeys(): void {
  window.addEventListener("keydown", (e) => {
    const at = e.target as HTMLElement;
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || at.closest("input:not([type=checkbox]):not([type=range]), textarea, select, dialog")) return;
    const focus = (id: string) => document.getElementById(id)?.focus();
    const step = (by: number) => {
      const i = VIEWS.findIndex((v) => v.id === currentView());
      view.value = VIEWS[(i + by + VIEWS.length) % VIEWS.length].id;
    };
    switch (e.key) {
      case "f": panelOpen.value = true; requestAnimationFrame(() => focus("run-filter")); break;
      case "t": focus("tag-filter"); break;
      case "r": panelOpen.value = !panelOpen.value; break;
      case "g": void refresh(); break;
      case "d": toggleTheme(); break;
      case "[": step(-1); break;
      case "]": step(1); break;
      case "?": helpOpen.value = true; break;
      case " ": if (at.closest("button, input, a, summary, audio")) return; setPaused(!paused.value); break;
      default: return;
    }
    e.preventDefault();
  });
}
