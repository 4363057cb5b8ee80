package ptx

import "math"

func (p *printer) operands(list []Operand) {
	for i := range list {
		if i > 0 {
			p.str(", ")
		}
		p.operand(&list[i])
	}
}

// offset writes "+n" or "+-n", as compilers do.
func (p *printer) offset(imm uint64) {
	if imm != 0 {
		p.str("+")
		p.int(int64(imm))
	}
}

func (p *printer) operand(o *Operand) {
	if o.Not {
		p.str("!")
	}
	if o.Minus {
		p.str("-")
	}
	switch o.Kind {
	case KindName:
		if o.Generic {
			p.str("generic(" + o.Name + ")")
		} else {
			p.str(o.Name)
		}
		if p.offset(o.Imm); o.Sum && o.Imm == 0 {
			p.str("+0")
		}
	case KindInt:
		p.integer(o)
	case KindF32:
		p.f("0f%08X", uint32(o.Imm))
	case KindF64:
		p.f("0d%016X", o.Imm)
	case KindAddr:
		p.address(o)
	case KindVec:
		p.str("{")
		p.operands(o.Sub)
		p.str("}")
	case KindPair:
		p.operand(&o.Sub[0])
		p.str("|")
		p.operand(&o.Sub[1])
	case KindSink:
		p.str("_")
	case KindIndex:
		p.str(o.Name + "[")
		p.operand(&o.Sub[0])
		p.str("]")
	case KindField:
		p.str(o.Name + " = ")
		p.operand(&o.Sub[0])
	case KindMask:
		p.uint(o.Imm)
		p.str("(")
		p.operand(&o.Sub[0])
		p.str(")")
	}
}

func (p *printer) integer(o *Operand) {
	switch {
	case o.Unsigned:
		p.uint(o.Imm)
		p.str("U")
	case int64(o.Imm) == math.MinInt64:
		p.f("(%d - 1)", int64(math.MinInt64+1)) // the literal alone would be unsigned
	default:
		p.int(int64(o.Imm))
	}
}

func (p *printer) address(o *Operand) {
	p.str("[")
	if o.Name != "" {
		p.str(o.Name)
		p.offset(o.Imm)
	} else {
		p.int(int64(o.Imm))
	}
	for i := range o.Sub {
		p.str(", ")
		p.operand(&o.Sub[i])
	}
	p.str("]")
	if o.Unified {
		p.str(".unified")
	}
}
