// What the server sends: documents as docs/json.md describes them, and what is around them.

export interface Item {
  id: number;
  name: string;
  kind: "launch" | "result" | "prem";
  document?: string;
}

export interface State {
  name: string;
  color: string;
  means: string;
}

export interface Session {
  version: { version: string; commit: string };
  named: string;
  items: Item[];
  more: boolean;
  gpu: string;
  settings: string[];
  presets: { name: string; about: string; caches: boolean; front_end: boolean }[];
  policies: string[];
  states: State[];
  defaults: { launch: string; prem: string };
}

export interface Answer<D> {
  kind: string;
  document: D;
  text: string;
  millis: number;
  note?: string;
}

export interface Assumption {
  id: string;
  name: string;
  status: string;
  note?: string;
}

export interface Bound {
  method: string;
  scope: string;
  cycles: number;
  safe: boolean;
  unsafe_reason?: string;
  theorem: string;
  breakdown: Record<string, number>;
  assumptions: Assumption[];
}

export interface Cost {
  name: string;
  position: string;
  text: string;
  cycles: number;
  issue: number;
  occupied: number;
  awaited: number;
  charged: number;
  other: number;
}

export interface RunCost {
  name: string;
  position: string;
  text: string;
  cycles: number;
  issued: number;
  awaited: number;
  held: number;
  nobody: number;
}

export interface GuardRun {
  kernel: string;
  scheme: string;
  cycles: number;
  memory_budget_cycles: number;
  compute_budget_cycles: number;
  phases: { kind: string; grant_cycle: number; request_cycle: number; end_cycle: number; misses: number }[];
}

export interface Phase {
  kind: string;
  start_cycles: number;
  length_cycles: number;
  exec_cycles: number;
}

export interface Analysis {
  kernel: string;
  launch: string;
  grid: number[];
  block: number[];
  gpu: string;
  gpu_settings: string[];
  core_khz: number;
  policy?: string;
  blocks_per_sm: number;
  occupancy_limiter: string;
  warp_instructions: number;
  holds_for_all_inputs: boolean;
  not_covered: string;
  input_dependent: { pc: number; kind: string; position: string; register?: string }[];
  bounds: Bound[];
  breakdown_names: Record<string, string>;
  refused: { method: string; scope: string; reason: string }[];
  best: { method: string; scope: string; cycles: number; holds_for_all_inputs: boolean } | null;
  warps: {
    warps: number;
    instructions: number;
    isolated_cycles: number;
    execution_cycles: number;
    idle_cycles: number;
    unit_initiation_cycles: Record<string, number>;
    sections: { first: number; count: number; iso_cycles: number; exec_cycles: number; phases: Phase[] | null }[];
  }[];
  costs?: { by: string; method: string; cycles: number; rows: Cost[] };
  what_if?: {
    method: string;
    cycles: number;
    rows: { kind: string; name: string; position: string; change: string; from: number; to: number; setting: string; cycles: number | null; difference: number | null; method: string; no_bound: string }[];
  };
  loops?: { loop: string; position: string; function: string; depth: number; bound: number | null; origin: string; pc: number; decided_by: string }[];
}

export interface Simulation {
  kernel: string;
  launch: string;
  gpu: string;
  gpu_settings: string[];
  model: string;
  policy: string;
  cycles: number;
  costs?: { by: string; cycles: number; rows: RunCost[] };
  [field: string]: unknown;
}

export interface Instruction {
  pc: number;
  position: string;
  line: number;
  text: string;
  source: number;
  source_line: number;
  reads: number[];
  writes: number[];
  executions: number;
}

export interface Text {
  name: string;
  lines: string[];
  missing?: string;
}

export interface Flow {
  name: string;
  blocks: { first_pc: number; end_pc: number; successors: number[]; reconverges_pc: number; divergent: boolean; executions: number }[];
  loops: { header_pc: number; line: number; depth: number; blocks: number; irreducible: boolean }[];
}

export interface Launch {
  name: string;
  kernel: string;
  grid: number[];
  block: number[];
  riscv: boolean;
  program: Text;
  sources: Text[];
  launch: Text;
  instructions: Instruction[];
  registers: string[];
  functions: Flow[];
  counted?: string;
}

export interface Knob {
  key: string;
  label: string;
  group: string;
  value: number;
  min: number;
  max: number;
  source: string;
}

export interface Machine {
  gpu: string;
  about: string;
  model: string;
  policy: string;
  caches: boolean;
  front_end: boolean;
  knobs: Knob[];
}

export interface Progress {
  task: string;
  detail?: string;
  done: number;
  total: number;
  cycle: number;
}

export interface Makespan {
  instance: { source: string; code?: string; length: number; warps: number; warp_size: number; kinds: { letter: string; units: number; capacity: number; count: number }[] } | null;
  complete: boolean;
  rows: { method: string; kind: string; cycles: number | null; theorem?: string; note?: string; unfinished?: string }[];
  exact: { cycles: number; method: string; schedule?: number[][] } | null;
  best: { cycles: number; method: string; exact: boolean };
}

export interface PremPlan {
  file: string;
  gpu: string;
  spm_bytes: number;
  kernels: { kernel: string; at: string; teams: number; threads: number; bytes: number; compatible: string | null; intervals: { bytes: number; boxes: { array: string; bytes: number; read: boolean; written: boolean }[] }[] }[];
}

export interface PremSchedule {
  file: string;
  gpu: string;
  schedule: string;
  sync_ns: number;
  timer_ns: number;
  clock_khz: number;
  kernels: {
    kernel: string;
    at: string;
    scheme: string;
    source: string;
    launches: number;
    base_cycles: number;
    intervals: number;
    memory_ns: number;
    compute_ns: number;
    memory_budget_ns: number;
    compute_budget_ns: number;
    idle: number;
    total_ns: number;
    slowdown: number;
    no_bound: string | null;
  }[];
  runs: {
    kernel: string;
    scheme: string;
    traffic: string | null;
    cycles: number;
    slowdown: number;
    guard: null | { memory_budget_cycles: number; compute_budget_cycles: number; raises: number; hand_overs: number; misses: number; idle: number; longest_memory_cycles: number; longest_compute_cycles: number };
  }[];
}
