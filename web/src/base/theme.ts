// In: a theme's name. Out: the ink that canvases are drawn with. The same colours as in app/style.css, because a canvas
// cannot read custom properties cheaply.

import type { Theme } from "./colour";

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

export interface InkColours {
  text: string;
  muted: string;
  grid: string;
  background: string;
  accent: string;
  font: string;
}

export const INK: Record<Theme, InkColours> = {
  light: { text: "#1b1f24", muted: "#5b636d", grid: "#e9ecef", background: "#ffffff", accent: "#1f62d0", font: FONT },
  dark: { text: "#e4e7eb", muted: "#9aa3ae", grid: "#262b32", background: "#14171b", accent: "#74a9ff", font: FONT },
};
