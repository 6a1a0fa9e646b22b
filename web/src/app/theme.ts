// In: the system's preference and this browser's choice. Out: the theme signal and the attribute that the style sheet reads.

import { effect, signal } from "@preact/signals";
import { theme } from "../data/runs";

type Choice = "system" | "light" | "dark";
const KEY = "milepost-theme";

function stored(): Choice {
  try {
    const v = localStorage.getItem(KEY);
    return v === "light" || v === "dark" ? v : "system";
  } catch {
    return "system"; // storage may be forbidden, e.g. in a sandboxed frame
  }
}

export const themeChoice = signal<Choice>(stored());

export function startTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    theme.value = themeChoice.value === "system" ? (system.matches ? "dark" : "light") : themeChoice.value;
    document.documentElement.dataset.theme = theme.peek();
  };
  system.addEventListener("change", apply);
  effect(apply);
}

export function toggleTheme(): void {
  themeChoice.value = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, themeChoice.value);
  } catch {
    /* kept for this page only */
  }
}
