package inputs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/verify/inorder"
	"github.com/warpbound/warpbound/internal/verify/soundness/claims"
	"github.com/warpbound/warpbound/ptx"
)

// The most warp instructions of an execution, and of a covering one.
const (
	mostExecuted = 1 << 15
	mostCovered  = 1 << 15
	// Of kernels with loops: those that are not closed need not be covered.
	mostOfLoops = 1 << 15
)

// Words of the buffers: the known one holds small numbers.
const (
	knownWords   = 160
	unknownWords = 2048
)

// Outcome is what became of one case.
type Outcome struct {
	NotCovered string // why the launch is not covered; "" where it is
	Choices    bool   // a warp may take several paths
	Paths      int    // different paths of warps that the executions took
	Executions int    // that were held to what is covered
	Failed     int    // that went wrong, as the kernel does with these data
	Facts      int    // that hold of all of them, within which the launch was covered again
	Closed     bool   // a closed covering execution covers it
	Staged     bool   // with stages
	NotClosed  string // why not
	Certified  bool   // the bound on it by sum has a certificate that holds
	Priced     bool   // that within facts has one, with prices of them
	Wrong      string // an execution that is not covered, or a certificate that does not hold; "" where there is none
}

// machine is that of a preset.
func machine(name string) (*gpu.Machine, error) {
	d, err := gpu.Open(name, nil)
	if err != nil {
		return nil, err
	}
	return d.Machine()
}

// lower gives the kernel and its GPU.
func (c *Case) lower() (*ptxexec.Code, *gpu.Machine, error) {
	file, err := ptx.Parse("case.ptx", []byte(c.PTX))
	if err == nil {
		err = ptx.Check(file)
	}
	if err != nil {
		return nil, nil, err
	}
	program, err := ptxexec.Lower(file, "k")
	if err != nil {
		return nil, nil, err
	}
	m, err := machine(c.GPU)
	return program, m, err
}

// Run executes a case so many times, covers it, and holds the executions to what is
// covered.
func (c *Case) Run(ctx context.Context, executions int) (*Outcome, error) {
	program, m, err := c.lower()
	if err != nil {
		return nil, err
	}
	k, err := c.kernel(program, 0, scalars{n: ownScalar}, ptxexec.Options{})
	if err != nil {
		return nil, err
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		return nil, err
	}
	out := &Outcome{}
	trips, err := newTripCounts(k.Program())
	if err != nil {
		return nil, err
	}
	seen := newFactCounts(k.Program(), trips)
	tracker, err := facts.NewTracker(k.Program(), k.WarpSize(), nil)
	if err != nil {
		return nil, err
	}
	var cut []Sections // of executions that take too long
	run := func(i uint64, n scalars) (Sections, error) {
		rng := rand.New(rand.NewPCG(c.Seed, i+1))
		k, err := c.kernel(program, i, n, ptxexec.Options{Vary: rng, EqualOpen: c.Functions && !c.Lanes})
		if err != nil {
			return nil, err
		}
		took := Sections{}
		before := trips.begin()
		seen.begin()
		blocks := map[int64]*facts.Block{}
		e := &claims.Executor{Timing: timing, Memory: m.Desc.Memory, Limit: mostExecuted}
		if c.Loops {
			e.Limit = mostExecuted / 2
		}
		e.Observe = func(block int64, warp int, s *simt.Step) {
			took.Step(block, warp, s, timing, &m.Desc.Memory)
			if c.Loops && !c.AllBounds {
				return
			}
			trips.step(block, warp, s)
			if c.Loops {
				return
			}
			seen.step(s)
			if blocks[block] == nil {
				blocks[block] = tracker.Block(block, simt.NumWarps(k.BlockDim(), k.WarpSize()))
			}
			blocks[block].Step(warp, s)
		}
		if _, err := e.AnyOrder(ctx, k, rng); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			trips.most = before
			out.Failed++
			if errors.Is(err, simt.ErrInstructionLimit) {
				cut = append(cut, took)
			}
			return nil, nil
		}
		if !c.Loops {
			seen.end(took)
		}
		return took, nil
	}
	var all []Sections
	for i := range uint64(executions) {
		took, err := run(i, scalars{n: ownScalar})
		if err != nil {
			return nil, err
		}
		if took != nil {
			all = append(all, took)
		}
	}
	if len(all) == 0 {
		out.NotCovered = "no execution ends well"
		return out, nil
	}
	if !c.Loops {
		if out.Wrong = agree(trips, tracker); out.Wrong != "" {
			return out, nil
		}
		if err := c.runEach(ctx, program, m, timing, trips, seen, all, out); err != nil || out.Wrong != "" {
			return out, err
		}
	}
	// With other arguments, too, and with what these say of the loops.
	others := executions / 4
	if c.Loops {
		others = executions
	}
	for i := range uint64(others) {
		rng := rand.New(rand.NewPCG(c.Seed, 50+i))
		n := scalars{n: byte(rng.IntN(mostScalar + 1))}
		n.m = int32(leastOther + rng.IntN(mostOther-leastOther+1))
		took, err := run(uint64(executions)+i, n)
		if err != nil {
			return nil, err
		}
		if took != nil {
			all = append(all, took)
		}
	}
	if c.AllBounds || len(c.Bounds) > 0 {
		cut = nil // these may break a bound
	}
	return out, c.runClosed(ctx, program, m, timing, trips, seen, all, cut, out)
}

