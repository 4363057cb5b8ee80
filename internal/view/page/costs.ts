// The cycles of the bound, or of the simulation, by instruction, from the rows of documents.

import type { Analysis, Launch, Simulation } from "./types";

// Sum is cycles by why they pass, in the order of the parts.
export type Sum = number[];

export interface Part {
  name: string;
  says: string;
}

export interface Costs {
  total: number;
  of: string; // what the cycles are of
  parts: Part[];
  byPC: Map<number, Sum>;
}

const boundParts: Part[] = [
  { name: "result", says: "the next instruction of the warp waits for its result" },
  { name: "unit", says: "the next instruction waits for its unit" },
  { name: "issue", says: "the next instruction waits for its issue slot" },
  { name: "others", says: "other warps and blocks may start it first" },
  { name: "else", says: "delays, and what belongs to no single path" },
];

const runParts: Part[] = [
  { name: "issued", says: "a scheduler issues it" },
  { name: "result", says: "what is issued next waits for its result, or its block for its end" },
  { name: "held", says: "it is issued next, and held by its unit, a barrier, the policy or the front end" },
  { name: "nobody", says: "no warp could issue" },
];

interface Row {
  position: string;
}

function collect<R extends Row>(l: Launch, rows: R[], total: number, of: string, parts: Part[], sum: (r: R) => Sum): Costs {
  const at = new Map<string, number>();
  for (const i of l.instructions) if (!at.has(i.position)) at.set(i.position, i.pc);
  const out: Costs = { total, of, parts, byPC: new Map() };
  for (const r of rows) {
    const pc = r.position ? at.get(r.position) : undefined;
    if (pc !== undefined) out.byPC.set(pc, plus(out.byPC.get(pc) ?? [], sum(r)));
  }
  return out;
}

function plus(a: Sum, b: Sum): Sum {
  return b.map((x, i) => x + (a[i] ?? 0));
}

export function costsOf(l: Launch, a: Analysis | undefined): Costs | null {
  if (!a?.costs) return null;
  return collect(l, a.costs.rows, a.costs.cycles, `cycles of the bound by ${a.costs.method}`, boundParts, (r) => [r.awaited, r.occupied, r.issue, r.charged, r.other]);
}

// runCostsOf are the scheduler cycles of a simulation.
export function runCostsOf(l: Launch, s: Simulation | undefined): Costs | null {
  if (!s?.costs) return null;
  return collect(l, s.costs.rows, s.costs.cycles, `scheduler cycles simulated, policy ${s.policy}`, runParts, (r) => [r.issued, r.awaited, r.held, r.nobody]);
}

// sumOf adds up what several instructions cost, by part.
export function sumOf(c: Costs | null, pcs: Iterable<number>): Sum {
  let out: Sum = [];
  for (const pc of pcs) {
    const one = c?.byPC.get(pc);
    if (one) out = plus(out, one);
  }
  return out;
}

export function cyclesOf(c: Costs | null, pcs: Iterable<number>): number {
  return sumOf(c, pcs).reduce((a, b) => a + b, 0);
}

export function words(c: Costs, sum: Sum, count: (n: number) => string): string {
  const list = c.parts.flatMap((p, i) => (sum[i] ? [`${p.name} ${count(sum[i]!)}`] : []));
  return list.length > 0 ? list.join(" + ") : "nothing";
}
