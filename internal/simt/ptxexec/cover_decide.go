package ptxexec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// unbounded is the error of a branch that forks again and again.
func (w *coverWarp) unbounded() error {
	k := w.blk.k
	loops, err := facts.Loops(k.prog.isa)
	if err != nil {
		return err
	}
	at := w.endless(loops)
	if at < 0 {
		for i := len(loops) - 1; i >= 0; i-- {
			// One with a bound that is not closed all the same.
			if why := w.run.causes[loops[i].Head]; why != nil && loops[i].In[w.top.pc] {
				return why
			}
		}
		return w.refuse("control forks more than %d times, one inside the other", w.forks)
	}
	l := &loops[at]
	if !slices.Contains(l.Exits, w.top.pc) && len(l.Exits) > 0 {
		// What decides is where the loop is left.
		defer func(pc int32) { w.top.pc = pc }(w.top.pc)
		w.top.pc = l.Exits[len(l.Exits)-1]
	}
	bound := "100"
	if s := k.originsOf(w.top.pc); s.ordered != "" {
		bound = "{ max = 100, any_order = true }"
	}
	decides, fact := k.decides(w.top.pc), fmt.Sprintf("%q = %s", facts.PlaceName(k.prog.isa, l.Head), bound)
	err = w.refuse("whether the loop at %s goes on depends on data, through %s: no bound is known, expected one under [loops], such as %s",
		loopPlace(k.prog.isa, l.Head)+beside(k.prog.isa, l), decides, fact)
	if e, ok := err.(*simt.NotCovered); ok {
		e.Loop, e.Decides, e.Fact = l.Head, decides, fact
	}
	return err
}

// endless is the loop that has made forks nest too deep: of those that the launch does not
// bound the one with most open forks at its exits, or else the innermost around; -1 for none.
func (w *coverWarp) endless(loops []facts.Loop) int {
	at, most := -1, 0
	for i := range loops { // listed after those around them
		l := &loops[i]
		if slices.ContainsFunc(w.run.loops, func(b boundedLoop) bool {
			return b.head == l.Head && (b.most < math.MaxInt64 || b.all < math.MaxInt64)
		}) {
			continue
		}
		n := 0
		for _, pc := range w.open {
			if slices.Contains(l.Exits, pc) {
				n++
			}
		}
		if n > most || n == most && l.In[w.top.pc] {
			at, most = i, n
		}
	}
	return at
}

