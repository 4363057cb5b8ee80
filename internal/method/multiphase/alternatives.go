package multiphase

import (
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
)

// alternatives fills in a section that is a set of sequences: each figure is the
// largest of any of them (docs/soundness/inputs.md, theorem 41 (every path)).
func (a *Analyzer) alternatives(sec *section, ops []method.Op, key sectionKey, low *lowerer) error {
	e := key.e
	symbols := e.Symbols()
	if last := symbols[len(symbols)-1]; int(last) >= len(ops) {
		return fmt.Errorf("symbol %d is outside the table of %d ops", last, len(ops))
	}
	sec.ways, sec.limit, sec.table, sec.fuas = e, key.l, a.tables[key.ops], map[unitSet]int64{}
	if sec.table == nil {
		sec.table = newWayTable(ops, low, a.hw.NumUnits)
		sec.table.maxOrders = a.maxOrders
		a.tables[key.ops] = sec.table
	}
	for _, s := range symbols {
		sec.used |= 1 << ops[s].Unit
	}
	var c calc
	none := false
	heaviest := func(weight func(op *method.Op) int64) int64 {
		w, err := sec.heaviest(ops, weight)
		none = none || errors.Is(err, choice.ErrNone)
		c.over = c.over || err != nil
		return c.add(w)
	}
	for _, u := range sec.used.list() {
		sec.insts[u] = heaviest(func(op *method.Op) int64 {
			if op.Unit != u {
				return 0
			}
			return 1
		})
		sec.loads[u] = heaviest(func(op *method.Op) int64 {
			if op.Unit != u {
				return 0
			}
			return op.InitCycles
		})
	}
	sec.count = heaviest(func(*method.Op) int64 { return 1 })
	sec.sum = heaviest(func(op *method.Op) int64 { return op.InitCycles })
	if none {
		return choice.ErrNone
	}
	return c.err()
}

// heaviest is the largest sum of weights along any path of the section, or a little more
// where limits are known.
func (sec *section) heaviest(ops []method.Op, weight func(op *method.Op) int64) (int64, error) {
	return sec.ways.MaxUnder(sec.limit, func(s int32) int64 { return weight(&ops[s]) })
}

// fuaWays is fua for the path for which it is largest.
func (sec *section) fuaWays(used unitSet) (int64, error) {
	used &= sec.used
	if v, ok := sec.fuas[used]; ok {
		return v, nil
	}
	v, err := sec.ways.MaxUnder(sec.limit, func(s int32) int64 {
		in := &sec.table.insts[s]
		if used.has(int(in.unit - wayFixed)) {
			return in.init
		}
		return 1
	})
	switch {
	case errors.Is(err, choice.ErrOverflow) || v > maxTime:
		return 0, bound.ErrOverflow
	case err != nil:
		return 0, err
	}
	sec.fuas[used] = v
	return v, nil
}

// recordedBlock is the block with the sequence of each stream that has no choice
// in the place of its expressions, so that every method can read it.
func (a *Analyzer) recordedBlock(b *method.Block) (*method.Block, error) {
	out := b
	for i, c := range b.Classes {
		if len(c.Stream.Choices) == 0 {
			continue
		}
		s, ok := a.recorded[c.Stream]
		if !ok {
			var err error
			if s, err = c.Stream.Recorded(); err != nil {
				return nil, fmt.Errorf("warp class %d: %w", i, err)
			}
			a.recorded[c.Stream] = s
		}
		if out == b {
			out = &method.Block{Classes: slices.Clone(b.Classes)}
		}
		out.Classes[i].Stream = s
	}
	return out, nil
}
