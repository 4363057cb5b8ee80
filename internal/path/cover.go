package path

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/simt"
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
		if err != nil {
			return nil, nil, err
		}
		more := c.Distrusted()
		if len(more) == 0 {
			out.Limits, out.Exclusions = limits(out.Symbols, opt.Facts, simt.NumLanes(k.BlockDim(), k.WarpSize()))
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
	build *choice.Builder
	warps []coverState
	parts []*choice.Expr // of forks, by symbol minus firstPart
	byID  map[int]int32  // of parts, by their ID
	exprs map[*seq.Seq]*choice.Expr
	byKey map[string]*Warp
	err   error
}

// firstPart is the first symbol that stands for a fork while a stream is folded.
const firstPart = 1 << 28

// coverState is a warp: the open forks, the whole stream below them.
type coverState struct {
	levels   []coverLevel
	sections []*choice.Expr
	pc       int32 // of the last step
	alike    bool  // of the last step: a fork behind it is one of all lanes
}

// coverLevel is one side of a fork, or the whole.
type coverLevel struct {
	fold  *folder
	first *choice.Expr   // behind Next: the side before it
	late  []*choice.Expr // parts that may come at the end
	alike bool           // all lanes take one side
}

func cover(ctx context.Context, c simt.Coverer, k simt.Kernel, m *gpu.Machine, timing []gpu.Timing, opt Options) (*Recorded, error) {
	r := &coverRecorder{
		recorder: *newRecorder(k, m, timing, opt), build: choice.NewBuilder(),
		byID: map[int]int32{}, exprs: map[*seq.Seq]*choice.Expr{}, byKey: map[string]*Warp{},
	}
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	n := simt.NumWarps(k.BlockDim(), k.WarpSize())
	classes := map[string]int32{}
	total := simt.NumBlocks(k.Grid())
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
			return nil, err
		}
		class, key, err := r.class()
		if err != nil {
			return nil, err
		}
		at, seen := classes[key]
		if !seen {
			at = int32(len(r.out.Classes))
			classes[key] = at
			class.First = i
			r.out.Classes = append(r.out.Classes, class)
		}
		of := &r.out.Classes[at]
		of.Blocks++
		r.out.ClassOf = append(r.out.ClassOf, at)
		for _, w := range of.Warps {
			r.out.Instructions += w.Count * w.Warp.Instructions
		}
		if opt.Progress != nil {
			opt.Progress(i+1, total)
		}
	}
	r.out.Executed, r.out.Stepped = total, r.executed
	return r.out, nil
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
		if n := r.out.Symbols[symbol].Transactions; spread != nil {
			if most := spreadTransactions(spread, t, &r.mem); most < n {
				symbol = r.counted(s.PC, most)
			}
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
		w.sections = append(w.sections, r.finish(w.levels[0].fold))
	}
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
	l.first = r.ended(l)
}

// Join implements simt.CoverSink. Which parts are certain does not matter: a bound is
// that of the longest path.
func (r *coverRecorder) Join(warp int, _, _, late bool) {
	w := &r.warps[warp]
	l := r.top(warp)
	first, second := l.first, r.ended(l)
	together := r.build.Any
	if l.alike {
		together = r.build.One
	}
	w.levels = w.levels[:len(w.levels)-1]
	either := r.made(together(first, second))
	l = r.top(warp)
	if late {
		l.late = append(l.late, first)
	}
	if either.Len() > 0 {
		id, ok := r.byID[either.ID()]
		if !ok {
			id = firstPart + int32(len(r.parts))
			r.parts = append(r.parts, either)
			r.byID[either.ID()] = id
		}
		l.fold.add(id, w.pc, w.pc+1)
	}
}

// made keeps the first error of the builder, which would be one of this package.
func (r *coverRecorder) made(e *choice.Expr, err error) *choice.Expr {
	if err != nil {
		r.err = errors.Join(r.err, err)
		return r.build.Empty()
	}
	return e
}

// ended is what a side of a fork may execute.
func (r *coverRecorder) ended(l *coverLevel) *choice.Expr {
	e := r.finish(l.fold)
	if len(l.late) > 0 {
		e = r.made(r.build.Concat(e, r.made(r.build.Any(l.late...))))
		l.late = nil
	}
	return e
}

// finish is what was folded, as an expression.
func (r *coverRecorder) finish(f *folder) *choice.Expr {
	s, err := r.st.sequence(f.finish())
	if err != nil {
		r.err = errors.Join(r.err, err)
		return r.build.Empty()
	}
	return r.expr(s)
}

func (r *coverRecorder) expr(s *seq.Seq) *choice.Expr {
	if e, ok := r.exprs[s]; ok {
		return e
	}
	var parts []*choice.Expr
	for _, it := range s.Items() {
		if it.Body != nil {
			parts = append(parts, r.made(r.build.Repeat(it.Count, r.expr(it.Body))))
			continue
		}
		from := 0
		for i, sym := range it.Symbols {
			if sym < firstPart {
				continue
			}
			parts = append(parts, r.made(r.build.Run(it.Symbols[from:i]...)), r.parts[sym-firstPart])
			from = i + 1
		}
		parts = append(parts, r.made(r.build.Run(it.Symbols[from:]...)))
	}
	e := r.made(r.build.Concat(parts...))
	r.exprs[s] = e
	return e
}

// class ends a block and returns its class, which has no number of blocks yet, with
// what tells it from others.
func (r *coverRecorder) class() (BlockClass, string, error) {
	var out BlockClass
	var key []byte
	for i := range r.warps {
		w := &r.warps[i]
		w.sections = append(w.sections, r.ended(&w.levels[0]))
		warp := r.warp(w)
		for _, s := range w.sections {
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
	return out, string(key), r.err
}

func (r *coverRecorder) warp(c *coverState) *Warp {
	var key []byte
	for _, s := range c.sections {
		key = binary.AppendVarint(key, int64(s.ID()))
	}
	if w, ok := r.byKey[string(key)]; ok {
		return w
	}
	w := &Warp{Choices: c.sections, WholeChoice: r.made(r.build.Concat(c.sections...)), Barriers: int64(len(c.sections) - 1)}
	w.Instructions = w.WholeChoice.Len()
	r.byKey[string(key)] = w
	return w
}
