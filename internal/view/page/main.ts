// The page: what is shown, its tabs, and its keys.

import { get } from "./api";
import { boundTables, boundView } from "./boundview";
import { codeView, type View } from "./codeview";
import { compareView } from "./compareview";
import { byId, count, h, percent, signed, time } from "./dom";
import { knobPanel } from "./knobs";
import { makespanResult, makespanView } from "./makespanview";
import { pathView } from "./pathview";
import { planCard, premCards, premView } from "./premview";
import { say, store } from "./state";
import { timelineView } from "./timelineview";
import { whatIfView } from "./whatifview";
import type { Analysis, Item, PremPlan, PremSchedule, Session } from "./types";

interface Tab {
  id: string;
  name: string;
  make: () => View;
}

const makespan: Tab = { id: "makespan", name: "Makespan", make: () => makespanView() };
const compare: Tab = { id: "compare", name: "Compare", make: compareView };
const report: Tab = { id: "report", name: "Report", make: textView };

function tabsOf(item: Item | null): Tab[] {
  if (item?.kind === "launch")
    return [
      { id: "code", name: "Code", make: codeView },
      { id: "path", name: "Worst path", make: pathView },
      { id: "timeline", name: "Timeline", make: timelineView },
      { id: "bound", name: "Bound", make: boundView },
      { id: "whatif", name: "What if", make: whatIfView },
      compare,
      report,
      makespan,
    ];
  if (item?.kind === "prem") return [{ id: "prem", name: "PREM", make: premView }, compare, makespan];
  if (item?.kind === "result") return [{ id: "result", name: "Result", make: resultView }, compare, report, makespan];
  return [makespan];
}

function textView(): View {
  const pre = (title: string, text: string): HTMLElement => h("section", { class: "card wide" }, h("h3", {}, title), h("pre", { tabindex: 0, "aria-label": title }, text));
  const element = h("div", { class: "cards" });
  const draw = (): void => {
    const out: HTMLElement[] = [];
    if (store.result) out.push(pre(store.item!.name, JSON.stringify(store.result.document, null, 2)));
    else if (store.analysis) out.push(pre("As warpbound analyze --explain prints it", store.analysis.text));
    if (store.simulation && !store.result) out.push(pre("As warpbound simulate prints it", store.simulation.report.text));
    element.replaceChildren(...out);
  };
  draw();
  const off = [store.on("analysis", draw), store.on("simulation", draw)];
  return { element, close: () => off.forEach((f) => f()) };
}

// tree shows any JSON value as lists that open.
function tree(value: unknown, name: string, depth = 0): HTMLElement {
  if (value === null || typeof value !== "object") return h("div", { class: "leaf" }, h("b", {}, name), " ", typeof value === "number" ? (Number.isInteger(value) ? count(value) : value) : String(value));
  const entries = Object.entries(value);
  const body = h("div", { class: "branch" });
  const open = depth === 0;
  const details = h("details", { open }, h("summary", {}, name, h("span", { class: "dim" }, ` ${entries.length}`)), body);
  const fill = (): void => {
    if (body.childElementCount === 0) body.append(...entries.slice(0, 500).map(([k, v]) => tree(v, k.replace(/_/g, " "), depth + 1)));
  };
  if (open) fill();
  else details.addEventListener("toggle", fill);
  return details;
}

function resultView(): View {
  const r = store.result;
  if (!r) return { element: h("p", { class: "error", role: "alert" }, store.error) };
  if (r.kind === "makespan") return makespanResult();
  const cards =
    r.kind === "analyze"
      ? boundTables(r.document as unknown as Analysis)
      : r.kind === "prem-schedule"
        ? premCards(r.document as unknown as PremSchedule)
        : r.kind === "prem"
          ? [planCard(r.document as unknown as PremPlan)]
          : [h("section", { class: "card wide" }, tree(r.document, r.kind))];
  return { element: h("div", { class: "cards" }, ...cards) };
}

let view: View | null = null;
let current = "";

