// The meshes page: point clouds and triangle meshes, turned with the mouse, fingers or keys; one camera for all cards if wished,
// so that runs and steps are compared from the same side. Not here: pixels (raster).

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { address, getBlob } from "../../api/client";
import type { MeshAnswer, MeshItem } from "../../api/types";
import { flag, isNumber, json, param } from "../../data/address";
import { integer, plural } from "../../base/format";
import { useFetch, useJson } from "../../data/fetch";
import { colourOf } from "../../data/runs";
import { linkSteps, useStep } from "../../data/steps";
import { Dialog } from "../../widgets/Dialog";
import { ErrorCard } from "../../widgets/Empty";
import { Toggle } from "../../widgets/Field";
import { IconButton } from "../../widgets/Icon";
import { RunTitle } from "../../widgets/RunTitle";
import { StepSlider } from "../../widgets/StepSlider";
import { TagPage, type TagCard } from "../../widgets/TagPage";
import { START, useOrbit } from "../../chart/orbit";
import { bounds, draw, toRgb, type Bounds, type Camera, type Mesh } from "../../chart/raster";

const CARD_HEIGHT = 340;
const linkCameras = param("lcam", true, flag);
const isCamera = (v: unknown) => Array.isArray(v) && v.length === 5 && v.every(isNumber);
/** [yaw, pitch, zoom, x, y] of all cards; null: as at the start */
const shared = param<number[] | null>("cam", null, json<number[] | null>((v) => v === null || isCamera(v)));

const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/first").as_default():
    summary.mesh("chair", vertices, faces=faces, colors=colors, step=0)   # batch × n × 3 each`;

export default function Meshes() {
  return (
    <TagPage plugin="meshes" keep={(t) => t.endsWith("_VERTEX")} named={(t) => t.replace(/_VERTEX$/, "")} fill="wide" cardHeight={CARD_HEIGHT} minWidth={300} empty={{ title: "No meshes yet", code: EXAMPLE }}
      toolbar={<>
        <Toggle label="same camera everywhere" value={linkCameras.value} onChange={(v) => (linkCameras.value = v)} />
        <Toggle label="same step everywhere" value={linkSteps.value} onChange={(v) => (linkSteps.value = v)} />
        {shared.value && linkCameras.value && <button type="button" class="link" onClick={() => (shared.value = null)}>reset the camera</button>}
      </>}
      render={(card, width) => <MeshCard card={card} width={width} />} />
  );
}

function useCamera(): [Camera, (c: Camera | null) => void] {
  const [own, setOwn] = useState<Camera>(START);
  const s = shared.value;
  const linked = linkCameras.value;
  const camera = linked ? (s ? { yaw: s[0], pitch: s[1], zoom: s[2], x: s[3], y: s[4] } : START) : own;
  const round = (v: number) => Math.round(v * 1000) / 1000;
  const set = (c: Camera | null) => {
    if (linkCameras.peek()) shared.value = c && [c.yaw, c.pitch, c.zoom, c.x, c.y].map(round);
    else setOwn(c ?? START);
  };
  return [camera, set];
}

async function readMesh(item: MeshItem, signal: AbortSignal): Promise<Mesh> {
  const part = (id: string | null) => (id ? getBlob(id, signal) : Promise.resolve(null));
  const [v, f, c] = await Promise.all([part(item.vertices), part(item.faces), part(item.colours)]);
  const vertices = new Float32Array(v!);
  const colours = c && new Uint8Array(c);
  return { vertices, faces: f && new Uint32Array(f), colours: colours && colours.length >= vertices.length ? colours : null };
}

