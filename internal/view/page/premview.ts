// PREM: the phases of a C file's loops, their budgets, and how the guard hands the memory over.

import { aborted, stream } from "./api";
import type { View } from "./codeview";
import { count, h, nanos, percent, s, table } from "./dom";
import { say, store } from "./state";
import type { Answer, GuardRun, PremPlan, PremSchedule, Text } from "./types";

interface Got {
  plan: Answer<PremPlan>;
  schedule: Answer<PremSchedule>;
  source: Text;
  guard: GuardRun[];
}

type Row = PremSchedule["kernels"][number];

const wide = 900;
const mostIntervals = 24;

// gantt draws who has the memory: budgets as frames, the longest phases in them, the rest idle.
function gantt(rows: Row[], sync: number, timer: number): HTMLElement {
  // No budget is below the timer's response.
  const memory = (r: Row): number => Math.max(r.memory_budget_ns, timer);
  const compute = (r: Row): number => Math.max(r.compute_budget_ns, timer);
  const one = (r: Row): number => memory(r) + compute(r) + 2 * sync;
  const around = (r: Row): number => Math.max(0, r.total_ns - r.intervals * one(r));
  const span = (r: Row): number => (r.intervals > mostIntervals ? mostIntervals * one(r) + around(r) : r.total_ns);
  const most = Math.max(1, ...rows.map(span));
  const left = 150;
  const high = 46;
  const out: SVGElement[] = [];
  const step = [1, 2, 5, 10].map((m) => m * 10 ** Math.floor(Math.log10(most / 8))).find((x) => x >= most / 10) ?? most;
  for (let t = 0; t <= most; t += step) {
    const at = left + (t / most) * (wide - left - 8);
    out.push(s("line", { x1: at, y1: 16, x2: at, y2: 20 + rows.length * high, class: "grid" }), s("text", { x: at, y: 12, "text-anchor": "middle", class: "axis" }, nanos(t)));
  }
  rows.forEach((r, i) => {
    const y = 22 + i * high;
    out.push(s("text", { x: 0, y: y + 14, class: "axis strong" }, `${r.kernel}`), s("text", { x: 0, y: y + 28, class: "axis" }, `${r.scheme}, ${r.source}`));
    const x = (ns: number): number => left + (ns / most) * (wide - left - 8);
    let t = 0;
    const part = (budget: number, longest: number, kind: "memory" | "compute"): void => {
      const a = x(t);
      const w = Math.max(0.5, x(t + budget) - a);
      const name = kind === "memory" ? "M" : "C";
      const frame = s("rect", { x: a, y, width: w, height: 30, class: "budget " + kind }, s("title", {}, `${kind} phase: budget ${nanos(budget)}, longest phase ${nanos(longest)}; ${kind === "memory" ? "the GPU has the memory, CPU cores are held" : "CPU cores have the memory"}`));
      out.push(frame, s("rect", { x: a, y: y + (kind === "memory" ? 0 : 15), width: Math.max(0.5, x(t + longest) - a), height: 15, class: "phase " + kind, "pointer-events": "none" }));
      const filled = x(t + longest) - a;
      if (filled > 12) out.push(s("text", { x: a + filled / 2, y: y + (kind === "memory" ? 11 : 26), "text-anchor": "middle", class: "letter" }, name));
      t += budget;
    };
    const gap = (): void => {
      out.push(s("rect", { x: x(t), y: y + 13, width: Math.max(0.5, x(t + sync) - x(t)), height: 4, class: "sync" }, s("title", {}, `synchronisation: ${nanos(sync)}`)));
      t += sync;
    };
    for (let n = 0; n < Math.min(r.intervals, mostIntervals); n++) {
      part(memory(r), r.memory_ns, "memory");
      gap();
      part(compute(r), r.compute_ns, "compute");
      gap();
    }
    if (around(r) > 0) out.push(s("rect", { x: x(t), y: y + 8, width: Math.max(0.5, x(t + around(r)) - x(t)), height: 14, class: "around" }, s("title", {}, `before the first interval and after the last: ${nanos(around(r))}`)));
    if (r.intervals > mostIntervals) out.push(s("text", { x: wide - 4, y: y + 42, "text-anchor": "end", class: "axis" }, `and ${count(r.intervals - mostIntervals)} intervals more`));
  });
  return h(
    "div",
    { class: "scrollx", tabindex: 0, role: "group", "aria-label": "phases over time" },
    s("svg", { width: wide, height: 28 + rows.length * high, role: "img", "aria-label": "memory and compute phases in their budgets; the table below has the same numbers" }, ...out) as unknown as Node,
  );
}

