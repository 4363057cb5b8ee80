package ptxexec

import (
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// families maps opcodes to the families of timing classes.
var families = map[string]isa.Family{
	"mov": isa.Move, "cvt": isa.Convert, "cvta": isa.Convert,
	"setp": isa.Compare, "set": isa.Compare, "testp": isa.Compare, "isspacep": isa.Compare,
	"selp": isa.Select, "slct": isa.Select,
	"and": isa.Logic, "or": isa.Logic, "xor": isa.Logic, "not": isa.Logic, "cnot": isa.Logic, "lop3": isa.Logic,
	"shl": isa.Shift, "shr": isa.Shift, "shf": isa.Shift,
	"bfe": isa.BitField, "bfi": isa.BitField, "brev": isa.BitField, "popc": isa.BitField, "clz": isa.BitField,
	"bfind": isa.BitField, "fns": isa.BitField, "szext": isa.BitField, "bmsk": isa.BitField,
	"prmt": isa.Permute,
	"abs":  isa.AbsNeg, "neg": isa.AbsNeg, "copysign": isa.AbsNeg,
	"add": isa.Add, "sub": isa.Add, "addc": isa.Add, "subc": isa.Add,
	"min": isa.MinMax, "max": isa.MinMax,
	"mul": isa.Mul, "mad": isa.Mad, "madc": isa.Mad, "fma": isa.Mad, "mul24": isa.Mul24, "mad24": isa.Mad24,
	"sad": isa.Sad, "dp4a": isa.Dot, "dp2a": isa.Dot,
	"div": isa.Div, "rem": isa.Div, "sqrt": isa.Sqrt, "rsqrt": isa.Rsqrt, "rcp": isa.Rcp,
	"sin": isa.Sin, "cos": isa.Cos, "ex2": isa.Exp2, "lg2": isa.Log2, "tanh": isa.Tanh,
	"shfl": isa.Shuffle, "vote": isa.Vote, "activemask": isa.Vote, "elect": isa.Vote, "match": isa.Match, "redux": isa.Redux,
	"ld": isa.LoadMem, "ldu": isa.LoadMem, "st": isa.StoreMem, "atom": isa.AtomicMem, "red": isa.AtomicMem,
	"prefetch": isa.Prefetch, "prefetchu": isa.Prefetch, "cp": isa.CopyMem,
	"mma": isa.Tensor, "wmma": isa.Tensor, "ldmatrix": isa.LoadMem,
	"mbarrier": isa.AtomicMem,
	"tex":      isa.Texture, "tld4": isa.Texture,
	"membar": isa.FenceMem, "fence": isa.FenceMem, "bar": isa.BarrierSync, "barrier": isa.BarrierSync,
	"vadd2": isa.Video, "vsub2": isa.Video, "vavrg2": isa.Video, "vabsdiff2": isa.Video, "vmin2": isa.Video, "vmax2": isa.Video, "vset2": isa.Video,
	"vadd4": isa.Video, "vsub4": isa.Video, "vavrg4": isa.Video, "vabsdiff4": isa.Video, "vmin4": isa.Video, "vmax4": isa.Video, "vset4": isa.Video,
	"bra": isa.BranchTo, "brx": isa.BranchTo, "call": isa.CallTo, "ret": isa.ReturnFrom,
	"exit": isa.ExitLanes, "trap": isa.ExitLanes,
}

// class is the timing class of an instruction. The type of a comparison is
// that of its operands; that of a conversion is the wider of its two types, so
// that conversions that involve 64 bits are told apart. Memory instructions get
// their space where the address is lowered.
func class(op string, f *ptx.Form) isa.Class {
	c := isa.Class{Family: families[op]}
	t := f.Type
	switch op {
	case "set", "mma":
		t = f.Type2
	case "cvt":
		if f.Type2.Bits() > t.Bits() || f.Type2.Bits() == t.Bits() && f.Type2.Float() {
			t = f.Type2
		}
	case "bar", "barrier":
		return c
	}
	c.Type = classType(t)
	if f.Mul == ptx.MulWide && t.Bits() == 16 {
		c.Type = isa.I32
	}
	return c
}

func classType(t ptx.Type) isa.Type {
	switch {
	case t == ptx.TypeNone:
		return isa.NoType
	case t == ptx.Pred:
		return isa.Pred
	case t == ptx.F16 || t == ptx.F16x2 || t == ptx.BF16 || t == ptx.BF16x2:
		return isa.F16
	case t == ptx.F32:
		return isa.F32
	case t == ptx.F64:
		return isa.F64
	}
	switch t.Bits() {
	case 8:
		return isa.I8
	case 16:
		return isa.I16
	case 64:
		return isa.I64
	case 128:
		return isa.I128
	}
	return isa.I32
}
