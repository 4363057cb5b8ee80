package kernels

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/testkit/ptxas"
)

func run(t *testing.T, cfg Config) *Summary {
	t.Helper()
	s, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSafeBoundsHoldOnRandomKernels(t *testing.T) {
	cases := 400
	if testing.Short() {
		cases = 60
	}
	s := run(t, Config{Seed: 1, Cases: cases, StopAfter: 3})
	for i := range s.Violations {
		t.Errorf("%v", &s.Violations[i])
	}
	if s.Compared < 10*cases || s.Paths < 2*cases {
		t.Errorf("only %d comparisons and %d executions in %d cases", s.Compared, s.Paths, s.Cases)
	}
}

// Mutating towards the bound gets nearer to it than drawing, and not past it.
func TestClimbing(t *testing.T) {
	drawn := run(t, Config{Seed: 5000, Cases: 12})
	climbed := run(t, Config{Seed: 5000, Cases: 12, Climb: 30})
	for i := range climbed.Violations {
		t.Errorf("%v", &climbed.Violations[i])
	}
	if climbed.Compared < 10*drawn.Compared {
		t.Errorf("%d comparisons climbing, %d drawing", climbed.Compared, drawn.Compared)
	}
}

// The published bound must be found out where it fails: by the schedule of the
// counterexample, and by mutating another.
func TestPublishedBoundIsFoundOut(t *testing.T) {
	seeds := directed()
	for i, climb := range []int{0, 400} {
		c := seeds[i]
		out, err := c.search(context.Background(), &Config{Plant: multiphase.GUB, Climb: climb})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Violations) == 0 {
			t.Errorf("%s: not found out", c.Policies[0])
			continue
		}
		v := out.Violations[0]
		if v.Method != multiphase.GUB || v.SimulatedCycles <= v.BoundCycles {
			t.Errorf("%s: found %s", c.Policies[0], &v)
		}
		if i == 0 && (v.Scope != bound.Block || v.SimulatedCycles != v.BoundCycles+1) {
			t.Errorf("found %d cycles against %d, want one more", v.SimulatedCycles, v.BoundCycles)
		}
	}
}

// A violation is reduced to what it needs.
func TestShrink(t *testing.T) {
	c := directed()[0]
	s := *c.source
	s.body = append(append([]*node{}, s.body...), &node{lines: []string{"mov.u32 %r1, 7;"}},
		&node{kind: loop, pred: "%p1", lines: []string{"mov.u32 %r2, 0;"}, body: []*node{{lines: []string{"add.u32 %r3, %r3, 1;"}}}, tail: []string{"setp.ne.u32 %p1, %r2, 0;"}})
	c.source, c.PTX = &s, s.text()
	c.Set = append(c.Set, "memory.segment_bytes=64")
	c.Policies = []string{"lrr", c.Policies[0]}
	out, err := c.search(context.Background(), &Config{Plant: multiphase.GUB})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Violations) != 1 {
		t.Fatalf("%d violations", len(out.Violations))
	}
	v := &out.Violations[0]
	if len(v.Case.Policies) != 1 || strings.Contains(v.Case.PTX, "LOOP") || strings.Contains(v.Case.PTX, "mov.u32") || strings.Join(v.Case.Set, " ") == strings.Join(c.Set, " ") {
		t.Errorf("not reduced:\n%s", v)
	}
	for _, want := range []string{"--gpu ecrts2025-5 --set ", "grid = [1]", ".visible .entry k(", "simulated "} {
		if !strings.Contains(v.String(), want) {
			t.Errorf("the reproducer has no %q:\n%s", want, v)
		}
	}
}

func TestRunDoesNotDependOnWorkers(t *testing.T) {
	one := run(t, Config{Seed: 7, Cases: 20, Workers: 1, Climb: 2})
	three := run(t, Config{Seed: 7, Cases: 20, Workers: 3, Climb: 2})
	if !reflect.DeepEqual(one, three) {
		t.Errorf("one worker: %+v\nthree: %+v", one, three)
	}
}

func TestCancelledSearchStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Config{Seed: 1, Cases: 1000}); err == nil {
		t.Error("a cancelled search ended without an error")
	}
}

// The search draws kernels that the checker takes and NVIDIA's assembler, too: what
// nobody could run would show nothing.
func TestKernelsAreLegal(t *testing.T) {
	a := ptxas.Need(t)
	seeds, texts := map[string][]uint64{}, map[string][]string{} // by architecture
	for seed := range uint64(40) {
		c := Draw(seed)
		arch := "sm_70"
		if strings.Contains(c.PTX, "sm_80") {
			arch = "sm_80"
		}
		seeds[arch], texts[arch] = append(seeds[arch], seed), append(texts[arch], c.PTX)
	}
	for arch := range seeds {
		all, err := a.CheckAll(arch, texts[arch])
		if err != nil {
			t.Fatal(err)
		}
		for i, complaints := range all {
			if len(complaints) > 0 {
				t.Errorf("seed %d: %+v\n%s", seeds[arch][i], complaints[0], texts[arch][i])
			}
		}
	}
}

// Kernels are drawn whose blocks fall into several classes, of which one block each
// is executed, and such with every kind of recent instruction.
func TestWhatIsDrawn(t *testing.T) {
	families := []string{"mma.sync", "wmma.load", "ldmatrix", "mbarrier.arrive.shared", "cp.async.mbarrier", "tex.2d", "tld4", "f16x2", "vadd2", "vset4", "call (q), %rd8"}
	seen := map[string]int{}
	classes := 0
	for seed := range uint64(150) {
		c := Draw(seed)
		for _, f := range families {
			if strings.Contains(c.PTX, f) {
				seen[f]++
			}
		}
		if c.Grid <= 6 {
			continue
		}
		p, err := c.prepare(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		if n := p.report.Path.Executed; n > 1 && n < int64(c.Grid) {
			classes++
		}
	}
	for _, f := range families {
		if seen[f] < 3 {
			t.Errorf("%s: in %d kernels of 150", f, seen[f])
		}
	}
	if classes < 10 {
		t.Errorf("%d kernels of 150 have several classes of several blocks", classes)
	}
	t.Logf("%d kernels with several classes; %v", classes, seen)
}
