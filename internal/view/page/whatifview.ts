// What becomes of the bound where one thing is changed, each row another analysis.

import { aborted, get } from "./api";
import type { View } from "./codeview";
import { count, h, percent, signed, table } from "./dom";
import { say, store } from "./state";
import type { Analysis, Answer } from "./types";

export function whatIfView(): View {
  const element = h("div", { class: "cards" });
  let asked: AbortController | null = null;
  const ask = async (): Promise<void> => {
    asked?.abort();
    const mine = new AbortController();
    asked = mine;
    try {
      const a = await get<Answer<Analysis>>("analyze", { ...store.query(), "what-if": true }, mine.signal);
      if (asked !== mine) return;
      draw(a);
    } catch (e) {
      if (!aborted(e)) element.replaceChildren(h("p", { class: "error", role: "alert" }, e instanceof Error ? e.message : String(e)));
    }
  };
  const draw = (a: Answer<Analysis>): void => {
    const w = a.document.what_if;
    if (!w) {
      element.replaceChildren(h("p", { class: "note" }, "The bound has no list of changes."));
      return;
    }
    const position = new Map(store.launch!.instructions.map((i) => [i.position, i]));
    const kinds: Record<string, string> = { setting: "GPU", class: "class of instructions", access: "access", barrier: "barrier", occupancy: "occupancy" };
    element.replaceChildren(
      h(
        "section",
        { class: "card wide" },
        table(
          `What becomes of the ${count(w.cycles)} cycles by ${w.method} where one thing is changed`,
          [
            {
              head: "changed",
              of: (r) => {
                const at = position.get(r.position);
                return at ? h("button", { type: "button", class: "link", onclick: () => store.link([at.pc]), title: "marks it in the code" }, `${at.text} (line ${at.line})`) : r.name;
              },
            },
            { head: "how", of: (r) => r.change || r.name },
            { head: "kind", of: (r) => kinds[r.kind] ?? r.kind },
            { head: "bound", num: true, of: (r) => (r.cycles === null ? "–" : count(r.cycles)) },
            { head: "difference", num: true, of: (r) => (r.difference === null ? "–" : signed(r.difference)) },
            { head: "share", num: true, of: (r) => (r.difference ? (r.difference > 0 ? "▲ " : "▼ ") + percent(Math.abs(r.difference) / w.cycles) : r.difference === 0 ? "=" : "–") },
            { head: "", of: (r) => (r.setting ? h("button", { type: "button", title: `sets ${r.setting}`, "aria-label": `try ${r.setting}`, onclick: () => attempt(r.setting) }, "try") : r.no_bound) },
          ],
          [...w.rows].sort((x, y) => Math.abs(y.difference ?? 0) - Math.abs(x.difference ?? 0)),
        ),
      ),
    );
    say(`${w.rows.length} changes tried in ${a.millis.toFixed(0)} ms`);
  };
  const attempt = (setting: string): void => {
    const [key, value] = [setting.slice(0, setting.indexOf("=")), setting.slice(setting.indexOf("=") + 1)];
    store.set(key, /^\d+$/.test(value) ? Number(value) : value);
  };
  void ask();
  const off = store.on("analysis", () => void ask());
  return {
    element,
    close: () => {
      asked?.abort();
      off();
    },
  };
}
