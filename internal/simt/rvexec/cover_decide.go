package rvexec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// unbounded is the error of a loop that data alone end.
func (w *coverWarp) unbounded() error {
	p := w.core.k.prog
	loops, at, err := w.core.k.around(w.pc)
	if err != nil {
		return err
	}
	if at < 0 {
		return w.refuse("control depends on data more than %d times in a row, and no loop is around", mostRounds)
	}
	l := &loops[at]
	name := facts.PlaceName(p, l.Head)
	head := &p.Instructions[l.Head]
	place := head.Pos.String()
	if head.Source.Line > 0 {
		place += ", source " + head.Source.String()
	}
	decides, fact := w.core.k.Decides(w.pc), fmt.Sprintf("%q = 100", name)
	err = w.refuse("whether the loop at %s (%s)%s goes on depends on data, through %s: no bound is known, expected one under [loops], such as %s",
		name, place, beside(p, l), decides, fact)
	if e, ok := err.(*simt.NotCovered); ok {
		e.Loop, e.Decides, e.Fact = l.Head, decides, fact
	}
	return err
}

// around are the loops of the program, and the innermost one around an instruction, -1 for
// none.
func (k *Kernel) around(pc int32) (loops []facts.Loop, at int, err error) {
	if k.loops == nil {
		if k.loops, err = facts.Loops(k.prog); err != nil {
			return nil, -1, err
		}
	}
	at = -1
	for i := range k.loops { // listed after those around them
		if k.loops[i].In[pc] {
			at = i
		}
	}
	return k.loops, at, nil
}

// beside names the entries of a loop beside its head.
func beside(p *isa.Program, l *facts.Loop) string {
	var names []string
	for _, pc := range l.Entries {
		if pc != l.Head {
			names = append(names, facts.PlaceName(p, pc))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", which is also entered at " + strings.Join(names, " and ") + ","
}

// mostOrigins is how many loads are named that a value is computed from.
const mostOrigins = 2

// Decides says through what data can decide a PRED or a branch: the registers that it looks
// at, and the loads of its function that they are computed from, the nearest first.
func (k *Kernel) Decides(pc int32) string {
	in := &k.prog.Instructions[pc]
	if int(pc) >= len(k.code) {
		return in.Opcode
	}
	looks := in.Reads
	if c := &k.code[pc]; c.group == gPred && c.a != noRegister {
		looks = []isa.Reg{isa.Reg(c.a - 1)} // the other operand is no predicate
	}
	var names []string
	for _, r := range looks {
		names = append(names, k.prog.Registers[r])
	}
	if len(names) == 0 {
		return in.Opcode
	}
	out := strings.Join(names, " and ")
	if loads := k.origins(pc, looks); len(loads) > 0 {
		if n := len(loads) - mostOrigins; n > 0 {
			loads = append(loads[:mostOrigins:mostOrigins], fmt.Sprintf("%d more", n))
		}
		out += ", which comes from " + strings.Join(loads, " and ")
	}
	return out
}

// origins are the loads of a function that registers before one of its instructions may be
// computed from.
func (k *Kernel) origins(pc int32, of []isa.Reg) []string {
	c, err := k.graph(pc)
	if err != nil {
		return nil // covering executions end with the error
	}
	type before struct {
		pc  int32
		reg isa.Reg
	}
	var out []string
	var queue []before
	known := map[before]bool{}
	add := func(pc int32, regs []isa.Reg) {
		for _, r := range regs {
			if b := (before{pc, r}); !known[b] {
				known[b] = true
				queue = append(queue, b)
			}
		}
	}
	add(pc, of)
	for n := 0; n < len(queue); n++ {
		at := queue[n]
		from := []int32{at.pc - 1}
		if b := &c.Blocks[c.BlockOf(at.pc)]; b.First == at.pc {
			from = nil
			for _, p := range b.Preds {
				from = append(from, c.Blocks[p].End-1)
			}
		}
		for _, pc := range from {
			switch in := &k.prog.Instructions[pc]; {
			case !slices.Contains(in.Writes, at.reg):
				add(pc, []isa.Reg{at.reg})
			case in.WidthBytes == 0:
				add(pc, in.Reads)
			default:
				place := in.Pos.String()
				if in.Source.Line > 0 {
					place += ", source " + in.Source.String()
				}
				if load := in.Opcode + " at " + place; !slices.Contains(out, load) {
					out = append(out, load)
				}
			}
		}
	}
	return out
}

// graph is the control flow of the function of an instruction, as threads take it.
func (k *Kernel) graph(pc int32) (*isa.CFG, error) {
	fn := 0
	for fn < len(k.prog.Functions)-1 && pc >= k.prog.Functions[fn].End {
		fn++
	}
	c := k.graphs[fn]
	if c == nil {
		var err error
		if c, err = isa.BuildCFG(k.prog.Threads(), fn); err != nil {
			return nil, err
		}
		if k.graphs == nil {
			k.graphs = map[int]*isa.CFG{}
		}
		k.graphs[fn] = c
	}
	return c, nil
}
