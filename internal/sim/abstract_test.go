package sim

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/instr"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// failer is what helpers need of *testing.T and *rapid.T.
type failer interface {
	Helper()
	Fatal(...any)
}

// setup is a program with the machine and configuration to run it on.
type setup struct {
	kernel *instr.Kernel
	cfg    Config
}

func newSetup(t failer, program string, blocks int) *setup {
	t.Helper()
	p, err := instr.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	return programSetup(t, p, blocks)
}

func programSetup(t failer, p instr.Warps, blocks int) *setup {
	t.Helper()
	k, err := instr.NewKernel(p, blocks)
	if err != nil {
		t.Fatal(err)
	}
	return &setup{kernel: k, cfg: Config{Machine: k.Machine(), BlocksPerSM: 1, Checks: true}}
}

// abstractly changes the settings of the abstract model.
func abstractly(c *Config, change func(*AbstractModel)) {
	m, _ := c.Model.(AbstractModel)
	change(&m)
	c.Model = m
}

func (s *setup) policy(t failer, name string) *setup {
	t.Helper()
	p, err := policy.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	abstractly(&s.cfg, func(m *AbstractModel) { m.Policy = p })
	return s
}

// queue sets the queue kind and whether dispatch is FIFO.
func (s *setup) queue(k gpu.QueueKind, slots int) *setup {
	s.cfg.Machine.Queue, s.cfg.Machine.Slots = k, slots
	return s
}