export function premCards(d: PremSchedule): HTMLElement[] {
  const ran = d.kernels.filter((k) => k.launches > 0);
  const out = [
    h(
      "section",
      { class: "card wide" },
      h("h3", {}, `Phases in their budgets, schedule ${d.schedule}`),
      h(
        "p",
        { class: "legend" },
        h("span", {}, h("b", {}, "M"), " memory phase: the GPU has the memory, CPU cores are held"),
        h("span", {}, h("b", {}, "C"), " compute phase: CPU cores have the memory"),
        h("span", {}, "frame: budget, never below the timer's response; filled: the longest phase; thin line: synchronisation; dotted: before and after the intervals"),
      ),
      gantt(ran, d.sync_ns, d.timer_ns),
      table(
        "Budgets",
        [
          { head: "kernel", of: (k) => k.kernel },
          { head: "scheme", of: (k) => k.scheme },
          { head: "phases", of: (k) => k.source },
          { head: "intervals", num: true, of: (k) => count(k.intervals) },
          { head: "longest memory", num: true, of: (k) => nanos(k.memory_ns) },
          { head: "longest compute", num: true, of: (k) => nanos(k.compute_ns) },
          { head: "memory budget", num: true, of: (k) => nanos(k.memory_budget_ns) },
          { head: "compute budget", num: true, of: (k) => nanos(k.compute_budget_ns) },
          { head: "total", num: true, of: (k) => nanos(k.total_ns) },
          { head: "over base", num: true, of: (k) => k.slowdown.toFixed(2) },
        ],
        ran,
      ),
      ...d.kernels.filter((k) => k.no_bound).map((k) => h("p", { class: "note" }, `${k.kernel}, ${k.scheme}: no bound: ${k.no_bound}`)),
    ),
  ];
  if (d.runs.length > 0)
    out.push(
      h(
        "section",
        { class: "card wide" },
        table(
          "Simulated as a whole, with the guard",
          [
            { head: "kernel", of: (r) => r.kernel },
            { head: "scheme", of: (r) => r.scheme },
            { head: "beside", of: (r) => r.traffic ?? "nothing" },
            { head: "cycles", num: true, of: (r) => count(r.cycles) },
            { head: "over base", num: true, of: (r) => r.slowdown.toFixed(2) },
            { head: "hand-overs", num: true, of: (r) => (r.guard ? count(r.guard.hand_overs) : "–") },
            { head: "missed", num: true, of: (r) => (r.guard ? count(r.guard.misses) : "–") },
            { head: "idle", num: true, of: (r) => (r.guard ? percent(r.guard.idle) : "–") },
            { head: "longest memory", num: true, of: (r) => (r.guard ? count(r.guard.longest_memory_cycles) : "–") },
            { head: "longest compute", num: true, of: (r) => (r.guard ? count(r.guard.longest_compute_cycles) : "–") },
          ],
          d.runs,
        ),
        h("p", { class: "note" }, "missed: phases that were not over when their budget was"),
      ),
    );
  return out;
}

