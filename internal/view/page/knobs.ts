// Sliders for the numbers of the GPU: the bound follows at once, the simulation behind it.

import { count, h } from "./dom";
import { store } from "./state";
import type { Knob } from "./types";

export function knobPanel(): HTMLElement {
  const body = h("div", { class: "knobs" });
  const gpu = h("select", { "aria-label": "GPU", id: "gpu" });
  const policy = h("select", { "aria-label": "warp scheduling policy", id: "policy" });
  const reset = h("button", { type: "button", id: "reset", onclick: () => clear() }, "Reset");
  const pin = h("button", { type: "button", id: "pin", title: "keep this result to compare others with", "aria-keyshortcuts": "p", onclick: () => store.pin() }, "Keep ", h("kbd", {}, "p"));
  const too = h("input", { type: "checkbox", id: "simulatetoo", checked: true });
  const bar = h("progress", { id: "simulating", max: 1, value: 0, "aria-label": "simulation", hidden: true });
  const state = h("p", { class: "note", id: "simstate" });
  too.addEventListener("change", () => {
    store.simulateToo = too.checked;
    store.soon();
  });
  gpu.addEventListener("change", () => {
    store.gpu = gpu.value;
    store.settings.clear();
    void store.describe().catch((e: unknown) => store.fail(e));
    store.changed();
  });
  policy.addEventListener("change", () => {
    store.policy = policy.value;
    store.changed();
  });
  const clear = (): void => {
    store.settings.clear();
    draw();
    store.changed();
  };
  const one = (k: Knob): HTMLElement => {
    const id = "knob-" + k.key.replace(/[^a-z0-9]+/gi, "-");
    const now = (): number => Number(store.settings.get(k.key) ?? k.value);
    const range = h("input", { type: "range", id, min: k.min, max: k.max, step: 1, value: now(), title: `${k.key}: ${k.source}` });
    const number = h("input", { type: "number", min: k.min, step: 1, value: now(), "aria-label": `${k.group} ${k.label}, as a number` });
    const row = h("div", { class: "knob" }, h("label", { for: id, title: `${k.key}\n${k.source}` }, k.label), range, number);
    const set = (v: number): void => {
      if (!Number.isFinite(v) || v < k.min) return;
      range.value = number.value = String(v);
      if (v === k.value) store.settings.delete(k.key);
      else store.settings.set(k.key, v);
      row.classList.toggle("changed", v !== k.value);
      range.setAttribute("aria-valuetext", v === k.value ? String(v) : `${v}, ${k.value} as described`);
      store.changed();
    };
    range.addEventListener("input", () => set(Number(range.value)));
    number.addEventListener("change", () => set(Number(number.value)));
    row.classList.toggle("changed", now() !== k.value);
    return row;
  };
  const draw = (): void => {
    const m = store.machine;
    if (!m) return;
    const groups = [...new Set(m.knobs.map((k) => k.group))];
    const titles: Record<string, string> = { GPU: "GPU", units: "Units, how many", latency: "Latency, cycles", initiation: "Initiation, cycles" };
    body.replaceChildren(...groups.map((g) => h("fieldset", {}, h("legend", {}, titles[g] ?? g), ...m.knobs.filter((k) => k.group === g).map(one))));
  };
  const said = (): void => {
    const p = store.progress;
    bar.hidden = !p;
    if (p) {
      if (p.total > 0) bar.value = p.done / p.total;
      else bar.removeAttribute("value");
      state.textContent = p.total > 0 ? `simulating: ${count(p.done)} of ${count(p.total)} blocks` : "simulating";
      return;
    }
    const sim = store.simulation;
    state.textContent = sim && !store.stale ? `simulated in ${sim.report.millis.toFixed(0)} ms` : store.simulateToo ? "" : "not simulated";
  };
  const options = (): void => {
    const presets = store.session.presets.map((p) => h("option", { value: p.name, title: p.about }, p.name));
    const named = store.session.gpu && !store.session.presets.some((p) => p.name === store.session.gpu) ? [h("option", { value: store.session.gpu }, store.session.gpu)] : [];
    gpu.replaceChildren(...named, ...presets);
    gpu.value = store.gpu;
    policy.replaceChildren(h("option", { value: "" }, "as described"), ...store.session.policies.map((p) => h("option", { value: p }, p)));
    policy.value = store.policy;
  };
  options();
  draw();
  store.on("machine", () => {
    gpu.value = store.gpu;
    draw();
  });
  store.on("progress", said);
  store.on("simulation", said);
  return h(
    "aside",
    { id: "panel", "aria-label": "GPU and policy" },
    h("div", { class: "row" }, h("label", { for: "gpu" }, "GPU"), gpu),
    h("div", { class: "row" }, h("label", { for: "policy" }, "policy"), policy),
    h("div", { class: "row buttons" }, reset, pin, h("label", { for: "simulatetoo" }, too, "simulate")),
    bar,
    state,
    body,
  );
}