function show(id: string): void {
  if (byId("main").hasAttribute("aria-busy")) return; // an item is being opened
  const tabs = tabsOf(store.item);
  const tab = tabs.find((t) => t.id === id) ?? tabs[0]!;
  view?.close?.();
  current = tab.id;
  const bar = byId("tabs");
  bar.replaceChildren(
    h(
      "div",
      { role: "tablist", "aria-label": "views" },
      ...tabs.map((t, i) =>
        h("button", { type: "button", role: "tab", id: "tab-" + t.id, "aria-selected": t === tab, "aria-controls": "main", tabindex: t === tab ? 0 : -1, "aria-keyshortcuts": i + 1, onclick: () => show(t.id) }, t.name, h("kbd", { "aria-hidden": "true" }, i + 1)),
      ),
    ),
  );
  const main = byId("main");
  main.setAttribute("role", "tabpanel");
  main.setAttribute("aria-labelledby", "tab-" + tab.id);
  main.className = "view-" + tab.id;
  try {
    view = store.item?.kind === "launch" && !store.launch && tab !== makespan ? { element: h("p", { class: "error", role: "alert" }, store.error) } : tab.make();
  } catch (e) {
    view = { element: h("p", { class: "error", role: "alert" }, e instanceof Error ? e.message : String(e)) };
    console.error(e);
  }
  main.replaceChildren(view.element);
  document.body.classList.toggle("withpanel", store.item?.kind === "launch" && tab !== makespan);
  view.shown?.();
  main.dataset["view"] = tab.id;
  remember();
}

function remember(): void {
  const hash = new URLSearchParams();
  if (store.item) hash.set("item", String(store.item.id));
  hash.set("view", current);
  history.replaceState(null, "", "/#" + hash.toString());
}

function verdict(): void {
  const box = byId("verdict");
  const shown = store.quick ?? store.analysis;
  const a = shown?.document;
  if (!a || store.item?.kind === "prem") {
    box.replaceChildren(store.error ? h("span", { class: "error" }, store.error) : "");
    return;
  }
  const base = store.base?.document.best;
  const sim = store.simulation?.report.document.cycles;
  const parts: Node[] = [];
  if (a.best) {
    const change = base && base.cycles !== a.best.cycles ? h("span", { class: a.best.cycles > base.cycles ? "worse" : "better" }, `${signed(a.best.cycles - base.cycles)} (${percent(a.best.cycles / base.cycles - 1)})`) : null;
    parts.push(h("span", { class: "big", id: "bound" }, h("b", {}, count(a.best.cycles)), " cycles"), h("span", {}, `${a.best.holds_for_all_inputs ? "BOUND" : "THIS INPUT"} by ${a.best.method} = ${time(a.best.cycles, a.core_khz)}`));
    if (change) parts.push(change);
  } else parts.push(h("span", { class: "error" }, "no safe bound"));
  if (a.best && !a.best.holds_for_all_inputs) parts.push(h("span", { class: "badge warn", title: a.not_covered }, "⚠ bounds no other input"));
  if (store.stale || (store.progress && sim === undefined)) parts.push(h("span", { class: "dim" }, store.simulateToo ? "simulating…" : "not simulated"));
  else if (sim !== undefined && store.item?.kind === "launch") parts.push(h("span", { class: "sim", title: "simulated under the policy chosen" }, `simulated ${count(sim)}${a.best ? ` = ${percent(sim / a.best.cycles)} of it` : ""}`));
  if (shown && store.item?.kind === "launch") parts.push(h("span", { class: "dim", id: "millis" }, `computed in ${shown.millis.toFixed(1)} ms`));
  box.replaceChildren(...parts);
}

function chooser(s: Session): HTMLElement {
  const select = h("select", { id: "item", "aria-label": "what to look at" });
  const groups: [string, string][] = [
    ["launch", "Launches"],
    ["prem", "C with OpenMP target loops"],
    ["result", "Results"],
  ];
  for (const [kind, name] of groups) {
    const list = s.items.filter((i) => i.kind === kind);
    if (list.length > 0) select.append(h("optgroup", { label: name }, ...list.map((i) => h("option", { value: i.id }, i.name))));
  }
  select.addEventListener("change", () => void open(Number(select.value), current));
  return s.items.length > 1 ? select : h("span", { class: "one" }, s.items[0]?.name ?? "");
}

