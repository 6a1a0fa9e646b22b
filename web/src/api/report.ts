// In: the data that `milepost runs report` put into the page. Out: the same answers that a server would give.
// Not here: cutting and smoothing of the one frame of series (data/local).

interface Report {
  format: number;
  made: number;
  responses: Record<string, unknown>;
  blobs: Record<string, string>;
  series: string;
}

const element = typeof document === "undefined" ? null : document.getElementById("milepost-report");
export const report: Report | null = element?.textContent?.trim().startsWith("{") ? (JSON.parse(element.textContent) as Report) : null;
export const inReport = report !== null;

function bytes(base64: string): ArrayBuffer {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out.buffer;
}

export function reportAnswer<T>(path: string): T {
  const found = report!.responses[path] ?? report!.responses[path.split("?")[0]];
  if (found === undefined) throw new Error("this report does not hold " + path);
  return found as T;
}

export function reportFrame(path: string): ArrayBuffer {
  return bytes(reportAnswer<string>(path));
}

export function reportBlob(id: string): string {
  return report!.blobs[id] ?? "";
}

export function reportSeries(): ArrayBuffer {
  return bytes(report!.series);
}