// runEach holds the executions to what is covered block by block, as it is and within
// facts that hold of them.
func (c *Case) runEach(ctx context.Context, program *ptxexec.Code, m *gpu.Machine, timing []gpu.Timing, trips *tripCounts, seen *factCounts, all []Sections, out *Outcome) error {
	bounds := c.bounds(program, program.ISA().Labels, trips)
	covered, loops, err := c.cover(ctx, program, m, timing, bounds, nil, simt.CoverOptions{})
	var not *simt.NotCovered
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, path.ErrStages):
		out.Wrong = err.Error()
		return nil
	case errors.As(err, &not):
		out.NotCovered = not.What
		return nil
	case errors.Is(err, simt.ErrInstructionLimit):
		out.NotCovered = "too many instructions"
		return nil
	case err != nil && (c.Grid > 1 || c.Block > 32):
		// It does so in this order, in which warps find memory as they do.
		out.NotCovered = "goes wrong"
		return nil
	case err != nil:
		out.Wrong = fmt.Sprintf("the covering execution says that the kernel always goes wrong: %v", err)
		return nil
	}
	for _, class := range covered.Classes {
		for _, w := range class.Warps {
			out.Choices = out.Choices || w.Warp.WholeChoice.Choices()
		}
	}
	if out.Wrong = trips.within(loops); out.Wrong != "" {
		return nil
	}
	if out.Wrong, err = hold(covered, all, out); out.Wrong != "" || err != nil {
		return err
	}
	if out.Wrong, out.Certified, err = c.certify(ctx, m, covered, nil); out.Wrong != "" || err != nil {
		return err
	}
	list := seen.facts(c.Seed)
	if len(list) == 0 {
		return nil
	}
	// Once more, within what all these executions do.
	covered, _, err = c.cover(ctx, program, m, timing, bounds, list, simt.CoverOptions{})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, path.ErrStages):
		out.Wrong = err.Error()
		return nil
	case errors.As(err, &not), errors.Is(err, simt.ErrInstructionLimit):
		return nil
	case err != nil:
		out.Wrong = fmt.Sprintf("the covering execution says that facts never hold: %v: %v", err, list)
		return nil
	}
	out.Facts = len(list)
	if out.Wrong, err = hold(covered, all, &Outcome{}); out.Wrong != "" {
		out.Wrong = fmt.Sprintf("within facts %v: %s", list, out.Wrong)
	}
	if out.Wrong == "" && err == nil {
		out.Wrong, out.Priced, err = c.certify(ctx, m, covered, list)
	}
	return err
}

