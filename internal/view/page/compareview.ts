// Two results beside each other.

import { get } from "./api";
import type { View } from "./codeview";
import { count, h, percent, signed, table } from "./dom";
import { type Pin, store } from "./state";
import type { Analysis, Answer } from "./types";

interface Choice extends Pin {
  load?: () => Promise<Pin>;
}

function choices(): Choice[] {
  const out: Choice[] = [];
  const now = store.analysis;
  if (now && store.item?.kind === "launch") {
    const set = [...store.settings].map(([k, v]) => `${k}=${v}`).join(" ");
    out.push({ label: `now: ${store.item.name}${set ? ", " + set : ""}`, kind: "analyze", document: now.document as unknown as Record<string, unknown> });
  }
  if (store.base && store.base !== now) out.push({ label: "as described", kind: "analyze", document: store.base.document as unknown as Record<string, unknown> });
  out.push(...store.pins);
  if (store.simulation) out.push({ label: "simulation", kind: "simulate", document: store.simulation.report.document });
  for (const item of store.session.items) {
    if (item.kind !== "result") continue;
    out.push({
      label: `${item.name} (${item.document ?? "document"})`,
      kind: item.document ?? "other",
      document: {},
      load: async () => {
        const a = await get<Answer<Record<string, unknown>>>("result", { id: item.id });
        return { label: item.name, kind: a.kind, document: a.document };
      },
    });
  }
  for (const item of store.session.items) {
    if (item.kind !== "launch") continue;
    out.push({
      label: `${item.name} (analyzed on ${store.gpu})`,
      kind: "analyze",
      document: {},
      load: async () => {
        const a = await get<Answer<Analysis>>("analyze", { id: item.id, gpu: store.gpu, set: store.given() });
        return { label: item.name, kind: "analyze", document: a.document as unknown as Record<string, unknown> };
      },
    });
  }
  return out;
}

interface Row {
  what: string;
  a: number | null;
  b: number | null;
}

function pair(rows: Map<string, Row>, what: string, side: "a" | "b", value: number): void {
  const row = rows.get(what) ?? { what, a: null, b: null };
  row[side] = (row[side] ?? 0) + value;
  rows.set(what, row);
}

// numbers are the numbers of a document that stand outside of lists, by their path.
function numbers(rows: Map<string, Row>, side: "a" | "b", value: unknown, path: string): void {
  if (typeof value === "number") pair(rows, path, side, value);
  else if (Array.isArray(value)) {
    for (const x of value) {
      const name = (x as { name?: unknown } | null)?.name;
      if (typeof name === "string") numbers(rows, side, x, `${path} ${name}`);
    }
  } else if (value && typeof value === "object") for (const [k, v] of Object.entries(value)) if (k !== "warpbound") numbers(rows, side, v, path ? `${path} ${k.replace(/_/g, " ")}` : k.replace(/_/g, " "));
}

function number(n: number | null): string {
  return n === null ? "–" : Number.isInteger(n) ? count(n) : n.toPrecision(4);
}

function differences(caption: string, rows: Row[]): HTMLElement {
  const change = (r: Row): string => (r.a === null || r.b === null ? "–" : Number.isInteger(r.a) && Number.isInteger(r.b) ? signed(r.b - r.a) : (r.b - r.a).toPrecision(3));
  return h(
    "section",
    { class: "card wide" },
    table(
      caption,
      [
        { head: "what", of: (r) => r.what },
        { head: "A", num: true, of: (r) => number(r.a) },
        { head: "B", num: true, of: (r) => number(r.b) },
        { head: "B − A", num: true, of: (r) => change(r) },
        { head: "change", num: true, of: (r) => (r.a && r.b !== null ? (r.b === r.a ? "=" : (r.b > r.a ? "▲ " : "▼ ") + percent(Math.abs(r.b / r.a - 1))) : "–") },
      ],
      rows,
      { class: "compare" },
    ),
  );
}

