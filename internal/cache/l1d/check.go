package l1d

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// ErrNotAnalysable is wrapped by the error about a kernel whose global accesses
// depend on unknown data.
var ErrNotAnalysable = errors.New("the accesses depend on unknown data")

// ErrUnplaced is wrapped by the error about a kernel with an instruction whose
// accesses by lane are not known: a texture fetch, a load or store of a whole
// matrix.
var ErrUnplaced = errors.New("it is not known what the lanes access")

// NotAnalysable lists why a kernel's accesses are not known before it runs
// (Huangfu2017, Section III-F.1).
type NotAnalysable struct {
	Kernel  string
	Reasons []Reason
}

// Reason is one instruction whose effect on the accesses depends on unknown
// data.
type Reason struct {
	Taint       simt.Taint
	Instruction string         // opcode
	Why         string         // what of the accesses depends on the data
	LoadedAt    []isa.Position // loads that the value comes from, if any, by PC
}

func (e *NotAnalysable) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "kernel %s: %v", e.Kernel, ErrNotAnalysable)
	for _, r := range e.Reasons {
		fmt.Fprintf(&s, "\n%s", r)
	}
	return s.String()
}

// Unwrap is ErrNotAnalysable.
func (e *NotAnalysable) Unwrap() error { return ErrNotAnalysable }

// String is a line "file:line:col: instruction: reason, value, where from".
func (r Reason) String() string {
	s := fmt.Sprintf("%s: %s at pc %d: %s", r.Taint.Pos, r.Instruction, r.Taint.PC, r.Why)
	if r.Taint.Register != "" {
		s += ", through " + r.Taint.Register
	}
	for i, p := range r.LoadedAt {
		if i == 0 {
			s += ", loaded at line"
		} else {
			s += ","
		}
		s += fmt.Sprintf(" %d", p.Line)
	}
	return s
}

// Analysis is what the kernel analyser knows of a launch whose global accesses
// depend on nothing unknown. All orders made of one Analysis are the same.
type Analysis struct {
	points   *points
	followed *followed // nil where the launch was executed as a whole
	whole    error     // why it was
}

// AnalyseOptions bound and watch an analysis.
type AnalyseOptions struct {
	Limits   simt.Limits
	Progress func(done, total int64) // blocks executed
}

// Analyse returns a *NotAnalysable if the global accesses of a launch depend on
// unknown data. Buffers marked as known are no unknown data.
//
// Where blocks can be told to take the path of others (simt.BlockClass), it
// executes one block of each class, else the launch, block by block: see
// Analysis.Replayed.
func Analyse(ctx context.Context, k simt.Tainted, opt AnalyseOptions) (*Analysis, error) {
	followed, parts, whole := follow(ctx, k, opt, classLimit(k))
	if whole != nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if parts, err = execute(ctx, k, opt); err != nil {
			return nil, err
		}
	}
	points, err := newPoints(k.Program(), parts)
	if err != nil {
		return nil, err
	}
	return &Analysis{points: points, followed: followed, whole: whole}, nil
}

// divergence notes, by PC, which branches part the lanes of a warp, and the first
// access whose lanes are in different memories, isa.NoPC where there is none.
type divergence struct {
	program *isa.Program
	parts   []bool
	mixed   int32
}

func newDivergence(p *isa.Program) *divergence {
	return &divergence{program: p, parts: make([]bool, len(p.Instructions)), mixed: isa.NoPC}
}

func (d *divergence) observe(_ int, s *simt.Step) {
	if s.Exec != s.Active && s.Exec != 0 && d.program.Instructions[s.PC].Kind == isa.Branch {
		d.parts[s.PC] = true
	}
	if s.Space == isa.Generic && s.Exec != 0 && d.mixed == isa.NoPC && MayAccessGlobal(&d.program.Instructions[s.PC]) {
		d.mixed = s.PC
	}
}

