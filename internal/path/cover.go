package path

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// ErrUnsettled says that what a launch relies on in memory does not settle.
var ErrUnsettled = errors.New("what warps or blocks change for one another is not settled")

// rounds is how often memory can turn out not to be known.
const rounds = 4

// Cover executes a launch for every input (simt.Coverer), and returns what its warps may
// execute: their Choices. launch makes the launch anew, in taint mode, with memory of
// these names not known. Unknown is memory that the launch says is known, but in which
// something changes that others rely on, in an order that is not known. The error is a
// *simt.NotCovered where something cannot be covered.
func Cover(ctx context.Context, launch func(unknown []string) (simt.Coverer, simt.Kernel, error), m *gpu.Machine, timing []gpu.Timing, opt Options) (_ *Recorded, unknown []string, _ error) {
	for range rounds {
		c, k, err := launch(unknown)
		if err != nil {
			return nil, nil, err
		}
		out, err := cover(ctx, c, k, m, timing, opt)
		more := c.Distrusted()
		// What goes wrong with memory that somebody relied on too early may not.
		if wrong := (*simt.RuntimeError)(nil); err != nil && (len(more) == 0 || !errors.As(err, &wrong) || errors.Is(err, simt.ErrInstructionLimit)) {
			return nil, nil, err
		}
		if len(more) == 0 {
			out.Limits, out.Exclusions = limits(out.Symbols, opt.Facts, timing, simt.NumLanes(k.BlockDim(), k.WarpSize()))
			return out, unknown, nil
		}
		for _, name := range more {
			if slices.Contains(unknown, name) {
				return nil, nil, fmt.Errorf("%w: %s", ErrUnsettled, name)
			}
		}
		unknown = append(unknown, more...)
	}
	return nil, nil, fmt.Errorf("%w after %d rounds", ErrUnsettled, rounds)
}

// coverRecorder is what a covering execution tells.
type coverRecorder struct {
	recorder
	build  *choice.Builder
	warps  []coverState
	parts  []ways           // of forks and loops, by symbol minus firstPart
	byID   map[[2]int]int32 // of parts, by their IDs
	exprs  map[*seq.Seq]ways
	byKey  map[string]*Warp
	counts map[string]int32 // their tags
	stages *choice.Builder  // of expressions over sections
	err    error
}

// ways is what a warp may execute: all of it, and what of it does not come back to the
// head of the loop being closed; nil where it always does.
type ways struct{ all, leaving *choice.Expr }

// firstPart is the first symbol that stands for a fork while a stream is folded.
const firstPart = 1 << 28

// coverState is a warp: the open forks, the whole stream below them.
type coverState struct {
	levels []coverLevel
	pc     int32 // of the last step
	alike  bool  // of the last step: a fork behind it is one of all lanes
}

// coverLevel is one side of a fork, an iteration of a loop, or the whole.
type coverLevel struct {
	fold  *folder
	first side           // behind Next: the side before it
	late  []*choice.Expr // parts that may come at the end
	alike bool           // all lanes take one side
	// Once lanes have come back to the head of a loop: what came before. What comes after
	// is a tail: other lanes execute it behind all further iterations.
	back   bool
	before ways
	// Of an iteration: what may come behind all of them, once for each.
	loop  bool
	tails []*choice.Expr
	// nodes are what is over and has barriers, and what comes before: fold goes on behind.
	nodes []node
	// over says that lanes come back to the head of the loop in the last of them.
	over bool
}

// side is what a level was.
type side struct {
	ways
	back  bool
	nodes []node // before the ways, if there are barriers
	over  bool   // it comes back in the nodes, if it does, and has no ways behind
	ended bool   // no lane of the warp is left behind it
}

