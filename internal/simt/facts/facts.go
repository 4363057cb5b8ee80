package facts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	// the sum (Counts); of a loop its name only.
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

// Loops are the loops of a program as its threads go round in them, function by function,
// outer loops before inner ones.
func Loops(p *isa.Program) ([]Loop, error) {
	p = p.Threads()
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

// PlaceName is how a launch file names the loop at pc: by its label; in machine code by
// the label before it and the distance from there in bytes, or by its address; else by its
// line.
func PlaceName(p *isa.Program, pc int32) string {
	if name := Label(p, pc); name != "" {
		return name
	}
	if p.InstructionBytes == 0 {
		return fmt.Sprintf("%s:%d", p.Instructions[pc].Pos.File, p.Instructions[pc].Pos.Line)
	}
	name, at := "", int32(-1)
	for label, i := range p.Labels {
		if i <= pc && (i > at || i == at && label < name) {
			name, at = label, i
		}
	}
	if at < 0 {
		return fmt.Sprintf("0x%x", p.TextBase+uint64(pc)*uint64(p.InstructionBytes))
	}
	return fmt.Sprintf("%s+0x%x", name, int64(pc-at)*p.InstructionBytes)
}

// At is the instruction that a name of machine code is of: an address, or a label and a
// distance from it in bytes; ok is false for everything else. An instruction that the
// program has not is isa.NoPC.
func At(p *isa.Program, name string) (pc int32, ok bool) {
	if p.InstructionBytes == 0 {
		return isa.NoPC, false
	}
	base, text := p.TextBase, name
	first := uint64(0)
	if i := strings.LastIndexByte(name, '+'); i >= 0 {
		label, known := p.Labels[name[:i]]
		if !known {
			return isa.NoPC, false
		}
		base, first, text = 0, uint64(label), name[i+1:]
	}
	digits, hex := strings.CutPrefix(text, "0x")
	x, err := strconv.ParseUint(digits, 16, 64)
	if !hex || err != nil {
		return isa.NoPC, false
	}
	bytes, size, n := x-base, uint64(p.InstructionBytes), uint64(len(p.Instructions))
	if x < base || bytes%size != 0 || bytes/size >= n || first+bytes/size >= n {
		return isa.NoPC, true
	}
	return int32(first + bytes/size), true
}
