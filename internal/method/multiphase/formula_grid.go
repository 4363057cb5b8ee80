package multiphase

import (
	"context"
	"fmt"
	"reflect"

	"github.com/warpbound/warpbound/internal/formula"
	"github.com/warpbound/warpbound/internal/method"
)

// BlockCount is a number that follows from how many blocks a launch has: Multiple times it
// plus Constant, divided by Divisor and rounded up, at least 0 and at most Most.
type BlockCount struct {
	Name                              string // of what is counted
	Multiple, Constant, Divisor, Most int64
}

// grid is the bound by sum on up to as many blocks of one class as it counts, with even
// where they are placed evenly (docs/soundness/formulas.md, lemma G (blocks)).
func (s *forms) grid(ctx context.Context, blocks []method.BlockClass, sms int64, even bool) (formula.Form, error) {
	if len(blocks) != 1 {
		return nil, fmt.Errorf("the grid has %d classes of blocks, expected one for every grid", len(blocks))
	}
	b, err := s.block(ctx, blocks[0].Block)
	if err != nil {
		return nil, err
	}
	c := &s.calc
	n, slots := blocks[0].Count, s.a.hw.SlotsPerSM
	times := func(of BlockCount, f formula.Form) formula.Form {
		if of.Most = s.most(&of, n); of.Most == 0 {
			return nil
		}
		return c.TimesVar(s.names.Blocks(of), f)
	}
	const all = 1<<63 - 1
	before := func(per int64) BlockCount { // (n-1)/per, rounded down
		of := BlockCount{Multiple: 1, Constant: -per, Divisor: per, Most: all}
		switch {
		case per == sms && sms == 1:
			of.Name = "blocks before the last one"
		case per == sms:
			of.Name = "blocks before the last one, on the SM that started fewest"
		default:
			of.Name = fmt.Sprintf("blocks before the last one, in the slot that began fewest, of %d", per)
		}
		return of
	}
	if slots == 1 {
		return c.Add(b.single, times(before(sms), b.single)), c.Err()
	}
	resident, fits := mulSigned(sms, slots)
	if !fits {
		return nil, formula.ErrOverflow
	}
	out := c.Add(times(before(resident), b.iso), times(before(sms), b.sum))
	several := BlockCount{Name: "SMs that blocks may share, 0 or 1", Multiple: 1, Constant: -1, Divisor: 1, Most: 1}
	if sms > 1 {
		beside := BlockCount{Name: "blocks beside the last one", Multiple: 1, Constant: -1, Divisor: 1, Most: slots - 1}
		if even {
			// None where all blocks find a slot at once.
			beside.Multiple = slots - 1
			if beside.Constant, fits = mulSigned(1-slots, resident); !fits {
				return nil, formula.ErrOverflow
			}
			several.Constant = -sms
		}
		out = c.Add(out, times(beside, b.sum))
	}
	if reflect.DeepEqual(b.own, b.single) {
		return c.Add(out, b.own), c.Err()
	}
	return c.Max(b.single, c.Add(out, times(several, b.own))), c.Err()
}

// most is the most that a number is for up to n blocks.
func (s *forms) most(of *BlockCount, n int64) int64 {
	x, ok := mulSigned(of.Multiple, n)
	if ok {
		x, ok = addSigned(x, of.Constant)
	}
	if !ok {
		return of.Most
	}
	if x <= 0 {
		return 0
	}
	return min(of.Most, (x-1)/of.Divisor+1)
}
