// The timeline: slices of tracks from a whole launch down to single cycles.

import { count } from "./dom";
import type { State } from "./types";

export interface Track {
  kind: string;
  sm: number;
  slot: number;
  label: string;
  count: number;
  first: number; // index of its first slice
}

const blockState = 255;
const nothing = 254;

export class Recording {
  readonly tracks: Track[];
  readonly from: number;
  readonly to: number;
  readonly cycles: number;
  readonly full: boolean;
  readonly slices: number;
  readonly begin: Uint32Array;
  readonly end: Uint32Array;
  readonly pc: Int32Array;
  readonly block: Int32Array;
  readonly warp: Int16Array;
  readonly state: Uint8Array;
  private readonly levels = new Map<string, Uint8Array>();

  constructor(data: ArrayBuffer) {
    const size = new DataView(data).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size))) as { from: number; to: number; cycles: number; full: boolean; slices: number; tracks: Track[] };
    this.from = head.from;
    this.to = head.to;
    this.cycles = head.cycles;
    this.full = head.full;
    this.slices = head.slices;
    let first = 0;
    for (const t of head.tracks) {
      t.first = first;
      first += t.count;
    }
    this.tracks = head.tracks;
    let at = 4 + size;
    const n = this.slices;
    this.begin = new Uint32Array(data, at, n);
    at += 4 * n;
    this.end = new Uint32Array(data, at, n);
    at += 4 * n;
    this.pc = new Int32Array(data, at, n);
    at += 4 * n;
    this.block = new Int32Array(data, at, n);
    at += 4 * n;
    this.warp = new Int16Array(data, at, n);
    at += 2 * n;
    this.state = new Uint8Array(data, at, n);
  }

  get length(): number {
    return this.to - this.from;
  }

  // find is the first slice of a track that ends after a cycle; the track's end where none does.
  find(t: Track, cycle: number): number {
    let low = t.first;
    let high = t.first + t.count;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.end[mid]! > cycle) high = mid;
      else low = mid + 1;
    }
    return low;
  }

  // level gives each piece of 2^k cycles of a track the state that is owed most: over many
  // pieces every state has its share of the time, however short its slices are.
  level(t: Track, k: number): Uint8Array {
    const key = `${t.first}/${k}`;
    let out = this.levels.get(key);
    if (out) return out;
    const size = 2 ** k;
    out = new Uint8Array(Math.ceil(this.length / size)).fill(nothing);
    const owed = new Float64Array(256);
    const here = new Float64Array(256);
    const seen: number[] = [];
    let piece = -1;
    const close = (): void => {
      if (piece < 0 || seen.length === 0) return;
      let best = seen[0]!;
      let sum = 0;
      for (const s of seen) {
        owed[s]! += here[s]!;
        sum += here[s]!;
        if (owed[s]! > owed[best]!) best = s;
      }
      for (const s of seen) here[s] = 0;
      seen.length = 0;
      owed[best]! -= sum;
      out![piece] = best;
    };
    for (let i = t.first; i < t.first + t.count; i++) {
      let from = this.begin[i]!;
      const to = this.end[i]!;
      const state = this.state[i]!;
      while (from < to) {
        const p = Math.floor(from / size);
        if (p !== piece) {
          close();
          piece = p;
        }
        const until = Math.min(to, (p + 1) * size);
        if (here[state] === 0) seen.push(state);
        here[state]! += until - from;
        from = until;
      }
    }
    close();
    this.levels.set(key, out);
    return out;
  }

  // finest is the exponent of the shortest pieces that are worth keeping: below, slices
  // themselves are drawn.
  finest(t: Track): number {
    return Math.max(2, Math.ceil(Math.log2((4 * this.length) / Math.max(1, t.count))));
  }

  // warm computes levels before they are shown, a few milliseconds at a time.
  warm(wanted: () => boolean): void {
    const todo: [Track, number][] = [];
    const top = Math.ceil(Math.log2(Math.max(2, this.length / 256)));
    for (let k = top; k >= 0; k--) for (const t of this.tracks) if (k >= this.finest(t)) todo.push([t, k]);
    const some = (): void => {
      const end = performance.now() + 4;
      while (todo.length > 0 && performance.now() < end) this.level(...todo.shift()!);
      if (todo.length === 0) performance.mark("warm");
      else if (wanted()) window.setTimeout(some, 4);
    };
    some();
  }

  // shares are the cycles by state of the tracks of warps.
  shares(): Map<number, number> {
    const out = new Map<number, number>();
    for (const t of this.tracks) {
      if (t.kind !== "warp") continue;
      for (let i = t.first; i < t.first + t.count; i++) out.set(this.state[i]!, (out.get(this.state[i]!) ?? 0) + this.end[i]! - this.begin[i]!);
    }
    return out;
  }
}