// runClosed holds the executions to what a closed covering execution covers. Those that
// are cut short execute no instruction more often, either.
func (c *Case) runClosed(ctx context.Context, program *ptxexec.Code, m *gpu.Machine, timing []gpu.Timing, trips *tripCounts, seen *factCounts, all, cut []Sections, out *Outcome) error {
	bounds := c.bounds(program, program.ISA().Labels, trips)
	// The argument may be any of those that it is in the executions.
	covered, loops, err := c.cover(ctx, program, m, timing, bounds, nil, simt.CoverOptions{Closed: true})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		out.NotClosed = err.Error()
		if i := strings.Index(out.NotClosed, ": "); i >= 0 {
			out.NotClosed = out.NotClosed[i+2:]
		}
		return nil
	}
	out.Closed, out.Staged = true, covered.Classes[0].Warps[0].Warp.Stages != nil
	if out.Wrong = trips.within(loops); out.Wrong == "" {
		out.Wrong, err = hold(covered, all, out)
	}
	if out.Wrong == "" && err == nil {
		out.Wrong, _, err = c.certify(ctx, m, covered, nil)
	}
	if out.Wrong == "" && err == nil && len(bounds) > 0 {
		// The loops that only bounds end, executed.
		executed, loops, not := c.cover(ctx, program, m, timing, bounds, nil, simt.CoverOptions{Closed: true, Execute: true})
		if not == nil {
			if out.Wrong = trips.within(loops); out.Wrong == "" {
				out.Wrong, err = hold(executed, all, &Outcome{})
			}
		}
	}
	if out.Wrong != "" {
		out.Wrong = "closed: " + out.Wrong
	}
	for _, took := range cut {
		for at, sections := range took {
			if out.Wrong != "" || err != nil {
				return err
			}
			class := &covered.Classes[covered.Class(at.Block)]
			if out.Wrong, err = heavier(covered, class, at.Warp, slices.Concat(sections...)); out.Wrong != "" {
				out.Wrong = fmt.Sprintf("closed: warp %d of block %d, of an execution that takes long, executes %s", at.Warp, at.Block, out.Wrong)
			}
		}
	}
	if err != nil || out.Wrong != "" || c.Loops {
		return err
	}
	list := seen.facts(c.Seed)
	if len(list) == 0 {
		return err
	}
	covered, _, err = c.cover(ctx, program, m, timing, bounds, list, simt.CoverOptions{Closed: true})
	var not *simt.NotCovered
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, path.ErrStages):
		out.Wrong = err.Error()
		return nil
	case errors.As(err, &not), errors.Is(err, simt.ErrInstructionLimit):
		return nil
	case err != nil:
		out.Wrong = fmt.Sprintf("closed: the covering execution says that facts never hold: %v: %v", err, list)
		return nil
	}
	if out.Wrong, err = hold(covered, all, &Outcome{}); out.Wrong != "" {
		out.Wrong = fmt.Sprintf("closed, within facts %v: %s", list, out.Wrong)
	}
	return err
}

// hold holds executions to what is covered.
func hold(covered *path.Recorded, all []Sections, out *Outcome) (string, error) {
	seen := map[string]bool{}
	for i, took := range all {
		out.Executions++
		for at, sections := range took {
			class := &covered.Classes[covered.Class(at.Block)]
			key := binary.AppendVarint(nil, int64(covered.Class(at.Block)))
			key = binary.AppendVarint(key, int64(at.Warp))
			for _, symbols := range sections {
				for _, s := range symbols {
					key = binary.AppendVarint(key, int64(s.PC))
					key = binary.AppendVarint(key, int64(s.Transactions))
				}
				key = binary.AppendVarint(key, -1)
			}
			if seen[string(key)] {
				continue
			}
			seen[string(key)] = true
			out.Paths++
			if !Covers(covered, class, at.Warp, sections) {
				return fmt.Sprintf("execution %d: warp %d of block %d takes a path that is not covered: %v\ncovered: %s", i, at.Warp, at.Block, sections, explain(covered, class, at.Warp)), nil
			}
			if what, err := heavier(covered, class, at.Warp, slices.Concat(sections...)); what != "" || err != nil {
				return fmt.Sprintf("execution %d: warp %d of block %d executes %s", i, at.Warp, at.Block, what), err
			}
		}
		if what := together(covered, took); what != "" {
			return fmt.Sprintf("execution %d: %s", i, what), nil
		}
	}
	return "", nil
}

