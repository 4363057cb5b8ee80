// The path that takes long, a step at a time.

import { programPane, sourcePanes, type View } from "./codeview";
import { costsOf } from "./costs";
import { bar, count, h, percent } from "./dom";
import { FlowPane } from "./flow";
import { say, store } from "./state";
import type { Instruction } from "./types";

interface Step {
  at: Instruction;
  chain: number; // cycles on the chain of the slowest warp
  charged: number; // in which others may start it first
  why: string;
}

const says: Record<string, string> = {
  result: "the next instruction waits for its result",
  unit: "the next instruction waits for its unit",
  issue: "the next instruction waits for its issue slot",
  others: "off the chain: only others delay the warp here",
};

// steps are the instructions of the longest chain in the order of the program.
function steps(): Step[] {
  const l = store.launch!;
  const costs = costsOf(l, store.analysis?.document);
  if (!costs) return [];
  const out: Step[] = [];
  for (const at of l.instructions) {
    const sum = costs.byPC.get(at.pc);
    if (!sum) continue;
    const [result = 0, unit = 0, issue = 0, charged = 0] = sum;
    if (result + unit + issue + charged === 0) continue;
    const [most, name] = ([[result, "result"], [unit, "unit"], [issue, "issue"]] as const).reduce((a, b) => (b[0] > a[0] ? b : a));
    out.push({ at, chain: result + unit + issue, charged, why: most > 0 ? name : "others" });
  }
  return out;
}

export function pathView(): View {
  const l = store.launch!;
  let all = steps();
  let at = -1;
  let playing = 0;
  const costs = costsOf(l, store.analysis?.document);
  const program = programPane(l, costs);
  const sources = l.sources.length > 0 ? sourcePanes(l, costs) : [];
  const flow = new FlowPane(l, costs);
  const list = h("div", { class: "steps", role: "listbox", tabindex: 0, "aria-label": "steps of the longest chain" });
  const strip = h("div", { class: "strip", "aria-hidden": "true" });
  const where = h("output", { class: "where", "aria-live": "polite" });
  const slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "step" });
  const button = (label: string, title: string, f: () => void): HTMLButtonElement => h("button", { type: "button", title, "aria-label": title, onclick: f }, label);
  const play = button("Play", "play", () => toggle());
  const onlyChain = h("input", { type: "checkbox", checked: true, id: "onlychain" });

  const show = (n: number): void => {
    if (all.length === 0) return;
    at = Math.max(0, Math.min(all.length - 1, n));
    const s = all[at]!;
    [...list.children].forEach((row, i) => row.setAttribute("aria-selected", String(i === at)));
    const row = list.children[at] as HTMLElement;
    list.setAttribute("aria-activedescendant", row.id);
    if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = row.offsetTop - list.clientHeight / 3;
    slider.value = String(at);
    [...strip.children].forEach((e, i) => e.classList.toggle("on", i === at));
    where.textContent = `step ${at + 1} of ${all.length}: ${s.at.text}: ${count(s.chain)} cycles on the chain (${says[s.why]})${s.charged ? `, and ${count(s.charged)} in which others may start it first` : ""}`;
    store.link([s.at.pc]);
  };
  const stop = (): void => {
    window.clearInterval(playing);
    playing = 0;
    play.textContent = "Play";
    play.setAttribute("aria-label", "play");
  };
  const toggle = (): void => {
    if (playing) return stop();
    play.textContent = "Pause";
    play.setAttribute("aria-label", "pause");
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    playing = window.setInterval(
      () => {
        if (at >= all.length - 1) stop();
        else show(at + 1);
      },
      calm ? 1500 : 500,
    );
  };
  const draw = (): void => {
    all = steps();
    if (onlyChain.checked) all = all.filter((s) => s.chain > 0);
    const total = all.reduce((x, s) => x + s.chain, 0);
    const most = Math.max(1, ...all.map((s) => s.chain));
    let sum = 0;
    list.replaceChildren(
      ...all.map((s, i) => {
        sum += s.chain;
        const row = h(
          "div",
          { role: "option", id: `step-${i}`, class: "step", "aria-selected": "false" },
          h("span", { class: "num" }, count(s.chain)),
          bar(s.chain / most),
          h("span", { class: "num dim" }, percent(total ? sum / total : 0, 0)),
          h("span", { class: "dim why", title: says[s.why] }, s.why),
          h("span", { class: "src" }, s.at.text),
        );
        row.addEventListener("click", () => show(i));
        return row;
      }),
    );
    strip.replaceChildren(
      ...all.map((s) => {
        const e = h("span");
        e.style.flexGrow = String(s.chain);
        return e;
      }),
    );
    slider.max = String(Math.max(0, all.length - 1));
    if (all.length === 0) where.textContent = store.analysis?.note ? "No chain: " + store.analysis.note : "The bound has no chain to step through.";
    else show(Math.max(0, Math.min(at, all.length - 1)));
  };
  onlyChain.addEventListener("change", draw);
  slider.addEventListener("input", () => show(Number(slider.value)));
  const key = (e: KeyboardEvent): void => {
    const to: Record<string, () => void> = {
      ArrowDown: () => show(at + 1),
      ArrowUp: () => show(at - 1),
      Home: () => show(0),
      End: () => show(all.length - 1),
      " ": toggle,
      n: () => show(all.reduce((best, s, i) => (s.chain > (all[best]?.chain ?? 0) ? i : best), 0)),
    };
    const f = to[e.key];
    if (!f || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    f();
  };
  list.addEventListener("keydown", key);
  const tools = h(
    "div",
    { class: "tools", role: "toolbar", "aria-label": "steps" },
    button("First", "first step", () => show(0)),
    button("Back", "step back", () => show(at - 1)),
    play,
    button("Step", "step", () => show(at + 1)),
    button("Last", "last step", () => show(all.length - 1)),
    button("Most", "the step that takes most", () => show(all.reduce((best, s, i) => (s.chain > (all[best]?.chain ?? 0) ? i : best), 0))),
    slider,
    h("label", { for: "onlychain" }, onlyChain, "only the chain"),
  );
  const data = store.analysis?.document.input_dependent ?? [];
  const decides =
    data.length > 0
      ? h("details", { class: "key" }, h("summary", {}, `Data decide at ${data.length} instructions`), h("ul", {}, ...data.map((d) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => store.link([d.pc]) }, `${l.instructions[d.pc]?.text ?? d.position}`), ` ${d.kind}${d.register ? " by " + d.register : ""}`))))
      : null;
  const element = h(
    "div",
    { class: "pathview" },
    tools,
    strip,
    where,
    h("div", { class: sources[0] ? "panes four" : "panes three" }, h("section", { class: "pane", "aria-label": "Steps" }, h("h3", {}, "Longest chain", h("span", { class: "file" }, "of the slowest warp: cycles, running share, what the next waits for")), list, decides), sources[0]?.element ?? null, program.element, flow.element),
  );
  draw();
  if (all.length > 0) say(`${all.length} steps; arrow keys step, space plays`);
  const off = store.on("analysis", () => {
    const c = costsOf(l, store.analysis?.document);
    program.heat(c);
    for (const s of sources) s.heat(c);
    flow.heat(c);
    draw();
  });
  return {
    element,
    shown: () => {
      if (all.length > 0) {
        store.link([]);
        show(Math.max(0, at));
      }
    },
    close: () => {
      stop();
      off();
      program.close();
      for (const s of sources) s.close();
      flow.close();
    },
  };
}
