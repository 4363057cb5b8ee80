package facts

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/isa"
)

// Kind is what a fact is about.
type Kind uint8

// The kinds of facts.
const (
	// PerEntry bounds how often a thread goes back to a loop's head, for each time it
	// comes to the loop from outside and each activation of the function.
	PerEntry Kind = iota
	// PerThread bounds how often a thread goes back to it in all.
	PerThread
	// PerWarp bounds how often a warp does: executes the head's first instruction with
	// a thread that goes back.
	PerWarp
	// Uniform says of a branch that all active threads of a warp take it alike.
	Uniform
	// Exclusive says of two places that no warp executes both.
	Exclusive
	// Counts bounds a sum of factors times executions of places by a warp.
	Counts
)

// Fact is one thing that a launch states of all its executions.
type Fact struct {
	Kind Kind
	Name string // as the file states it, such as loops."L" = 20
	// Statement numbers what the file states: a line may name several loops.
	Statement int
	Pos       conf.Pos // of the statement
	Head      int32    // of the loop: PerEntry, PerThread, PerWarp
	Most      int64    // PerEntry, PerThread, PerWarp, Counts
	// AnyOrder says that the bound on a loop holds in whatever order warps and blocks
	// are executed, whatever they do to one another.
	AnyOrder bool
	// Places are the branches (Uniform), the two places (Exclusive), or the terms of
	// the sum (Counts).
	Places []Place
}

// Place is a part of a program.
type Place struct {
	Name   string  // as the file has it
	PCs    []int32 // its instructions; of a term of a sum the one that is counted
	Factor int64   // of a term of a sum
}

// String is the fact as ledgers have it: with its place in the kernel's file.
func (f *Fact) String() string { return fmt.Sprintf("%s (%s)", f.Name, f.Pos) }

// Loop is a loop of a program.
type Loop struct {
	Head     int32   // first instruction of its header
	Function int     // that it is in
	Parent   int     // index of the loop around it, -1 at the top
	Depth    int     // 1 at the top
	Entries  []int32 // first instructions of all blocks by which it is entered, the header's included
	In       []bool  // by PC
	Exits    []int32 // instructions inside that may lead outside, ascending
	Latches  []int32 // instructions that may lead back to the head, ascending
}

// Irreducible says that the loop is entered beside its head, too.
func (l *Loop) Irreducible() bool { return len(l.Entries) > 1 }

// Loops are the loops of a program, function by function, outer loops before inner ones.
func Loops(p *isa.Program) ([]Loop, error) {
	var out []Loop
	for fn := range p.Functions {
		c, err := isa.BuildCFG(p, fn)
		if err != nil {
			return nil, err
		}
		base := len(out)
		for _, l := range isa.Loops(c) {
			loop := Loop{Head: c.Blocks[l.Header].First, Function: fn, Parent: -1, Depth: l.Depth, In: make([]bool, len(p.Instructions))}
			if l.Parent >= 0 {
				loop.Parent = base + l.Parent
			}
			for _, b := range l.Blocks {
				block := &c.Blocks[b]
				for pc := block.First; pc < block.End; pc++ {
					loop.In[pc] = true
					if kind := p.Instructions[pc].Kind; kind == isa.Exit || kind == isa.Return {
						loop.Exits = append(loop.Exits, pc)
					}
				}
				for _, s := range block.Succs {
					switch {
					case s == l.Header:
						loop.Latches = append(loop.Latches, block.End-1)
					case !l.Contains(s) && !slices.Contains(loop.Exits, block.End-1):
						loop.Exits = append(loop.Exits, block.End-1)
					}
				}
				entered := b == l.Header || b == c.Order[0]
				for _, pred := range block.Preds {
					entered = entered || c.Reachable(pred) && !l.Contains(pred)
				}
				if entered {
					loop.Entries = append(loop.Entries, block.First)
				}
			}
			slices.Sort(loop.Exits)
			slices.Sort(loop.Latches)
			out = append(out, loop)
		}
	}
	return out, nil
}

// Label is the first of the labels of an instruction, "" where it has none.
func Label(p *isa.Program, pc int32) string {
	name := ""
	for label, at := range p.Labels {
		if at == pc && (name == "" || label < name) {
			name = label
		}
	}
	return name
}

// PlaceName is how a launch file names the loop at pc: by its label, or else by its line.
func PlaceName(p *isa.Program, pc int32) string {
	if name := Label(p, pc); name != "" {
		return name
	}
	return fmt.Sprintf("%s:%d", p.Instructions[pc].Pos.File, p.Instructions[pc].Pos.Line)
}
