// Makespans of instruction strings, with a schedule of the worst case to step through.

import { aborted, get } from "./api";
import type { View } from "./codeview";
import { count, h, s, table } from "./dom";
import { say, store } from "./state";
import type { Answer, Makespan } from "./types";

// The palette of the schedules: told apart without colour by the letters.
const colors = ["#2166ac", "#e66101", "#1b7837", "#8073ac", "#b2182b", "#01665e", "#8c510a", "#c51b7d"];
const cell = 18;
const mostWarps = 64;
const mostCycles = 400;

const last = { string: "LLCLL", units: "L=32,C=32", warps: "6" };

export function makespanView(given?: Makespan): View {
  const out = h("div", { class: "cards" });
  const field = (label: string, id: string, value: string, size: number): HTMLElement => {
    const input = h("input", { id, value, size, spellcheck: false, autocomplete: "off" });
    input.addEventListener("input", soon);
    return h("label", { for: id }, label, " ", input);
  };
  let asked: AbortController | null = null;
  let waiting = 0;
  const soon = (): void => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => void ask(), 200);
  };
  const value = (id: string): string => (form.querySelector("#" + id) as HTMLInputElement).value.trim();
  const ask = async (): Promise<void> => {
    asked?.abort();
    const mine = new AbortController();
    asked = mine;
    Object.assign(last, { string: value("ms-string"), units: value("ms-units"), warps: value("ms-warps") });
    try {
      const a = await get<Answer<Makespan>>("makespan", { string: last.string, units: last.units, warps: last.warps }, mine.signal);
      if (asked !== mine) return;
      draw(a.document);
      say(`${a.document.exact ? "exactly" : "at most"} ${a.document.best.cycles} cycles by ${a.document.best.method}, computed in ${a.millis.toFixed(0)} ms`);
    } catch (e) {
      if (aborted(e)) return;
      out.replaceChildren(h("p", { class: "error", role: "alert" }, e instanceof Error ? e.message : String(e)));
    }
  };
  const draw = (d: Makespan): void => {
    const in_ = d.instance;
    out.replaceChildren(
      h(
        "section",
        { class: "card wide beside" },
        table(
          in_ ? `${in_.source}: ${count(in_.warps)} warps of ${in_.warp_size} threads` : "Makespan",
          [
            { head: "method", of: (r) => r.method },
            { head: "cycles", num: true, of: (r) => (r.cycles === null ? "–" : count(r.cycles)) },
            { head: "kind", of: (r) => r.kind },
            { head: "where", of: (r) => r.theorem ?? r.unfinished ?? "" },
          ],
          d.rows,
        ),
        h("p", { class: "note" }, `${d.exact ? "worst case: exactly" : "safe:"} ${count(d.best.cycles)} cycles (${d.best.method})`),
        in_ && table("Kinds of units", [{ head: "letter", of: (k) => k.letter }, { head: "units", num: true, of: (k) => count(k.units) }, { head: "warps a cycle", num: true, of: (k) => count(k.capacity) }, { head: "of an instruction string", num: true, of: (k) => count(k.count) }], in_.kinds),
      ),
    );
    out.prepend(schedule(d));
  };
  const form = h(
    "form",
    { class: "tools", "aria-label": "instruction string" },
    field("string", "ms-string", last.string, 24),
    field("units", "ms-units", last.units, 16),
    field("warps", "ms-warps", last.warps, 5),
    ...["LLCLL", "L2C(LC)3", "LCL", "CLLC"].map((x) =>
      h(
        "button",
        {
          type: "button",
          onclick: () => {
            (form.querySelector("#ms-string") as HTMLInputElement).value = x;
            void ask();
          },
        },
        x,
      ),
    ),
  );
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    void ask();
  });
  const element = h("div", { class: "makespanview" }, given ? null : form, out);
  if (given) draw(given);
  else void ask();
  return {
    element,
    close: () => {
      window.clearTimeout(waiting);
      asked?.abort();
    },
  };
}

