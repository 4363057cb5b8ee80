// Panes of code: a line each, with its cycles, linked to the other panes.

import { bar, count, h } from "./dom";
import { type Costs, cyclesOf } from "./costs";
import { store } from "./state";
import type { Text } from "./types";

export class CodePane {
  readonly element: HTMLElement;
  private readonly list: HTMLElement;
  private rows: HTMLElement[] = [];
  private pcs: number[][] = [];
  private active = -1;
  private readonly off: () => void;

  // pcsOf are the instructions of a line, from 0.
  constructor(
    id: string,
    title: string,
    text: Text,
    pcsOf: (line: number) => number[],
    private costs: Costs | null,
    note = "",
  ) {
    const plain = text.lines.every((_, n) => pcsOf(n).length === 0);
    this.list = h("div", { class: plain ? "code plain" : "code", role: "listbox", tabindex: 0, "aria-label": `${title}: ${text.name}` });
    const heading = h("h3", {}, title, h("span", { class: "file" }, text.name));
    this.element = h("section", { class: "pane", "aria-label": title }, heading, note && h("p", { class: "note" }, note), this.list);
    const all = document.createDocumentFragment();
    text.lines.forEach((line, n) => {
      const pcs = pcsOf(n);
      this.pcs.push(pcs);
      const row = h(
        "div",
        { class: pcs.length > 0 ? "line" : "line dead", role: "option", id: `${id}-${n}`, "aria-selected": "false" },
        h("span", { class: "heat" }),
        h("span", { class: "no" }, n + 1),
        h("span", { class: "src" }, line.replace(/\t/g, "    ") || " "),
      );
      row.dataset["line"] = String(n);
      this.rows.push(row);
      all.append(row);
    });
    this.list.append(all);
    this.list.addEventListener("mousemove", (e) => this.point(e.target, false));
    this.list.addEventListener("mouseleave", () => store.link(this.active >= 0 ? this.pcs[this.active]! : []));
    this.list.addEventListener("click", (e) => this.point(e.target, true));
    this.list.addEventListener("keydown", (e) => this.key(e));
    this.off = store.on("link", () => this.mark());
    this.heat(costs);
    this.mark();
  }

  close(): void {
    this.off();
  }

  // heat writes what lines cost.
  heat(costs: Costs | null): void {
    this.costs = costs;
    let most = 1;
    const sums = this.pcs.map((pcs) => cyclesOf(costs, pcs));
    for (const s of sums) most = Math.max(most, s);
    sums.forEach((s, n) => {
      const cell = this.rows[n]!.firstElementChild as HTMLElement;
      if (s === 0) {
        cell.replaceChildren();
        return;
      }
      cell.replaceChildren(bar(s / most), h("span", {}, count(s)));
      cell.title = `${count(s)} of ${count(costs!.total)} cycles`;
    });
  }

  // costliest brings the line that costs most into view.
  costliest(): void {
    let best = -1;
    let most = 0;
    this.pcs.forEach((pcs, n) => {
      const sum = cyclesOf(this.costs, pcs);
      if (sum > most || best < 0 && pcs.length > 0) [best, most] = [n, sum];
    });
    if (best >= 0) this.reveal(this.rows[best]!);
    this.mark();
  }

  private point(target: EventTarget | null, stay: boolean): void {
    const row = (target as HTMLElement).closest<HTMLElement>(".line");
    if (!row) return;
    const n = Number(row.dataset["line"]);
    if (stay) this.select(n);
    else if (this.pcs[n]!.length > 0) store.link(this.pcs[n]!);
  }

  select(n: number): void {
    this.rows[this.active]?.setAttribute("aria-selected", "false");
    this.active = n;
    const row = this.rows[n];
    if (!row) return;
    row.setAttribute("aria-selected", "true");
    this.list.setAttribute("aria-activedescendant", row.id);
    row.scrollIntoView({ block: "nearest" });
    store.link(this.pcs[n]!);
  }

  private key(e: KeyboardEvent): void {
    const last = this.rows.length - 1;
    const costly = (by: number): number => {
      // The lines with most cycles, one after the other.
      const order = this.pcs.map((pcs, n) => [cyclesOf(this.costs, pcs), n] as const).filter((x) => x[0] > 0).sort((a, b) => b[0] - a[0]);
      const at = order.findIndex((x) => x[1] === this.active);
      return order.length === 0 ? this.active : order[(at + by + order.length) % order.length]![1];
    };
    const to: Record<string, () => number> = {
      ArrowDown: () => Math.min(last, this.active + 1),
      ArrowUp: () => Math.max(0, this.active - 1),
      PageDown: () => Math.min(last, this.active + 20),
      PageUp: () => Math.max(0, this.active - 20),
      Home: () => 0,
      End: () => last,
      n: () => costly(1),
      N: () => costly(-1),
      Escape: () => -1,
    };
    const go = to[e.key];
    if (!go || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    e.stopPropagation();
    const n = go();
    this.select(n);
    if (n < 0) {
      this.list.removeAttribute("aria-activedescendant");
      store.link([]);
    }
  }

  // mark shows which lines are pointed at, and brings the first into view unless it is this
  // pane that somebody points in.
  private mark(): void {
    let first: HTMLElement | null = null;
    this.rows.forEach((row, n) => {
      const on = store.linked.size > 0 && this.pcs[n]!.some((pc) => store.linked.has(pc));
      row.classList.toggle("on", on);
      if (on) first ??= row;
    });
    if (first && !this.list.matches(":hover") && document.activeElement !== this.list) this.reveal(first);
  }

  private reveal(row: HTMLElement): void {
    const top = row.offsetTop;
    const { scrollTop, clientHeight } = this.list;
    if (top < scrollTop || top + row.offsetHeight > scrollTop + clientHeight) this.list.scrollTop = Math.max(0, top - clientHeight / 3);
  }
}
