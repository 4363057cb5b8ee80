package facts_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
)

// kernel makes a kernel of 2 blocks of 40 threads, which are two warps: %t is the thread,
// %b the block.
func kernel(t *testing.T, body string) (simt.Kernel, map[string]int32) {
	t.Helper()
	text := ".version 7.0\n.target sm_70\n.address_size 64\n" +
		".func (.reg .b32 q) f (.reg .b32 x, .reg .b32 d) { .reg .b32 i, y, e; .reg .pred p; mov.u32 q, x; setp.eq.u32 p, d, 0; @p ret; mov.u32 i, 0; F: sub.u32 e, d, 1; call (y), f, (x, e); add.u32 i, i, 1; setp.lt.u32 p, i, x; @p bra F; ret; }\n" +
		".visible .entry k() {\n.reg .pred %p<8>; .reg .b32 %r<16>, %t, %b;\nmov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n" + body + "\n}\n"
	file, err := ptx.Parse("k.ptx", []byte(text))
	if err == nil {
		err = ptx.Check(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptxexec.Lower(file, "k")
	if err != nil {
		t.Fatal(err)
	}
	k, err := ptxexec.NewKernel(p, ptxexec.LaunchConfig{Grid: [3]int{2, 1, 1}, Block: [3]int{40, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	return k, p.ISA().Labels
}

// Every kind of fact, where it holds and where it is one off.
func TestFactsAreChecked(t *testing.T) {
	for _, what := range checkFacts(t) {
		t.Error(what)
	}
}

// checkFacts lists what is wrong with how facts are checked.
func checkFacts(t *testing.T) (wrong []string) {
	t.Helper()
	errorf := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	const (
		// Thread t goes back t mod 8 times, twice.
		nested = "mov.u32 %r0, 0; O: and.b32 %r1, %t, 7; L: sub.u32 %r1, %r1, 1; setp.ge.s32 %p0, %r1, 0; @%p0 bra L; A: add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 2; @%p1 bra O; ret;"
		// It does so in a function that calls itself.
		calls = "and.b32 %r1, %t, 3; add.u32 %r1, %r1, 1; call (%r0), f, (%r1, 2); A: add.u32 %r0, %r0, 1; ret;"
		// Threads below 4 of block 1 part from the others.
		parts = "setp.lt.u32 %p0, %t, 4; setp.eq.and.u32 %p1, %b, 1, %p0; B: @%p1 bra X; Y: add.u32 %r0, %t, 1; bra Z; X: add.u32 %r0, %t, 2; Z: setp.lt.u32 %p2, %t, 99; C: @%p2 bra E; E: ret;"
		// A loop that threads below 4 enter beside its head.
		beside = "mov.u32 %r0, 0; mov.u32 %r2, 0; O: mov.u32 %r1, 0; setp.lt.u32 %p0, %t, 4; @%p0 bra B; H: add.u32 %r1, %r1, 1; B: add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra H; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 2; @%p2 bra O; ret;"
	)
	for name, c := range map[string]struct {
		body, label string
		kind        facts.Kind
		most        int64 // that holds
		wrong       string
		factors     map[string]int64
	}{
		"an entry":                     {body: nested, label: "L", kind: facts.PerEntry, most: 7, wrong: "the thread goes back to the head of the loop 7 times for one entry (block 0, thread 7,"},
		"a thread":                     {body: nested, label: "L", kind: facts.PerThread, most: 14, wrong: "the thread goes back to the head of the loop 14 times in all (block 0, thread 7,"},
		"a warp":                       {body: nested, label: "L", kind: facts.PerWarp, most: 14, wrong: "warp 0 goes back to the head of the loop 14 times (block 0, pc"},
		"the loop around":              {body: nested, label: "O", kind: facts.PerEntry, most: 1, wrong: "1 times for one entry (block 0, thread 0,"},
		"a function":                   {body: calls, label: "F", kind: facts.PerEntry, most: 3, wrong: "3 times for one entry (block 0, thread 3,"},
		"a function in all":            {body: calls, label: "F", kind: facts.PerThread, most: 15, wrong: "15 times in all (block 0, thread 3,"},
		"beside the head":              {body: beside, label: "B", kind: facts.PerEntry, most: 3, wrong: "3 times for one entry (block 0, thread 4,"},
		"beside the head, in all":      {body: beside, label: "B", kind: facts.PerThread, most: 6, wrong: "6 times in all (block 0, thread 4,"},
		"a uniform branch":             {body: parts, label: "C", kind: facts.Uniform, wrong: ""},
		"a branch at which lanes part": {body: parts, label: "B", kind: facts.Uniform, most: -1, wrong: "4 of the 32 active threads of warp 0 take the branch, and this one does not (block 1, thread 4,"},
		"exclusive":                    {body: parts, kind: facts.Exclusive, most: -1, factors: map[string]int64{"X": 1, "Y": 1}, wrong: "warp 0 comes to both places: 2 (block 1, pc"},
		"exclusive by warps":           {body: "setp.lt.u32 %p0, %t, 32; @%p0 bra A; B: ret; A: ret;", kind: facts.Exclusive, factors: map[string]int64{"A": 1, "B": 1}},
		"a sum":                        {body: nested, kind: facts.Counts, most: 18, factors: map[string]int64{"L": 1, "A": 1}, wrong: "in warp 0 the sum of the executions is 18 (block 0, pc"},
		"a difference":                 {body: nested, kind: facts.Counts, most: 10, factors: map[string]int64{"L": 1, "A": -3}, wrong: "in warp 0 the sum of the executions is 10 (block 0, pc"},
	} {
		for _, off := range []int64{0, 1} {
			k, labels := kernel(t, c.body)
			f := facts.Fact{Kind: c.kind, Name: "it", Pos: conf.Pos{File: "k.toml", Line: 7, Col: 1}, Head: labels[c.label], Most: c.most - off}
			switch {
			case c.kind == facts.Uniform:
				f.Places = []facts.Place{{PCs: []int32{labels[c.label]}}}
			case c.kind > facts.Uniform:
				for label, n := range c.factors {
					f.Places = append(f.Places, facts.Place{PCs: []int32{labels[label]}, Factor: n})
				}
			}
			tracker, err := facts.NewTracker(k.Program(), k.WarpSize(), []facts.Fact{f})
			if err != nil {
				t.Fatal(err)
			}
			_, err = simt.Run(context.Background(), facts.Watch(k, tracker), simt.Limits{})
			holds := off == 0 && c.most >= 0 || c.wrong == ""
			switch {
			case holds && err != nil:
				errorf("%s: %v", name, err)
			case !holds && (!errors.Is(err, simt.ErrFact) || !strings.Contains(err.Error(), "it (k.toml:7:1): ") || !strings.Contains(err.Error(), c.wrong)):
				errorf("%s, %d fewer: %v, want %s", name, off, err, c.wrong)
			case !holds && tracker.Err() == nil:
				errorf("%s: the tracker has no error", name)
			}
		}
	}
	return wrong
}

// Where two warps break different facts, the first to end is named; what holds is not.
func TestFirstFactIsNamed(t *testing.T) {
	k, labels := kernel(t, "setp.lt.u32 %p0, %t, 32; @%p0 bra A; B: ret; A: ret;")
	at := func(name, label string) facts.Fact {
		return facts.Fact{Kind: facts.Counts, Name: name, Places: []facts.Place{{PCs: []int32{labels[label]}, Factor: 1}}}
	}
	tracker, err := facts.NewTracker(k.Program(), k.WarpSize(), []facts.Fact{at("b", "B"), at("a", "A")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := simt.Run(context.Background(), facts.Watch(k, tracker), simt.Limits{}); err == nil || !strings.Contains(err.Error(), "a (): in warp 0") {
		t.Errorf("%v", err)
	}
}

// What a recording sees of loops is the same whether it executes every block and every
// iteration or not.
func TestRepeatedIterationsAreCounted(t *testing.T) {
	for _, what := range checkRepeats(t) {
		t.Error(what)
	}
}

// checkRepeats lists what is counted otherwise where iterations are left out.
func checkRepeats(t *testing.T) (wrong []string) {
	t.Helper()
	errorf := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	skipped := int64(0)
	for _, name := range []string{"polybench/gemm/gemm", "polybench/atax/atax_kernel1", "basic/reduce/reduce", "basic/transpose/transpose", "rodinia/lud/lud_diagonal", "rodinia/nw/nw1", "sgemm/double/sgemm_double_8", "basic/stencil/stencil"} {
		files, err := filepath.Glob("../../../examples/" + name + "*.toml")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files[:min(len(files), 2)] {
			all, few := seen(t, file, true), seen(t, file, false)
			skipped += few.skipped
			for i := range all.tracker.Loops {
				a, b := &all.tracker.Seen[i], &few.tracker.Seen[i]
				if a.Entered != b.Entered || a.PerEntry.Most != b.PerEntry.Most || a.PerThread.Most != b.PerThread.Most || a.PerWarp.Most != b.PerWarp.Most {
					errorf("%s: the loop at %d: %+v by every iteration, else %+v", file, all.tracker.Loops[i].Head, a, b)
				}
			}
		}
	}
	if skipped == 0 {
		errorf("no iteration was left out: nothing to tell")
	}
	return wrong
}

type recorded struct {
	tracker *facts.Tracker
	skipped int64
}

func seen(t *testing.T, file string, every bool) recorded {
	t.Helper()
	d, err := gpu.Open("ecrts2025-200", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	l, err := load.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		t.Fatal(err)
	}
	tracker, err := facts.NewTracker(k.Program(), k.WarpSize(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := path.Record(context.Background(), k, m, timing, path.Options{EveryBlock: every, EveryIteration: every, Watch: &facts.Executions{Tracker: tracker}})
	if err != nil {
		t.Fatal(err)
	}
	return recorded{tracker, r.Skipped}
}