// unclosed says that the innermost loop around could not be closed.
func (w *coverWarp) unclosed() bool {
	loops, err := facts.Loops(w.blk.k.prog.isa)
	if err != nil {
		return false
	}
	for i := len(loops) - 1; i >= 0; i-- {
		if loops[i].In[w.top.pc] {
			return w.run.failed[loops[i].Head] > 0
		}
	}
	return false
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

// loopPlace names a loop in a message: by its label, its line, and that of the source.
func loopPlace(p *isa.Program, head int32) string {
	in := &p.Instructions[head]
	places := []string{in.Pos.String()}
	if in.Source.Line > 0 {
		places = append(places, "source "+in.Source.String())
	}
	if name := facts.Label(p, head); name != "" {
		return fmt.Sprintf("%s (%s)", name, strings.Join(places, ", "))
	}
	return strings.Join(places, ", ")
}

// Decides says through what data can decide a branch: its predicate, and the loads,
// atomics and arguments that it is computed from, the nearest first.
func (k *Kernel) Decides(pc int32) string { return k.decides(pc) }

// mostOrigins is how many of them are named.
const mostOrigins = 2

func (k *Kernel) decides(pc int32) string {
	in := &k.prog.code[pc]
	name := k.prog.isa.Instructions[pc].Opcode
	if in.guard >= 0 {
		name = k.prog.predNames[in.guard]
	}
	s := k.originsOf(pc)
	if len(s.origins) == 0 {
		return name
	}
	return name + ", which comes from " + strings.Join(few(s.origins), " and ")
}

// few are the first of a list.
func few(list []string) []string {
	if n := len(list) - mostOrigins; n > 0 {
		return append(list[:mostOrigins:mostOrigins], fmt.Sprintf("%d more", n))
	}
	return list
}

// originsOf looks for what a branch is computed from.
func (k *Kernel) originsOf(pc int32) originSearch {
	in := &k.prog.code[pc]
	s := originSearch{k: k, values: map[int32]bool{}, preds: map[int32]bool{}}
	s.needPred(in.guard)
	s.need(in.rv)
	s.run()
	if s.loads {
		return s
	}
	// No load: which of several values it is depends on the branches of the loop.
	loops, err := facts.Loops(k.prog.isa)
	if err != nil {
		return s // covering executions end with the error
	}
	for i := len(loops) - 1; i >= 0; i-- {
		if !loops[i].In[pc] {
			continue
		}
		for at, inside := range loops[i].In {
			if b := &k.prog.code[at]; inside && b.group == gBranch {
				s.needPred(b.guard)
			}
		}
		break
	}
	s.run()
	return s
}

// Ordered says that the end of a loop depends on when other warps are executed.
func (k *Kernel) Ordered(l *facts.Loop) bool {
	return slices.ContainsFunc(l.Exits, func(pc int32) bool { return k.originsOf(pc).ordered != "" })
}

// orders is the refusal of a bound on a loop whose end depends on when other warps are
// executed, if it does not say that it holds whenever that is; nil where there is none.
func (k *Kernel) orders(loops []boundedLoop) error {
	for i := range k.facts {
		f := &k.facts[i]
		if f.Kind > facts.PerWarp || f.AnyOrder {
			continue
		}
		for l := range loops {
			if loops[l].head != f.Head {
				continue
			}
			for _, pc := range loops[l].Exits {
				if s := k.originsOf(pc); s.ordered != "" {
					in := &k.prog.isa.Instructions[pc]
					return &simt.NotCovered{PC: pc, Loop: isa.NoPC, Pos: in.Pos, Source: in.Source, What: fmt.Sprintf(
						"%s: %s: whether the loop goes on depends on when other warps are executed, through %s: expected any_order = true beside the bound, which says that it holds in whatever order they are", in.Opcode, f, s.ordered)}
				}
			}
		}
	}
	return nil
}

// originSearch goes back from registers to the loads and arguments that they are computed from,
// whatever the order of the instructions.
type originSearch struct {
	k             *Kernel
	values, preds map[int32]bool
	queue         []int32 // registers, and predicates as -1-p
	origins       []string
	// address says that what is looked for is where memory is accessed: only arguments
	// are named, and variables.
	address bool
	// ordered is the first instruction met whose result other warps can decide by when
	// they are executed: an atomic, or a load that sees what they have just stored.
	ordered string
	loads   bool // something is loaded
}

func (s *originSearch) need(regs []int32) {
	for _, r := range regs {
		if !s.values[r] {
			s.values[r] = true
			s.queue = append(s.queue, r)
		}
	}
}

func (s *originSearch) needPred(p int32) {
	if p >= 0 && !s.preds[p] {
		s.preds[p] = true
		s.queue = append(s.queue, -1-p)
	}
}

func (s *originSearch) run() {
	code := s.k.prog.code
	for len(s.queue) > 0 {
		r := s.queue[0]
		s.queue = s.queue[1:]
		for pc := range code {
			in := &code[pc]
			if r >= 0 && slices.Contains(in.wv, r) || r < 0 && slices.Contains(in.wp, -1-r) {
				s.follow(int32(pc), in)
			}
		}
	}
}

// follow goes through an instruction that writes a register looked for.
func (s *originSearch) follow(pc int32, in *instr) {
	text := &s.k.prog.isa.Instructions[pc]
	switch {
	case in.mem != nil && in.mem.space == isa.Param && !in.mem.frame:
		s.add(s.argument(in.mem.off))
	case in.mem != nil && s.address:
		s.add(fmt.Sprintf("what %s loads at %s", text.Opcode, text.Pos))
	case in.mem != nil:
		of := ""
		where := originSearch{k: s.k, values: map[int32]bool{}, preds: map[int32]bool{}, address: true}
		where.need([]int32{in.a})
		where.run()
		if len(where.origins) > 0 {
			of = " (by " + strings.Join(few(where.origins), ", ") + ")"
		}
		place := text.Pos.String()
		if text.Source.Line > 0 {
			place += ", source " + text.Source.String()
		}
		s.loads = true
		if s.ordered == "" && (in.group != gLoad || text.Uncached) {
			s.ordered = fmt.Sprintf("%s at %s", text.Opcode, text.Pos)
		}
		s.add(fmt.Sprintf("%s at %s%s", text.Opcode, place, of))
	default:
		s.need(in.rv)
		for _, p := range append(slices.Clone(in.rp), in.guard) {
			s.needPred(p)
		}
	}
}

func (s *originSearch) add(origin string) {
	if origin != "" && !slices.Contains(s.origins, origin) {
		s.origins = append(s.origins, origin)
	}
}

// argument names the argument at an offset of the parameter space.
func (s *originSearch) argument(off uint64) string {
	for i, p := range s.k.prog.params {
		if off < p.offset || off >= p.offset+p.bytes || s.address && !s.k.buffers[i] {
			continue
		}
		if name := s.k.names[i]; name != "" {
			return "argument " + name
		}
		return "parameter " + p.name
	}
	return ""
}