func (s *setup) run(t failer) *Result {
	t.Helper()
	r, err := Run(context.Background(), s.cfg, s.kernel, s.kernel.Timing())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// schedule records issue and dispatch cycles: "w0.2 issue(dispatch)".
type schedule struct {
	NopObserver
	issue    map[[2]int]int64
	dispatch map[[2]int]int64
}

func (s *schedule) Issue(e IssueEvent) {
	if !e.NotIssued {
		s.issue[[2]int{e.Warp, int(e.Index)}] = e.Cycle
	}
}

func (s *schedule) Dispatch(e DispatchEvent) { s.dispatch[[2]int{e.Warp, int(e.Index)}] = e.Cycle }

func (s *schedule) of(warp int) (pairs [][2]int64) {
	for i := 0; ; i++ {
		at, ok := s.issue[[2]int{warp, i}]
		if !ok {
			return pairs
		}
		pairs = append(pairs, [2]int64{at, s.dispatch[[2]int{warp, i}]})
	}
}

const example = "F0/2/6 F1/3/4 F1/3/4 F2/2/4(0)"

// Jeanmougin2025, examples 1 and 2.
func TestPaperExamples(t *testing.T) {
	alone := [][2]int64{{0, 0}, {1, 1}, {2, 4}, {8, 8}}
	for _, c := range []struct {
		program, policy string
		cycles          int64
		want            [][][2]int64
	}{
		{example, "lrr", 14, [][][2]int64{alone}},
		{"2x " + example, "gto", 17, [][][2]int64{alone, {{3, 3}, {4, 7}, {5, 10}, {11, 11}}}},
		{"2x " + example, "lrr", 18, nil},
	} {
		t.Run(c.policy+"/"+c.program, func(t *testing.T) {
			s := newSetup(t, c.program, 1).policy(t, c.policy)
			seen := &schedule{issue: map[[2]int]int64{}, dispatch: map[[2]int]int64{}}
			s.cfg.Observers = []Observer{seen}
			if r := s.run(t); r.Cycles != c.cycles {
				t.Errorf("%d cycles, want %d", r.Cycles, c.cycles)
			}
			for w, want := range c.want {
				if d := cmp.Diff(want, seen.of(w)); d != "" {
					t.Errorf("warp %d (issue, dispatch):\n%s", w, d)
				}
			}
		})
	}
}

// fixture is a program of docs/soundness.md with its exact worst case.
type fixture struct {
	name, program string
	queue         gpu.QueueKind
	slots         int
	any           bool // any-order dispatch
	disorder      bool // a unit may reorder instructions of one warp
	worst         int64
	script        string // reaches the worst case
	dispatch      []int  // dispatch choices that reach it
}

var fixtures = []fixture{
	{name: "I1", program: "F0/3/0 F0/3/0 F1/3/0 F2/1/0(2) ; F0/3/0 F1/3/0 F2/1/0(0)", worst: 11, script: "0,0,1,1,0,0,1"},
	{name: "I2", program: "2× F2/3/0 F2/3/0 F1/2/0 F1/2/0 F0/2/0(0,2)", worst: 13, script: "0,0,1,1,1,1,0,0,1,0"},
	{name: "I3", program: "F0/1/0 F1/1/0(0) F0/1/0 ; F0/1/0 F2/1/2 F2/1/2(1)", worst: 10, script: "0,0,0,1,1,1"},
	{name: "I4", program: "F0/2/0 F1/1/0 ; F1/1/0 F1/1/0", worst: 4, script: "1,1,0,0"},
	{name: "I5", program: "2× F0/2/0 F1/1/0", worst: 4, script: "0,0,1,1"},
	{name: "I6", program: "F0/2/0 F1/1/1 ; F0/2/0 F0/2/0", worst: 6, script: "1,1,0,0"},
	{name: "I7", program: "2× F0/2/0 F1/1/0(0)", worst: 5, script: "0,1"},
	{name: "I8", program: "F0/1/0 F1/2/0 F0/1/0(0) ; F1/2/0 F0/1/0", worst: 5},
	{name: "I9", program: "F0/2/1 F1/3/2 ; F1/3/0 F2/3/3 F0/1/1(0)", worst: 9},
	{name: "I10", program: "F0/2/0 F1/2/1(0) ; F0/2/0 F0/2/0(0)", worst: 7},
	{name: "I10 any", program: "F0/2/0 F1/2/1(0) ; F0/2/0 F0/2/0(0)", any: true, worst: 9},
	{name: "I11", program: "2× F0/1/1 F1/1/0(0)", worst: 4},
	{name: "I12", program: "F0/1/1 F0/1/1 ; F0/1/1 F1/2/0 ; F0/1/1 F0/1/1", worst: 7},
	{name: "H1", program: "F2/2/2 F1/3/3 ; F1/3/3 F2/2/2 F0/1/2", queue: gpu.NoQueue, worst: 11, script: "1,0,1,1,0"},
	{name: "H1 unbounded", program: "F2/2/2 F1/3/3 ; F1/3/3 F2/2/2 F0/1/2", worst: 10},
	{name: "H2", program: "F1/3/3 F0/2/0 F0/2/0 ; F1/3/3 F1/3/3", queue: gpu.NoQueue, worst: 13, script: "0,0,0,1,1"},
	{name: "H3", program: "F1/3/1 F1/1/3 F0/3/3 F0/1/0 F0/1/3 ; F1/1/2 F1/1/0", queue: gpu.Slots, slots: 1, worst: 13, script: "0,1,0,1,0,0,0"},
	{name: "H4", program: "2× F0/1/1 F0/2/0", any: true, disorder: true, worst: 7},
	{name: "H5", program: "2× F0/2/0 F0/2/0 F1/3/0(0)", queue: gpu.Slots, slots: 1, worst: 11, script: "0,1,1,0,1,0"},
	{name: "H6", program: "F1/2/0 | F0/1/1(0) ; F1/2/0 | F1/2/0", any: true, worst: 8, script: "1,0,1", dispatch: []int{1}},
}

func (f *fixture) setup(t failer) *setup {
	s := newSetup(t, f.program, 1).queue(f.queue, f.slots)
	s.cfg.Machine.FIFO = !f.any
	s.cfg.Machine.Desc.Queue.KeepsWarpOrder = !f.disorder
	return s
}

// No schedule exceeds the exact worst case, and the scripted adversary reaches it.
func TestFixtures(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			worst := int64(0)
			for _, name := range workConserving() {
				for _, order := range []policy.DispatchOrder{{}, {Name: "newest"}, {Name: "random", Seed: 5}, {Name: "starve", Param: 1}} {
					s := f.setup(t).policy(t, name)
					abstractly(&s.cfg, func(m *AbstractModel) { m.DispatchOrder = order })
					r := s.run(t)
					worst = max(worst, r.Cycles)
					if r.Cycles > f.worst {
						t.Errorf("%s, %q: %d cycles, exact worst case %d", name, order.Name, r.Cycles, f.worst)
					}
				}
			}
			t.Logf("worst found %d of %d", worst, f.worst)
			if f.script == "" {
				return
			}
			s := f.setup(t).policy(t, "script:"+f.script)
			abstractly(&s.cfg, func(m *AbstractModel) { m.DispatchOrder = policy.DispatchOrder{Name: "script", Script: f.dispatch} })
			if r := s.run(t); r.Cycles != f.worst {
				t.Errorf("script %s: %d cycles, want %d", f.script, r.Cycles, f.worst)
			}
		})
	}
}

