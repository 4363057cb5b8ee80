// What is shown: the item, the GPU with its settings, and what was computed for them.

import { aborted, get, stream } from "./api";
import { byId } from "./dom";
import type { Analysis, Answer, Item, Launch, Machine, Progress, Session, Simulation } from "./types";

export interface Simulated {
  report: Answer<Simulation>;
  run: number;
  slices: number;
  full: boolean;
}

// Pin is a result that was kept to compare others with.
export interface Pin {
  label: string;
  kind: string;
  document: Record<string, unknown>;
}

type Topic = "item" | "analysis" | "simulation" | "progress" | "link" | "pins" | "machine";

export class Store {
  session!: Session;
  item: Item | null = null;
  launch: Launch | null = null;
  machine: Machine | null = null;
  result: Answer<Record<string, unknown>> | null = null;
  gpu = "";
  settings = new Map<string, number | string>();
  policy = "";
  analysis: Answer<Analysis> | null = null;
  // base is the analysis without settings, which others are compared with.
  base: Answer<Analysis> | null = null;
  // quick is the bound of what was changed, until all of its analysis is there.
  quick: Answer<Analysis> | null = null;
  simulation: Simulated | null = null;
  stale = false; // the simulation is of other settings
  progress: Progress | null = null;
  error = "";
  heat: "bound" | "run" = "bound"; // what the numbers of lines are
  simulateToo = true;
  from = 0; // the first cycle that is recorded
  pins: Pin[] = [];
  // linked are the instructions that are pointed at, here or in another pane.
  linked: ReadonlySet<number> = new Set();

  private readonly listeners = new Map<Topic, Set<() => void>>();
  private analyzing: AbortController | null = null;
  private simulating: AbortController | null = null;
  private waiting = 0;
  private opening = 0;

  on(topic: Topic, f: () => void): () => void {
    const all = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, all);
    all.add(f);
    return () => all.delete(f);
  }

  tell(topic: Topic): void {
    for (const f of [...(this.listeners.get(topic) ?? [])]) f();
  }

  link(pcs: Iterable<number>): void {
    const next = new Set(pcs);
    if (next.size === this.linked.size && [...next].every((p) => this.linked.has(p))) return;
    this.linked = next;
    this.tell("link");
  }

  query(): Record<string, string | string[]> {
    const set = this.given();
    for (const [k, v] of this.settings) set.push(`${k}=${v}`);
    return { id: String(this.item?.id ?? -1), gpu: this.gpu, set, policy: this.policy };
  }

  // given are the settings of the command line, which the page begins with.
  given(): string[] {
    return this.gpu === this.session.gpu ? [...this.session.settings] : [];
  }

  // open shows an item; false where another was asked for before it was there.
  async open(item: Item): Promise<boolean> {
    this.stop();
    this.item = item;
    this.launch = this.machine = this.quick = this.analysis = this.base = this.simulation = this.result = this.progress = null;
    this.error = "";
    this.settings.clear();
    this.linked = new Set();
    this.from = 0;
    const mine = ++this.opening; // another item may be opened before this one is there
    try {
      if (item.kind === "launch") {
        const bound = this.analyze();
        const launch = await get<Launch>("launch", { id: item.id });
        await bound;
        if (mine !== this.opening) return false;
        this.launch = launch;
        await this.describe();
      } else if (item.kind === "result") {
        const result = await get<Answer<Record<string, unknown>>>("result", { id: item.id });
        if (mine !== this.opening) return false;
        this.result = result;
        if (result.kind === "analyze") this.analysis = result as unknown as Answer<Analysis>;
      }
    } catch (e) {
      if (mine === this.opening) this.fail(e);
    }
    if (mine !== this.opening) return false;
    this.tell("item");
    if (item.kind === "launch") this.soon();
    return true;
  }

  async describe(): Promise<void> {
    const of = this.item;
    const machine = await get<Machine>("gpu", { id: of!.id, gpu: this.gpu, set: this.given() });
    if (this.item !== of || machine.gpu !== this.gpu && this.gpu !== this.session.gpu) return;
    this.machine = machine;
    this.tell("machine");
  }

  fail(e: unknown): void {
    if (aborted(e)) return;
    this.error = e instanceof Error ? e.message : String(e);
    say(this.error);
  }

  // set gives settings of the GPU values, as the sliders do.
  set(key: string, value: number | string): void {
    this.settings.set(key, value);
    this.tell("machine");
    this.changed();
  }

  // changed is called when the GPU, a setting or the policy is another.
  changed(): void {
    void this.analyze();
    this.soon();
  }

  async analyze(): Promise<void> {
    this.analyzing?.abort();
    const mine = new AbortController();
    this.analyzing = mine;
    try {
      if (this.base) {
        const quick = await get<Answer<Analysis>>("analyze", { ...this.query(), brief: true }, mine.signal);
        if (this.analyzing !== mine) return;
        this.quick = quick;
        this.tell("progress");
      }
      const a = await get<Answer<Analysis>>("analyze", this.query(), mine.signal);
      if (this.analyzing !== mine) return;
      this.analysis = a;
      a.millis = this.quick?.millis ?? a.millis; // the figure was there then
      this.quick = null;
      this.error = "";
      if (this.settings.size === 0) this.base = a;
      const best = a.document.best;
      say(best ? `bound ${best.cycles} cycles by ${best.method}, computed in ${a.millis.toFixed(1)} ms` : "no safe bound");
    } catch (e) {
      if (aborted(e)) return;
      this.analysis = this.quick = null;
      this.fail(e);
    }
    this.tell("analysis");
  }

  // soon simulates when nothing was changed for a moment.
  soon(): void {
    window.clearTimeout(this.waiting);
    this.simulating?.abort();
    this.stale = this.simulation !== null;
    this.tell("progress");
    if (!this.simulateToo) return;
    this.waiting = window.setTimeout(() => void this.simulate(), 250);
  }

  async simulate(): Promise<void> {
    this.simulating?.abort();
    const mine = new AbortController();
    this.simulating = mine;
    this.progress = { task: "simulating", done: 0, total: 0, cycle: 0 };
    this.tell("progress");
    try {
      const got = await stream<Simulated>(
        "simulate",
        { ...this.query(), from: this.from || undefined },
        (p) => {
          if (this.simulating !== mine) return;
          this.progress = p;
          this.tell("progress");
        },
        mine.signal,
      );
      if (this.simulating !== mine) return;
      this.simulation = got;
      this.stale = false;
      this.progress = null;
      this.tell("simulation");
    } catch (e) {
      if (aborted(e) || this.simulating !== mine) return;
      this.progress = null;
      this.simulation = null;
      this.fail(e);
      this.tell("simulation");
    }
    this.tell("progress");
  }

  stop(): void {
    window.clearTimeout(this.waiting);
    this.analyzing?.abort();
    this.simulating?.abort();
    this.simulating = null;
    this.progress = null;
    this.tell("progress");
  }

  pin(): Pin | null {
    const a = this.analysis;
    if (!a || !this.item) return null;
    const what = [...this.settings].map(([k, v]) => `${k}=${v}`).join(" ") || "as described";
    const one: Pin = { label: `${this.pins.length + 1}: ${this.item.name} on ${a.document.gpu}, ${what}`, kind: "analyze", document: a.document as unknown as Record<string, unknown> };
    this.pins.push(one);
    say(`kept to compare: ${one.label}`);
    this.tell("pins");
    return one;
  }
}

export const store = new Store();

export function say(text: string): void {
  byId("status").textContent = text;
}