func cover(ctx context.Context, c simt.Coverer, k simt.Kernel, m *gpu.Machine, timing []gpu.Timing, opt Options) (*Recorded, error) {
	r := &coverRecorder{
		recorder: *newRecorder(k, m, timing, opt), build: choice.NewBuilder(),
		byID: map[[2]int]int32{}, exprs: map[*seq.Seq]ways{}, byKey: map[string]*Warp{}, counts: map[string]int32{}, stages: choice.NewBuilder(),
	}
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	n := simt.NumWarps(k.BlockDim(), k.WarpSize())
	classes := map[string]int32{}
	total, every := c.Blocks(), simt.NumBlocks(k.Grid())
	for i := range total {
		r.warps = make([]coverState, n)
		for w := range r.warps {
			r.warps[w].levels = []coverLevel{{fold: r.folder()}}
		}
		err := c.Cover(ctx, i, opt.Limits, &r.executed, r)
		if cause := context.Cause(ctx); errors.Is(cause, ErrTooLarge) {
			err = cause
		}
		if err := errors.Join(err, r.err); err != nil {
			return nil, r.refused(err)
		}
		class, key, err := r.class()
		if err != nil {
			return nil, r.refused(err)
		}
		at, seen := classes[key]
		if !seen {
			at = int32(len(r.out.Classes))
			classes[key] = at
			class.First = i
			r.out.Classes = append(r.out.Classes, class)
		}
		of, stands := &r.out.Classes[at], int64(1)
		if total == 1 {
			stands = every
		}
		of.Blocks += stands
		if total == every {
			r.out.ClassOf = append(r.out.ClassOf, at)
		}
		for _, w := range of.Warps {
			over, n := bits.Mul64(uint64(w.Warp.Instructions), uint64(w.Count))
			more, n := bits.Mul64(n, uint64(stands))
			if over|more != 0 || n > math.MaxInt64-uint64(r.out.Instructions) {
				return nil, fmt.Errorf("%w: 2^63 warp instructions or more", ErrTooMuch)
			}
			r.out.Instructions += int64(n)
		}
		if opt.Progress != nil {
			opt.Progress(i+1, total)
		}
	}
	if _, ok := k.(simt.MaskControlled); ok && n > 1 && r.out.Irregular == "" {
		r.out.Irregular, r.out.Spawns = "warps of the block start one another, and do not start together", true
	}
	r.out.Executed, r.out.Stepped = total, r.executed
	r.out.single()
	return r.out, nil
}

// refused makes a launch that is told wrongly one that is not covered.
func (r *coverRecorder) refused(err error) error {
	if not := (*simt.NotCovered)(nil); !errors.Is(err, ErrStages) || errors.As(err, &not) {
		return err
	}
	in := &r.k.Program().Instructions[0]
	return errors.Join(&simt.NotCovered{Loop: isa.NoPC, Pos: in.Pos, Source: in.Source, What: ErrStages.Error()}, ErrStages)
}

func (r *coverRecorder) folder() *folder {
	return newFolder(r.st, func(s int32) int32 {
		if s >= firstPart {
			return -1
		}
		return r.out.Symbols[s].PC
	})
}

// top is the innermost level of a warp.
func (r *coverRecorder) top(warp int) *coverLevel {
	levels := r.warps[warp].levels
	return &levels[len(levels)-1]
}

// Step implements simt.CoverSink.
func (r *coverRecorder) Step(warp int, s *simt.Step, spread *simt.Spread) {
	w := &r.warps[warp]
	w.pc, w.alike = s.PC, s.Alike
	t := &r.timing[s.PC]
	if !t.NotIssued {
		symbol := r.symbol(s, t)
		if spread != nil {
			symbol = r.spread(s, spread, t, symbol)
		}
		if s.Back {
			symbol = r.numbered(Symbol{PC: s.PC, Transactions: r.out.Symbols[symbol].Transactions, Back: true})
		}
		r.top(warp).fold.add(symbol, s.PC, s.NextPC)
		r.tooLarge()
	}
	if s.Barrier >= 0 {
		if !s.BarrierFull && r.out.Irregular == "" {
			r.out.Irregular = fmt.Sprintf("%s: barrier %d is not one of the whole block", r.k.Program().Instructions[s.PC].Pos, s.Barrier)
		}
		r.barrier(warp)
	}
}