async function open(id: number, tab: string): Promise<void> {
  const item = store.session.items[id] ?? store.session.items[0];
  if (!item) return show("makespan");
  const select = document.getElementById("item") as HTMLSelectElement | null;
  if (select) select.value = String(item.id);
  say(`opening ${item.name}`);
  store.gpu ||= item.kind === "prem" ? store.session.defaults.prem : store.session.gpu || store.session.defaults.launch;
  if (item.kind === "launch" && store.gpu === store.session.defaults.prem && !store.session.gpu) store.gpu = store.session.defaults.launch;
  view?.close?.();
  view = null;
  byId("main").setAttribute("aria-busy", "true");
  if (!(await store.open(item))) return;
  byId("main").removeAttribute("aria-busy");
  verdict();
  show(tab);
  document.title = `${item.name} – warpbound`;
  if (!store.error) say(item.name);
}

const keys: [string, string][] = [
  ["Tab, Shift+Tab", "from part to part"],
  ["1 … 8", "the views"],
  ["↑ ↓ PgUp PgDn Home End", "lines, steps, blocks of control flow, rows of the timeline"],
  ["n, N", "in code: the line that costs next most, next less; in the path: the step that takes most"],
  ["Space", "in the path: play and pause"],
  ["← →", "in the timeline: to the sides; with Shift a whole screen"],
  ["+ − 0", "in the timeline: closer, farther, all of it"],
  ["[ ]", "in the timeline: slice before, next slice; Enter zooms to it"],
  ["Ctrl+wheel, drag", "in the timeline: zoom, pan"],
  ["p", "keep this result to compare others with"],
  ["r", "the numbers of the GPU as described"],
  ["Esc", "points at nothing"],
  ["?", "this list"],
];

const help = h(
  "dialog",
  { "aria-label": "keys" },
  h("h2", {}, "Keys"),
  h("dl", {}, ...keys.flatMap(([k, what]) => [h("dt", {}, h("kbd", {}, k)), h("dd", {}, what)])),
  h("form", { method: "dialog" }, h("button", {}, "Close")),
);
help.querySelector("form")!.addEventListener("submit", (e) => {
  e.preventDefault();
  help.close();
});

function key(e: KeyboardEvent): void {
  if (e.ctrlKey || e.metaKey || e.altKey || help.open) return;
  const in_ = e.target as HTMLElement;
  if (in_.matches("input:not([type=range],[type=checkbox]), textarea")) return;
  if (in_.getAttribute("role") === "tab" && (e.key === "ArrowRight" || e.key === "ArrowLeft")) {
    const all = [...document.querySelectorAll<HTMLElement>("[role=tab]")];
    const next = all[(all.indexOf(in_) + (e.key === "ArrowRight" ? 1 : all.length - 1)) % all.length]!;
    show(next.id.slice(4));
    document.getElementById(next.id)?.focus();
    return;
  }
  if (in_.matches("select") && e.key.length === 1) return; // finds an option
  const tab = /^[1-9]$/.test(e.key) ? tabsOf(store.item)[Number(e.key) - 1] : undefined;
  if (tab) {
    show(tab.id);
    document.getElementById("tab-" + tab.id)?.focus();
  } else if (e.key === "?") help.showModal();
  else if (e.key === "p") store.pin();
  else if (e.key === "r") byId("reset").click();
  else if (e.key === "Escape") store.link([]);
  else return;
  e.preventDefault();
}

async function start(): Promise<void> {
  const hash = new URLSearchParams(location.hash.slice(1));
  store.session = await get<Session>("session");
  store.gpu = store.session.gpu || store.session.defaults.launch;
  byId("choose").replaceChildren(chooser(store.session));
  document.body.append(help);
  byId("top").after(knobPanel());
  byId("help").addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", key);
  store.on("analysis", verdict);
  store.on("simulation", verdict);
  store.on("item", verdict);
  store.on("progress", verdict);
  await open(Number(hash.get("item") ?? 0), hash.get("view") ?? "");
  if (store.session.more) say(`${store.session.named} holds more than is listed: name a directory below it`);
  performance.mark("ready");
}

start().catch((e: unknown) => {
  store.fail(e);
  byId("main").replaceChildren(h("p", { class: "error", role: "alert" }, store.error));
});