function rgba(hex: string): number {
  const n = Number.parseInt(hex.slice(1), 16);
  return (0xff000000 | ((n & 0xff) << 16) | (n & 0xff00) | (n >> 16)) >>> 0;
}

export interface Hover {
  track: Track;
  slice: number; // -1 where there is none
  cycle: number;
}

export interface Looks {
  back: string;
  line: string;
  text: string;
  dim: string;
  accent: string;
  block: string;
}

export const rowHeight = 16;
export const labelWidth = 118;
export const axisHeight = 22;

// Chart draws a recording on a canvas.
export class Chart {
  from = 0; // cycles, from the first that is recorded
  to: number;
  selected = 0; // track
  picked = -1; // slice
  top = 0; // pixels that are scrolled
  private readonly buffer = document.createElement("canvas");
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  // touched counts the slices and pixels that the last frame went through.
  touched = 0;
  private queued = 0;
  private readonly colors = new Uint32Array(256);
  private readonly css: string[] = [];

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly data: Recording,
    readonly states: State[],
    private readonly name: (pc: number) => string,
    private looks: Looks,
    private readonly drawn: () => void,
  ) {
    this.to = Math.max(1, data.length);
    this.look(looks);
  }

  look(looks: Looks): void {
    this.looks = looks;
    this.states.forEach((s, i) => {
      this.colors[i] = rgba(s.color);
      this.css[i] = s.color;
    });
    this.colors[blockState] = rgba(looks.block);
    this.css[blockState] = looks.block;
    this.colors[nothing] = 0;
    this.redraw();
  }

  stateName(i: number): string {
    return i === blockState ? "a block is resident" : (this.states[i]?.name ?? "nothing");
  }

  // redraw draws in the next frame, once however often it is called.
  redraw(): void {
    if (this.queued) return;
    this.queued = requestAnimationFrame(() => {
      this.queued = 0;
      const begun = performance.now();
      this.draw();
      performance.measure("timeline", { start: begun, end: performance.now() });
      this.drawn();
    });
  }

  // view shows these cycles, as far as there are such.
  view(from: number, to: number): void {
    const least = Math.min(8, this.data.length);
    let width = Math.max(least, Math.min(this.data.length, to - from));
    if (!Number.isFinite(width)) width = this.data.length;
    this.from = Math.max(0, Math.min(this.data.length - width, from));
    this.to = this.from + width;
    this.redraw();
  }

  zoom(factor: number, at = (this.from + this.to) / 2): void {
    const width = Math.max(Math.min(8, this.data.length), (this.to - this.from) * factor);
    const share = (at - this.from) / (this.to - this.from);
    this.view(at - share * width, at + (1 - share) * width);
  }

  pan(share: number): void {
    const by = share * (this.to - this.from);
    this.view(this.from + by, this.to + by);
  }

  get plot(): number {
    return this.canvas.clientWidth - labelWidth;
  }

  cycleAt(x: number): number {
    return this.from + ((x - labelWidth) / this.plot) * (this.to - this.from);
  }

  // at is what is under a point of the canvas.
  at(x: number, y: number): Hover | null {
    const row = Math.floor((y - axisHeight + this.top) / rowHeight);
    const track = this.data.tracks[row];
    if (!track || y < axisHeight || x < labelWidth) return null;
    const cycle = this.cycleAt(x);
    const i = this.data.find(track, cycle);
    const inside = i < track.first + track.count && this.data.begin[i]! <= cycle;
    return { track, slice: inside ? i : -1, cycle };
  }

  private draw(): void {
    const scale = window.devicePixelRatio || 1;
    const wide = this.canvas.clientWidth;
    const high = this.canvas.clientHeight;
    if (wide < labelWidth + 20 || high < axisHeight + 8) return;
    if (this.canvas.width !== Math.round(wide * scale) || this.canvas.height !== Math.round(high * scale)) {
      this.canvas.width = Math.round(wide * scale);
      this.canvas.height = Math.round(high * scale);
    }
    const c = this.canvas.getContext("2d", { alpha: false })!;
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.fillStyle = this.looks.back;
    c.fillRect(0, 0, wide, high);
    const first = Math.floor(this.top / rowHeight);
    const rows = Math.min(this.data.tracks.length - first, Math.ceil((high - axisHeight) / rowHeight) + 1);
    const plot = Math.round(this.plot * scale);
    const perPixel = (this.to - this.from) / plot;
    this.room(plot, Math.max(1, rows));
    this.pixels.fill(0);
    this.touched = 0;
    for (let r = 0; r < rows; r++) this.paint(this.data.tracks[first + r]!, r * plot, plot, perPixel);
    const b = this.buffer.getContext("2d")!;
    b.putImageData(this.image!, 0, 0);
    c.imageSmoothingEnabled = false;
    const y0 = axisHeight - (this.top % rowHeight);
    if (rows > 0) c.drawImage(this.buffer, 0, 0, plot, rows, labelWidth, y0, this.plot, rows * rowHeight);
    c.font = "11px ui-monospace, monospace";
    c.textBaseline = "middle";
    let sm = -1;
    for (let r = 0; r < rows; r++) {
      const t = this.data.tracks[first + r]!;
      const y = y0 + r * rowHeight;
      c.fillStyle = this.looks.back;
      c.fillRect(0, y + rowHeight - 1, wide, 1);
      if (t.sm !== sm) {
        c.fillStyle = this.looks.line;
        c.fillRect(0, y - 1, wide, 1);
        sm = t.sm;
      }
      const chosen = first + r === this.selected;
      if (chosen) {
        c.fillStyle = this.looks.accent;
        c.fillRect(0, y, 3, rowHeight - 1);
      }
      c.fillStyle = chosen ? this.looks.text : this.looks.dim;
      c.fillText((this.data.tracks.some((x) => x.sm !== this.data.tracks[0]!.sm) ? `SM ${t.sm} ` : "") + t.label, 6, y + rowHeight / 2, labelWidth - 10);
      if (perPixel * scale < 0.25) this.words(c, t, y);
    }
    if (this.picked >= 0) this.outline(c, y0, first, rows);
    c.fillStyle = this.looks.back;
    c.fillRect(0, 0, wide, axisHeight);
    this.axis(c, wide, high);
  }

  private room(plot: number, rows: number): void {
    if (this.image && this.image.width === plot && this.image.height === rows) return;
    this.buffer.width = plot;
    this.buffer.height = rows;
    this.image = new ImageData(plot, rows);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  // paint fills a row of pixels: with pieces of a level where slices are too many.
  private paint(t: Track, at: number, plot: number, perPixel: number): void {
    const finest = this.data.finest(t);
    const k = Math.floor(Math.log2(perPixel));
    if (k >= finest) {
      const level = this.data.level(t, Math.min(k, 30));
      const size = 2 ** Math.min(k, 30);
      this.touched += plot;
      for (let x = 0; x < plot; x++) this.pixels[at + x] = this.colors[level[Math.floor((this.from + x * perPixel) / size)] ?? nothing]!;
      return;
    }
    const end = t.first + t.count;
    const { begin, end: ends, state } = this.data;
    for (let i = this.data.find(t, this.from); i < end && begin[i]! < this.to; i++) {
      this.touched++;
      const x0 = Math.max(0, Math.floor((begin[i]! - this.from) / perPixel));
      const x1 = Math.min(plot, Math.max(x0 + 1, Math.floor((ends[i]! - this.from) / perPixel)));
      this.pixels.fill(this.colors[state[i]!]!, at + x0, at + x1);
    }
  }

  // words writes into slices what they are, where there is room.
  private words(c: CanvasRenderingContext2D, t: Track, y: number): void {
    const { begin, end: ends, state, pc, block } = this.data;
    const x = (cycle: number): number => labelWidth + ((cycle - this.from) / (this.to - this.from)) * this.plot;
    for (let i = this.data.find(t, this.from); i < t.first + t.count && begin[i]! < this.to; i++) {
      const x0 = Math.max(labelWidth, x(begin[i]!));
      const room = Math.min(this.canvas.clientWidth, x(ends[i]!)) - x0;
      if (room < 14) continue;
      c.fillStyle = this.looks.back;
      c.fillRect(x(ends[i]!) - 1, y, 1, rowHeight - 1);
      const text = state[i] === blockState ? `block ${block[i]!}` : pc[i]! >= 0 ? this.name(pc[i]!) : this.stateName(state[i]!);
      const fits = Math.floor((room - 4) / 6.7);
      c.fillStyle = dark(this.css[state[i]!] ?? this.looks.block) ? "#fff" : "#111";
      c.fillText(text.length > fits ? text.slice(0, Math.max(1, fits)) : text, x0 + 2, y + rowHeight / 2);
    }
  }

  private outline(c: CanvasRenderingContext2D, y0: number, first: number, rows: number): void {
    const r = this.selected - first;
    if (r < 0 || r >= rows) return;
    const x = (cycle: number): number => labelWidth + ((cycle - this.from) / (this.to - this.from)) * this.plot;
    const a = Math.max(labelWidth, x(this.data.begin[this.picked]!));
    const b = Math.max(a + 2, x(this.data.end[this.picked]!));
    c.strokeStyle = this.looks.text;
    c.lineWidth = 2;
    c.strokeRect(a, y0 + r * rowHeight, b - a, rowHeight - 1);
  }

  private axis(c: CanvasRenderingContext2D, wide: number, high: number): void {
    const span = this.to - this.from;
    const rough = span / Math.max(2, this.plot / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((x) => x >= rough) ?? rough);
    c.fillStyle = this.looks.line;
    c.fillRect(labelWidth - 1, 0, 1, high);
    c.textAlign = "left";
    c.fillStyle = this.looks.dim;
    c.fillText("cycle", 6, axisHeight / 2);
    c.textAlign = "center";
    const base = this.data.from;
    for (let t = Math.ceil((this.from + base) / step) * step; t <= this.to + base; t += step) {
      const x = labelWidth + ((t - base - this.from) / span) * this.plot;
      c.fillStyle = this.looks.line;
      c.fillRect(x, axisHeight - 5, 1, 5);
      if (x < labelWidth + 22 || x > wide - 26) continue;
      c.fillStyle = this.looks.dim;
      c.fillText(count(t), x, axisHeight / 2 - 2);
    }
    c.textAlign = "left";
  }
}

export function dark(hex: string): boolean {
  const n = Number.parseInt(hex.slice(1), 16);
  return 0.299 * (n >> 16) + 0.587 * ((n >> 8) & 255) + 0.114 * (n & 255) < 140;
}