// together says which block took no path of stages, "" for none.
func together(covered *path.Recorded, took Sections) string {
	blocks := map[int64]map[int][][]path.Symbol{}
	for at, sections := range took {
		class := &covered.Classes[covered.Class(at.Block)]
		if class.Warps[0].Warp.Stages == nil {
			continue
		}
		if blocks[at.Block] == nil {
			blocks[at.Block] = map[int][][]path.Symbol{}
		}
		blocks[at.Block][at.Warp] = sections
	}
	for b, warps := range blocks {
		if class := &covered.Classes[covered.Class(b)]; !CoverTogether(covered, class, warps) {
			return fmt.Sprintf("the warps of block %d take sections that are not covered together: %v\ncovered: %s", b, warps, class.Warps[0].Warp.Stages)
		}
	}
	return ""
}

// heavier says which instruction a warp executed more often than the heaviest path has
// it, "" for none.
func heavier(covered *path.Recorded, class *path.BlockClass, warp int, took []path.Symbol) (string, error) {
	count := map[int32]int64{}
	for _, s := range took {
		count[s.PC]++
	}
	e := of(class, warp).WholeChoice
	for pc, n := range count {
		most, err := e.MaxUnder(&choice.Limits{Limits: covered.Limits, Exclusions: covered.Exclusions, Quick: true}, func(s int32) int64 {
			if covered.Symbols[s].PC == pc {
				return 1
			}
			return 0
		})
		if err != nil {
			return "", err
		}
		if n > most {
			return fmt.Sprintf("instruction %d %d times, of at most %d", pc, n, most), nil
		}
	}
	return "", nil
}

// explain writes what a warp may execute: instructions, and behind a colon transactions
// where there may be several.
func explain(covered *path.Recorded, class *path.BlockClass, warp int) string {
	text := ""
	for _, e := range of(class, warp).Choices {
		text += e.String() + " ; "
	}
	if len(text) > 4000 {
		text = text[:4000] + "..."
	}
	names := ""
	for i, s := range covered.Symbols {
		names += fmt.Sprintf(" %d=%d:%d", i, s.PC, s.Transactions)
	}
	return text + "\nsymbols" + names
}

// bounds are those that the covering execution is told: of some loops, or all.
func (c *Case) bounds(p *ptxexec.Code, labels map[string]int32, trips *tripCounts) map[int32]int64 {
	out := map[int32]int64{}
	heads, err := p.LoopHeads()
	if err != nil {
		return nil
	}
	for _, head := range heads {
		given := c.AllBounds
		for _, l := range c.Bounds {
			given = given || labels[l] == head
		}
		if given {
			out[head] = trips.most[head]
		}
	}
	return out
}

func (c *Case) cover(ctx context.Context, p *ptxexec.Code, m *gpu.Machine, timing []gpu.Timing, bounds map[int32]int64, list []facts.Fact, opt simt.CoverOptions) (*path.Recorded, map[int32]facts.Covered, error) {
	var by interface {
		CoveredLoops() map[int32]facts.Covered
	}
	launch := func(unknown []string) (simt.Coverer, simt.Kernel, error) {
		n := scalars{n: ownScalar, closed: opt.Closed}
		k, err := c.kernel(p, 0, n, ptxexec.Options{Taint: true, LoopBounds: bounds, Facts: list, ReportLoops: true})
		if err != nil {
			return nil, nil, err
		}
		opt.Unknown, opt.Functions = unknown, c.Functions
		cover, err := k.Coverer(opt)
		if err == nil {
			by = cover.(interface {
				CoveredLoops() map[int32]facts.Covered
			})
		}
		return cover, k, err
	}
	most := int64(mostCovered)
	if c.Loops {
		most = mostOfLoops
	}
	covered, _, err := path.Cover(ctx, launch, m, timing, path.Options{Limits: simt.Limits{MaxInstructions: most}, Facts: list})
	if err != nil {
		return nil, nil, err
	}
	return covered, by.CoveredLoops(), nil
}

// scalars are the arguments n and m; closed says that they may be any in their ranges.
type scalars struct {
	n      byte
	m      int32
	closed bool
}

// What the argument n is in most executions, what it is at most, and what m may be.
const (
	ownScalar  = 3
	mostScalar = 6
	leastOther = -4
	mostOther  = 9
)

