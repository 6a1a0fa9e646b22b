// In: numbers, seconds, bytes. Out: short exact text with tabular digits in mind. Not here: axis ticks (base/ticks).

const THIN = "\u202f";

/** 12340 → "12 340" with thin spaces: readable, and the same in every locale. */
export function integer(n: number): string {
  if (!Number.isFinite(n)) return String(n);
  return Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
}

/** A value to `digits` significant digits; never a trailing zero, never "1e+0". */
export function value(v: number | null | undefined, digits = 4): string {
  if (v === null || v === undefined) return "–";
  if (Number.isNaN(v)) return "NaN";
  if (v === Infinity) return "+∞";
  if (v === -Infinity) return "−∞";
  if (v === 0) return "0";
  const a = Math.abs(v);
  let text: string;
  if (a >= 1e6 || a < 1e-4) text = v.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  else if (a >= 1000 && Number.isInteger(v)) return (v < 0 ? "−" : "") + integer(a);
  else text = String(Number(v.toPrecision(digits)));
  return text.replace(/-/g, "−");
}

/** The full double, as it would be typed: for copying. */
export function exact(v: number): string {
  return Number.isNaN(v) ? "nan" : v === Infinity ? "inf" : v === -Infinity ? "-inf" : String(v);
}

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const sign = seconds < 0 ? "−" : "";
  const s = Math.abs(seconds);
  if (s < 1) return sign + Math.round(s * 1000) + " ms";
  if (s < 60) return sign + (s < 10 ? s.toFixed(1) : Math.round(s)) + " s";
  if (s < 3600) return `${sign}${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`;
  if (s < 86400) return `${sign}${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${sign}${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

export function age(wall: number, now = Date.now() / 1000): string {
  const s = now - wall;
  if (!Number.isFinite(s)) return "–";
  if (s < 5) return "now";
  if (s < 60) return Math.floor(s) + " s ago";
  if (s < 3600) return Math.floor(s / 60) + " min ago";
  if (s < 86400) return Math.floor(s / 3600) + " h ago";
  if (s < 30 * 86400) return Math.floor(s / 86400) + " d ago";
  return date(wall);
}

const two = (n: number) => String(n).padStart(2, "0");

export function date(wall: number): string {
  const d = new Date(wall * 1000);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

export function clock(wall: number): string {
  const d = new Date(wall * 1000);
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

export function bytes(n: number): string {
  if (n < 1000) return n + " B";
  const units = ["kB", "MB", "GB", "TB"];
  let i = -1;
  do {
    n /= 1000;
    i++;
  } while (n >= 999.5 && i < units.length - 1);
  return (n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : n.toFixed(0)) + " " + units[i];
}

export function plural(n: number, one: string, many = one + "s"): string {
  return `${integer(n)} ${n === 1 ? one : many}`;
}
