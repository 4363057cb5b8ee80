// Control flow: basic blocks in layers, drawn as SVG.

import { count, h, percent, s } from "./dom";
import { type Costs, cyclesOf } from "./costs";
import { store } from "./state";
import type { Flow, Launch } from "./types";

const width = 148;
const height = 44;
const gapX = 22;
const gapY = 30;

interface Spot {
  block: number; // -1 for the place of a long edge
  layer: number;
  order: number;
  x: number;
}

interface Edge {
  from: number;
  to: number;
  back: boolean;
  via: Spot[];
}

// layout puts blocks in layers, each below all blocks that lead to it but by ways back.
export function layout(f: Flow): { spots: Spot[]; edges: Edge[]; layers: number; wide: number } {
  const n = f.blocks.length;
  const next = f.blocks.map((b) => b.successors);
  const state = new Uint8Array(n);
  const backs = new Set<number>();
  const post: number[] = [];
  const walk = (root: number): void => {
    const stack: [number, number][] = [[root, 0]];
    state[root] = 1;
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      const to = next[top[0]]![top[1]++];
      if (to === undefined) {
        state[top[0]] = 2;
        post.push(top[0]);
        stack.pop();
      } else if (state[to] === 0) {
        state[to] = 1;
        stack.push([to, 0]);
      } else if (state[to] === 1) backs.add(top[0] * n + to);
    }
  };
  for (let b = 0; b < n; b++) if (state[b] === 0) walk(b);
  const layer = new Array<number>(n).fill(0);
  for (const b of [...post].reverse()) for (const to of next[b]!) if (!backs.has(b * n + to)) layer[to] = Math.max(layer[to]!, layer[b]! + 1);
  const spots: Spot[] = f.blocks.map((_, b) => ({ block: b, layer: layer[b]!, order: 0, x: 0 }));
  const edges: Edge[] = [];
  const rows: Spot[][] = [];
  const put = (spot: Spot): void => {
    (rows[spot.layer] ??= []).push(spot);
  };
  for (const b of [...post].reverse()) put(spots[b]!);
  const above = new Map<Spot, Spot[]>();
  const below = new Map<Spot, Spot[]>();
  const join = (a: Spot, b: Spot): void => {
    above.set(b, [...(above.get(b) ?? []), a]);
    below.set(a, [...(below.get(a) ?? []), b]);
  };
  f.blocks.forEach((block, from) => {
    for (const to of block.successors) {
      const back = backs.has(from * n + to);
      const e: Edge = { from, to, back, via: [] };
      edges.push(e);
      if (back) continue;
      let last = spots[from]!;
      for (let l = layer[from]! + 1; l < layer[to]!; l++) {
        const spot: Spot = { block: -1, layer: l, order: 0, x: 0 };
        put(spot);
        e.via.push(spot);
        join(last, spot);
        last = spot;
      }
      join(last, spots[to]!);
    }
  });
  const mean = (list: Spot[] | undefined, of: (x: Spot) => number, otherwise: number): number =>
    list && list.length > 0 ? list.reduce((a, x) => a + of(x), 0) / list.length : otherwise;
  const number = (row: Spot[]): void => row.forEach((x, i) => (x.order = i));
  rows.forEach(number);
  for (let round = 0; round < 6; round++) {
    const down = round % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      const key = new Map(row.map((x) => [x, mean((down ? above : below).get(x), (y) => y.order, x.order)]));
      row.sort((a, b) => key.get(a)! - key.get(b)!);
      number(row);
    }
  }
  const size = (x: Spot): number => (x.block < 0 ? 12 : width);
  for (const row of rows) {
    let x = 0;
    for (const spot of row) {
      spot.x = x + size(spot) / 2;
      x += size(spot) + gapX;
    }
    const middle = (x - gapX) / 2;
    for (const spot of row) spot.x -= middle;
  }
  for (let round = 0; round < 4; round++) {
    for (const row of round % 2 === 0 ? rows : [...rows].reverse()) {
      const want = row.map((x) => mean([...(above.get(x) ?? []), ...(below.get(x) ?? [])], (y) => y.x, x.x));
      row.forEach((spot, i) => (spot.x = want[i]!));
      for (let i = 1; i < row.length; i++) row[i]!.x = Math.max(row[i]!.x, row[i - 1]!.x + (size(row[i]!) + size(row[i - 1]!)) / 2 + gapX);
      for (let i = row.length - 2; i >= 0; i--) {
        const most = row[i + 1]!.x - (size(row[i]!) + size(row[i + 1]!)) / 2 - gapX;
        if (row[i]!.x > most) row[i]!.x = Math.min(row[i]!.x, Math.max(most, want[i]! - width));
      }
      for (let i = 1; i < row.length; i++) row[i]!.x = Math.max(row[i]!.x, row[i - 1]!.x + (size(row[i]!) + size(row[i - 1]!)) / 2 + gapX);
    }
  }
  const least = Math.min(...rows.flat().map((x) => x.x - size(x) / 2));
  for (const spot of rows.flat()) spot.x -= least;
  return { spots, edges, layers: rows.length, wide: Math.max(...rows.flat().map((x) => x.x + size(x) / 2)) };
}