// spread is the symbol of a step whose addresses are not all known, of which symbol makes
// as many transactions as its addresses say.
func (r *coverRecorder) spread(s *simt.Step, at *simt.Spread, t *gpu.Timing, symbol int32) int32 {
	most := r.out.Symbols[symbol].Transactions
	if unit := r.unit(t); at.Step != 0 && unit > 1 {
		most = r.shifted(s, at.Step, unit, t)
	}
	most = min(most, spreadTransactions(at, t, &r.mem))
	if most == r.out.Symbols[symbol].Transactions {
		return symbol
	}
	return r.counted(s.PC, most)
}

// shifted is the most transactions of a step whose addresses are all shifted by the same
// multiple of step: by less than the unit, since more makes no difference. Addresses are
// multiples of the size of the access if that is a power of two; elsewhere the kernel goes
// wrong.
func (r *coverRecorder) shifted(s *simt.Step, step uint64, unit int64, t *gpu.Timing) int32 {
	width := uint64(1)
	if n := uint64(s.WidthBytes); n&(n-1) == 0 && n > 0 {
		width = n
	}
	most, unaligned := int32(1), int32(1)
	for by := uint64(0); by < uint64(unit); by += min(step, uint64(unit)) {
		moved := *s
		for lane := range moved.Addresses {
			moved.Addresses[lane] += by
		}
		n := Transactions(&moved, t, &r.mem)
		unaligned = max(unaligned, n)
		// Some of the lanes may not be there.
		for left := uint32(s.Exec); left != 0; left &= left - 1 {
			if moved.Addresses[bits.TrailingZeros32(left)&31]%width == 0 {
				most = max(most, n)
				break
			}
		}
	}
	if uint64(unit) < width {
		return unaligned // the shift is not one within the unit
	}
	return most
}

// spreadTransactions is the most transactions that lanes make between two addresses.
func spreadTransactions(at *simt.Spread, t *gpu.Timing, mem *gpu.Memory) int32 {
	n := uint64(1)
	switch t.Transactions {
	case gpu.Banks:
		word := uint64(mem.BankWordBytes)
		banks := uint64(mem.SharedBanks)
		n = (at.High/word - at.Low/word + banks) / banks
	case gpu.Segments:
		n = at.High/uint64(mem.SegmentBytes) - at.Low/uint64(mem.SegmentBytes) + 1
	}
	return int32(min(max(n, 1), simt.MaxTransactions))
}

// Fork implements simt.CoverSink.
func (r *coverRecorder) Fork(warp int) {
	w := &r.warps[warp]
	w.levels = append(w.levels, coverLevel{fold: r.folder(), alike: w.alike})
	w.alike = false
}

// Next implements simt.CoverSink.
func (r *coverRecorder) Next(warp int) {
	l := r.top(warp)
	first := r.ended(warp)
	*l = coverLevel{fold: r.folder(), first: first, alike: l.alike}
}

// Join implements simt.CoverSink. Which parts are certain does not matter: a bound is
// that of the longest path.
func (r *coverRecorder) Join(warp int, how simt.Joined) {
	w := &r.warps[warp]
	first, second, alike := r.top(warp).first, r.ended(warp), r.top(warp).alike
	w.levels = w.levels[:len(w.levels)-1]
	if len(first.nodes)+len(second.nodes) > 0 {
		r.joinParts(warp, first, second, alike, how)
		return
	}
	join := r.build.Any
	if alike {
		join = r.build.One
	}
	either := ways{all: r.made(join(first.all, second.all))}
	switch {
	case first.leaving == nil:
		either.leaving = second.leaving
	case second.leaving == nil:
		either.leaving = first.leaving
	default:
		either.leaving = r.made(join(first.leaving, second.leaving))
	}
	l := r.top(warp)
	if how.Late {
		l.late = append(l.late, first.all)
	}
	if either.all.Len() > 0 || either.leaving == nil {
		l.fold.add(r.part(either), w.pc, w.pc+1)
	}
	if first.back || second.back {
		if !alike {
			// The other side may come behind all further iterations.
			if first.back {
				r.tail(warp, second.all)
			}
			if second.back {
				r.tail(warp, first.all)
			}
		}
		r.splits(l, false)
	}
}