// What elements of the ascending buffer and of the one with a range may be.
var (
	rowElements = ptxexec.Elements{Integers: ptxexec.Integers{Max: 180}, Ascending: true, MaxStep: 5}
	valElements = ptxexec.Elements{Integers: ptxexec.Integers{Min: -2, Max: 6}}
)

// kernel makes the launch with the contents of a variant: the known buffer always holds
// the same.
func (c *Case) kernel(p *ptxexec.Code, variant uint64, n scalars, opt ptxexec.Options) (*ptxexec.Kernel, error) {
	rng := rand.New(rand.NewPCG(c.Seed, 99))
	known := make([]byte, 4*knownWords)
	for i := 0; i < len(known); i += 4 {
		known[i] = byte(rng.IntN(4))
	}
	opt.MaxCallDepth = 16
	args := []ptxexec.Arg{
		{Name: "known", Buffer: &ptxexec.Buffer{Contents: known, ElementBytes: 4, Known: true}},
		{Name: "unknown", Buffer: &ptxexec.Buffer{Contents: contents(c.Seed, variant), ElementBytes: 4}},
		{Name: "n", Bytes: []byte{n.n, 0, 0, 0}},
	}
	if n.closed {
		args[2].Range = &ptxexec.Integers{Max: mostScalar}
	}
	if c.Loops {
		rows, vals := elements(c.Seed, variant)
		m := ptxexec.Arg{Name: "m", Bytes: binary.LittleEndian.AppendUint32(nil, uint32(n.m))}
		if n.closed {
			m.Range = &ptxexec.Integers{Min: leastOther, Max: mostOther}
		}
		args = append(args,
			ptxexec.Arg{Name: "rows", Buffer: &ptxexec.Buffer{Contents: rows, ElementBytes: 4, Elements: &rowElements}},
			ptxexec.Arg{Name: "vals", Buffer: &ptxexec.Buffer{Contents: vals, ElementBytes: 4, Elements: &valElements}}, m)
	}
	l := ptxexec.LaunchConfig{
		Grid: [3]int{c.Grid, max(c.GridY, 1), 1}, Block: [3]int{c.Block, max(c.BlockY, 1), 1}, Options: opt, Args: args,
	}
	if l.AnyTextures = c.AnyTextures && n.closed; c.Textures && !l.AnyTextures {
		l.Textures = textures(known, args[1].Buffer.Contents)
	}
	return ptxexec.NewKernel(p, l)
}

// elements draws what the ascending buffer and the one with a range hold, from a
// distribution that the variant says.
func elements(seed, variant uint64) (rows, vals []byte) {
	rng := rand.New(rand.NewPCG(seed, 200+variant))
	at, step, constant := rng.Int64N(6), rng.Int64N(rowElements.MaxStep+1), rng.Int64N(9)
	for range 256 {
		rows = binary.LittleEndian.AppendUint32(rows, uint32(at))
		value := constant
		switch variant % 3 {
		case 0:
			at += step
		case 1:
			at += rng.Int64N(rowElements.MaxStep + 1)
			value = rng.Int64N(9)
		default:
			if rng.IntN(3) == 0 {
				at += rowElements.MaxStep
			}
			value = 8 * rng.Int64N(2)
		}
		at = min(at, rowElements.Max)
		vals = binary.LittleEndian.AppendUint32(vals, uint32(valElements.Min+value))
	}
	return rows, vals
}

// contents draws what the unknown buffer holds, from a distribution that the variant
// says.
func contents(seed, variant uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 100+variant))
	out := make([]byte, 4*unknownWords)
	constant, odd, spread := rng.Uint32N(6), rng.IntN(32), 1+rng.Uint32N(7)
	for i := range unknownWords {
		var x uint32
		switch variant % 8 {
		case 0: // zeros
		case 1, 2: // all equal
			x = constant
		case 3: // one lane in each warp differs
			if x = constant; i%32 == odd {
				x = spread
			}
		case 4: // small ones, at random
			x = rng.Uint32N(1 + spread)
		case 5: // anything
			if x = rng.Uint32(); x>>30 == 0 {
				x &= 7
			}
		case 6: // lanes count
			x = uint32(i) % (1 + spread)
		default: // half and half
			if x = constant; i%32 < odd {
				x = spread
			}
		}
		binary.LittleEndian.PutUint32(out[4*i:], x)
	}
	return out
}

