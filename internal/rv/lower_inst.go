package rv

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/isa"
)

// instruction lowers instruction i; callers go through the text in order.
func (l *lowering) instruction(i int32, out *isa.Instruction) error {
	for i >= l.functions[l.fn].End {
		l.fn++
	}
	in := &l.img.Insts[i]
	t := &timings[in.Op]
	*out = isa.Instruction{
		Opcode: in.Mnemonic(), Class: in.Op.class(), Kind: t.kind, WidthBytes: t.width,
		Guard: isa.NoReg, Pos: l.position(i),
	}
	if in.Op == Invalid {
		out.Opcode = ".word"
	}
	// Vortex 2.2 stops the fetch of a warp at the registers of the floating-point
	// unit: those up to fcsr.
	out.StopsFetch = in.Op.Operands().CSR && in.CSR <= CSRFcsr
	if line, ok := l.img.LineOf(l.img.Addr(i)); ok {
		out.Source = line
	}
	registers(in, out)
	return l.control(i, out)
}

// position is where instruction i is in the file.
func (l *lowering) position(i int32) isa.Position {
	return isa.Position{File: fmt.Sprintf("%s@0x%08x", l.img.Name, l.img.Addr(i)), Line: int(i) + 1, Col: 1}
}

// registers fills in the registers read and written.
func registers(in *Inst, out *isa.Instruction) {
	ops := in.Op.Operands()
	for _, r := range [...]isa.Reg{register(ops.Rs1, in.Rs1), register(ops.Rs2, in.Rs2), register(ops.Rs3, in.Rs3)} {
		if r != isa.NoReg && !slices.Contains(out.Reads, r) {
			out.Reads = append(out.Reads, r)
		}
	}
	if r := register(ops.Rd, in.Rd); r != isa.NoReg {
		out.Writes = []isa.Reg{r}
	}
}

func register(f File, n uint8) isa.Reg {
	switch f {
	case IntFile:
		return XReg(n)
	case FloatFile:
		return FReg(n)
	}
	return isa.NoReg
}

// control fills in the kind and the targets of control instructions.
func (l *lowering) control(i int32, out *isa.Instruction) error {
	f, fn := l.flow[i], &l.functions[l.fn]
	become := func(k isa.Kind, c isa.Family) { out.Kind, out.Class = k, isa.Class{Family: c} }
	switch f.kind {
	case flowNext:
		if out.Kind == isa.Branch {
			out.Targets = []int32{i + 1}
		}
	case flowEnd:
		become(isa.Exit, isa.ExitLanes)
	case flowBranch:
		if f.target != isa.NoPC {
			out.Targets = append(out.Targets, f.target)
		}
		if f.target != i+1 {
			out.Targets = append(out.Targets, i+1)
		}
	case flowJump, flowCall:
		switch {
		case f.target == isa.NoPC:
			become(isa.Exit, isa.ExitLanes)
			return nil
		case f.kind == flowCall:
			become(isa.Call, isa.CallTo)
		case f.target < fn.Entry || f.target >= fn.End:
			become(isa.Return, isa.ReturnFrom)
		}
		out.Targets = []int32{f.target}
	case flowCallAny:
		become(isa.Call, isa.CallTo)
		out.Targets = l.all
	case flowReturn:
		become(isa.Return, isa.ReturnFrom)
	case flowComputed:
		out.Targets = l.bodyTargets(fn)
	case flowJoin:
		out.Rejoins = true
		out.Targets = append(out.Targets, l.splitTargets(fn)...)
		if !slices.Contains(out.Targets, i+1) {
			out.Targets = append(out.Targets, i+1)
		}
	}
	if f.kind == flowComputed || f.kind == flowJoin {
		if l.targets += len(out.Targets); l.targets > maxTargets {
			return &FormatError{File: out.Pos.File, Reason: fmt.Sprintf("the joins and computed jumps up to this one have more than %d possible targets; "+
				"build with -fno-jump-tables, and keep the symbols of functions", maxTargets)}
		}
	}
	return nil
}

// splitTargets lists the instructions after the splits of function fn.
func (l *lowering) splitTargets(fn *isa.Function) []int32 {
	if l.splitsOf == l.fn+1 {
		return l.splits
	}
	l.splitsOf, l.splits = l.fn+1, nil
	for i := fn.Entry; i < min(fn.End, l.n); i++ {
		if l.img.Insts[i].Op == Split {
			l.splits = append(l.splits, i+1)
		}
	}
	return l.splits
}

// bodyTargets lists the instructions of function fn.
func (l *lowering) bodyTargets(fn *isa.Function) []int32 {
	if l.bodyOf == l.fn+1 {
		return l.body
	}
	l.bodyOf, l.body = l.fn+1, nil
	for i := fn.Entry; i < min(fn.End, l.n); i++ {
		l.body = append(l.body, i)
	}
	return l.body
}
