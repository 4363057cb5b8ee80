package analysis

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// places is what cycles of a launch may be listed by.
type places struct {
	program *isa.Program
	machine *gpu.Machine
	timing  []gpu.Timing // by PC
	source  method.Source
	blocks  []int64 // the first of each class, as far as classes are known
}

// placer finds what an instruction belongs to.
func (p *places) placer(ctx context.Context, by string) (func(pc int32) costKey, error) {
	switch by {
	case ByLine:
		return func(pc int32) costKey { return lineKey(lineOf(&p.program.Instructions[pc])) }, nil
	case ByCall:
		return func(pc int32) costKey {
			in := &p.program.Instructions[pc]
			pos := lineOf(in)
			if calls := in.Inlined; len(calls) > 0 {
				pos = calls[len(calls)-1].At
				pos.Col = 0
			}
			return lineKey(pos)
		}, nil
	case ByArray:
		arrays, err := p.arrays(ctx)
		if err != nil {
			return nil, err
		}
		return func(pc int32) costKey { return costKey{Name: arrays[pc]} }, nil
	case ByInstruction:
		return func(pc int32) costKey {
			in := &p.program.Instructions[pc]
			return costKey{fmt.Sprintf("%s:%d:%d %s", in.Pos.File, in.Pos.Line, in.Pos.Col, in.Opcode), in.Pos}
		}, nil
	case ByUnit:
		return func(pc int32) costKey { return costKey{Name: p.machine.Units[p.timing[pc].Unit].Name} }, nil
	}
	loops, err := facts.Loops(p.program)
	if err != nil {
		return nil, err
	}
	return func(pc int32) costKey {
		for i := len(loops) - 1; i >= 0; i-- { // those inside come behind
			if l := &loops[i]; l.In[pc] {
				return costKey{facts.PlaceName(p.program, l.Head), p.program.Instructions[l.Head].Pos}
			}
		}
		return costKey{Name: "outside of loops"}
	}, nil
}

func lineKey(pos isa.Position) costKey { return costKey{fmt.Sprintf("%s:%d", pos.File, pos.Line), pos} }