// Config says how much to try.
type Config struct {
	Seed       uint64 // of the first case; case i has seed Seed+i
	Cases      int
	Executions int                    // of each case; 0 means 16
	StopAfter  int                    // violations; 0 means 1
	Draw       func(seed uint64) Case // the cases; nil for Draw
}

// Violation is an execution that is not covered, or a certificate that does not hold.
type Violation struct {
	Case    Case
	Program *claims.Program // in the place of Case
	What    string
}

func (v *Violation) String() string {
	if p := v.Program; p != nil {
		return fmt.Sprintf("program %d, %d cores of %d warps, %v, transactions counted %v: %s\n%s", p.Seed, p.Cores, p.Warps, p.Variant, p.Counts, v.What, p.Text)
	}
	return fmt.Sprintf("case %d, grid %d, block %d, --gpu %s: %s\n%s", v.Case.Seed, v.Case.Grid, v.Case.Block, v.Case.GPU, v.What, v.Case.PTX)
}

// Summary is the outcome of a search.
type Summary struct {
	Cases, Covered, Choices int
	Closed                  int            // covered by a closed covering execution
	Staged                  int            // likewise, with barriers in loops or forks
	NotClosed               map[string]int // not, by reason
	Executions, Paths       int
	WithFacts, Facts        int            // cases covered again within facts, and how many those were
	Certified, Priced       int            // cases whose bound by sum has a certificate that holds, and with prices of facts
	Failed                  int            // executions that the kernel ends with an error
	Refused                 map[string]int // cases not covered, by reason
	Violations              []Violation
}

// Run tries the cases drawn from consecutive seeds. A violation is not an error.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	return run(ctx, cfg, func(ctx context.Context, seed uint64, executions int) (*Outcome, Violation, error) {
		draw := cfg.Draw
		if draw == nil {
			draw = Draw
		}
		c := draw(seed)
		out, err := c.Run(ctx, executions)
		if err != nil {
			err = fmt.Errorf("case %d: %w\n%s", c.Seed, err, c.PTX)
		}
		return out, Violation{Case: c}, err
	})
}

// run tries consecutive seeds, several at a time. The violation that is returned lacks
// what is wrong.
func run(ctx context.Context, cfg Config, try func(ctx context.Context, seed uint64, executions int) (*Outcome, Violation, error)) (*Summary, error) {
	executions, stop := cfg.Executions, max(cfg.StopAfter, 1)
	if executions <= 0 {
		executions = 16
	}
	type result struct {
		of  Violation
		out *Outcome
	}
	one := func(ctx context.Context, i int) (r result, err error) {
		r.out, r.of, err = try(ctx, cfg.Seed+uint64(i), executions)
		return r, err
	}
	sum := &Summary{Refused: map[string]int{}, NotClosed: map[string]int{}}
	for r, err := range inorder.Try(ctx, cfg.Cases, 0, one) {
		if err != nil {
			return sum, err
		}
		sum.Cases++
		sum.Failed += r.out.Failed
		if r.out.Closed {
			sum.Closed++
			if r.out.Staged {
				sum.Staged++
			}
		} else if r.out.NotClosed != "" {
			sum.NotClosed[r.out.NotClosed]++
		}
		switch {
		case r.out.Wrong != "":
			r.of.What = r.out.Wrong
			sum.Violations = append(sum.Violations, r.of)
			if len(sum.Violations) >= stop {
				return sum, nil
			}
			continue
		case r.out.NotCovered != "":
			sum.Refused[r.out.NotCovered]++
			continue
		}
		sum.Covered++
		sum.Executions += r.out.Executions
		sum.Paths += r.out.Paths
		sum.Facts += r.out.Facts
		if r.out.Facts > 0 {
			sum.WithFacts++
		}
		if r.out.Choices {
			sum.Choices++
		}
		if r.out.Certified {
			sum.Certified++
		}
		if r.out.Priced {
			sum.Priced++
		}
	}
	return sum, nil
}
