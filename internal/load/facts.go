package load

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
)

// places is a program by what facts name of it: labels, lines of the kernel's file or of
// its source, and in machine code addresses.
type places struct {
	p      *isa.Program
	labels []string
	heads  map[int32]bool
	at     map[string][]int32 // heads of loops, by line
	lines  map[string][]int32 // instructions, by line
}

func newPlaces(p *isa.Program) (*places, error) {
	out := &places{p: p, heads: map[int32]bool{}, at: map[string][]int32{}, lines: map[string][]int32{}}
	for label := range p.Labels {
		out.labels = append(out.labels, label)
	}
	slices.Sort(out.labels)
	for i := range p.Instructions {
		for _, line := range lines(&p.Instructions[i]) {
			if list := out.lines[line]; len(list) == 0 || list[len(list)-1] != int32(i) {
				out.lines[line] = append(list, int32(i))
			}
		}
	}
	threads := p.Threads()
	for fn := range p.Functions {
		c, err := isa.BuildCFG(threads, fn)
		if err != nil {
			return nil, err
		}
		for _, l := range isa.Loops(c) {
			head := c.Blocks[l.Header].First
			out.heads[head] = true
			for _, b := range append([]int32{l.Header}, l.Latches...) {
				for pc := c.Blocks[b].First; pc < c.Blocks[b].End; pc++ {
					for _, line := range lines(&p.Instructions[pc]) {
						if !slices.Contains(out.at[line], head) {
							out.at[line] = append(out.at[line], head)
						}
					}
				}
			}
		}
	}
	return out, nil
}

// lines are the names of the places of an instruction: with the directories of the
// file and without.
func lines(in *isa.Instruction) []string {
	var out []string
	for _, at := range []isa.Position{in.Pos, in.Source} {
		if at.File != "" {
			out = append(out, fmt.Sprintf("%s:%d", at.File, at.Line), fmt.Sprintf("%s:%d", filepath.Base(at.File), at.Line))
		}
	}
	return out
}

// Labels implements launch.Program.
func (p *places) Labels() []string { return p.labels }

// label is the instruction of a label or an address; ok is false for lines.
func (p *places) label(place string) (pc int32, ok bool) {
	if pc, ok := p.p.Labels[place]; ok {
		return pc, true
	}
	pc, ok = facts.At(p.p, place)
	return pc, ok && pc != isa.NoPC
}

// Heads implements launch.Program: a loop is at the label of its head, and at the lines
// of the blocks that begin and end an iteration.
func (p *places) Heads(place string) ([]int32, bool) {
	if pc, ok := p.label(place); ok {
		if p.heads[pc] {
			return []int32{pc}, true
		}
		return nil, true
	}
	return p.at[place], len(p.lines[place]) > 0
}

// Instructions implements launch.Program: a label is its instruction.
func (p *places) Instructions(place string) ([]int32, bool) {
	if pc, ok := p.label(place); ok {
		if int(pc) >= len(p.p.Instructions) {
			return nil, true
		}
		return []int32{pc}, true
	}
	return p.lines[place], len(p.lines[place]) > 0
}

// Branches implements launch.Program: the branch of a label is that of its block.
func (p *places) Branches(place string) ([]int32, bool) {
	pcs, ok := p.Instructions(place)
	if pc, label := p.label(place); label && len(pcs) > 0 {
		for int(pc) < len(p.p.Instructions)-1 && !p.ends(pc) {
			pc++
		}
		pcs = []int32{pc}
	}
	return slices.DeleteFunc(slices.Clone(pcs), func(pc int32) bool {
		in := &p.p.Instructions[pc]
		return in.Kind != isa.Branch || in.Guard == isa.NoReg || len(in.Targets) != 1
	}), ok
}

// ends says that an instruction is the last one of its block.
func (p *places) ends(pc int32) bool {
	switch p.p.Instructions[pc].Kind {
	case isa.Branch, isa.Return, isa.Exit:
		return true
	}
	for _, at := range p.p.Labels {
		if at == pc+1 {
			return true
		}
	}
	return false
}

// bindFacts finds what the facts of a launch are about.
func bindFacts(f *launch.Launch, p *isa.Program) ([]facts.Fact, error) {
	if len(f.Facts) == 0 {
		return nil, nil
	}
	at, err := newPlaces(p)
	if err != nil {
		return nil, err
	}
	bound, err := f.BindFacts(at)
	if err != nil {
		return nil, err
	}
	kinds := map[launch.FactKind]facts.Kind{
		launch.LoopEntry: facts.PerEntry, launch.LoopThread: facts.PerThread, launch.LoopWarp: facts.PerWarp,
		launch.UniformBranch: facts.Uniform, launch.ExclusivePlaces: facts.Exclusive, launch.CountSum: facts.Counts,
	}
	var out []facts.Fact
	for i := range bound {
		b := &bound[i]
		fact := facts.Fact{Kind: kinds[b.Kind], Name: b.String(), Pos: b.Pos, Most: b.Most, AnyOrder: b.AnyOrder, Statement: i}
		if fact.Kind <= facts.PerWarp {
			fact.Places = []facts.Place{{Name: b.Places[0]}}
			for _, head := range b.PCs[0] {
				fact.Head = head
				out = append(out, fact)
			}
			continue
		}
		for j, pcs := range b.PCs {
			place := facts.Place{Name: b.Places[j], PCs: pcs, Factor: 1}
			if fact.Kind == facts.Counts {
				place.PCs, place.Factor = pcs[:1], b.Factors[j]
			}
			fact.Places = append(fact.Places, place)
		}
		out = append(out, fact)
	}
	return out, nil
}

// checked is a kernel that is held to the facts of its launch while it is executed.
type checked struct {
	Executable
	watched simt.Kernel
}

// NewBlock implements simt.Kernel.
func (k *checked) NewBlock(i int64) (simt.Block, error) { return k.watched.NewBlock(i) }

// held is the kernel of an execution of a launch, which ends with an error where one of
// its facts does not hold.
func (l *Opened) held(k Executable) (Executable, error) {
	if len(l.facts) == 0 {
		return k, nil
	}
	t, err := facts.NewTracker(l.Program(), k.WarpSize(), l.facts)
	if err != nil {
		return nil, err
	}
	return &checked{k, facts.Watch(k, t)}, nil
}

// Facts are those of the launch, by the instructions of its program.
func (l *Opened) Facts() []facts.Fact { return l.facts }

// With is the launch with more facts, on the same machine.
func (l *Opened) With(more []facts.Fact) *Opened {
	out := l.Again()
	out.WarpSize, out.Variant, out.ReportLoops, out.facts = l.WarpSize, l.Variant, l.ReportLoops, slices.Concat(l.facts, more)
	return out
}

// Bare is the launch without its facts, on the same machine.
func (l *Opened) Bare() *Opened {
	out := l.With(nil)
	out.facts = nil
	return out
}