// Loop implements simt.CoverSink.
func (r *coverRecorder) Loop(warp int) {
	w := &r.warps[warp]
	w.levels = append(w.levels, coverLevel{fold: r.folder(), loop: true})
}

// Arrive implements simt.CoverSink.
func (r *coverRecorder) Arrive(warp int) { r.splits(r.top(warp), true) }

// splits makes what a level executes from now on a tail.
func (r *coverRecorder) splits(l *coverLevel, all bool) {
	if l.back {
		r.err = errors.Join(r.err, errors.New("lanes come back to the head of a loop twice in an iteration"))
		return
	}
	l.back, l.before = true, r.finish(l.fold)
	if all {
		l.before.leaving = nil
	}
	l.fold = r.folder()
}

// tail notes what may come behind all iterations of the loop around.
func (r *coverRecorder) tail(warp int, e *choice.Expr) {
	levels := r.warps[warp].levels
	for i := len(levels) - 1; i >= 0; i-- {
		if levels[i].loop {
			levels[i].tails = append(levels[i].tails, r.made(r.build.AtMost(1, e)))
			return
		}
	}
}

// EndLoop implements simt.CoverSink.
func (r *coverRecorder) EndLoop(warp int, how *simt.LoopEnd) {
	w := &r.warps[warp]
	if how == nil {
		for !r.top(warp).loop {
			w.levels = w.levels[:len(w.levels)-1]
		}
		w.levels = w.levels[:len(w.levels)-1]
		return
	}
	of := r.ended(warp)
	tails := r.top(warp).tails
	w.levels = w.levels[:len(w.levels)-1]
	if len(of.nodes) > 0 {
		r.loopOf(warp, of, tails, how)
		return
	}
	last := of.leaving
	if last == nil {
		last = of.all
	}
	e := r.made(r.build.Concat(r.iterations(how, of.all), last))
	if len(tails) > 0 {
		behind := r.made(r.build.Concat(tails...))
		e = r.made(r.build.Concat(e, r.iterations(how, behind), r.made(r.build.AtMost(1, behind))))
	}
	r.top(warp).fold.add(r.part(ways{e, e}), w.pc, w.pc+1)
	r.tooLarge()
}

// part is the symbol that stands for something.
func (r *coverRecorder) part(of ways) int32 {
	key := [2]int{of.all.ID(), -1}
	if of.leaving != nil {
		key[1] = of.leaving.ID()
	}
	id, ok := r.byID[key]
	if !ok {
		id = firstPart + int32(len(r.parts))
		r.parts = append(r.parts, of)
		r.byID[key] = id
	}
	return id
}

// made keeps the first error of the builder, which would be one of this package.
func (r *coverRecorder) made(e *choice.Expr, err error) *choice.Expr {
	if err != nil {
		r.err = errors.Join(r.err, err)
		return r.build.Empty()
	}
	return e
}

// ended is what the innermost level of a warp was.
func (r *coverRecorder) ended(warp int) side {
	l := r.top(warp)
	out := side{ways: r.finish(l.fold), back: l.back || l.over, nodes: l.nodes, over: l.over}
	if l.over && out.all.Len() > 0 {
		r.err = errors.Join(r.err, ErrStages)
	}
	if l.back {
		tail := out.ways
		r.tail(warp, tail.all)
		out.all = r.made(r.build.Concat(l.before.all, r.made(r.build.AtMost(1, tail.all))))
		out.leaving = r.then(l.before.leaving, tail.leaving)
	}
	if len(l.late) > 0 {
		late := r.made(r.build.Any(l.late...))
		out.all, out.leaving = r.made(r.build.Concat(out.all, late)), r.then(out.leaving, late)
		l.late = nil
	}
	return out
}

