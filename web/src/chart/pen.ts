// In: the drawing calls that the painter makes. Out: the text of an SVG file. The painter cannot tell it from a canvas,
// so what is exported is what is seen. Only the calls that the painter uses are here.

export type Pen = Pick<
  CanvasRenderingContext2D,
  | "beginPath" | "moveTo" | "lineTo" | "closePath" | "rect" | "arc" | "stroke" | "fill" | "fillText" | "measureText"
  | "save" | "restore" | "clip" | "setLineDash" | "strokeStyle" | "fillStyle" | "lineWidth" | "globalAlpha" | "font"
  | "textAlign" | "textBaseline" | "lineJoin" | "fillRect" | "translate" | "rotate"
>;

interface State {
  strokeStyle: string;
  fillStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  lineJoin: CanvasLineJoin;
  dash: number[];
  clip: string;
  transform: string;
}

const ANCHOR: Record<string, string> = { left: "start", start: "start", center: "middle", right: "end", end: "end" };
const SHIFT: Record<string, string> = { top: "0.8em", hanging: "0.8em", middle: "0.35em", alphabetic: "0", bottom: "-0.2em" };

export function escapeXml(text: string): string {
  // control characters are not allowed in XML 1.0, whatever a tag may hold
  return text
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd")
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

const n2 = (v: number) => String(Math.round(v * 100) / 100);

export class SvgPen {
  private out: string[] = [];
  private path: string[] = [];
  private stack: State[] = [];
  private clips = 0;
  private s: State = {
    strokeStyle: "#000", fillStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "12px sans-serif",
    textAlign: "start", textBaseline: "alphabetic", lineJoin: "miter", dash: [], clip: "", transform: "",
  };
  private ruler = document.createElement("canvas").getContext("2d")!;

  constructor(private width: number, private height: number) {}

  set strokeStyle(v: string) { this.s.strokeStyle = v; }
  set fillStyle(v: string) { this.s.fillStyle = v; }
  set lineWidth(v: number) { this.s.lineWidth = v; }
  set globalAlpha(v: number) { this.s.globalAlpha = v; }
  get globalAlpha() { return this.s.globalAlpha; }
  set font(v: string) { this.s.font = v; }
  get font() { return this.s.font; }
  set textAlign(v: CanvasTextAlign) { this.s.textAlign = v; }
  set textBaseline(v: CanvasTextBaseline) { this.s.textBaseline = v; }
  set lineJoin(v: CanvasLineJoin) { this.s.lineJoin = v; }

  save() { this.stack.push({ ...this.s }); }
  restore() { const last = this.stack.pop(); if (last) this.s = last; }
  setLineDash(d: number[]) { this.s.dash = d; }
  beginPath() { this.path = []; }
  moveTo(x: number, y: number) { this.path.push(`M${n2(x)} ${n2(y)}`); }
  lineTo(x: number, y: number) { this.path.push(`L${n2(x)} ${n2(y)}`); }
  closePath() { this.path.push("Z"); }
  rect(x: number, y: number, w: number, h: number) { this.path.push(`M${n2(x)} ${n2(y)}h${n2(w)}v${n2(h)}h${n2(-w)}Z`); }
  arc(x: number, y: number, r: number) {
    this.path.push(`M${n2(x - r)} ${n2(y)}a${n2(r)} ${n2(r)} 0 1 0 ${n2(2 * r)} 0a${n2(r)} ${n2(r)} 0 1 0 ${n2(-2 * r)} 0`);
  }
  translate(x: number, y: number) { this.s.transform += `translate(${n2(x)} ${n2(y)})`; }
  rotate(a: number) { this.s.transform += `rotate(${n2((a * 180) / Math.PI)})`; }
  clip() {
    const id = "c" + this.clips++;
    this.out.push(`<clipPath id="${id}"><path d="${this.path.join("")}"/></clipPath>`);
    this.s.clip = ` clip-path="url(#${id})"`;
  }
  private common(): string {
    const s = this.s;
    return (s.globalAlpha < 1 ? ` opacity="${n2(s.globalAlpha)}"` : "") + s.clip + (s.transform ? ` transform="${s.transform}"` : "");
  }
  stroke() {
    const s = this.s;
    if (!this.path.length) return;
    const dash = s.dash.length ? ` stroke-dasharray="${s.dash.join(" ")}"` : "";
    this.out.push(`<path d="${this.path.join("")}" fill="none" stroke="${s.strokeStyle}" stroke-width="${n2(s.lineWidth)}" stroke-linejoin="${s.lineJoin}"${dash}${this.common()}/>`);
  }
  fill() {
    if (this.path.length) this.out.push(`<path d="${this.path.join("")}" fill="${this.s.fillStyle}"${this.common()}/>`);
  }
  fillRect(x: number, y: number, w: number, h: number) {
    this.out.push(`<rect x="${n2(x)}" y="${n2(y)}" width="${n2(w)}" height="${n2(h)}" fill="${this.s.fillStyle}"${this.common()}/>`);
  }
  fillText(text: string, x: number, y: number) {
    const s = this.s;
    const font = /(?:(\d+) )?([\d.]+)px (.*)/.exec(s.font);
    const weight = font?.[1] ? ` font-weight="${font[1]}"` : "";
    this.out.push(`<text x="${n2(x)}" y="${n2(y)}" dy="${SHIFT[s.textBaseline] ?? "0"}" fill="${s.fillStyle}" text-anchor="${ANCHOR[s.textAlign]}" font-size="${font?.[2] ?? 12}" font-family="${escapeXml(font?.[3] ?? "sans-serif")}"${weight}${this.common()}>${escapeXml(text)}</text>`);
  }
  measureText(text: string): TextMetrics {
    this.ruler.font = this.s.font;
    return this.ruler.measureText(text);
  }

  text(): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}">${this.out.join("")}</svg>`;
  }
}