function MeshCard({ card, width }: { card: TagCard; width: number }) {
  const { run, tag } = card;
  const name = tag.tag.replace(/_VERTEX$/, "");
  const { data, error } = useJson<MeshAnswer>(address("api/meshes", { run: run.id, tag: tag.tag }), run.id, "meshes");
  const [index, setIndex] = useStep(data?.step ?? []);
  const [open, setOpen] = useState(false);
  const [number, setNumber] = useState(0);
  const items = data && index >= 0 ? data.items[index] : [];
  const item = items[Math.min(number, items.length - 1)];
  const fault = error ?? item?.error;
  const facts = item && !item.error ? [item.n_faces ? plural(item.n_faces, "triangle") : "", plural(item.n_vertices, item.n_faces ? "vertex" : "point", item.n_faces ? "vertices" : "points")].filter(Boolean).join(" · ") : "";
  const label = `${name} of ${run.name}${data ? `, step ${integer(data.step[index] ?? 0)}` : ""}: ${facts}`;
  const foot = data && (
    <footer class="media-foot">
      <StepSlider steps={data.step} wall={data.wall} index={index} onChange={setIndex} label={`${name} of ${run.name}`} />
      <span class="dim">{facts}</span>
      {items.length > 1 && <button type="button" class="link" title="Show the next mesh of this step" onClick={() => setNumber((number + 1) % items.length)}>mesh {Math.min(number, items.length - 1) + 1} of {items.length}</button>}
    </footer>
  );
  return (
    <article class="card" aria-label={`${name} of ${run.name}`}>
      <RunTitle run={run}><IconButton name="expand" label="Full screen" disabled={!item} onClick={() => setOpen(true)} /></RunTitle>
      {fault ? <ErrorCard message={fault} /> : <Viewer item={item} run={run.id} width={width - 2} height={CARD_HEIGHT - 90} label={label} />}
      {foot}
      {open && (
        <Dialog title={`${name} · ${run.name}`} full onClose={() => setOpen(false)}>
          {fault ? <ErrorCard message={fault} /> : <Full item={item} run={run.id} label={label} />}
          {foot}
        </Dialog>
      )}
    </article>
  );
}

function Full(p: { item: MeshItem | undefined; run: string; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => setSize({ width: box.current!.clientWidth, height: box.current!.clientHeight }));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  return <div class="mesh-full" ref={box}>{size.width > 0 && <Viewer {...p} {...size} wheel />}</div>;
}

function Viewer(p: { item: MeshItem | undefined; run: string; width: number; height: number; label: string; wheel?: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [camera, setCamera] = useCamera();
  const key = p.item ? `mesh:${p.item.vertices}:${p.item.faces}:${p.item.colours}` : null;
  const { data: mesh, error } = useFetch<Mesh>(key, (_, signal) => readMesh(p.item!, signal), p.run, "meshes");
  // the frame stays as the first step that was seen set it: a shape that grows should be seen to grow
  const frame = useRef<Bounds | null>(null);
  const { colour } = colourOf(p.run);
  useEffect(() => {
    const e = canvas.current;
    if (!e || !mesh) return;
    const wait = requestAnimationFrame(() => {
      const r = Math.min(2, devicePixelRatio || 1);
      const [w, h] = [Math.max(1, Math.round(p.width * r)), Math.max(1, Math.round(p.height * r))];
      e.width = w;
      e.height = h;
      frame.current ??= bounds(mesh.vertices);
      const size = Math.max(1, Math.round(r * (mesh.vertices.length > 60_000 ? 1.5 : mesh.vertices.length > 6000 ? 2 : 4) * Math.min(2, Math.sqrt(camera.zoom))));
      e.getContext("2d")!.putImageData(draw(mesh, frame.current, camera, w, h, toRgb(colour), size), 0, 0);
      e.dataset.drawn = String(mesh.faces ? mesh.faces.length / 3 : mesh.vertices.length / 3);
    });
    return () => cancelAnimationFrame(wait);
  }, [mesh, camera.yaw, camera.pitch, camera.zoom, camera.x, camera.y, p.width, p.height, colour]);
  const orbit = useOrbit(canvas, camera, setCamera, p.width, p.height, !!p.wheel);
  if (error) return <ErrorCard message={error} />;
  return (
    <canvas ref={canvas} class="mesh" style={{ width: p.width + "px", height: p.height + "px" }} tabIndex={0} role="img" aria-roledescription="mesh" aria-label={p.label}
      title="Drag turns, Shift and drag moves, Ctrl and wheel zooms; arrows, + − and 0 do the same"
      {...orbit} />
  );
}
