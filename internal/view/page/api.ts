// Requests to the server of this page.

import type { Progress } from "./types";

type Query = Record<string, string | number | boolean | string[] | undefined>;

function address(path: string, query: Query): string {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) {
    if (Array.isArray(v)) for (const x of v) q.append(k, x);
    else if (v !== undefined && v !== "" && v !== false) q.set(k, String(v));
  }
  return "/api/" + path + "?" + q.toString();
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const r = await fetch(address(path, query), signal ? { signal } : {});
  if (!(r.headers.get("content-type") ?? "").startsWith("application/json")) throw new Error(await r.text());
  const data: unknown = await r.json();
  if (!r.ok) throw new Error((data as { error: string }).error);
  return data as T;
}

export async function bytes(path: string, query: Query, signal?: AbortSignal): Promise<ArrayBuffer> {
  const r = await fetch(address(path, query), signal ? { signal } : {});
  if (!r.ok) throw new Error(await r.text());
  return r.arrayBuffer();
}

// stream reads lines of progress, and returns the result behind them.
export async function stream<T>(path: string, query: Query, tell: (p: Progress) => void, signal: AbortSignal): Promise<T> {
  const r = await fetch(address(path, query), { signal });
  if (!r.ok || !r.body) throw new Error(await r.text());
  const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += value ?? "";
    for (;;) {
      const end = rest.indexOf("\n");
      if (end < 0) break;
      const line = JSON.parse(rest.slice(0, end)) as { progress?: Progress; result?: T; error?: string };
      rest = rest.slice(end + 1);
      if (line.error !== undefined) throw new Error(line.error);
      if (line.result !== undefined) return line.result;
      if (line.progress) tell(line.progress);
    }
    if (done) throw new Error("the answer ended early: is warpbound view still running?");
  }
}

export function aborted(e: unknown): boolean {
  return e instanceof DOMException && e.name === "AbortError";
}
