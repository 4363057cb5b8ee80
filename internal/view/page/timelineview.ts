// The timeline with its tools, its keys, and what is said of a slice.

import type { View } from "./codeview";
import { bytes } from "./api";
import { bar, count, h, percent, plural, table } from "./dom";
import { say, store } from "./state";
import { axisHeight, Chart, type Looks, Recording, rowHeight } from "./timeline";

function looks(): Looks {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return { back: of("--back"), line: of("--line"), text: of("--text"), dim: of("--dim"), accent: of("--accent"), block: of("--block") };
}

export function timelineView(): View {
  let chart: Chart | null = null;
  let data: Recording | null = null;
  let run = -1;
  const element = h("div", { class: "timelineview" });
  const canvas = h("canvas", { class: "chart" });
  const spacer = h("div", { class: "spacer" }, canvas);
  const scroll = h("div", { class: "scroll" }, spacer);
  const stage = h(
    "div",
    { class: "stage", tabindex: 0, role: "application", "aria-roledescription": "timeline", "aria-label": "what warps do over time; arrow keys pan and choose a row, plus and minus zoom, brackets go from slice to slice", id: "timeline" },
    scroll,
  );
  const said = h("output", { class: "where", "aria-live": "polite" });
  const range = h("span", { class: "range" });
  const legend = h("div", { class: "shares" });
  const button = (label: string, title: string, f: () => void): HTMLButtonElement => h("button", { type: "button", title, "aria-label": title, onclick: f }, label);
  const later = button("record from here", "simulate again and record from the first cycle shown", () => {
    if (!chart || !data) return;
    store.from = Math.floor(data.from + chart.from);
    void store.simulate();
  });
  const whole = button("record from the start", "simulate again and record from cycle 0", () => {
    store.from = 0;
    void store.simulate();
  });
  const tools = h(
    "div",
    { class: "tools", role: "toolbar", "aria-label": "timeline" },
    button("+", "zoom in", () => chart?.zoom(0.5)),
    button("−", "zoom out", () => chart?.zoom(2)),
    button("⟷", "the whole recording", () => chart?.view(0, Infinity)),
    button("◀", "to the left", () => chart?.pan(-0.25)),
    button("▶", "to the right", () => chart?.pan(0.25)),
    button("⟨", "slice before", () => step(-1)),
    button("⟩", "next slice", () => step(1)),
    range,
    later,
    whole,
  );

  const tell = (): void => {
    if (!chart || !data) return;
    const i = chart.picked;
    const t = data.tracks[chart.selected];
    if (!t) return;
    if (i < 0) {
      said.textContent = `SM ${t.sm}, ${t.label}`;
      return;
    }
    const from = data.from + data.begin[i]!;
    const to = data.from + data.end[i]!;
    const who = data.warp[i]! >= 0 ? `block ${data.block[i]!} warp ${data.warp[i]!}` : data.block[i]! >= 0 ? `block ${data.block[i]!}` : t.label;
    const pc = data.pc[i]!;
    const at = pc >= 0 ? store.launch?.instructions[pc] : undefined;
    said.textContent = `SM ${t.sm}, ${who}: ${count(from)}–${count(to)}, ${plural(to - from, "cycle")}: ${at ? `issues ${at.text} (line ${at.line})` : chart.stateName(data.state[i]!) + (chart.states[data.state[i]!] ? ` (${chart.states[data.state[i]!]!.means})` : "")}`;
    store.link(at ? [pc] : []);
  };
  const pick = (slice: number): void => {
    if (!chart || !data) return;
    chart.picked = slice;
    if (slice >= 0) {
      const mid = (data.begin[slice]! + data.end[slice]!) / 2;
      const span = chart.to - chart.from;
      if (mid < chart.from || mid > chart.to) chart.view(mid - span / 2, mid + span / 2);
    }
    chart.redraw();
    tell();
  };
  const step = (by: number): void => {
    if (!chart || !data) return;
    const t = data.tracks[chart.selected];
    if (!t) return;
    const at = chart.picked >= t.first && chart.picked < t.first + t.count ? chart.picked + by : data.find(t, chart.from);
    pick(Math.max(t.first, Math.min(t.first + t.count - 1, at)));
  };
  const select = (row: number): void => {
    if (!chart || !data) return;
    chart.selected = Math.max(0, Math.min(data.tracks.length - 1, row));
    chart.picked = -1;
    const y = chart.selected * rowHeight;
    const room = scroll.clientHeight - axisHeight;
    if (y < scroll.scrollTop) scroll.scrollTop = y;
    else if (y + rowHeight > scroll.scrollTop + room) scroll.scrollTop = y + rowHeight - room;
    chart.redraw();
    tell();
  };

  stage.addEventListener("keydown", (e) => {
    if (!chart || e.ctrlKey || e.metaKey || e.altKey) return;
    const c = chart;
    const to: Record<string, () => void> = {
      ArrowLeft: () => c.pan(e.shiftKey ? -1 : -0.2),
      ArrowRight: () => c.pan(e.shiftKey ? 1 : 0.2),
      a: () => c.pan(-0.2),
      d: () => c.pan(0.2),
      ArrowUp: () => select(c.selected - 1),
      ArrowDown: () => select(c.selected + 1),
      "+": () => c.zoom(0.5),
      "=": () => c.zoom(0.5),
      w: () => c.zoom(0.5),
      "-": () => c.zoom(2),
      s: () => c.zoom(2),
      "0": () => c.view(0, Infinity),
      Home: () => c.view(0, c.to - c.from),
      "[": () => step(-1),
      "]": () => step(1),
      Enter: () => {
        if (c.picked >= 0) {
          const a = c.data.begin[c.picked]!;
          const b = c.data.end[c.picked]!;
          c.view(a - 4 * (b - a) - 10, b + 4 * (b - a) + 10);
        }
      },
    };
    if (e.key === "End") {
      e.preventDefault();
      const span = c.to - c.from;
      c.view(c.data.length - span, c.data.length);
      return;
    }
    const f = to[e.key];
    if (!f) return;
    e.preventDefault();
    e.stopPropagation();
    f();
  });
  canvas.addEventListener(
    "wheel",
    (e) => {
      if (!chart) return;
      const box = canvas.getBoundingClientRect();
      if (e.ctrlKey || e.metaKey) {
        e.preventDefault();
        chart.zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) / 150), chart.cycleAt(e.clientX - box.left));
      } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        e.preventDefault();
        chart.pan((e.deltaX || e.deltaY) / 1000);
      }
    },
    { passive: false },
  );
  let drag: { x: number; from: number; moved: boolean } | null = null;
  canvas.addEventListener("pointerdown", (e) => {
    if (!chart || e.button !== 0) return;
    drag = { x: e.clientX, from: chart.from, moved: false };
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", (e) => {
    if (!chart) return;
    if (drag) {
      const by = ((drag.x - e.clientX) / chart.plot) * (chart.to - chart.from);
      if (Math.abs(drag.x - e.clientX) > 3) drag.moved = true;
      if (drag.moved) chart.view(drag.from + by, drag.from + by + chart.to - chart.from);
      return;
    }
    const box = canvas.getBoundingClientRect();
    const under = chart.at(e.clientX - box.left, e.clientY - box.top);
    canvas.title = under && under.slice >= 0 ? `${chart.stateName(chart.data.state[under.slice]!)}: ${chart.states[chart.data.state[under.slice]!]?.means ?? ""}` : "";
  });
  canvas.addEventListener("pointerup", (e) => {
    const was = drag;
    drag = null;
    if (!chart || !data || was?.moved) return;
    const box = canvas.getBoundingClientRect();
    const under = chart.at(e.clientX - box.left, e.clientY - box.top);
    if (!under) return;
    chart.selected = data.tracks.indexOf(under.track);
    pick(under.slice);
  });
  canvas.addEventListener("pointercancel", () => (drag = null));
  canvas.addEventListener("dblclick", (e) => {
    if (!chart) return;
    chart.zoom(0.25, chart.cycleAt(e.clientX - canvas.getBoundingClientRect().left));
  });
  scroll.addEventListener("scroll", () => {
    if (!chart) return;
    chart.top = scroll.scrollTop;
    chart.redraw();
  });

  const shares = (): void => {
    if (!data || !chart) return;
    const of = [...data.shares()].sort((a, b) => b[1] - a[1]);
    const all = of.reduce((a, x) => a + x[1], 0);
    const swatch = (i: number): HTMLElement => {
      const e = h("span", { class: "swatch", "aria-hidden": "true" });
      e.style.background = chart!.states[i]?.color ?? "transparent";
      return e;
    };
    legend.replaceChildren(
      table(
        "What warps do, all cycles recorded",
        [
          { head: "state", of: (x) => h("span", {}, swatch(x[0]), chart!.stateName(x[0])) },
          { head: "cycles", num: true, of: (x) => count(x[1]) },
          { head: "share", num: true, of: (x) => h("span", { class: "withbar" }, bar(x[1] / all), h("span", {}, percent(x[1] / all))) },
          { head: "the warp", of: (x) => chart!.states[x[0]]?.means ?? "" },
        ],
        of,
      ),
    );
  };
  const shown = (): void => {
    if (!chart || !data) return;
    range.textContent = `${count(data.from + chart.from)} to ${count(data.from + chart.to)} of ${count(data.cycles)} cycles, ${plural(data.slices, "slice")}`;
    stage.dataset["from"] = String(Math.round(chart.from));
    stage.dataset["touched"] = String(chart.touched);
    stage.dataset["to"] = String(Math.round(chart.to));
  };
  const load = async (): Promise<void> => {
    const sim = store.simulation;
    if (!sim) {
      element.replaceChildren(h("p", { class: "note" }, store.error ? `There is no simulation: ${store.error}` : store.progress ? "Simulating…" : "Nothing is simulated yet."), h("button", { type: "button", onclick: () => void store.simulate() }, "Simulate"));
      return;
    }
    if (sim.run === run) return;
    run = sim.run;
    try {
      const got = new Recording(await bytes("slices", { run }));
      if (run !== sim.run) return;
      data = got;
    } catch (e) {
      store.fail(e);
      return;
    }
    const l = store.launch!;
    const opcode = (pc: number): string => (l.instructions[pc]?.text ?? "").replace(/^@!?%\w+\s+/, "").split(" ")[0] ?? "";
    chart = new Chart(canvas, data, store.session.states, opcode, looks(), shown);
    later.hidden = !data.full;
    whole.hidden = data.from === 0;
    spacer.style.height = `${axisHeight + data.tracks.length * rowHeight}px`;
    element.replaceChildren(tools, stage, said, legend);
    fit();
    if (data.full) said.textContent = `The recording is full: it ends at cycle ${count(data.to)} of ${count(data.cycles)}.`;
    shares();
    const warmed = data;
    data.warm(() => warmed === data && element.isConnected);
    chart.redraw();
    say(`timeline of ${plural(data.slices, "slice")} on ${plural(data.tracks.length, "track")}`);
  };
  const fit = (): void => {
    canvas.style.height = `${scroll.clientHeight}px`;
    chart?.redraw();
  };
  const size = new ResizeObserver(fit);
  size.observe(scroll);
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  const relook = (): void => chart?.look(looks());
  scheme.addEventListener("change", relook);
  const off = [store.on("simulation", () => void load()), store.on("progress", () => !store.simulation && void load())];
  void load();
  return {
    element,
    close: () => {
      for (const f of off) f();
      size.disconnect();
      scheme.removeEventListener("change", relook);
      store.link([]);
    },
  };
}
