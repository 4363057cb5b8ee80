// The cycles of the bound by instruction and by line, from the rows of the document.

import type { Analysis, Cost, Launch } from "./types";

export interface Sum {
  cycles: number;
  issue: number;
  occupied: number;
  awaited: number;
  charged: number;
  other: number;
}

export interface Costs {
  total: number;
  method: string;
  byPC: Map<number, Sum>;
  // rest are the rows that belong to no instruction.
  rest: Cost[];
}

export const parts: { key: keyof Sum; name: string; says: string }[] = [
  { key: "awaited", name: "result", says: "the next instruction of the warp waits for its result" },
  { key: "occupied", name: "unit", says: "the next instruction waits for its unit" },
  { key: "issue", name: "issue", says: "the next instruction waits for its issue slot" },
  { key: "charged", name: "others", says: "other warps and blocks may start it first" },
  { key: "other", name: "else", says: "delays, and what belongs to no single path" },
];

export function zero(): Sum {
  return { cycles: 0, issue: 0, occupied: 0, awaited: 0, charged: 0, other: 0 };
}

export function add(to: Sum, c: Sum): void {
  to.cycles += c.cycles;
  to.issue += c.issue;
  to.occupied += c.occupied;
  to.awaited += c.awaited;
  to.charged += c.charged;
  to.other += c.other;
}

export function costsOf(l: Launch, a: Analysis | undefined): Costs | null {
  if (!a?.costs) return null;
  const at = new Map<string, number>();
  for (const i of l.instructions) if (!at.has(i.position)) at.set(i.position, i.pc);
  const out: Costs = { total: a.costs.cycles, method: a.costs.method, byPC: new Map(), rest: [] };
  for (const r of a.costs.rows) {
    const pc = r.position ? at.get(r.position) : undefined;
    if (pc === undefined) {
      out.rest.push(r);
      continue;
    }
    const sum = out.byPC.get(pc) ?? zero();
    add(sum, r);
    out.byPC.set(pc, sum);
  }
  return out;
}

// sumOf adds up what several instructions cost.
export function sumOf(c: Costs | null, pcs: Iterable<number>): Sum {
  const out = zero();
  for (const pc of pcs) {
    const one = c?.byPC.get(pc);
    if (one) add(out, one);
  }
  return out;
}

export function words(sum: Sum, count: (n: number) => string): string {
  const list = parts.filter((p) => sum[p.key] !== 0).map((p) => `${p.name} ${count(sum[p.key])}`);
  return list.length > 0 ? list.join(" + ") : "nothing";
}
