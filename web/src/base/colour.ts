// In: a slot number and the theme. Out: a colour (hex) and a dash pattern. Not here: which run has which slot (data/runs).
//
// Twelve hues 30° apart in OKLCH, each at one of three lightness levels. Levels and order were found by a search for the
// largest smallest OKLab distance, of normal vision and (weighed 1.8) of protan and deutan vision, in both themes at once:
// any prefix is as distinguishable as can be. After twelve the dash pattern changes, so colour is never the only sign.

export type Theme = "light" | "dark";

const LEVELS: Record<Theme, number[]> = { light: [0.46, 0.57, 0.69], dark: [0.62, 0.74, 0.86] };
const CHROMA: Record<Theme, number> = { light: 0.17, dark: 0.15 };
const SLOTS: [level: number, hue: number][] = [
  [1, 255], [2, 105], [0, 15], [1, 165], [2, 345], [0, 285], [1, 75], [0, 195], [2, 225], [0, 45], [1, 315], [2, 135],
];
const DASHES: number[][] = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

function linear(l: number, c: number, h: number): [number, number, number] {
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
    -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
    -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z,
  ];
}

/** OKLCH as #rrggbb; chroma is lowered until the colour lies inside sRGB. */
export function oklch(l: number, c: number, h: number): string {
  let rgb = linear(l, c, h);
  while (c > 0 && rgb.some((v) => v < -1e-4 || v > 1.0001)) rgb = linear(l, (c -= 0.005), h);
  const byte = (v: number) => {
    const s = v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
    return Math.round(Math.min(1, Math.max(0, s)) * 255).toString(16).padStart(2, "0");
  };
  return "#" + rgb.map(byte).join("");
}

const cache = new Map<string, string>();

export function slotColour(slot: number, theme: Theme): string {
  const key = theme + (slot % SLOTS.length);
  let made = cache.get(key);
  if (!made) {
    const [level, hue] = SLOTS[slot % SLOTS.length];
    made = oklch(LEVELS[theme][level], CHROMA[theme], hue);
    cache.set(key, made);
  }
  return made;
}

export function slotDash(slot: number): number[] {
  return DASHES[Math.floor(slot / SLOTS.length) % DASHES.length];
}

/** A position 0..1 on a sequential scale (for colouring by a number): dark blue to yellow, even in lightness. */
export function sequential(at: number, theme: Theme): string {
  const t = Math.min(1, Math.max(0, Number.isFinite(at) ? at : 0));
  const [from, to] = theme === "light" ? [0.42, 0.78] : [0.5, 0.9];
  return oklch(from + (to - from) * t, 0.13, 285 - 185 * t);
}

/** The same colour as it is on white: exports are for paper, whatever the theme of the screen. */
export function onPaper(hex: string): string {
  for (let i = 0; i < SLOTS.length; i++) if (slotColour(i, "dark") === hex) return slotColour(i, "light");
  return hex;
}

export const SLOT_COUNT = SLOTS.length;

export function withAlpha(hex: string, alpha: number): string {
  return hex + Math.round(alpha * 255).toString(16).padStart(2, "0");
}
