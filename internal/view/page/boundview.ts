// The bounds of a launch, what the best one is the sum of, and what it rests on.

import { bar, count, h, percent, plural, table, time } from "./dom";
import type { View } from "./codeview";
import { store } from "./state";
import type { Analysis } from "./types";

const scopes: Record<string, string> = { warp: "one warp alone", block: "one block alone", sm: "the launch", kernel: "the launch" };

export function bestOf(a: Analysis): Analysis["bounds"][number] | undefined {
  return a.bounds.find((b) => b.method === a.best?.method && b.scope === a.best?.scope);
}

export function boundTables(a: Analysis): HTMLElement[] {
  const best = bestOf(a);
  const all = [...new Set(a.bounds.map((b) => b.method))];
  const present = ["warp", "block", "sm", "kernel"].filter((x) => a.bounds.some((b) => b.scope === x));
  const cell = (method: string, scope: string): string => {
    const b = a.bounds.find((x) => x.method === method && x.scope === scope);
    if (!b) return "–";
    return (b === best ? "*" : b.safe ? "" : "!") + count(b.cycles);
  };
  const out: HTMLElement[] = [];
  out.push(
    h(
      "section",
      { class: "card" },
      table(
        "Bounds in cycles",
        [{ head: "method", of: (m: string) => m }, ...present.map((scope) => ({ head: scopes[scope] ?? scope, num: true, of: (m: string) => cell(m, scope) }))],
        all,
      ),
      h("p", { class: "note" }, "* the bound   ! not safe: an execution may take longer   – no bound for this scope"),
      ...a.bounds.filter((b) => !b.safe && b.unsafe_reason && (b.scope === "sm" || b.scope === "kernel")).map((b) => h("p", { class: "note" }, `! ${b.method}: ${b.unsafe_reason}`)),
    ),
  );
  if (best) {
    const rows = Object.entries(best.breakdown).filter((x) => x[1] !== 0);
    out.push(
      h(
        "section",
        { class: "card" },
        table(
          `The bound by ${best.method} is the sum of`,
          [
            { head: "part", of: (r) => a.breakdown_names[r[0]] ?? r[0] },
            { head: "cycles", num: true, of: (r) => count(r[1]) },
            { head: "share", num: true, of: (r) => h("span", { class: "withbar" }, bar(r[1] / best.cycles), h("span", {}, percent(r[1] / best.cycles))) },
          ],
          rows,
        ),
        h("p", { class: "note" }, best.theorem),
      ),
    );
    out.push(
      h(
        "section",
        { class: "card wide" },
        table(
          "What it rests on",
          [
            { head: "id", of: (x) => x.id },
            { head: "assumption", of: (x) => x.name.replace(/-/g, " ") },
            { head: "who answers for it", of: (x) => ({ assumed: "whoever uses the bound", "proved-for-this-kernel": "proved for this kernel", "enforced-by-hardware-description": "the GPU description" })[x.status] ?? x.status },
            { head: "here", of: (x) => x.note ?? "" },
          ],
          best.assumptions,
        ),
      ),
    );
  }
  if (a.loops && a.loops.length > 0)
    out.push(
      h(
        "section",
        { class: "card" },
        table(
          "Loops",
          [
            { head: "loop", of: (x) => "  ".repeat(x.depth - 1) + x.loop },
            { head: "goes back at most", num: true, of: (x) => (x.bound === null ? "no bound" : count(x.bound)) },
            { head: "by", of: (x) => x.origin },
          ],
          a.loops,
        ),
      ),
    );
  if (a.warps.length > 0)
    out.push(
      h(
        "section",
        { class: "card" },
        table(
          "Warps of the slowest block, each alone",
          [
            { head: "warps", of: (w) => `${w.warps} of class ${a.warps.indexOf(w)}` },
            { head: "instructions", num: true, of: (w) => count(w.instructions) },
            { head: "isolated", num: true, of: (w) => count(w.isolated_cycles) },
            { head: "executing", num: true, of: (w) => (w.execution_cycles ? count(w.execution_cycles) : "–") },
            { head: "units, cycles starting", of: (w) => Object.entries(w.unit_initiation_cycles).map(([u, c]) => `${u} ${count(c)}`).join(", ") },
          ],
          a.warps,
        ),
      ),
    );
  if (a.costs) {
    const rest = a.costs.rows.filter((r) => !r.position);
    const top = a.costs.rows.slice(0, 12);
    out.push(
      h(
        "section",
        { class: "card wide" },
        table(
          `Where the ${count(a.costs.cycles)} cycles of the bound by ${a.costs.method} go`,
          [
            { head: "instruction", of: (r) => r.text || r.name },
            { head: "cycles", num: true, of: (r) => count(r.cycles) },
            { head: "share", num: true, of: (r) => h("span", { class: "withbar" }, bar(r.cycles / a.costs!.cycles), h("span", {}, percent(r.cycles / a.costs!.cycles))) },
            { head: "issue", num: true, of: (r) => count(r.issue) },
            { head: "unit", num: true, of: (r) => count(r.occupied) },
            { head: "result", num: true, of: (r) => count(r.awaited) },
            { head: "others", num: true, of: (r) => count(r.charged) },
            { head: "else", num: true, of: (r) => count(r.other) },
          ],
          [...top, ...rest.filter((r) => !top.includes(r))],
        ),
        a.costs.rows.length > top.length ? h("p", { class: "note" }, `the ${top.length} that cost most of ${a.costs.rows.length}`) : null,
      ),
    );
  }
  if (a.refused.length > 0)
    out.push(
      h(
        "section",
        { class: "card wide" },
        h("details", {}, h("summary", {}, `${plural(a.refused.length, "method")} without a bound`), table("No bound", [{ head: "method", of: (r) => r.method }, { head: "scope", of: (r) => scopes[r.scope] ?? r.scope }, { head: "why", of: (r) => r.reason }], a.refused)),
      ),
    );
  return out;
}

export function boundView(): View {
  const element = h("div", { class: "cards" });
  const draw = (): void => {
    const a = store.analysis?.document;
    if (!a) {
      element.replaceChildren(h("p", { class: "error", role: "alert" }, store.error || "There is no bound yet."));
      return;
    }
    const about = [
      `${a.kernel} on ${a.gpu}${a.gpu_settings.length > 0 ? " with " + a.gpu_settings.join(" ") : ""}, grid ${a.grid.join("×")} of blocks ${a.block.join("×")}; at most ${plural(a.blocks_per_sm, "block")} resident on an SM (limit: ${a.occupancy_limiter})`,
      a.holds_for_all_inputs ? "The bound holds whatever the buffers contain that are not marked as known." : `For the input of the launch file only: ${a.not_covered || "the path depends on data"}`,
      a.best ? `${count(a.best.cycles)} cycles = ${time(a.best.cycles, a.core_khz)}` : "no safe bound on the launch",
    ];
    element.replaceChildren(h("section", { class: "card wide" }, ...about.map((t) => h("p", {}, t))), ...boundTables(a));
  };
  draw();
  return { element, close: store.on("analysis", draw) };
}
