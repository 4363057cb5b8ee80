// Elements made without markup: nothing that comes from a file is ever parsed as HTML.

type Child = Node | string | number | null | undefined | false;
type Props = Record<string, unknown>;

const SVG = "http://www.w3.org/2000/svg";

function fill(e: Element, props: Props, children: Child[]): void {
  for (const [k, v] of Object.entries(props)) {
    if (v === undefined || v === null || v === false) continue;
    if (k.startsWith("on") && typeof v === "function") e.addEventListener(k.slice(2), v as EventListener);
    else if (k === "style") Object.assign((e as HTMLElement).style, v);
    else e.setAttribute(k, v === true ? "" : String(v));
  }
  for (const c of children) if (c !== null && c !== undefined && c !== false) e.append(typeof c === "number" ? String(c) : c);
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  fill(e, props, children);
  return e;
}

export function s<K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const e = document.createElementNS(SVG, tag);
  fill(e, props, children);
  return e;
}

export function byId(id: string): HTMLElement {
  const e = document.getElementById(id);
  if (!e) throw new Error("no element " + id);
  return e;
}

// count writes a number with thousands separated, as the reports do.
export function count(n: number): string {
  const digits = Math.abs(Math.round(n)).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  return (n < 0 ? "−" : "") + digits;
}

export function percent(x: number, digits = 1): string {
  return (100 * x).toFixed(digits) + " %";
}

export function signed(n: number): string {
  return n === 0 ? "0" : (n > 0 ? "+" : "") + count(n);
}

// time is what cycles take at a clock.
export function time(cycles: number, khz: number): string {
  const us = (1000 * cycles) / khz;
  return us < 1000 ? us.toFixed(3) + " µs" : (us / 1000).toFixed(3) + " ms";
}

export function nanos(ns: number): string {
  return ns < 1e6 ? (ns / 1e3).toFixed(2) + " µs" : (ns / 1e6).toFixed(3) + " ms";
}

export function plural(n: number, thing: string): string {
  return count(n) + " " + thing + (n === 1 ? "" : "s");
}

export interface Column<R> {
  head: string;
  num?: boolean;
  of: (r: R) => Child;
}

// table is one with a caption, whose columns sort where somebody clicks on their heads.
export function table<R>(caption: string, columns: Column<R>[], rows: R[], props: Props = {}): HTMLElement {
  const body = h("tbody");
  const draw = (list: R[]): void => {
    body.replaceChildren(
      ...list.map((r) =>
        h("tr", {}, ...columns.map((c, i) => (i === 0 ? h("th", { scope: "row" }, c.of(r)) : h("td", { class: c.num ? "num" : undefined }, c.of(r))))),
      ),
    );
  };
  const heads = columns.map((c, i) => {
    const button = h("button", { type: "button", class: "sort", title: "sort by this column" }, c.head);
    const th = h("th", { scope: "col", class: c.num ? "num" : undefined, "aria-sort": "none" }, button);
    button.addEventListener("click", () => {
      const down = th.getAttribute("aria-sort") !== "descending";
      for (const x of heads) x.setAttribute("aria-sort", "none");
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      const text = (r: R): string => {
        const v = columns[i]!.of(r);
        return v instanceof Node ? (v.textContent ?? "") : v === null || v === undefined || v === false ? "" : String(v);
      };
      const number = (t: string): number => Number.parseFloat(t.replace(/,/g, "").replace("−", "-").replace(/^[+*!]/, ""));
      const list = [...rows].sort((a, b) => {
        const x = text(a);
        const y = text(b);
        const order = c.num ? (number(x) || 0) - (number(y) || 0) : x < y ? -1 : x > y ? 1 : 0;
        return down ? -order : order;
      });
      draw(list);
    });
    return th;
  });
  draw(rows);
  return h("table", props, h("caption", {}, caption), h("thead", {}, h("tr", {}, ...heads)), body);
}

// bar is a share as a bar, beside a number that says the same.
export function bar(share: number): HTMLElement {
  const e = h("span", { class: "bar", "aria-hidden": "true" });
  e.style.setProperty("--share", String(Math.max(0, Math.min(1, share))));
  return e;
}
