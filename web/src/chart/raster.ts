// In: points or triangles, a camera, a size. Out: pixels. A z-buffer in plain arrays and not WebGL: a browser gives a page a dozen
// WebGL contexts, a page of runs has more cards than that, and a hundred thousand triangles take a few tens of milliseconds.

export interface Mesh {
  /** xyz after xyz */
  vertices: Float32Array;
  /** three vertex numbers a triangle; null: a cloud of points */
  faces: Uint32Array | null;
  /** rgb a vertex, 0–255 */
  colours: Uint8Array | null;
}

export interface Camera {
  /** turns about the upright axis and the level one, in radians */
  yaw: number;
  pitch: number;
  zoom: number;
  /** shift in widths of the picture */
  x: number;
  y: number;
}

export interface Bounds {
  centre: [number, number, number];
  radius: number;
}

const DISTANCE = 3.2; // of the eye from the centre, in radii

export function bounds(v: Float32Array): Bounds {
  const lo = [Infinity, Infinity, Infinity];
  const hi = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < v.length; i++) {
    const k = i % 3;
    if (v[i] < lo[k]) lo[k] = v[i];
    if (v[i] > hi[k]) hi[k] = v[i];
  }
  if (!(lo[0] <= hi[0])) return { centre: [0, 0, 0], radius: 1 };
  return { centre: [(lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, (lo[2] + hi[2]) / 2], radius: Math.hypot(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]) / 2 || 1 };
}

/** Screen x, screen y and distance of every vertex, three numbers each; a vertex behind the eye or not finite is NaN. */
export function project(v: Float32Array, around: Bounds, camera: Camera, width: number, height: number): Float32Array {
  const out = new Float32Array(v.length);
  const [cy, sy] = [Math.cos(camera.yaw), Math.sin(camera.yaw)];
  const [cp, sp] = [Math.cos(camera.pitch), Math.sin(camera.pitch)];
  const [ox, oy, oz] = around.centre;
  const scale = Math.min(width, height) * 0.58 * camera.zoom * DISTANCE;
  const mx = width * (0.5 + camera.x);
  const my = height * (0.5 + camera.y);
  for (let i = 0; i + 2 < v.length; i += 3) {
    const x = (v[i] - ox) / around.radius;
    const y = (v[i + 1] - oy) / around.radius;
    const z = (v[i + 2] - oz) / around.radius;
    const x1 = x * cy + z * sy;
    const z1 = z * cy - x * sy;
    const y1 = y * cp - z1 * sp;
    const away = DISTANCE - (y * sp + z1 * cp);
    const k = away > 0.05 ? scale / away : NaN;
    out[i] = mx + x1 * k;
    out[i + 1] = my - y1 * k;
    out[i + 2] = away;
  }
  return out;
}

export type Rgb = [number, number, number];

const probe = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d", { willReadFrequently: true });

/** A colour of the style sheet as numbers. */
export function toRgb(css: string): Rgb {
  probe!.fillStyle = css;
  probe!.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe!.getImageData(0, 0, 1, 1).data;
  return [r, g, b];
}

export function draw(mesh: Mesh, around: Bounds, camera: Camera, width: number, height: number, colour: Rgb, pointSize: number): ImageData {
  const image = new ImageData(width, height);
  const depth = new Float32Array(width * height).fill(Infinity);
  const at = project(mesh.vertices, around, camera, width, height);
  if (mesh.faces?.length) triangles(image.data, depth, at, mesh, width, height, colour);
  else points(image.data, depth, at, mesh, width, height, colour, pointSize);
  return image;
}

function points(out: Uint8ClampedArray, depth: Float32Array, at: Float32Array, mesh: Mesh, width: number, height: number, colour: Rgb, size: number): void {
  const c = mesh.colours;
  for (let i = 0; i + 2 < at.length; i += 3) {
    const x0 = Math.round(at[i] - size / 2);
    const y0 = Math.round(at[i + 1] - size / 2);
    const z = at[i + 2];
    if (!(x0 < width && y0 < height && x0 + size > 0 && y0 + size > 0)) continue;
    // what is farther is fainter: a cloud without it has no front
    const alpha = 255 * Math.min(1, Math.max(0.35, 1.25 - (z - DISTANCE + 1) * 0.4));
    const [r, g, b] = c ? [c[i], c[i + 1], c[i + 2]] : colour;
    for (let y = Math.max(0, y0); y < Math.min(height, y0 + size); y++) {
      for (let x = Math.max(0, x0); x < Math.min(width, x0 + size); x++) {
        const p = y * width + x;
        if (z >= depth[p] || (size > 3 && (x === x0 || x === x0 + size - 1) && (y === y0 || y === y0 + size - 1))) continue; // no corners: a dot
        depth[p] = z;
        const q = p * 4;
        out[q] = r;
        out[q + 1] = g;
        out[q + 2] = b;
        out[q + 3] = alpha;
      }
    }
  }
}

function triangles(out: Uint8ClampedArray, depth: Float32Array, at: Float32Array, mesh: Mesh, width: number, height: number, colour: Rgb): void {
  const faces = mesh.faces!;
  const c = mesh.colours;
  const n = at.length / 3;
  const scale = Math.min(width, height) * 0.58 * DISTANCE;
  for (let f = 0; f + 2 < faces.length; f += 3) {
    const [i, j, k] = [faces[f], faces[f + 1], faces[f + 2]];
    if (i >= n || j >= n || k >= n) continue;
    const [ax, ay, az] = [at[3 * i], at[3 * i + 1], at[3 * i + 2]];
    const [bx, by, bz] = [at[3 * j], at[3 * j + 1], at[3 * j + 2]];
    const [cx, cy, cz] = [at[3 * k], at[3 * k + 1], at[3 * k + 2]];
    const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    if (!(area !== 0)) continue; // on edge, or NaN
    // the light is beside the eye; a side seen from behind is lit as well: logged meshes do not agree on which is which
    const nx = (by - ay) * (cz - az) - (bz - az) * (cy - ay);
    const ny = (bz - az) * (cx - ax) - (bx - ax) * (cz - az);
    const depthScale = scale / DISTANCE;
    const facing = Math.abs(area) / Math.hypot(area, nx * depthScale, ny * depthScale);
    const light = 0.3 + 0.7 * facing;
    const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx)));
    const right = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx)));
    const top = Math.max(0, Math.ceil(Math.min(ay, by, cy)));
    const bottom = Math.min(height - 1, Math.floor(Math.max(ay, by, cy)));
    for (let y = top; y <= bottom; y++) {
      for (let x = left; x <= right; x++) {
        const u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area;
        const v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area;
        const w = 1 - u - v;
        if (u < 0 || v < 0 || w < 0) continue;
        const z = u * az + v * bz + w * cz;
        const p = y * width + x;
        if (z >= depth[p]) continue;
        depth[p] = z;
        const q = p * 4;
        if (c) {
          out[q] = light * (u * c[3 * i] + v * c[3 * j] + w * c[3 * k]);
          out[q + 1] = light * (u * c[3 * i + 1] + v * c[3 * j + 1] + w * c[3 * k + 1]);
          out[q + 2] = light * (u * c[3 * i + 2] + v * c[3 * j + 2] + w * c[3 * k + 2]);
        } else {
          out[q] = light * colour[0];
          out[q + 1] = light * colour[1];
          out[q + 2] = light * colour[2];
        }
        out[q + 3] = 255;
      }
    }
  }
}