// execute runs a launch block by block and refuses it as Analyse does. It returns
// the branches that part lanes.
func execute(ctx context.Context, k simt.Tainted, opt AnalyseOptions) ([]bool, error) {
	p := k.Program()
	if _, ok := k.(simt.MaskControlled); ok {
		in := &p.Instructions[p.Functions[0].Entry]
		return nil, &NotAnalysable{Kernel: p.Name, Reasons: []Reason{{
			Taint:       simt.Taint{PC: p.Functions[0].Entry, Kind: simt.TaintUnfollowed, Pos: in.Pos, Source: in.Source},
			Instruction: in.Opcode, Why: "the order of accesses is known of programs whose lanes part at branches only",
		}}}
	}
	d := newDivergence(p)
	var executed int64
	blocks := simt.NumBlocks(k.Grid())
	for i := range blocks {
		b, err := k.NewBlock(i)
		if err != nil {
			return nil, err
		}
		if err := simt.RunBlock(ctx, b, opt.Limits, &executed, d.observe); err != nil {
			return nil, located(p, err)
		}
		b.Release()
		if opt.Progress != nil {
			opt.Progress(i+1, blocks)
		}
	}
	if err := Refuse(p, k.Taints()); err != nil {
		return nil, err
	}
	if d.mixed != isa.NoPC {
		in := &p.Instructions[d.mixed]
		return nil, &NotAnalysable{Kernel: p.Name, Reasons: []Reason{{
			Taint:       simt.Taint{PC: d.mixed, Kind: simt.TaintAddress, Pos: in.Pos, Source: in.Source},
			Instruction: in.Opcode, Why: "lanes of a warp access different memories at once",
		}}}
	}
	return d.parts, nil
}

// Program is the static program analysed.
func (a *Analysis) Program() *isa.Program { return a.points.program }

// located fills in the position of a run-time error.
func located(p *isa.Program, err error) error {
	var e *simt.RuntimeError
	if errors.As(err, &e) {
		e.Locate(p)
	}
	return err
}

