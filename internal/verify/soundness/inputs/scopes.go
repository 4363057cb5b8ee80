package inputs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/verify/inorder"
	"github.com/warpbound/warpbound/ptx"
)

// mostOfSmall is the most warp instructions of an execution of a small kernel: those that
// end execute fewer.
const mostOfSmall = 1 << 11

// way is one of those in which a small kernel is covered.
type way struct {
	name           string
	totals, closed bool
}

// ways are within bounds on loops for each entry, and within bounds on their totals, too;
// block by block and in closed form.
var ways = []way{
	{name: "block by block"},
	{name: "block by block, within totals", totals: true},
	{name: "in closed form", closed: true},
	{name: "in closed form, within totals", closed: true, totals: true},
}

// WayResult is what covering the kernels of a scope in one way gave.
type WayResult struct {
	Name            string
	Covered, Staged int
	Refused         map[string]int
	// Counts are the largest numbers of times that a warp executes an instruction of a
	// block, as covered, and Attained those that some execution comes to.
	Counts, Attained int
}

// ScopeResult is the outcome of trying a scope.
type ScopeResult struct {
	Kernels    int // all of whose blocks are reached
	Ended      int // of which some execution ends well
	Executions int // that do
	Others     int // that do not
	Paths      int // different ones of all warps together, over the kernels
	Ways       []WayResult
	Violations []string
}

// Run tries every kernel whose number is a multiple of every, up to so many violations; 0
// means all.
func (s *Scope) Run(ctx context.Context, every, stopAfter int) (*ScopeResult, error) {
	m, err := machine("gtx480")
	if err != nil {
		return nil, err
	}
	sum := &ScopeResult{}
	for _, w := range ways {
		sum.Ways = append(sum.Ways, WayResult{Name: w.name, Refused: map[string]int{}})
	}
	try := func(ctx context.Context, i int) (*ScopeResult, error) {
		k := s.kernel(i * every)
		if !k.connected() {
			return nil, nil
		}
		t := &smallTrial{scope: s, kernel: k, machine: m}
		if err := t.run(ctx); err != nil {
			return nil, fmt.Errorf("%s: kernel %d: %w\n%s", s.Name, i*every, err, k)
		}
		for v := range t.out.Violations {
			t.out.Violations[v] = fmt.Sprintf("%s: kernel %d: %s\n%s", s.Name, i*every, t.out.Violations[v], k)
		}
		return &t.out, nil
	}
	for one, err := range inorder.Try(ctx, (s.size()+every-1)/every, 0, try) {
		if err != nil {
			return sum, err
		}
		if one != nil {
			sum.add(one)
		}
		if stopAfter > 0 && len(sum.Violations) >= stopAfter {
			break
		}
	}
	return sum, nil
}

func (r *ScopeResult) add(one *ScopeResult) {
	r.Kernels++
	r.Ended += one.Ended
	r.Executions += one.Executions
	r.Others += one.Others
	r.Paths += one.Paths
	r.Violations = append(r.Violations, one.Violations...)
	for i := range one.Ways {
		to, from := &r.Ways[i], &one.Ways[i]
		to.Covered += from.Covered
		to.Staged += from.Staged
		to.Counts += from.Counts
		to.Attained += from.Attained
		for what, n := range from.Refused {
			to.Refused[what] += n
		}
	}
}

// smallTrial is one small kernel, its executions, and what covers it.
type smallTrial struct {
	scope   *Scope
	kernel  *smallKernel
	machine *gpu.Machine
	code    *ptxexec.Code
	timing  []gpu.Timing
	data    []data
	trips   *tripCounts
	bounds  map[int32]int64 // by heads of loops
	totals  []facts.Fact
	took    []Sections      // what blocks took, each once
	first   []int           // by which data
	most    map[int][]int64 // of a warp, the most times of each instruction
	out     ScopeResult
}

