// In: an address of the API. Out: its data, or one ApiError. Every request of the page goes through here, so that a report
// without a server answers from itself (api/report) and nothing else notices.

import { reportAnswer, reportBlob, reportFrame, inReport } from "./report";

export class ApiError extends Error {
  constructor(readonly code: string, message: string, readonly where: string | null, readonly todo: string | null) {
    super(message);
  }
}

export interface Answer<T> {
  data: T;
  cursor: number;
}

export function address(path: string, query: Record<string, string | number | string[] | undefined> = {}): string {
  const pairs: [string, string][] = [];
  for (const [k, v] of Object.entries(query)) {
    if (v === undefined) continue;
    for (const one of Array.isArray(v) ? v : [v]) pairs.push([k, String(one)]);
  }
  pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  const text = pairs.map(([k, v]) => encodeURIComponent(k) + "=" + encodeURIComponent(v)).join("&");
  return text ? `${path}?${text}` : path;
}

async function refused(response: Response): Promise<ApiError> {
  try {
    const { error } = await response.json();
    return new ApiError(error.code, error.message, error.where, error.todo);
  } catch {
    return new ApiError("internal", `the board answered ${response.status}`, null, null);
  }
}

async function ask(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...init });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new ApiError("offline", "the board does not answer", null, "see whether `milepost board` still runs");
  }
  if (!response.ok) throw await refused(response);
  return response;
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<Answer<T>> {
  if (inReport) return { data: reportAnswer<T>(path), cursor: 0 };
  const body = await (await ask(path, { signal })).json();
  return { data: body.data as T, cursor: body.cursor };
}

export async function getFrame(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
  if (inReport) return reportFrame(path);
  return (await ask(path, { signal })).arrayBuffer();
}

export async function postFrame(path: string, body: unknown, signal?: AbortSignal): Promise<ArrayBuffer> {
  return (await ask(path, { method: "POST", headers: { "content-type": "application/json", "x-milepost": "1" }, body: JSON.stringify(body), signal })).arrayBuffer();
}

export async function write<T>(method: "PATCH" | "POST", path: string, body: unknown): Promise<T> {
  if (inReport) throw new ApiError("read_only", "a report cannot be edited", null, null);
  const headers = { "content-type": "application/json", "x-milepost": "1" };
  return (await (await ask(path, { method, headers, body: JSON.stringify(body) })).json()).data as T;
}

export function blobAddress(id: string, download = false): string {
  return inReport ? reportBlob(id) : `api/blob/${encodeURIComponent(id)}${download ? "?download=1" : ""}`;
}

/** The bytes of a blob, for what the browser does not show by itself. */
export async function getBlob(id: string, signal?: AbortSignal): Promise<ArrayBuffer> {
  if (inReport) throw new ApiError("gone", "a report does not hold this", null, null);
  return (await ask(blobAddress(id), { signal })).arrayBuffer();
}

/** What the server put into the page, so that the first charts need one request only. */
export function bootBlock<T>(): T | null {
  const element = document.getElementById("milepost-boot");
  if (!element?.textContent) return null;
  try {
    return JSON.parse(element.textContent) as T;
  } catch {
    return null;
  }
}
