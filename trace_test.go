package warpbound_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/internal/testkit/traces"
)

// traced simulates with a trace in both formats, checks both, and returns what they say.
func traced(t *testing.T, file string, o warpbound.SimulateOptions, limits warpbound.TraceOptions) (*warpbound.Simulation, *traces.Trace) {
	t.Helper()
	var read *traces.Trace
	var s *warpbound.Simulation
	for _, format := range []string{warpbound.TracePerfetto, warpbound.TraceChrome} {
		var out bytes.Buffer
		with := limits
		with.To, with.Format = &out, format
		o.Trace = &with
		var err error
		s, err = open(t, file).Simulate(context.Background(), o)
		var exit *warpbound.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if n := s.Trace.Bytes; n != int64(out.Len()) {
			t.Errorf("%s: %d bytes, the summary says %d", format, out.Len(), n)
		}
		if format == warpbound.TraceChrome {
			rows, err := traces.Chrome(out.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if err := traces.Differ(read.Rows(), rows); err != nil {
				t.Errorf("the formats differ: %v", err)
			}
			continue
		}
		if read, err = traces.Perfetto(out.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := read.Check(); err != nil {
			t.Fatal(err)
		}
	}
	return s, read
}

// document is the numbers of a simulation that Simulation has no fields for.
type document struct {
	L1D *struct {
		VictimWait int64 `json:"victim_wait_cycles"`
		MSHRWait   int64 `json:"mshr_wait_cycles"`
		MergeWait  int64 `json:"merge_wait_cycles"`
		MostMSHRs  int64 `json:"most_mshrs"`
	}
	L2   *struct{ Reads, Hits, Misses, Writes int64 }
	DRAM *struct {
		Reads, Writes int64
		RowMisses     int64 `json:"row_misses"`
		Bytes         int64
		Utilization   float64
	}
	Interference *struct {
		GPU struct {
			Wait int64 `json:"wait_cycles"`
		}
		Cores []struct {
			Sent     int64
			InFlight int64   `json:"in_flight"`
			Latency  float64 `json:"mean_latency_cycles"`
			Wait     int64   `json:"wait_cycles"`
		}
	}
}

func documentOf(t *testing.T, s *warpbound.Simulation) (d document) {
	t.Helper()
	report, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	text, err := report.JSON()
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A trace is well formed, says the same in both formats, and adds up to what the
// simulation counted: for every model, policy and memory.
func TestTrace(t *testing.T) {
	machine := func(name string, set ...string) warpbound.SimulateOptions {
		m, err := warpbound.GPU(name, set...)
		if err != nil {
			t.Fatal(err)
		}
		return warpbound.SimulateOptions{GPU: m}
	}
	with := func(o warpbound.SimulateOptions, f func(*warpbound.SimulateOptions)) warpbound.SimulateOptions {
		f(&o)
		return o
	}
	const saxpy, gemm, reduce = "examples/basic/saxpy/saxpy.toml", "examples/sgemm/double/sgemm_double_8.toml", "examples/basic/reduce/reduce.toml"
	for name, c := range map[string]struct {
		file string
		opt  warpbound.SimulateOptions
	}{
		"abstract": {saxpy, machine("ecrts2025-200")},
		"sgemm":    {gemm, machine("ecrts2025-200")},
		"two SMs":  {reduce, machine("ecrts2025-200", "sm.count=2")},
		"policy":   {reduce, with(machine("rtx3070"), func(o *warpbound.SimulateOptions) { o.Policy = "starve:2" })},
		"pipeline": {saxpy, with(machine("rtx3070"), func(o *warpbound.SimulateOptions) { o.Model = warpbound.ModelPipeline })},
		"caches":   {saxpy, with(machine("gtx480"), func(o *warpbound.SimulateOptions) { o.L1Order = warpbound.L1Dynamic })},
		"pipeline with caches": {reduce, with(machine("gtx480"), func(o *warpbound.SimulateOptions) {
			o.Model, o.L1Order = warpbound.ModelPipeline, warpbound.L1Dynamic
		})},
		"reordered": {saxpy, with(machine("gtx480"), func(o *warpbound.SimulateOptions) { o.L1Order, o.Batches = warpbound.L1Reorder, true })},
		"traffic": {saxpy, with(machine("tx1"), func(o *warpbound.SimulateOptions) {
			o.L1Order, o.Traffic = warpbound.L1Dynamic, "stress:cores=2"
		})},
		"few MSHRs": {"examples/basic/transpose/transpose_conflicts.toml", with(machine("gtx480", "l1d.mshrs=2", "l1d.mshr_merges=2"), func(o *warpbound.SimulateOptions) { o.L1Order = warpbound.L1Dynamic })},
		"full channels": {"examples/basic/transpose/transpose_conflicts.toml", with(machine("gtx480", "ldst_path.channel_entries=1"), func(o *warpbound.SimulateOptions) {
			o.L1Order, o.Batches = warpbound.L1Reorder, true
		})},
		"atomics":        {"examples/basic/histogram/histogram.toml", with(machine("tx1"), func(o *warpbound.SimulateOptions) { o.L1Order, o.Traffic = warpbound.L1Dynamic, "random" })},
		"front end":      {saxpy, machine("vortex-32x32")},
		"slots in order": {saxpy, with(machine("vortex-32x32"), func(o *warpbound.SimulateOptions) { o.FrontEnd.Variant = "swas" })},
		"vortex":         {"examples/vortex/kernels/saxpy/saxpy.toml", machine("vortex-v2.2")},
	} {
		t.Run(name, func(t *testing.T) {
			s, trace := traced(t, c.file, c.opt, warpbound.TraceOptions{})
			if !s.Trace.Complete || s.Trace.LeftOut != 0 || s.Trace.Ended {
				t.Errorf("%+v", s.Trace)
			}
			addsUp(t, s, trace)
		})
	}
}

// addsUp compares sums over the slices of a complete trace with what was counted.
func addsUp(t *testing.T, s *warpbound.Simulation, trace *traces.Trace) {
	t.Helper()
	stalls, units, issued, initiated := map[string]int64{}, map[string]int64{}, int64(0), map[string]int64{}
	warpCycles, blockCycles, issueSlots, blocks := int64(0), int64(0), int64(0), int64(0)
	transfers, misses, busy, waited, tagWaits := int64(0), int64(0), int64(0), int64(0), map[string]int64{}
	states, queued, waiting := map[string]int64{}, int64(0), int64(0) // cycles of warps, from issue to the unit, and from there to the tags
	for _, x := range trace.Slices() {
		took := (x.To - x.From) / 1000
		group := strings.Split(x.Path, " / ")
		switch {
		case len(group) < 3:
		case group[1] == "schedulers":
			if x.Category == "issue" {
				issued += took
			} else {
				stalls[x.Name] += took
			}
		case group[1] == "warps":
			switch x.Category {
			case "warp":
				warpCycles += took
			case "issue":
				issueSlots += took
				states["issue"] += took
				warpCycles -= took
				queued -= x.From / 1000
			case "wait":
				states[x.Name] += took
				warpCycles -= took
			}
		case group[1] == "L1D":
			tagWaits[x.Name] += took
		case group[1] == "units":
			kind := group[2][:strings.LastIndexByte(group[2], ' ')]
			units[kind] += took
			initiated[kind]++
			queued += x.From / 1000
			if _, known := x.Args["complete_cycle"]; !known {
				waiting -= x.From / 1000
			}
		case group[1] == "blocks":
			blocks++
			blockCycles += took
		case strings.HasPrefix(group[1], "DRAM"):
			transfers++
			busy += x.To - x.From
			waited += x.From/1000 - x.Args["arrive_cycle"].(int64)
			if strings.HasSuffix(x.Name, "row miss") {
				misses++
			}
		}
	}
	if issued != s.IssueCycles || !maps.Equal(stalls, s.Stalls) {
		t.Errorf("schedulers issue in %d cycles of %d and stall in %v of %v", issued, s.IssueCycles, stalls, s.Stalls)
	}
	if warpCycles != 0 {
		t.Errorf("warps do nothing in %d cycles", warpCycles)
	}
	if blocks != s.Blocks || blockCycles == 0 {
		t.Errorf("%d blocks in %d cycles, expected %d", blocks, blockCycles, s.Blocks)
	}
	for _, u := range s.Units {
		if units[u.Name] != u.InitiationCycles || initiated[u.Name] != u.Instructions {
			t.Errorf("unit %s starts %d instructions of %d in %d cycles of %d", u.Name, initiated[u.Name], u.Instructions, units[u.Name], u.InitiationCycles)
		}
	}
	accesses, hidden, passed := map[string]int64{}, int64(0), map[uint64]int64{}
	for _, e := range trace.Events {
		switch {
		case e.Kind != traces.Instant:
		case e.Category == "L1D":
			accesses[e.Name]++
			// The requests of an access follow each other.
			if e.Args["request"] == int64(0) {
				waiting += passed[e.Track]
			}
			passed[e.Track] = e.At / 1000
		case e.Category == "no issue slot":
			hidden++
		}
	}
	if issueSlots+hidden != s.WarpInstructions {
		t.Errorf("%d instructions take issue slots and %d none, of %d", issueSlots, hidden, s.WarpInstructions)
	}
	for _, at := range passed {
		waiting += at
	}
	if u := s.L1D; u != nil {
		got := accesses["hit"] + accesses["hit-reserved"] + accesses["miss"] + accesses["sector-miss"] + accesses["passed"]
		if got != u.Loads+u.Stores+u.Atomics || accesses["miss"]+accesses["sector-miss"] != u.LoadMisses+u.StoreMisses || accesses["hit-reserved"] != u.HitsReserved {
			t.Errorf("L1D: %v, expected %+v", accesses, u)
		}
		d := documentOf(t, s)
		if transfers != d.DRAM.Reads+d.DRAM.Writes || misses != d.DRAM.RowMisses || (busy == 0) != (transfers == 0) {
			t.Errorf("DRAM: %d transfers with %d row misses, expected %+v", transfers, misses, d.DRAM)
		}
		for cause, n := range map[string]int64{"victim": d.L1D.VictimWait, "mshr": d.L1D.MSHRWait, "merge": d.L1D.MergeWait} {
			if tagWaits["waits: "+cause] != n {
				t.Errorf("requests wait for %v, and %d cycles for %s", tagWaits, n, cause)
			}
		}
		sums := integrals(trace)
		for name, want := range map[string]float64{
			"L1D: hit": float64(accesses["hit"]), "L1D: miss": float64(accesses["miss"]), "L1D: passed": float64(accesses["passed"]), "L1D: accesses waiting": float64(waiting),
			"hits": float64(d.L2.Hits), "misses": float64(d.L2.Misses), "writes": float64(d.L2.Writes),
			"bytes": float64(d.DRAM.Bytes), "busy": float64(busy), "waiting": float64(waited), "rows opened": float64(misses),
		} {
			if got := sums[name]; math.Abs(got-want) > 1e-6*(1+want) {
				t.Errorf("counter %s adds up to %v, expected %v", name, got, want)
			}
		}
		if most := peak(trace, "L1D: MSHRs in use"); s.SMs == 1 && s.Cycles <= 2048 && most != float64(d.L1D.MostMSHRs) || most > float64(d.L1D.MostMSHRs) || (most == 0) != (d.L1D.MostMSHRs == 0) {
			t.Errorf("%v MSHRs in use, expected %d", most, d.L1D.MostMSHRs)
		}
		if i := d.Interference; i != nil {
			all := i.GPU.Wait
			for n, c := range i.Cores {
				all += c.Wait
				// What is not answered has been under way for some time, too.
				least := c.Latency * float64(c.Sent-c.InFlight)
				got := sums[fmt.Sprintf("a57, core %d: requests under way", n)]
				if got < least-1 || got > least+float64(c.InFlight*s.Cycles) {
					t.Errorf("core %d: requests are under way for %v cycles, answered ones for %v: %v", n, got, least, slices.Sorted(maps.Keys(sums)))
				}
			}
			if waited != all {
				t.Errorf("requests wait %d cycles at the DRAM, expected %d", waited, all)
			}
		}
	} else if transfers != 0 {
		t.Errorf("%d transfers without a DRAM", transfers)
	}
	sums := integrals(trace)
	states["IPC"] = 2 * s.WarpInstructions // of the launch, and of its SMs
	for name, want := range states {
		if name != "IPC" {
			name = "warps: " + name
		}
		if got := sums[name]; math.Abs(got-float64(want)) > 1e-6*float64(want) {
			t.Errorf("counter %s adds up to %v, expected %d", name, got, want)
		}
	}
	before := 0.0
	for _, u := range s.Units {
		before += sums["before "+u.Name]
	}
	if math.Abs(before-float64(queued)) > 1e-6*float64(queued) {
		t.Errorf("instructions are before units for %v cycles, expected %d", before, queued)
	}
	if counted := integral(trace, trace.Path(1)+" / counters of all SMs / IPC"); counted != float64(s.WarpInstructions) {
		t.Errorf("the counter of instructions adds up to %v of %d", counted, s.WarpInstructions)
	}
}

// integrals are the sums of all counters over the cycles of a trace, by name.
func integrals(trace *traces.Trace) map[string]float64 {
	type sample struct {
		value float64
		at    int64
	}
	sums, last, names := map[string]float64{}, map[uint64]sample{}, map[uint64]string{}
	for _, x := range trace.Tracks {
		names[x.UUID] = x.Name
	}
	for _, e := range trace.Events {
		if e.Kind == traces.Counter {
			sums[names[e.Track]] += last[e.Track].value * float64(e.At-last[e.Track].at) / 1000
			last[e.Track] = sample{e.Value, e.At}
		}
	}
	return sums
}

// peak is the largest value of a counter.
func peak(trace *traces.Trace, name string) (most float64) {
	for path, uuid := range pathsOf(trace) {
		if !strings.HasSuffix(path, " / "+name) {
			continue
		}
		for _, e := range trace.Events {
			if e.Track == uuid {
				most = max(most, e.Value)
			}
		}
	}
	return most
}

func pathsOf(trace *traces.Trace) map[string]uint64 {
	out := map[string]uint64{}
	for uuid, path := range trace.Paths() {
		out[path] = uuid
	}
	return out
}

// integral is the sum of a counter over the cycles of a trace.
func integral(trace *traces.Trace, path string) float64 {
	sum, value, since := 0.0, 0.0, int64(0)
	paths := trace.Paths()
	for _, e := range trace.Events {
		if e.Kind == traces.Counter && paths[e.Track] == path {
			sum += value * float64(e.At-since) / 1000
			value, since = e.Value, e.At
		}
	}
	return sum
}

// A window and a list of blocks bound what is in a trace, and the trace says so.
func TestTraceLimits(t *testing.T) {
	const file = "examples/basic/reduce/reduce.toml"
	whole, _ := traced(t, file, warpbound.SimulateOptions{}, warpbound.TraceOptions{})
	for name, c := range map[string]struct {
		limits warpbound.TraceOptions
		says   string
	}{
		"window": {warpbound.TraceOptions{Window: warpbound.CycleRange{From: 200, To: 300}}, "warps (only cycles 200 to 300)"},
		"tail":   {warpbound.TraceOptions{Window: warpbound.CycleRange{From: 200}}, "warps (only from cycle 200 on)"},
		"blocks": {warpbound.TraceOptions{Blocks: []int64{1}}, "warps (only blocks 1)"},
		"both":   {warpbound.TraceOptions{Window: warpbound.CycleRange{To: 500}, Blocks: []int64{0}}, "warps (only cycles 0 to 500, blocks 0)"},
	} {
		t.Run(name, func(t *testing.T) {
			s, trace := traced(t, file, warpbound.SimulateOptions{}, c.limits)
			if s.Cycles != whole.Cycles || s.Trace.Complete || s.Trace.LeftOut == 0 || s.Trace.Slices >= whole.Trace.Slices {
				t.Errorf("%+v of %+v", s.Trace, whole.Trace)
			}
			said, blocks, issued := false, int64(0), int64(0)
			for _, x := range trace.Tracks {
				said = said || x.Name == c.says
			}
			for _, x := range trace.Slices() {
				if x.Category == "issue" && strings.Contains(x.Path, "warp slot") {
					issued++
				}
				if x.Category == "block" {
					blocks++
				}
				if w := c.limits.Window; (x.Category == "issue" || x.Category == "wait" || x.Category == "stall") && (x.From < 1000*w.From || w.To > 0 && x.To > 1000*w.To) {
					t.Errorf("%+v", x)
				}
				if x.Category == "launch" && (x.Args["details"] == nil || !strings.Contains(fmt.Sprint(x.Args["left_out"]), "instructions")) {
					t.Errorf("the launch says %v", x.Args)
				}
				if c.limits.Blocks != nil && x.Category == "warp" && !strings.HasPrefix(x.Name, fmt.Sprintf("block %d,", c.limits.Blocks[0])) {
					t.Errorf("%+v", x)
				}
			}
			if !said || blocks != whole.Blocks || issued == 0 {
				t.Errorf("said %v, %d blocks, %d instructions in %v", said, blocks, issued, trace.Paths())
			}
			if got := integral(trace, trace.Path(1)+" / counters of all SMs / IPC"); got != float64(s.WarpInstructions) {
				t.Errorf("counters are of %v instructions", got)
			}
		})
	}
}

// Loads flow to the instructions that are the first to use them.
func TestTraceFlows(t *testing.T) {
	s, trace := traced(t, "examples/basic/saxpy/saxpy.toml", warpbound.SimulateOptions{}, warpbound.TraceOptions{})
	from := map[uint64]string{}
	for _, e := range trace.Events {
		for _, f := range e.FlowsOut {
			from[f] = e.Name
		}
	}
	global := 0
	for _, e := range trace.Events {
		for _, f := range e.FlowsIn {
			if strings.HasPrefix(from[f], "ld.global") {
				if !strings.HasPrefix(e.Name, "fma") {
					t.Errorf("%s is used by %s", from[f], e.Name)
				}
				global++
			}
		}
	}
	if s.Trace.Flows != int64(len(from)) || global == 0 {
		t.Errorf("%d flows of %d, %d from global memory", len(from), s.Trace.Flows, global)
	}
}

// Perfetto's own reader finds no error in a trace, and as many slices and flows.
func TestTraceProcessor(t *testing.T) {
	program := optional.Path(t, optional.TraceProcessor)
	dir := t.TempDir()
	file, query := filepath.Join(dir, "a.pftrace"), filepath.Join(dir, "q.sql")
	for _, format := range []string{warpbound.TracePerfetto, warpbound.TraceChrome} {
		var out bytes.Buffer
		s, err := open(t, "examples/basic/reduce/reduce.toml").Simulate(context.Background(), warpbound.SimulateOptions{Trace: &warpbound.TraceOptions{To: &out, Format: format}})
		if err != nil {
			t.Fatal(err)
		}
		const ask = "select (select count(*) from slice) || ' ' || (select count(*) from flow) || ' ' || (select ifnull(sum(value), 0) from stats where severity in ('error', 'data_loss')) as answer;"
		if err := errors.Join(os.WriteFile(file, out.Bytes(), 0o600), os.WriteFile(query, []byte(ask), 0o600)); err != nil {
			t.Fatal(err)
		}
		answer, err := exec.Command(program, "--query-file", query, file).Output()
		if want := fmt.Sprintf("%d %d 0", s.Trace.Slices+s.Trace.Instants, s.Trace.Flows); err != nil || !strings.Contains(string(answer), want) {
			t.Errorf("%s: %v, %s, expected %s", format, err, answer, want)
		}
	}
}

// A launch with the guard has its phases in its trace, and in memory phases, all cores
// beside it are held. The runs are the same with a trace as without.
func TestTracePrem(t *testing.T) {
	p, err := warpbound.Prem(context.Background(), "examples/prem/programs/jacobi1d.c", warpbound.PremOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opt := warpbound.PremScheduleOptions{Schemes: []string{warpbound.SchemeSDMA}, NoBounds: true, Guarded: true, Traffic: []string{"random", "stress:cores=2"}}
	plain, err := p.Schedule(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	opt.Trace = &warpbound.TraceOptions{To: &out}
	s, err := p.Schedule(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(s.Runs) != fmt.Sprint(plain.Runs) || s.Trace == nil || !s.Trace.Complete || plain.Trace != nil {
		t.Errorf("%+v, expected %+v; %+v", s.Runs, plain.Runs, s.Trace)
	}
	x, err := traces.Perfetto(out.Bytes())
	if err == nil {
		err = x.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	type span struct{ from, to int64 }
	held, memory, compute, cycles := map[string][]span{}, []span{}, 0, int64(0)
	for _, y := range x.Slices() {
		switch {
		case y.Category == "core":
			held[y.Path] = append(held[y.Path], span{y.From, y.To})
		case y.Category == "phase" && y.Name == "memory":
			memory = append(memory, span{y.From, y.To})
		case y.Category == "phase" && y.Name == "compute":
			compute++
		case y.Category == "launch":
			cycles = y.Args["cycles"].(int64)
			if y.Args["traffic"] != "stress:cores=2" || y.Args["scheme"] != "sdma" || !strings.Contains(y.Name, "kernel_jacobi1d_0, sdma with the guard, on tx1") {
				t.Errorf("%s: %v", y.Name, y.Args)
			}
		}
	}
	if len(held) != 2 || len(memory) == 0 || compute == 0 {
		t.Fatalf("%d cores, %d memory phases and %d compute phases", len(held), len(memory), compute)
	}
	for core, list := range held {
		for _, m := range memory {
			covered := false
			for _, h := range list {
				covered = covered || h.from <= m.from && m.to <= h.to
			}
			if !covered {
				t.Errorf("%s is held in %v, and a memory phase lasts %v", core, list, m)
			}
		}
	}
	if run := s.Runs[len(s.Runs)-1]; cycles == 0 || len(s.Runs) == 0 || run.Traffic != "stress:cores=2" {
		t.Errorf("%d cycles, %+v", cycles, run)
	}
}

// Every example has a trace that adds up, on the GPU that the bounds are shown on and
// through the caches of another: a few of them, or all where everything is asked for.
func TestTraceOfExamples(t *testing.T) {
	caches, err := warpbound.GPU("gtx480", "sm.count=2")
	if err != nil {
		t.Fatal(err)
	}
	step, tried := 40, 0
	if settings.Everything(t) {
		step = 1
	}
	for i, e := range examples.All() {
		if i%step != 0 {
			continue
		}
		for _, o := range []warpbound.SimulateOptions{{}, {GPU: caches, L1Order: warpbound.L1Dynamic, Policy: "random:7"}} {
			l := open(t, filepath.Join("examples", e.Launch))
			var out bytes.Buffer
			o.Trace, o.MaxCycles = &warpbound.TraceOptions{To: &out}, 2_000_000
			s, err := l.Simulate(context.Background(), o)
			if err != nil {
				if o.GPU != caches || !strings.Contains(err.Error(), "a block does not fit an SM") && !strings.Contains(err.Error(), "expected no L1") {
					t.Errorf("%s: %v", e.Launch, err)
				}
				continue
			}
			x, err := traces.Perfetto(out.Bytes())
			if err == nil {
				err = x.Check()
			}
			if err != nil {
				t.Errorf("%s: %v", e.Launch, err)
				continue
			}
			tried++
			if s.Trace.Complete {
				addsUp(t, s, x)
			}
		}
	}
	if tried < 3 {
		t.Errorf("%d traces", tried)
	}
}