// workConserving are policies to try, with several seeds of random ones.
func workConserving() []string {
	names := []string{"lrr", "gto", "oldest", "two-level:1", "two-level:2", "starve:0", "starve:1", "ahead", "behind"}
	for seed := range 30 {
		names = append(names, fmt.Sprintf("random:%d", seed))
	}
	return names
}

// The schedule of I1 that refutes the published bound, cycle by cycle.
func TestCounterexampleSchedule(t *testing.T) {
	s := fixtures[0].setup(t).policy(t, "script:"+fixtures[0].script)
	seen := &schedule{issue: map[[2]int]int64{}, dispatch: map[[2]int]int64{}}
	s.cfg.Observers = []Observer{seen}
	s.run(t)
	want := [][][2]int64{{{0, 0}, {1, 3}, {4, 6}, {9, 9}}, {{2, 6}, {3, 3}, {10, 10}}}
	if d := cmp.Diff(want, [][][2]int64{seen.of(0), seen.of(1)}); d != "" {
		t.Error(d)
	}
}

func TestScriptErrors(t *testing.T) {
	s := newSetup(t, "2x F0/1/5 F0/1/0(0)", 1).policy(t, "script:0,0")
	_, err := Run(context.Background(), s.cfg, s.kernel, s.kernel.Timing())
	if !errors.Is(err, policy.ErrScript) {
		t.Errorf("a script naming a warp that is not ready: %v", err)
	}
	s.cfg.Machine.Desc.SM.Schedulers = 2
	if _, err = Run(context.Background(), s.cfg, s.kernel, s.kernel.Timing()); !errors.Is(err, ErrConfig) {
		t.Errorf("a script on two schedulers: %v", err)
	}
}