export function compared(a: Pin, b: Pin): HTMLElement[] {
  if (a.kind === "analyze" && b.kind === "analyze") {
    const docs = { a: a.document as unknown as Analysis, b: b.document as unknown as Analysis };
    const bounds = new Map<string, Row>();
    const parts = new Map<string, Row>();
    const costs = new Map<string, Row>();
    for (const side of ["a", "b"] as const) {
      const d = docs[side];
      if (d.best) pair(bounds, "the bound", side, d.best.cycles);
      for (const x of d.bounds) pair(bounds, `${x.method}, ${({ warp: "one warp", block: "one block" } as Record<string, string>)[x.scope] ?? "the launch"}${x.safe ? "" : " (not safe)"}`, side, x.cycles);
      const best = d.bounds.find((x) => x.method === d.best?.method && x.scope === d.best?.scope);
      for (const [id, c] of Object.entries(best?.breakdown ?? {})) pair(parts, d.breakdown_names[id] ?? id, side, c);
      for (const r of d.costs?.rows ?? []) pair(costs, r.text || r.name, side, r.cycles);
    }
    const most = [...costs.values()].sort((x, y) => Math.abs((y.b ?? 0) - (y.a ?? 0)) - Math.abs((x.b ?? 0) - (x.a ?? 0)));
    return [differences("Bounds in cycles", [...bounds.values()]), differences("Parts of the bound", [...parts.values()]), ...(most.length > 0 ? [differences("Instructions, those that differ most first", most.slice(0, 30))] : [])];
  }
  const rows = new Map<string, Row>();
  numbers(rows, "a", a.document, "");
  numbers(rows, "b", b.document, "");
  const whole = (p: Pin): number | undefined => (p.kind === "analyze" ? (p.document as unknown as Analysis).best?.cycles : p.kind === "simulate" ? (p.document["cycles"] as number) : undefined);
  const [x, y] = [whole(a), whole(b)];
  if (a.kind !== b.kind && x !== undefined && y !== undefined) return [differences(`Cycles of the launch: A ${a.kind === "analyze" ? "bounded" : "simulated"}, B ${b.kind === "analyze" ? "bounded" : "simulated"}`, [{ what: "cycles", a: x, b: y }])];
  const both = [...rows.values()].filter((r) => r.a !== null && r.b !== null);
  if (both.length === 0) return [h("p", { class: "note" }, `Nothing in common: A is of ${a.kind}, B of ${b.kind}.`)];
  return [differences("Numbers that both have", both)];
}

export function compareView(): View {
  const element = h("div", { class: "compareview" });
  const out = h("div", { class: "cards" });
  let list: Choice[] = [];
  const pick = (label: string): HTMLSelectElement => h("select", { "aria-label": label });
  const a = pick("result A");
  const b = pick("result B");
  const draw = async (): Promise<void> => {
    const x = list[Number(a.value)];
    const y = list[Number(b.value)];
    if (!x || !y) return;
    try {
      const [p, q] = await Promise.all([x.load ? x.load() : x, y.load ? y.load() : y]);
      out.replaceChildren(...compared(p, q));
    } catch (e) {
      store.fail(e);
      out.replaceChildren(h("p", { class: "error", role: "alert" }, store.error));
    }
  };
  const fill = (): void => {
    const before = [a, b].map((x) => list[Number(x.value)]?.label);
    list = choices();
    [a, b].forEach((select, i) => {
      select.replaceChildren(...list.map((c, n) => h("option", { value: n }, c.label)));
      const at = list.findIndex((c) => c.label === before[i]);
      // A is what is like B, which is what is shown now.
      const like = list.findIndex((c, n) => n > 0 && c.kind === list[0]!.kind && !c.load);
      const otherwise = i === 0 ? Math.max(0, like) : 0;
      select.value = String(at >= 0 ? at : otherwise);
    });
    void draw();
  };
  a.addEventListener("change", () => void draw());
  b.addEventListener("change", () => void draw());
  const swap = h("button", { type: "button", title: "swap A and B", "aria-label": "swap A and B" }, "⇄");
  swap.addEventListener("click", () => {
    [a.value, b.value] = [b.value, a.value];
    void draw();
  });
  element.append(h("div", { class: "tools" }, h("label", {}, "A ", a), swap, h("label", {}, "B ", b), h("span", { class: "dim" }, "Keep results with the button at the sliders; documents and launches of the directory are here, too.")), out);
  fill();
  const off = [store.on("analysis", fill), store.on("pins", fill)];
  return { element, close: () => off.forEach((f) => f()) };
}
