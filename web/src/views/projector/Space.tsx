// In: points with colours, thumbnails and labels. Out: the canvas they are seen on, turned and zoomed; which one is under the pointer.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { INK } from "../../base/theme";
import { START, useOrbit } from "../../chart/orbit";
import { bounds, draw, project, type Camera } from "../../chart/raster";
import { theme } from "../../data/runs";

export interface Sheet {
  src: string;
  /** of one thumbnail */
  width: number;
  height: number;
  across: number;
}

export interface SpaceProps {
  vertices: Float32Array;
  rgb: Uint8Array;
  flat: boolean;
  selected: number;
  near: number[];
  hovered: number;
  onHover(i: number): void;
  onSelect(i: number): void;
  labelOf(i: number): string;
  rowOf(i: number): number;
  sheet: Sheet | null;
  thumbs: boolean;
  label: string;
}

const LEVEL: Camera = { yaw: 0, pitch: 0, zoom: 1, x: 0, y: 0 };
const THUMBS = 3000; // more would cover each other
const REACH = 12; // pixels
const NAMED = 8; // of the points nearest to the chosen one: more would cover each other

export function Space(p: SpaceProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [camera, setOwn] = useState<Camera>(START);
  const [sheet, setSheet] = useState<HTMLImageElement | null>(null);
  const start = p.flat ? LEVEL : START;
  const setCamera = (c: Camera | null) => setOwn(c === null ? start : p.flat ? { ...c, yaw: 0, pitch: 0 } : c);
  useEffect(() => setOwn(start), [p.flat]);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => setSize({ width: box.current!.clientWidth, height: box.current!.clientHeight }));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (!p.sheet) return;
    const image = new Image();
    image.onload = () => setSheet(image);
    image.src = p.sheet.src;
    return () => { image.onload = null; };
  }, [p.sheet?.src]);
  const around = useMemo(() => bounds(p.vertices), [p.vertices]);
  const at = useMemo(() => (size.width ? project(p.vertices, around, camera, size.width, size.height) : null), [p.vertices, around, camera, size]);
  const n = p.vertices.length / 3;
  const asPictures = p.thumbs && sheet && p.sheet && n <= THUMBS;

  const thumb = (pen: CanvasRenderingContext2D, i: number, x: number, y: number, side: number) => {
    const s = p.sheet!;
    const row = p.rowOf(i);
    const w = s.width >= s.height ? side : (side * s.width) / s.height;
    const h = s.width >= s.height ? (side * s.height) / s.width : side;
    pen.drawImage(sheet!, (row % s.across) * s.width, Math.floor(row / s.across) * s.height, s.width, s.height, x - w / 2, y - h / 2, w, h);
  };

  useEffect(() => {
    const e = canvas.current;
    if (!e || !at || !size.width) return;
    const wait = requestAnimationFrame(() => {
      const r = Math.min(2, devicePixelRatio || 1);
      const [w, h] = [Math.round(size.width * r), Math.round(size.height * r)];
      e.width = w;
      e.height = h;
      const pen = e.getContext("2d")!;
      if (asPictures) {
        pen.setTransform(r, 0, 0, r, 0, 0);
        pen.imageSmoothingEnabled = false;
        const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => at[3 * b + 2] - at[3 * a + 2]);
        const side = Math.max(8, Math.min(32, 24 * Math.sqrt(camera.zoom)));
        for (const i of order) if (at[3 * i] === at[3 * i]) thumb(pen, i, at[3 * i], at[3 * i + 1], side);
      } else {
        const dot = Math.max(2, Math.round(r * (n > 20_000 ? 1.5 : n > 2000 ? 3 : 5)));
        pen.putImageData(draw({ vertices: p.vertices, faces: null, colours: p.rgb }, around, camera, w, h, [0, 0, 0], dot), 0, 0);
      }
      e.dataset.drawn = String(n);
    });
    return () => cancelAnimationFrame(wait);
  }, [at, p.rgb, asPictures, theme.value]);

  useLayoutEffect(() => {
    const e = over.current;
    if (!e || !at || !size.width) return;
    const r = Math.min(2, devicePixelRatio || 1);
    e.width = Math.round(size.width * r);
    e.height = Math.round(size.height * r);
    const pen = e.getContext("2d")!;
    pen.setTransform(r, 0, 0, r, 0, 0);
    const ink = INK[theme.value];
    pen.font = `12px ${ink.font}`;
    pen.textBaseline = "middle";
    const ring = (i: number, radius: number, colour: string) => {
      pen.strokeStyle = colour;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(at[3 * i], at[3 * i + 1], radius, 0, 2 * Math.PI);
      pen.stroke();
    };
    const say = (i: number) => {
      const words = p.labelOf(i).slice(0, 80);
      const x = at[3 * i] + 12;
      pen.strokeStyle = ink.background;
      pen.lineWidth = 4;
      pen.strokeText(words, x, at[3 * i + 1]);
      pen.fillStyle = ink.text;
      pen.fillText(words, x, at[3 * i + 1]);
    };
    for (const i of p.near.slice(0, 500)) ring(i, 5, ink.accent);
    for (const i of p.near.slice(0, NAMED)) say(i);
    for (const i of [p.selected, p.hovered]) {
      if (i < 0 || i >= n) continue;
      ring(i, 7, ink.text);
      say(i);
      if (sheet && p.sheet && i === p.hovered) {
        pen.imageSmoothingEnabled = false;
        thumb(pen, i, Math.min(size.width - 40, at[3 * i] + 44), Math.max(44, at[3 * i + 1] - 48), 64);
      }
    }
  }, [at, p.near, p.selected, p.hovered, sheet, theme.value]);

  const under = (x: number, y: number): number => {
    if (!at) return -1;
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < n; i++) {
      const d = Math.hypot(at[3 * i] - x, at[3 * i + 1] - y);
      // of two under the pointer the one in front
      if (d < REACH && d + at[3 * i + 2] < least) { best = i; least = d + at[3 * i + 2]; }
    }
    return best;
  };
  const orbit = useOrbit(over, camera, setCamera, size.width, size.height, true, (x, y) => p.onSelect(under(x, y)), (x, y) => { const i = under(x, y); if (i !== p.hovered) p.onHover(i); });
  const style = { width: size.width + "px", height: size.height + "px" };
  return (
    <div class="graph-canvas" ref={box}>
      <canvas ref={canvas} class="space" style={style} aria-hidden="true" />
      <canvas ref={over} class="space mesh" style={style} tabIndex={0} role="img" aria-roledescription="point cloud" aria-label={`${p.label}. The list beside it finds points by label.`} {...orbit} onPointerLeave={() => p.onHover(-1)} />
    </div>
  );
}