export class FlowPane {
  readonly element: HTMLElement;
  private readonly nodes: { g: SVGGElement; pcs: number[]; cycles: SVGTextElement; heat: SVGRectElement; name: string }[] = [];
  private readonly off: () => void;

  constructor(
    private readonly l: Launch,
    costs: Costs | null,
  ) {
    const drawings = l.functions.map((f) => this.draw(f));
    const box = h("div", { class: "flow", role: "group", "aria-label": "control flow" }, ...drawings);
    const note = l.counted ? h("p", { class: "note" }, l.counted) : null;
    this.element = h("section", { class: "pane", "aria-label": "Control flow" }, h("h3", {}, "Control flow", h("span", { class: "file" }, "×: executions by a warp")), note, box);
    box.addEventListener("keydown", (e) => this.key(e));
    box.addEventListener("mouseleave", () => store.link([]));
    this.off = store.on("link", () => this.mark());
    this.heat(costs);
  }

  close(): void {
    this.off();
  }

  private draw(f: Flow): HTMLElement {
    const { spots, edges, layers, wide } = layout(f);
    const high = layers * (height + gapY) + 8;
    const y = (layer: number): number => 8 + layer * (height + gapY);
    const lines: SVGElement[] = [];
    // Ways back run beside the blocks of the layers that they pass, each in a lane of its own.
    const edge = new Array<number>(layers).fill(0);
    for (const p of spots) edge[p.layer] = Math.max(edge[p.layer]!, p.x + width / 2);
    for (const e of edges) for (const p of e.via) edge[p.layer] = Math.max(edge[p.layer]!, p.x);
    const lane = (from: number, to: number): number => {
      let x = 0;
      for (let l = to; l <= from; l++) x = Math.max(x, edge[l]!);
      for (let l = to; l <= from; l++) edge[l] = x + 10;
      return x + 12;
    };
    const short = [...edges].filter((e) => e.back).sort((a, b) => spots[a.from]!.layer - spots[a.to]!.layer - spots[b.from]!.layer + spots[b.to]!.layer);
    const lanes = new Map(short.map((e) => [e, lane(spots[e.from]!.layer, spots[e.to]!.layer)]));
    for (const e of edges) {
      const a = spots[e.from]!;
      const b = spots[e.to]!;
      let d: string;
      if (e.back) {
        const x = lanes.get(e)!;
        const y1 = y(a.layer) + height / 2;
        const y2 = y(b.layer) + height / 2 - 8;
        d = `M${a.x + width / 2} ${y1}H${x - 6}Q${x} ${y1} ${x} ${y1 - 6}V${y2 + 6}Q${x} ${y2} ${x - 6} ${y2}H${b.x + width / 2 + 3}`;
      } else {
        let x = a.x;
        let from = y(a.layer) + height;
        d = `M${x} ${from}`;
        for (const p of [...e.via, b]) {
          const to = y(p.layer) - (p === b ? 3 : 0);
          d += `C${x} ${from + gapY / 2} ${p.x} ${to - gapY / 2} ${p.x} ${to}`;
          x = p.x;
          from = to;
          if (p !== b) {
            from += height;
            d += `V${from}`;
          }
        }
      }
      lines.push(s("path", { d, class: e.back ? "edge back" : "edge", "marker-end": "url(#arrow)" }));
    }
    const right = Math.max(wide, ...edge) + 8;
    const heads = new Set(f.loops.map((x) => x.header_pc));
    const boxes = f.blocks.map((b, i) => {
      const spot = spots[i]!;
      const pcs: number[] = [];
      for (let pc = b.first_pc; pc < b.end_pc; pc++) pcs.push(pc);
      const name = `block ${i}`;
      const cycles = s("text", { x: 8, y: 34, class: "cycles" });
      const heat = s("rect", { x: 1, y: height - 5, width: 0, height: 4, class: "heatbar" });
      const times = b.executions > 0 ? ` ×${count(b.executions)}` : "";
      const g = s(
        "g",
        { transform: `translate(${spot.x - width / 2} ${y(spot.layer)})`, class: "block" + (heads.has(b.first_pc) ? " head" : "") + (b.divergent ? " parts" : ""), tabindex: 0, role: "button", "aria-label": name },
        s("rect", { width, height, rx: 4, class: "box" }),
        heat,
        s("text", { x: 8, y: 16 }, `B${i}${heads.has(b.first_pc) ? " ↻" : ""}${b.divergent ? " ◇" : ""}`),
        s("text", { x: width - 8, y: 16, "text-anchor": "end", class: "pcs" }, `${b.first_pc}–${b.end_pc - 1}${times}`),
        cycles,
      );
      g.addEventListener("mouseenter", () => store.link(pcs));
      g.addEventListener("focus", () => store.link(pcs));
      g.addEventListener("click", () => store.link(pcs));
      this.nodes.push({ g, pcs, cycles, heat, name: `${name}, instructions ${b.first_pc} to ${b.end_pc - 1}${times}${heads.has(b.first_pc) ? ", head of a loop" : ""}${b.divergent ? ", lanes part here" : ""}` });
      return g;
    });
    const picture = s(
      "svg",
      { viewBox: `-4 0 ${right + 8} ${high}`, width: right + 8, height: high, role: "group", "aria-label": `control flow of ${f.name}` },
      s("defs", {}, s("marker", { id: "arrow", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" }, s("path", { d: "M0 0L6 3L0 6z", class: "tip" }))),
      ...lines,
      ...boxes,
    );
    return h("figure", {}, this.l.functions.length > 1 && h("figcaption", {}, f.name), picture as unknown as Node);
  }

  heat(costs: Costs | null): void {
    const sums = this.nodes.map((n) => cyclesOf(costs, n.pcs));
    const most = Math.max(1, ...sums);
    this.nodes.forEach((n, i) => {
      const sum = sums[i]!;
      n.heat.setAttribute("width", String(((width - 2) * sum) / most));
      n.cycles.textContent = costs ? `${count(sum)} cycles, ${percent(sum / Math.max(1, costs.total))}` : "";
      n.g.setAttribute("aria-label", costs ? `${n.name}, ${count(sum)} cycles` : n.name);
    });
  }

  private key(e: KeyboardEvent): void {
    const at = this.nodes.findIndex((n) => n.g === document.activeElement);
    if (at < 0) return;
    const to: Record<string, number> = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: this.nodes.length - 1 };
    const n = to[e.key];
    if (n === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    this.nodes[Math.max(0, Math.min(this.nodes.length - 1, n))]!.g.focus();
  }

  private mark(): void {
    let first: SVGGElement | null = null;
    for (const n of this.nodes) {
      const on = store.linked.size > 0 && n.pcs.some((pc) => store.linked.has(pc));
      n.g.classList.toggle("on", on);
      if (on) first ??= n.g;
    }
    const box = this.element.querySelector<HTMLElement>(".flow")!;
    if (first && !box.matches(":hover") && !box.contains(document.activeElement)) {
      const a = (first as SVGGElement).getBoundingClientRect();
      const b = box.getBoundingClientRect();
      if (a.top < b.top || a.bottom > b.bottom) box.scrollTop += a.top - b.top - b.height / 3;
      if (a.left < b.left || a.right > b.right) box.scrollLeft += a.left - b.left - b.width / 3;
    }
  }
}