// Refuse returns a *NotAnalysable if what was seen to depend on unknown data
// decides global accesses, nil where it does not:
//
//   - addresses in other memories than the global one do not matter by
//     themselves: what is loaded from there is unknown data in its turn;
//   - a branch does not matter if neither side, up to where they meet or else the
//     end of the kernel, makes a global access or synchronises, and if nothing
//     that either side writes can reach an address, or a branch that decides
//     accesses, be it by way of memory; programs with calls are not looked into;
//   - an order in which warps write memory does not matter if no address and no
//     branch depends on what is loaded.
func Refuse(p *isa.Program, taints []simt.Taint) error {
	if len(taints) == 0 {
		return nil
	}
	d, err := newDependence(p, taints)
	if err != nil {
		return err
	}
	var reasons []Reason
	for _, t := range taints {
		in := &p.Instructions[t.PC]
		why := ""
		switch t.Kind {
		case simt.TaintAddress:
			if MayAccessGlobal(in) {
				why = "the address, or whether there is an access, depends on unknown data"
			}
		case simt.TaintBranch:
			why = d.branch(t.PC)
		case simt.TaintBarrier:
			why = "what the barrier waits for depends on unknown data"
		case simt.TaintOrder:
			if d.loads {
				why = "what a load finds here depends on the order of the warps, and accesses depend on loads"
			}
		case simt.TaintUnfollowed:
			why = "which accesses depend on unknown data is not followed from here on"
		}
		if why != "" {
			reasons = append(reasons, Reason{Taint: t, Instruction: in.Opcode, Why: why, LoadedAt: d.origins(t)})
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	return &NotAnalysable{Kernel: p.Name, Reasons: reasons}
}

// dependence is what the accesses of a program depend on: a backward slice that
// ignores the order of instructions.
type dependence struct {
	program *isa.Program
	graphs  []*isa.CFG
	needed  []bool // by register: reaches an address, or a branch that decides accesses
	loads   bool   // memory written by the kernel does
}

func newDependence(p *isa.Program, taints []simt.Taint) (*dependence, error) {
	// What passes between functions is not followed: it may come from anywhere.
	d := &dependence{program: p, needed: make([]bool, len(p.Registers)), loads: len(p.Functions) > 1}
	for f := range p.Functions {
		c, err := isa.BuildCFG(p, f)
		if err != nil {
			return nil, fmt.Errorf("l1d: %w", err)
		}
		d.graphs = append(d.graphs, c)
	}
	for pc := range p.Instructions {
		in := &p.Instructions[pc]
		switch in.Kind {
		case isa.Branch, isa.Call, isa.Return, isa.Exit, isa.Barrier:
			// A branch on unknown data that decides no access is no root; one that
			// does is refused whatever it needs.
			if slices.ContainsFunc(taints, func(t simt.Taint) bool { return t.PC == int32(pc) && t.Kind == simt.TaintBranch }) {
				continue
			}
			d.need(in.Reads...)
		case isa.Store:
			d.need(addressOf(in)...)
		case isa.Atomic:
			// What it stores does not decide where.
			if MayAccessGlobal(in) {
				d.need(addressOf(in)...)
			}
		case isa.Load, isa.AsyncCopy:
			if MayAccessGlobal(in) {
				d.need(in.Reads...)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for pc := range p.Instructions {
			in := &p.Instructions[pc]
			switch {
			case d.loads && (in.Kind == isa.Store || in.Kind == isa.Atomic):
				// What is stored may be loaded.
			case !slices.ContainsFunc(in.Writes, func(r isa.Reg) bool { return d.needed[r] }):
				continue
			case readsMemory(in) && !d.loads:
				d.loads, changed = true, true
			}
			changed = d.need(in.Reads...) || changed
		}
	}
	return d, nil
}

func (d *dependence) need(regs ...isa.Reg) (changed bool) {
	for _, r := range regs {
		changed = changed || !d.needed[r]
		d.needed[r] = true
	}
	return changed
}

// addressOf are the registers of a store or atomic that say whether and where it writes:
// the guard and the next one, which is the address unless that is constant.
func addressOf(in *isa.Instruction) []isa.Reg {
	n := 1
	if in.Guard != isa.NoReg {
		n = 2
	}
	return in.Reads[:min(n, len(in.Reads))]
}

// readsMemory says whether an instruction's result may come from memory that a
// kernel can write.
func readsMemory(in *isa.Instruction) bool {
	switch in.Kind {
	case isa.Load, isa.Atomic, isa.AsyncCopy:
		return in.Class.Space != isa.Param && in.Class.Space != isa.Const
	}
	return false
}

// branch says why a branch on unknown data decides accesses, "" where it does
// not. What both sides do before they meet again must not matter to them.
func (d *dependence) branch(pc int32) string {
	if len(d.program.Functions) > 1 {
		return "the branch depends on unknown data, in a program with calls"
	}
	c := d.graphs[0]
	for _, b := range sides(c, c.BlockOf(pc)) {
		for at := c.Blocks[b].First; at < c.Blocks[b].End; at++ {
			in := &d.program.Instructions[at]
			switch {
			case MayAccessGlobal(in):
				return fmt.Sprintf("the branch depends on unknown data and decides whether the access at line %d is made", in.Pos.Line)
			case in.Kind == isa.Barrier:
				return fmt.Sprintf("the branch depends on unknown data and decides who comes to the barrier at line %d", in.Pos.Line)
			case (in.Kind == isa.Store || in.Kind == isa.Atomic) && d.loads:
				return fmt.Sprintf("the branch depends on unknown data and decides what line %d stores, and accesses depend on loads", in.Pos.Line)
			}
			for _, r := range in.Writes {
				if d.needed[r] {
					return fmt.Sprintf("the branch depends on unknown data and decides the value of %s, which accesses depend on, at line %d", d.program.Registers[r], in.Pos.Line)
				}
			}
		}
	}
	return ""
}

// sides are the blocks between a branch and the point where its lanes meet
// again.
func sides(c *isa.CFG, b int32) []int32 {
	end := c.Ipdom[b]
	seen := make([]bool, len(c.Blocks))
	var out []int32
	work := slices.Clone(c.Blocks[b].Succs)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == end || seen[x] {
			continue
		}
		seen[x] = true
		out = append(out, x)
		work = append(work, c.Blocks[x].Succs...)
	}
	slices.Sort(out)
	return out
}

// origins are the loads from memory that the tainted register may come from.
func (d *dependence) origins(t simt.Taint) []isa.Position {
	p := d.program
	in := &p.Instructions[t.PC]
	from := make([]bool, len(p.Registers))
	for _, r := range in.Reads {
		from[r] = p.Registers[r] == t.Register
	}
	var out []isa.Position
	seen := make([]bool, len(p.Instructions))
	for changed := true; changed; {
		changed = false
		for pc := range p.Instructions {
			in := &p.Instructions[pc]
			if seen[pc] || !slices.ContainsFunc(in.Writes, func(r isa.Reg) bool { return from[r] }) {
				continue
			}
			seen[pc], changed = true, true
			if readsMemory(in) {
				out = append(out, in.Pos)
				continue
			}
			for _, r := range in.Reads {
				from[r] = true
			}
		}
	}
	slices.SortFunc(out, func(a, b isa.Position) int { return int(a.Line - b.Line) })
	return out
}