// guardCard draws what the guard did: who had the memory, and how long the GPU worked and waited.
function guardCard(runs: GuardRun[]): HTMLElement {
  const most = Math.max(1, ...runs.map((r) => r.cycles));
  const left = 150;
  const high = 46;
  const x = (cycle: number): number => left + (cycle / most) * (wide - left - 8);
  const out: SVGElement[] = [];
  const step = [1, 2, 5, 10].map((m) => m * 10 ** Math.floor(Math.log10(most / 8))).find((v) => v >= most / 10) ?? most;
  for (let t = 0; t <= most; t += step) out.push(s("line", { x1: x(t), y1: 16, x2: x(t), y2: 20 + runs.length * high, class: "grid" }), s("text", { x: x(t), y: 12, "text-anchor": "middle", class: "axis" }, count(t)));
  const names: Record<string, string> = { memory: "M", compute: "C", launch: "L", join: "J" };
  runs.forEach((r, i) => {
    const y = 22 + i * high;
    out.push(s("text", { x: 0, y: y + 14, class: "axis strong" }, r.kernel), s("text", { x: 0, y: y + 28, class: "axis" }, r.scheme));
    for (const p of r.phases) {
      const end = p.end_cycle < 0 ? r.cycles : p.end_cycle;
      const asks = p.request_cycle < 0 ? end : p.request_cycle;
      const title = `${p.kind} phase from cycle ${count(p.grant_cycle)} to ${count(end)}: the GPU works for ${count(asks - p.grant_cycle)} and waits for ${count(end - asks)}${p.misses > 0 ? `; MISSED ${p.misses} times` : ""}`;
      const w = Math.max(0.5, x(end) - x(p.grant_cycle));
      out.push(s("rect", { x: x(p.grant_cycle), y, width: w, height: 30, class: "budget " + p.kind }, s("title", {}, title)));
      out.push(s("rect", { x: x(p.grant_cycle), y: y + (p.kind === "compute" ? 15 : 0), width: Math.max(0.5, x(asks) - x(p.grant_cycle)), height: 15, class: "phase " + p.kind, "pointer-events": "none" }));
      const filled = x(asks) - x(p.grant_cycle);
      if (filled > 12) out.push(s("text", { x: x(p.grant_cycle) + filled / 2, y: y + (p.kind === "compute" ? 26 : 11), "text-anchor": "middle", class: "letter" }, (names[p.kind] ?? "?") + (p.misses > 0 ? "!" : "")));
    }
  });
  const rows = runs.flatMap((r) => r.phases.map((p, n) => ({ r, p, n })));
  return h(
    "section",
    { class: "card wide" },
    h("h3", {}, "The guard, phase by phase, as simulated: the first launch of each scheme"),
    h("p", { class: "legend" }, h("span", {}, h("b", {}, "L M J"), " launch, memory phase, join: the GPU has the memory, CPU cores are held"), h("span", {}, h("b", {}, "C"), " compute phase: CPU cores have it"), h("span", {}, "filled: the GPU works; frame: it waits until the next phase is granted; ! missed")),
    h("div", { class: "scrollx", tabindex: 0, role: "group", "aria-label": "the guard over time" }, s("svg", { width: wide, height: 28 + runs.length * high, role: "img", "aria-label": "phases as the guard granted them; the table below has the same numbers" }, ...out) as unknown as Node),
    h(
      "details",
      {},
      h("summary", {}, `${rows.length} phases`),
      table(
        "Phases in cycles",
        [
          { head: "scheme", of: (x) => x.r.scheme },
          { head: "phase", of: (x) => `${x.n + 1} ${x.p.kind}` },
          { head: "granted", num: true, of: (x) => count(x.p.grant_cycle) },
          { head: "GPU asks for the next", num: true, of: (x) => (x.p.request_cycle < 0 ? "–" : count(x.p.request_cycle)) },
          { head: "next granted", num: true, of: (x) => (x.p.end_cycle < 0 ? "–" : count(x.p.end_cycle)) },
          { head: "budget", num: true, of: (x) => (x.p.kind === "memory" ? count(x.r.memory_budget_cycles) : x.p.kind === "compute" ? count(x.r.compute_budget_cycles) : "–") },
          { head: "missed", num: true, of: (x) => count(x.p.misses) },
        ],
        rows,
      ),
    ),
  );
}