// then is one behind the other; nil where one is.
func (r *coverRecorder) then(a, b *choice.Expr) *choice.Expr {
	if a == nil || b == nil {
		return nil
	}
	return r.made(r.build.Concat(a, b))
}

// finish is what was folded, as expressions.
func (r *coverRecorder) finish(f *folder) ways {
	s, err := r.st.sequence(f.finish())
	if err != nil {
		r.err = errors.Join(r.err, err)
		return ways{r.build.Empty(), r.build.Empty()}
	}
	return r.expr(s)
}

func (r *coverRecorder) expr(s *seq.Seq) ways {
	if e, ok := r.exprs[s]; ok {
		return e
	}
	empty := r.build.Empty()
	all, leaving := []*choice.Expr{}, empty
	add := func(p ways) {
		all = append(all, p.all)
		leaving = r.then(leaving, p.leaving)
	}
	single := func(e *choice.Expr) { add(ways{e, e}) }
	for _, it := range s.Items() {
		if it.Body != nil {
			body := r.expr(it.Body)
			of := ways{all: r.made(r.build.Repeat(it.Count, body.all))}
			if body.leaving != nil {
				of.leaving = r.made(r.build.Repeat(it.Count, body.leaving))
			}
			add(of)
			continue
		}
		from := 0
		for i, sym := range it.Symbols {
			if sym < firstPart {
				continue
			}
			single(r.made(r.build.Run(it.Symbols[from:i]...)))
			add(r.parts[sym-firstPart])
			from = i + 1
		}
		single(r.made(r.build.Run(it.Symbols[from:]...)))
	}
	e := ways{r.made(r.build.Concat(all...)), leaving}
	r.exprs[s] = e
	return e
}

// class ends a block and returns its class, which has no number of blocks yet, with
// what tells it from others.
func (r *coverRecorder) class() (BlockClass, string, error) {
	var out BlockClass
	var key []byte
	parts := make([]side, len(r.warps))
	for i := range r.warps {
		parts[i] = r.ended(i)
	}
	sections, stages, err := r.sections(parts)
	if err != nil {
		return out, "", errors.Join(r.err, err)
	}
	for i := range r.warps {
		warp := r.warp(sections[i], stages)
		for _, s := range sections[i] {
			key = binary.AppendVarint(key, int64(s.ID()))
		}
		key = binary.AppendVarint(key, -1)
		at := slices.IndexFunc(out.Warps, func(c WarpClass) bool { return c.Warp == warp })
		if at < 0 {
			at = len(out.Warps)
			out.Warps = append(out.Warps, WarpClass{Warp: warp})
		}
		out.Schedule = append(out.Schedule, at)
		out.Warps[at].IDs = append(out.Warps[at].IDs, i)
		out.Warps[at].Count++
	}
	if stages != nil {
		key = binary.AppendVarint(key, int64(stages.ID()))
	}
	return out, string(key), r.err
}

// warp is the warp with these sections, each once or as stages have them.
func (r *coverRecorder) warp(sections []*choice.Expr, stages *choice.Expr) *Warp {
	var key []byte
	for _, s := range sections {
		key = binary.AppendVarint(key, int64(s.ID()))
	}
	if stages != nil {
		key = binary.AppendVarint(binary.AppendVarint(key, -1), int64(stages.ID()))
	}
	if w, ok := r.byKey[string(key)]; ok {
		return w
	}
	w := &Warp{Choices: sections, Stages: stages, Barriers: int64(len(sections) - 1)}
	if stages == nil {
		w.WholeChoice = r.made(r.build.Concat(sections...))
	} else {
		w.WholeChoice = r.made(r.build.Replace(stages, func(s int32) *choice.Expr { return sections[s] }))
		w.Barriers = stages.Len() - 1
	}
	w.Instructions = w.WholeChoice.Len()
	r.byKey[string(key)] = w
	return w
}
