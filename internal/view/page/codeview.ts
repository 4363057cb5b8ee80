// Source, PTX or RISC-V, and control flow side by side.

import { CodePane } from "./code";
import { type Costs, costsOf, cyclesOf, runCostsOf, sumOf, words } from "./costs";
import { byId, count, h, percent, plural } from "./dom";
import { FlowPane } from "./flow";
import { store } from "./state";
import type { Launch } from "./types";

export interface View {
  element: HTMLElement;
  // shown is called when the element is on the page.
  shown?: () => void;
  close?: () => void;
}

export function pcsByLine(l: Launch): number[][] {
  const at: number[][] = l.program.lines.map(() => []);
  for (const i of l.instructions) at[i.line - 1]?.push(i.pc);
  return at;
}

export function pcsBySource(l: Launch, file: number): number[][] {
  const at: number[][] = (l.sources[file]?.lines ?? []).map(() => []);
  for (const i of l.instructions) if (i.source === file) at[i.source_line - 1]?.push(i.pc);
  return at;
}

// panes are those of the code of a launch: each source, the program, the launch file where
// no source is known.
export function sourcePanes(l: Launch, costs: Costs | null): CodePane[] {
  const out: CodePane[] = [];
  l.sources.forEach((src, n) => {
    const at = pcsBySource(l, n);
    out.push(new CodePane(`source${n}`, "Source", src, (line) => at[line] ?? [], costs, src.missing ? `${src.name} is ${src.missing}.` : ""));
  });
  if (out.length === 0) out.push(new CodePane("launchfile", "Launch file", l.launch, () => [], costs, "The kernel has no line table, so no source is shown: compile with nvcc -lineinfo or clang -gline-tables-only."));
  return out;
}

export function programPane(l: Launch, costs: Costs | null): CodePane {
  const at = pcsByLine(l);
  return new CodePane("program", l.riscv ? "RISC-V" : "PTX", l.program, (line) => at[line] ?? [], costs);
}

// about says what is known of the instructions that are pointed at.
export function about(l: Launch, costs: Costs | null): string {
  const pcs = [...store.linked];
  if (pcs.length === 0) return "";
  const sum = sumOf(costs, pcs);
  const cycles = cyclesOf(costs, pcs);
  const first = l.instructions[Math.min(...pcs)];
  const what = pcs.length === 1 && first ? first.text : plural(pcs.length, "instruction");
  const cost = costs ? `: ${count(cycles)} cycles (${percent(cycles / Math.max(1, costs.total))}) = ${words(costs, sum, count)}` : "";
  const times = pcs.length === 1 && first && first.executions >= 0 ? `; executed ${count(first.executions)}×` : "";
  return what + cost + times;
}

export function codeView(): View {
  const l = store.launch!;
  const now = (): Costs | null => (store.heat === "bound" ? costsOf(l, store.analysis?.document) : runCostsOf(l, store.simulation?.report.document));
  let costs = now();
  const sources = sourcePanes(l, costs);
  const program = programPane(l, costs);
  const flow = new FlowPane(l, costs);
  const tabs =
    sources.length > 1
      ? h("select", { "aria-label": "source file", class: "files" }, ...sources.map((_, n) => h("option", { value: n }, l.sources[n]!.name)))
      : null;
  const left = h("div", { class: "stack" }, tabs, sources[0]!.element);
  tabs?.addEventListener("change", () => left.replaceChildren(tabs, sources[Number(tabs.value)]!.element));
  const heat = h("select", { id: "heat", "aria-label": "what the numbers of lines are" }, h("option", { value: "bound" }, "cycles of the bound"), h("option", { value: "run" }, "scheduler cycles, simulated"));
  heat.value = store.heat;
  const key = h("p", { class: "legend" });
  const note = h("p", { class: "note" });
  const explain = (): void => {
    key.replaceChildren(...(costs ? [h("span", {}, `${count(costs.total)} ${costs.of}:`), ...costs.parts.map((p) => h("span", {}, h("b", {}, p.name), " ", p.says))] : []));
    note.textContent = costs ? "" : store.heat === "run" ? "Nothing is simulated yet." : store.analysis?.note ? `No cycles by line: ${store.analysis.note}` : "No cycles by line.";
    note.hidden = costs !== null;
  };
  const element = h("div", { class: "codeview" }, h("div", { class: "panes" }, left, program.element, flow.element), h("div", { class: "key" }, heat, key, note));
  const detail = byId("detail");
  const again = (): void => {
    costs = now();
    for (const s of sources) s.heat(costs);
    program.heat(costs);
    flow.heat(costs);
    detail.textContent = about(l, costs);
    explain();
  };
  heat.addEventListener("change", () => {
    store.heat = heat.value === "run" ? "run" : "bound";
    again();
  });
  explain();
  const off = [store.on("link", () => (detail.textContent = about(l, costs))), store.on("analysis", again), store.on("simulation", again)];
  return {
    element,
    shown: () => {
      program.costliest();
      for (const s of sources) s.costliest();
    },
    close: () => {
      for (const f of off) f();
      for (const s of sources) s.close();
      program.close();
      flow.close();
      detail.textContent = "";
    },
  };
}
