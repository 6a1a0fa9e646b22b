// In: a canvas and a camera. Out: handlers with which mouse, wheel, fingers and keys turn, move and zoom it. Not here: drawing (raster).

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Camera } from "./raster";

export const START: Camera = { yaw: 0.6, pitch: 0.35, zoom: 1, x: 0, y: 0 };

export function useOrbit(canvas: RefObject<HTMLCanvasElement | null>, camera: Camera, setCamera: (c: Camera | null) => void, width: number, height: number, wheelZooms: boolean, onClick?: (x: number, y: number) => void, onHover?: (x: number, y: number) => void) {
  const drag = useRef<{ x: number; y: number; from: Camera; pan: boolean; moved: boolean } | null>(null);
  const turned = (c: Camera, dx: number, dy: number): Camera => ({ ...c, yaw: c.yaw + dx, pitch: Math.min(1.57, Math.max(-1.57, c.pitch + dy)) });
  const zoomed = (k: number) => setCamera({ ...camera, zoom: Math.min(50, Math.max(0.1, camera.zoom * k)) });
  useEffect(() => {
    const e = canvas.current;
    if (!e) return;
    // not through the component: only a listener that says so may stop the page from scrolling
    const wheel = (w: WheelEvent) => {
      if (!(wheelZooms || w.ctrlKey || w.metaKey)) return;
      w.preventDefault();
      zoomed(Math.exp(-Math.sign(w.deltaY) * 0.15));
    };
    e.addEventListener("wheel", wheel, { passive: false });
    return () => e.removeEventListener("wheel", wheel);
  });
  const place = (e: PointerEvent) => {
    const r = canvas.current!.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top] as const;
  };
  return {
    onPointerDown: (e: PointerEvent) => {
      drag.current = { x: e.clientX, y: e.clientY, from: camera, pan: e.shiftKey || e.button === 1, moved: false };
      canvas.current!.setPointerCapture(e.pointerId);
    },
    onPointerMove: (e: PointerEvent) => {
      const d = drag.current;
      if (!d) return onHover?.(...place(e));
      const dx = e.clientX - d.x;
      const dy = e.clientY - d.y;
      d.moved ||= Math.hypot(dx, dy) > 3;
      if (d.moved) setCamera(d.pan ? { ...d.from, x: d.from.x + dx / width, y: d.from.y + dy / height } : turned(d.from, dx * 0.01, dy * 0.01));
    },
    onPointerUp: (e: PointerEvent) => {
      const d = drag.current;
      drag.current = null;
      if (d && !d.moved) onClick?.(...place(e));
    },
    onPointerCancel: () => (drag.current = null),
    onDblClick: () => setCamera(null),
    onKeyDown: (e: KeyboardEvent) => {
      switch (e.key) {
        case "ArrowLeft": setCamera(turned(camera, -0.15, 0)); break;
        case "ArrowRight": setCamera(turned(camera, 0.15, 0)); break;
        case "ArrowUp": setCamera(turned(camera, 0, 0.15)); break;
        case "ArrowDown": setCamera(turned(camera, 0, -0.15)); break;
        case "+": case "=": zoomed(1.25); break;
        case "-": zoomed(0.8); break;
        case "0": setCamera(null); break;
        default: return;
      }
      e.preventDefault();
      e.stopPropagation();
    },
  };
}
