package multiphase

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// maxRegister limits the numbers of registers.
const maxRegister = 1 << 20

// checkOps validates a table of instructions against the hardware.
func (h *hardware) checkOps(ops []method.Op) error {
	for i := range ops {
		op := &ops[i]
		switch {
		case op.Unit < 0 || op.Unit >= h.NumUnits:
			return fmt.Errorf("op %d: unit %d, expected 0 to %d", i, op.Unit, h.NumUnits-1)
		case op.InitCycles < 1 || op.InitCycles > method.MaxOpCycles:
			return fmt.Errorf("op %d: initiation of %d cycles, expected 1 to %d", i, op.InitCycles, method.MaxOpCycles)
		case op.LatencyCycles < 0 || op.LatencyCycles > method.MaxOpCycles:
			return fmt.Errorf("op %d: latency of %d cycles, expected 0 to %d", i, op.LatencyCycles, method.MaxOpCycles)
		}
		if f := h.unitMaxInit(op.Unit); f > 0 && op.InitCycles > f {
			return fmt.Errorf("op %d: initiation of %d cycles on unit %d, whose largest is stated as %d", i, op.InitCycles, op.Unit, f)
		}
		for _, regs := range [2][]int32{op.Reads, op.Writes} {
			for _, r := range regs {
				if r < 0 || r > maxRegister {
					return fmt.Errorf("op %d: register %d, expected 0 to %d", i, r, maxRegister)
				}
			}
		}
	}
	return nil
}

func checkSection(s *seq.Seq, ops int) error {
	for _, it := range s.Items() {
		for _, sym := range it.Symbols {
			if int(sym) >= ops {
				return fmt.Errorf("symbol %d is outside the table of %d ops", sym, ops)
			}
		}
		if it.Body != nil {
			if err := checkSection(it.Body, ops); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkBlock checks the block's own numbers; programs are checked when analysed.
func checkBlock(b *method.Block, h *hardware) error {
	if b == nil || len(b.Classes) == 0 {
		return errors.New("block has no warps")
	}
	for i, c := range b.Classes {
		switch {
		case c.Stream == nil:
			return fmt.Errorf("warp class %d has no program", i)
		case c.Count < 1:
			return fmt.Errorf("warp class %d: count %d, expected at least 1", i, c.Count)
		case c.SubCore < 0 || c.SubCore >= h.SubCores:
			return fmt.Errorf("warp class %d: sub-core %d, expected 0 to %d", i, c.SubCore, h.SubCores-1)
		case len(c.Stream.Sections) > 0 && len(c.Stream.Choices) > 0:
			return fmt.Errorf("warp class %d has sections and choices, expected one of them", i)
		case c.Stream.Stages != b.Classes[0].Stream.Stages:
			return fmt.Errorf("warp classes 0 and %d have sections in different orders", i)
		}
		for k, s := range c.Stream.Sections {
			if s == nil {
				return fmt.Errorf("warp class %d: section %d is nil", i, k)
			}
		}
		for k, e := range c.Stream.Choices {
			if e == nil {
				return fmt.Errorf("warp class %d: section %d is nil", i, k)
			}
		}
	}
	return nil
}

// unitSet is a set of units as a bit mask.
type unitSet uint64

func (s unitSet) has(unit int) bool { return s>>unit&1 == 1 }

// list gives the units in ascending order.
func (s unitSet) list() []int {
	var units []int
	for ; s != 0; s &= s - 1 {
		units = append(units, bits.TrailingZeros64(uint64(s)))
	}
	return units
}