func (t *smallTrial) run(ctx context.Context) error {
	file, err := ptx.Parse("small.ptx", []byte(t.kernel.String()))
	if err == nil {
		err = ptx.Check(file)
	}
	if err != nil {
		return err
	}
	if t.code, err = ptxexec.Lower(file, "k"); err != nil {
		return err
	}
	t.data = t.scope.allData(t.kernel)
	if err := t.execute(ctx); err != nil || len(t.took) == 0 {
		return err
	}
	t.out.Ended, t.out.Paths = 1, len(t.took)
	t.bounds = map[int32]int64{}
	heads, err := t.code.LoopHeads()
	if err != nil {
		return err
	}
	for _, head := range heads {
		t.bounds[head] = t.trips.most[head]
		t.totals = append(t.totals,
			facts.Fact{Kind: facts.PerThread, Name: fmt.Sprintf("of a thread at %d", head), Head: head, Most: t.trips.total[head], AnyOrder: true},
			facts.Fact{Kind: facts.PerWarp, Name: fmt.Sprintf("of a warp at %d", head), Head: head, Most: t.trips.ways[head], AnyOrder: true})
	}
	t.out.Ways = make([]WayResult, len(ways))
	for i := range ways {
		if err := t.hold(ctx, &ways[i], &t.out.Ways[i]); err != nil {
			return err
		}
	}
	return nil
}

// launch is the kernel on so many blocks, with the data of each.
func (t *smallTrial) launch(blocks int, opt ptxexec.Options) (*ptxexec.Kernel, error) {
	var own, warps, shared []byte
	for i := range t.data {
		d := &t.data[i]
		own, warps, shared = append(own, d.own[:]...), append(warps, d.warps[:]...), append(shared, d.shared)
	}
	return ptxexec.NewKernel(t.code, ptxexec.LaunchConfig{
		Grid: [3]int{blocks, 1, 1}, Block: [3]int{t.scope.Threads, 1, 1}, Options: opt,
		Args: []ptxexec.Arg{
			{Name: "own", Buffer: &ptxexec.Buffer{Contents: own, ElementBytes: 1}},
			{Name: "warps", Buffer: &ptxexec.Buffer{Contents: warps, ElementBytes: 1}},
			{Name: "shared", Buffer: &ptxexec.Buffer{Contents: shared, ElementBytes: 1}},
		},
	})
}

// execute executes the kernel with all data: each block of one launch has its own.
func (t *smallTrial) execute(ctx context.Context) error {
	k, err := t.launch(len(t.data), ptxexec.Options{})
	if err != nil {
		return err
	}
	if t.timing, err = t.machine.Resolve(k.Program()); err != nil {
		return err
	}
	if t.trips, err = newTripCounts(k.Program()); err != nil {
		return err
	}
	t.most = map[int][]int64{}
	seen := map[string]bool{}
	for i := range t.data {
		took, err := t.block(ctx, k, i)
		if err != nil {
			return err
		}
		if took == nil {
			t.out.Others++
			continue
		}
		t.out.Executions++
		if key := took.key(); !seen[key] {
			seen[key] = true
			t.took, t.first = append(t.took, took), append(t.first, i)
			t.count(took)
		}
	}
	return nil
}

// block executes one block: nil where that does not end, or not well.
func (t *smallTrial) block(ctx context.Context, k *ptxexec.Kernel, i int) (Sections, error) {
	b, err := k.NewBlock(int64(i))
	if err != nil {
		return nil, err
	}
	before, took, executed := t.trips.begin(), Sections{}, int64(0)
	total, ways := maps.Clone(t.trips.total), maps.Clone(t.trips.ways)
	err = simt.RunBlock(ctx, b, simt.Limits{MaxInstructions: mostOfSmall}, &executed, func(warp int, s *simt.Step) {
		took.Step(0, warp, s, t.timing, &t.machine.Desc.Memory)
		some := *s
		some.Active &= 0xf // others have the data of one of these
		t.trips.step(0, warp, &some)
	})
	b.Release()
	if err != nil {
		t.trips.most, t.trips.total, t.trips.ways = before, total, ways
		return nil, ctx.Err()
	}
	return took, nil
}

// count keeps how often instructions are executed.
func (t *smallTrial) count(took Sections) {
	for at, sections := range took {
		if t.most[at.Warp] == nil {
			t.most[at.Warp] = make([]int64, len(t.timing))
		}
		count := make([]int64, len(t.timing))
		for _, symbols := range sections {
			for _, s := range symbols {
				count[s.PC]++
			}
		}
		for pc, n := range count {
			t.most[at.Warp][pc] = max(t.most[at.Warp][pc], n)
		}
	}
}