func TestLimits(t *testing.T) {
	s := newSetup(t, "F0/1/100 F0/1/0(0)", 1)
	s.cfg.MaxCycles = 50
	if _, err := Run(context.Background(), s.cfg, s.kernel, s.kernel.Timing()); !errors.Is(err, ErrMaxCycles) {
		t.Errorf("limit of 50 cycles: %v", err)
	}
	s.cfg.MaxCycles = 0
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, s.cfg, s.kernel, s.kernel.Timing()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestBadConfig(t *testing.T) {
	for name, spoil := range map[string]func(*Config, *[]gpu.Timing){
		"no machine":    func(c *Config, _ *[]gpu.Timing) { c.Machine = nil },
		"model":         func(c *Config, _ *[]gpu.Timing) { d := *c.Machine.Desc; d.Model = "concrete"; c.Machine.Desc = &d },
		"policy":        func(c *Config, _ *[]gpu.Timing) { abstractly(c, func(m *AbstractModel) { m.Policy.Name = "fair" }) },
		"placement":     func(c *Config, _ *[]gpu.Timing) { c.Placement = InBatches + 1 },
		"occupancy":     func(c *Config, _ *[]gpu.Timing) { c.BlocksPerSM = 0 },
		"block":         func(c *Config, _ *[]gpu.Timing) { c.Blocks = []int64{1} },
		"timing length": func(_ *Config, tm *[]gpu.Timing) { *tm = (*tm)[1:] },
		"initiation":    func(_ *Config, tm *[]gpu.Timing) { *tm = []gpu.Timing{{InitiationCycles: 0}} },
		"latency":       func(_ *Config, tm *[]gpu.Timing) { *tm = []gpu.Timing{{InitiationCycles: 1, LatencyCycles: -1}} },
		"unit":          func(_ *Config, tm *[]gpu.Timing) { *tm = []gpu.Timing{{InitiationCycles: 1, Unit: 7}} },
		"slots":         func(c *Config, _ *[]gpu.Timing) { c.Machine.Queue = gpu.Slots },
		"order": func(c *Config, _ *[]gpu.Timing) {
			abstractly(c, func(m *AbstractModel) { m.DispatchOrder.Name = "best" })
		},
		"schedulers": func(c *Config, _ *[]gpu.Timing) { c.Machine.Desc.SM.Schedulers = 0 },
	} {
		s := newSetup(t, "F0/1/0", 1)
		tm := s.kernel.Timing()
		spoil(&s.cfg, &tm)
		if _, err := Run(context.Background(), s.cfg, s.kernel, tm); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Strict round robin waits for the warp whose turn it is; the others do not.
func TestStrictRoundRobin(t *testing.T) {
	const program = "F0/1/9 F0/1/0(0) ; F0/1/0 F0/1/0 F0/1/0 F0/1/0"
	strict := newSetup(t, program, 1).policy(t, "srr").run(t)
	if strict.Stalls["withheld"] == 0 || strict.Cycles != 14 {
		t.Errorf("srr: %d cycles, stalls %v", strict.Cycles, strict.Stalls)
	}
	if p, _ := policy.Parse("srr"); p.WorkConserving() {
		t.Error("srr is not work conserving")
	}
	loose := newSetup(t, program, 1).policy(t, "lrr").run(t)
	if loose.Stalls["withheld"] != 0 || loose.Cycles != 11 {
		t.Errorf("lrr: %d cycles, stalls %v", loose.Cycles, loose.Stalls)
	}
}

// Blocks start in order, on the SM with most free slots, as slots are freed.
func TestBlockDispatch(t *testing.T) {
	s := newSetup(t, "F0/1/3", 7)
	s.cfg.Machine.Desc.SM.Count = 2
	s.cfg.BlocksPerSM = 2
	s.cfg.KeepWarps = true
	r := s.run(t)
	type at struct {
		Block     int64
		SM, Slot  int
		Start, To int64
	}
	var got []at
	for _, b := range r.BlockTimes {
		got = append(got, at{b.Block, b.SM, b.Slot, b.StartCycle, b.EndCycle})
	}
	want := []at{{0, 0, 0, 0, 4}, {1, 1, 0, 0, 4}, {2, 0, 1, 0, 5}, {3, 1, 1, 0, 5}, {4, 0, 0, 4, 8}, {5, 1, 0, 4, 8}, {6, 0, 1, 5, 9}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int64{4, 3}, r.BlocksOnSMs); d != "" {
		t.Error(d)
	}
	if r.Cycles != 9 || r.Block != (Spread{4, 5, 30.0 / 7}) {
		t.Errorf("%d cycles, blocks %+v", r.Cycles, r.Block)
	}
	s.cfg.Placement = FillFirst
	if r = s.run(t); r.BlockTimes[1].Block != 2 || r.BlockTimes[1].SM != 1 || r.BlocksOnSMs[0] != 4 {
		t.Errorf("filling the first SM first: %+v", r.BlockTimes)
	}
	s.cfg.Placement = MostFree
	s.cfg.Blocks = []int64{5, 2}
	if r = s.run(t); r.Blocks != 2 || r.BlockTimes[0].Block != 5 {
		t.Errorf("a subset of the blocks: %+v", r.BlockTimes)
	}
}

func TestDelays(t *testing.T) {
	const program = "F0/1/9 | F0/1/0 ; F0/1/0 | F0/1/0"
	for _, c := range []struct {
		draining     bool
		delay, start int64
		cycles       int64
	}{
		{false, 0, 0, 10}, // sections: 2 cycles of issue, open at 2, done at 4; the load ends at 10
		{true, 0, 0, 12},
		{true, 3, 0, 15},
		{true, 3, 5, 20},
		{false, 9, 0, 13},
	} {
		s := newSetup(t, program, 1)
		s.cfg.Machine.Desc.Barrier = gpu.Barrier{Draining: c.draining, DelayCycles: c.delay}
		s.cfg.Machine.Desc.Dispatch.StartDelayCycles = c.start
		if r := s.run(t); r.Cycles != c.cycles || r.Barriers != 1 {
			t.Errorf("%+v: %d cycles, %d barriers", c, r.Cycles, r.Barriers)
		}
	}
}

// Schedulers have private units unless the description shares them.
func TestSubCores(t *testing.T) {
	s := newSetup(t, "4x F0/4/0 F0/4/0", 1)
	s.cfg.Machine.Desc.SM.Schedulers = 2
	if r := s.run(t); r.Cycles != 16 {
		t.Errorf("private units: %d cycles, want 16", r.Cycles)
	}
	s.cfg.Machine.Units[0].Shared = true
	if r := s.run(t); r.Cycles != 32 || r.Units[0].Utilization != 1 {
		t.Errorf("one shared unit: %d cycles, want 32, units %+v", r.Cycles, r.Units)
	}
	s.cfg.Machine.Units[0].Count = 4
	if r := s.run(t); r.Cycles != 9 {
		t.Errorf("four shared units: %d cycles, want 9", r.Cycles)
	}
}

func TestPooledQueue(t *testing.T) {
	// F1 is busy until 9; the only place holds w0's second instruction until
	// then, so w1 waits although its unit is idle.
	s := newSetup(t, "F1/9/0 F1/1/0 ; F0/4/0 F0/4/0", 1).queue(gpu.Pooled, 1).policy(t, "oldest")
	seen := &schedule{issue: map[[2]int]int64{}, dispatch: map[[2]int]int64{}}
	s.cfg.Observers = []Observer{seen}
	s.run(t)
	want := [][][2]int64{{{0, 0}, {1, 9}}, {{9, 9}, {10, 13}}}
	if d := cmp.Diff(want, [][][2]int64{seen.of(0), seen.of(1)}); d != "" {
		t.Error(d)
	}
}

// Each scheduler has a pool of its own: the instructions that wait in one do not
// keep another scheduler from issuing.
func TestPoolsOfSchedulers(t *testing.T) {
	s := newSetup(t, "F0/9/0 F0/1/0 F0/1/0 ; F0/1/0 F0/1/0 F0/1/0", 1).queue(gpu.Pooled, 1)
	s.cfg.Machine.Desc.SM.Schedulers = 2
	seen := &schedule{issue: map[[2]int]int64{}, dispatch: map[[2]int]int64{}}
	s.cfg.Observers = []Observer{seen}
	s.run(t)
	want := [][][2]int64{{{0, 0}, {1, 9}, {9, 10}}, {{0, 0}, {1, 1}, {2, 2}}}
	if d := cmp.Diff(want, [][][2]int64{seen.of(0), seen.of(1)}); d != "" {
		t.Error(d)
	}
}

func TestShorten(t *testing.T) {
	// I11: shortening one latency lengthens the run.
	s := newSetup(t, "2× F0/1/1 F1/1/0(0)", 1)
	s.cfg.Memory = FixedTimes{Shorten: func(x Shortening) (int64, int64) {
		if x.Warp == 0 && x.Index == 0 {
			return 0, -5 // clamped to 1, 0
		}
		return x.InitiationCycles + 3, x.LatencyCycles + 7 // clamped to the table
	}}
	worst := int64(0)
	for _, p := range workConserving() {
		worst = max(worst, s.policy(t, p).run(t).Cycles)
	}
	if worst != 5 {
		t.Errorf("worst with a shortened latency: %d cycles, want 5", worst)
	}
}

// A deadlock names the warps that wait.
func TestDeadlock(t *testing.T) {
	s := newSetup(t, "F0/1/0 | F0/1/0 ; F0/1/0 | F0/1/0", 1)
	_, err := Run(context.Background(), s.cfg, stuck{s.kernel}, s.kernel.Timing())
	var re *simt.RuntimeError
	if !errors.As(err, &re) || !errors.Is(err, simt.ErrDeadlock) || !strings.Contains(err.Error(), "warps 0 wait at pc 2; warps 1 wait at pc 5") {
		t.Errorf("error %v", err)
	}
}

// stuck is a kernel whose barriers never open.
type stuck struct{ *instr.Kernel }

func (k stuck) NewBlock(i int64) (simt.Block, error) {
	b, err := k.Kernel.NewBlock(i)
	if err != nil {
		return nil, err
	}
	s := &stuckBlock{Block: b}
	for _, w := range b.Warps() {
		s.warps = append(s.warps, &stuckWarp{Warp: w})
	}
	return s, nil
}

type stuckBlock struct {
	simt.Block
	warps []simt.Warp
}

func (b *stuckBlock) Warps() []simt.Warp { return b.warps }

type stuckWarp struct {
	simt.Warp
	waits bool
}

func (w *stuckWarp) Status() simt.Status {
	if w.waits {
		return simt.Waiting
	}
	return w.Warp.Status()
}

func (w *stuckWarp) Step(s *simt.Step) error {
	err := w.Warp.Step(s)
	w.waits = s.Barrier >= 0
	s.BarrierOpened = false
	return err
}

func TestDeterminism(t *testing.T) {
	for _, policy := range []string{"lrr", "gto", "random:3"} {
		s := newSetup(t, "8x F0/2/7 F1/1/3 F0/1/0(0) F1/2/4(1,2) | F0/3/0 F1/1/9(0)", 40).policy(t, policy)
		s.cfg.Machine.Desc.SM.Count, s.cfg.BlocksPerSM, s.cfg.KeepWarps = 3, 2, true
		if a, b := s.run(t), s.run(t); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two runs differ:\n%s", policy, cmp.Diff(a, b))
		}
	}
}