export function planCard(d: PremPlan): HTMLElement {
  return h(
    "section",
    { class: "card wide" },
    table(
      `Loops cut into intervals; ${count(d.spm_bytes)} bytes of scratchpad for a team`,
      [
        { head: "kernel", of: (k) => k.kernel },
        { head: "at", of: (k) => k.at },
        { head: "teams × threads", num: true, of: (k) => `${k.teams} × ${k.threads}` },
        { head: "kinds of intervals", num: true, of: (k) => count(k.intervals.length) },
        { head: "largest, bytes", num: true, of: (k) => count(k.bytes) },
        { head: "arrays", of: (k) => k.intervals[0]?.boxes.map((b) => `${b.array} ${b.read ? "in" : ""}${b.read && b.written ? "/" : ""}${b.written ? "out" : ""} ${count(b.bytes)}`).join(", ") ?? "" },
        { head: "phases told apart", of: (k) => (k.compatible === null ? "yes" : "no: " + k.compatible) },
      ],
      d.kernels,
    ),
  );
}

export function premView(): View {
  let asked: AbortController | null = null;
  const out = h("div", { class: "cards" });
  const schedule = h("select", { id: "prem-schedule", "aria-label": "schedule" }, ...[["best", "best: budgets are the longest phases"], ["fair", "fair: half of the time for the CPU"], ["30%", "30 % of the time for the GPU"], ["10%", "10 % of the time for the GPU"]].map(([v, t]) => h("option", { value: v }, t)));
  const guarded = h("input", { type: "checkbox", id: "prem-guarded", checked: true });
  const bar = h("progress", { hidden: true, "aria-label": "simulation of the phases" });
  const ask = async (): Promise<void> => {
    asked?.abort();
    const mine = new AbortController();
    asked = mine;
    guarded.disabled = schedule.value !== "best";
    bar.hidden = false;
    bar.removeAttribute("value");
    try {
      const got = await stream<Got>(
        "prem",
        { id: store.item!.id, schedule: schedule.value, guarded: guarded.checked && schedule.value === "best" },
        (p) => {
          if (p.total > 0) bar.value = p.done / p.total;
          say(`${p.task}${p.detail ? ": " + p.detail : ""}`);
        },
        mine.signal,
      );
      if (asked !== mine) return;
      out.replaceChildren(...premCards(got.schedule.document), ...(got.guard.length > 0 ? [guardCard(got.guard)] : []), planCard(got.plan.document), h("section", { class: "card wide" }, h("details", {}, h("summary", {}, "How the plans came about"), h("pre", { tabindex: 0 }, got.plan.text))), h("section", { class: "card wide" }, h("details", {}, h("summary", {}, got.source.name), h("pre", { tabindex: 0 }, got.source.lines.map((x, i) => `${String(i + 1).padStart(4)}  ${x}`).join("\n")))));
      say(`phases bounded and simulated in ${got.schedule.millis.toFixed(0)} ms`);
    } catch (e) {
      if (aborted(e)) return;
      out.replaceChildren(h("p", { class: "error", role: "alert" }, e instanceof Error ? e.message : String(e)));
    }
    bar.hidden = true;
  };
  schedule.addEventListener("change", () => void ask());
  guarded.addEventListener("change", () => void ask());
  const element = h("div", { class: "premview" }, h("div", { class: "tools" }, h("label", { for: "prem-schedule" }, "schedule"), schedule, h("label", { for: "prem-guarded" }, guarded, "simulate with the guard"), bar), out);
  void ask();
  return { element, close: () => asked?.abort() };
}