// schedule is a schedule that takes as long as the worst case, a row a warp.
function schedule(d: Makespan): HTMLElement {
  const code = d.instance?.code;
  const all = d.exact?.schedule;
  if (!code || !all) return h("section", { class: "card" }, h("h3", {}, "Schedule"), h("p", { class: "note" }, d.exact ? "The exact method gives no schedule of this many warps: take fewer." : "No exact method ended in its time, so there is no schedule of the worst case: take fewer warps or a shorter string."));
  const rows = all.slice(0, mostWarps);
  const cycles = Math.min(mostCycles, d.exact!.cycles);
  const letters = (d.instance?.kinds ?? []).map((k) => k.letter);
  const color = (letter: string): string => colors[letters.indexOf(letter) % colors.length] ?? "#777";
  const left = 58;
  const cursor = s("rect", { x: left, y: 0, width: cell, height: 20 + rows.length * cell, class: "cursor" });
  const cells: SVGElement[] = [];
  rows.forEach((row, w) => {
    cells.push(s("text", { x: left - 6, y: 20 + w * cell + 13, "text-anchor": "end", class: "axis" }, `warp ${w + 1}`));
    row.forEach((t, i) => {
      if (t > cycles) return;
      const letter = code[i] ?? "?";
      const x = left + (t - 1) * cell;
      const box = s("rect", { x: x + 1, y: 20 + w * cell + 1, width: cell - 2, height: cell - 2, rx: 2 });
      box.style.fill = color(letter);
      cells.push(box, s("text", { x: x + cell / 2, y: 20 + w * cell + 13, "text-anchor": "middle", class: "letter" }, letter));
    });
  });
  for (let t = 0; t < cycles; t += 5) cells.push(s("text", { x: left + t * cell + cell / 2, y: 13, "text-anchor": "middle", class: "axis" }, t + 1));
  const where = h("output", { class: "where", "aria-live": "polite" });
  const slider = h("input", { type: "range", min: 1, max: cycles, value: 1, "aria-label": "cycle of the schedule" });
  const show = (): void => {
    const t = Number(slider.value);
    cursor.setAttribute("x", String(left + (t - 1) * cell));
    const does = rows.map((row, w) => [w, row.indexOf(t)] as const).filter((x) => x[1] >= 0);
    const done = rows.filter((row) => (row[row.length - 1] ?? 0) < t).length;
    where.textContent = `cycle ${t}: ${does.length > 0 ? does.map(([w, i]) => `warp ${w + 1} executes ${code[i]} (${i + 1} of ${code.length})`).join(", ") : "nobody executes anything"}; ${rows.length - does.length - done} wait, ${done} have ended`;
    slider.setAttribute("aria-valuetext", where.textContent);
  };
  slider.addEventListener("input", show);
  const picture = s("svg", { width: left + cycles * cell + 8, height: 24 + rows.length * cell, role: "img", "aria-label": `schedule of ${rows.length} warps in ${cycles} cycles` }, cursor, ...cells);
  picture.addEventListener("click", (e) => {
    const x = e.clientX - picture.getBoundingClientRect().left - left;
    const t = Math.floor(x / cell) + 1;
    if (t >= 1 && t <= cycles) {
      slider.value = String(t);
      show();
    }
  });
  show();
  return h(
    "section",
    { class: "card wide" },
    h("h3", {}, `A schedule that takes ${count(d.exact!.cycles)} cycles`),
    h("div", { class: "tools" }, h("label", {}, "cycle ", slider)),
    where,
    h("div", { class: "scrollx", tabindex: 0, role: "group", "aria-label": "schedule" }, picture as unknown as Node),
    all.length > rows.length || d.exact!.cycles > cycles ? h("p", { class: "note" }, `the first ${rows.length} warps and ${cycles} cycles`) : null,
  );
}

export function makespanResult(): View {
  return makespanView(store.result!.document as unknown as Makespan);
}
