// In: the bytes of an "MPF1" answer. Out: its header and typed arrays on the same bytes, not copied. Not here: requests.

export type ColumnSpec = [type: string, offset: number, length: number, base?: number];

export interface Frame<H> {
  header: H;
  column(spec: ColumnSpec): Float64Array | Float32Array;
}

export function readFrame<H>(buffer: ArrayBuffer): Frame<H> {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== 0x3146504d) throw new Error("not a frame: the answer does not begin with MPF1");
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as H;
  const start = 8 + length;
  // lines of runs that logged at the same steps point at one x column: it is made once
  const whole = new Map<number, Float64Array>();
  return {
    header,
    column([type, offset, n, base]) {
      const at = start + offset;
      if (type === "f8") return new Float64Array(buffer, at, n);
      if (type === "f4") return new Float32Array(buffer, at, n);
      const made = whole.get(at);
      if (made && made.length === n) return made;
      const packed = type === "u4" ? new Uint32Array(buffer, at, n) : new Uint8Array(buffer, at, n);
      const out = new Float64Array(n);
      const add = base ?? 0;
      for (let i = 0; i < n; i++) out[i] = packed[i] + add;
      whole.set(at, out);
      return out;
    },
  };
}