// hold covers the kernel in one way, and holds its executions to that.
func (t *smallTrial) hold(ctx context.Context, w *way, out *WayResult) error {
	covered, loops, err := t.cover(ctx, w)
	var not *simt.NotCovered
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, path.ErrStages):
		t.wrong(w, "%v", err)
		return nil
	case errors.As(err, &not):
		out.Refused = map[string]int{reason(not.What): 1}
		return nil
	case errors.Is(err, simt.ErrInstructionLimit):
		out.Refused = map[string]int{"too many instructions": 1}
		return nil
	case err != nil:
		t.wrong(w, "the covering execution says that the kernel always goes wrong: %v", err)
		return nil
	}
	out.Covered = 1
	class := &covered.Classes[covered.Class(0)]
	if class.Warps[0].Warp.Stages != nil {
		out.Staged = 1
	}
	if what := t.trips.within(loops); what != "" {
		t.wrong(w, "%s", what)
	}
	t.paths(w, covered, class)
	return t.counts(w, covered, class, out)
}

// reason is why a kernel is not covered, without where.
func reason(what string) string {
	if strings.Contains(what, "no bound is known") {
		return "no bound is known"
	}
	_, what, _ = strings.Cut(what, ": ")
	return what
}

func (t *smallTrial) wrong(w *way, format string, args ...any) {
	t.out.Violations = append(t.out.Violations, w.name+": "+fmt.Sprintf(format, args...))
}

// paths says which execution takes a path that is not covered.
func (t *smallTrial) paths(w *way, covered *path.Recorded, class *path.BlockClass) {
	for i, took := range t.took {
		d := &t.data[t.first[i]]
		together := map[int][][]path.Symbol{}
		for at, sections := range took {
			together[at.Warp] = sections
			if !Covers(covered, class, at.Warp, sections) {
				t.wrong(w, "words %v, %v and %d: warp %d takes a path that is not covered: %v\ncovered: %s", d.own[:t.scope.Threads], d.warps, d.shared, at.Warp, sections, explain(covered, class, at.Warp))
				return
			}
		}
		if class.Warps[0].Warp.Stages != nil && !CoverTogether(covered, class, together) {
			t.wrong(w, "words %v, %v and %d: warps take sections that are not covered together: %v\ncovered: %s", d.own[:t.scope.Threads], d.warps, d.shared, together, class.Warps[0].Warp.Stages)
			return
		}
	}
}

// counts compares how often instructions are executed with the most that is covered.
func (t *smallTrial) counts(w *way, covered *path.Recorded, class *path.BlockClass, out *WayResult) error {
	first := int(t.code.ISA().Labels["B0"])
	for warp, most := range t.most {
		e := of(class, warp).WholeChoice
		for pc, n := range most {
			if pc < first {
				continue
			}
			of, err := e.MaxUnder(&choice.Limits{Limits: covered.Limits, Exclusions: covered.Exclusions, Quick: true}, func(s int32) int64 {
				if int(covered.Symbols[s].PC) == pc {
					return 1
				}
				return 0
			})
			switch {
			case err != nil:
				return err
			case n > of:
				t.wrong(w, "warp %d executes instruction %d %d times, of at most %d", warp, pc, n, of)
				return nil
			case of > 0:
				out.Counts++
				if n == of {
					out.Attained++
				}
			}
		}
	}
	return nil
}

// cover covers the kernel in one way: on one block, or in closed form on all.
func (t *smallTrial) cover(ctx context.Context, w *way) (*path.Recorded, map[int32]facts.Covered, error) {
	var by interface {
		CoveredLoops() map[int32]facts.Covered
	}
	opt, blocks := ptxexec.Options{Taint: true, ReportLoops: true, LoopBounds: t.bounds}, 1
	if w.totals {
		opt.Facts = t.totals
	}
	if w.closed {
		blocks = len(t.data)
	}
	launch := func(unknown []string) (simt.Coverer, simt.Kernel, error) {
		k, err := t.launch(blocks, opt)
		if err != nil {
			return nil, nil, err
		}
		c, err := k.Coverer(simt.CoverOptions{Unknown: unknown, Closed: w.closed})
		if err == nil {
			by = c.(interface {
				CoveredLoops() map[int32]facts.Covered
			})
		}
		return c, k, err
	}
	covered, _, err := path.Cover(ctx, launch, t.machine, t.timing, path.Options{Limits: simt.Limits{MaxInstructions: mostCovered}, Facts: opt.Facts})
	if err != nil {
		return nil, nil, err
	}
	return covered, by.CoveredLoops(), nil
}

// key is the same for what is the same.
func (s Sections) key() string {
	var key []byte
	for warp := range len(s) {
		for _, symbols := range s[Place{Warp: warp}] {
			for _, x := range symbols {
				key = binary.AppendVarint(binary.AppendVarint(key, int64(x.PC)), int64(x.Transactions))
			}
			key = binary.AppendVarint(key, -1)
		}
		key = binary.AppendVarint(key, -2)
	}
	return string(key)
}
