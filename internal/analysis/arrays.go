package analysis

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// Bounds of the execution that finds out which arrays instructions access.
const (
	mostArrayBlocks       = 16
	mostArrayInstructions = 1 << 22
	mostArrayNames        = 3
)

// arrays finds what memory each instruction accesses, by executing the first block of some
// classes of blocks of the launch's input. Of an instruction that accesses memory and is not
// executed by them, only the space is known.
func (p *places) arrays(ctx context.Context) ([]string, error) {
	seen := make([][]string, len(p.program.Instructions))
	if k, err := p.source.Tainted(); err == nil {
		if at, ok := k.(simt.Arrays); ok {
			if err := p.executeForArrays(ctx, k, at, seen); err != nil {
				return nil, err
			}
		}
	}
	out := make([]string, len(seen))
	for pc := range out {
		in := &p.program.Instructions[pc]
		switch {
		case len(seen[pc]) > mostArrayNames:
			out[pc] = strings.Join(seen[pc][:mostArrayNames], ", ") + " and others"
		case len(seen[pc]) > 0:
			out[pc] = strings.Join(seen[pc], ", ")
		case in.Kind == isa.Barrier:
			out[pc] = "barriers"
		case in.Unplaced:
			out[pc] = "textures and matrix fragments"
		case in.Class.Space == isa.Param:
			out[pc] = "parameters"
		case in.Class.Space != isa.NoSpace:
			out[pc] = in.Class.Space.String() + " memory, of which array is not known"
		default:
			out[pc] = "no memory access"
		}
	}
	return out, nil
}

func (p *places) executeForArrays(ctx context.Context, k simt.Kernel, at simt.Arrays, seen [][]string) error {
	blocks := []int64{0}
	for _, b := range p.blocks {
		if b != 0 && len(blocks) < mostArrayBlocks {
			blocks = append(blocks, b)
		}
	}
	executed := int64(0)
	for _, i := range blocks {
		b, err := k.NewBlock(i)
		if err != nil {
			return nil // a kernel without an input; nothing is known
		}
		err = simt.RunBlock(ctx, b, simt.Limits{MaxInstructions: mostArrayInstructions}, &executed, func(_ int, s *simt.Step) {
			in := &p.program.Instructions[s.PC]
			if in.Class.Space == isa.NoSpace || in.Unplaced {
				return
			}
			for m := s.Exec; m != 0; m &= m - 1 {
				name := at.Array(s.Space, s.Addresses[bits.TrailingZeros32(uint32(m))])
				if name == "" {
					name = s.Space.String() + " memory, of which array is not known"
				}
				if j, known := slices.BinarySearch(seen[s.PC], name); !known {
					seen[s.PC] = slices.Insert(seen[s.PC], j, name)
				}
			}
		})
		b.Release()
		var stopped *simt.Interrupted
		if errors.As(err, &stopped) {
			return err
		}
		if err != nil {
			return nil // blocks before it have not been executed, or it is too long: what is known so far is enough for names
		}
	}
	return nil
}
