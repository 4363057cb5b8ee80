package ptx

import "strings"

// sources say what the sources of an instruction may be besides registers and
// constants. PTX ISA, "Operands" has addresses of variables and special registers as
// sources of mov (and cvta, cvt); docs/ptxas.md holds the rest against NVIDIA's
// assembler, which takes any sum of an address and a constant.
type sources struct {
	address addressRule
	special bool // special registers
}

// addressRule says which addresses of variables may be sources.
type addressRule uint8

const (
	noAddress  addressRule = iota
	addressSum             // "var+4"
	anyAddress             // "var", too
)

func sourcesOf(in *Inst, f *Form) sources {
	s := sources{address: addressSum}
	switch in.Op {
	case "mov":
		s = sources{anyAddress, true}
	case "cvt":
		s.special = f.Type.Integer() && f.Type2.Integer()
	case "cvta":
		if len(in.Mods) == 0 || in.Mods[0] != "to" {
			s.address = anyAddress
		}
	case "mapa", "getctarank":
		s.address = anyAddress
	}
	return s
}

// source reports a variable's address or a special register that is no source of the
// instruction at hand.
func (c *checker) source(o *Operand, obj object) bool {
	switch {
	case obj.kind == objVar && (c.takes.address == noAddress || c.takes.address == addressSum && !o.Sum && o.Imm == 0):
		c.errorf(o.Pos, "address of %s, expected a register, which mov or cvta writes the address to", quoteShort(o.Name))
	case obj.space == SpaceSreg && !c.takes.special:
		c.errorf(o.Pos, "special register %s, expected another register, which mov writes its value to", quoteShort(o.Name))
	default:
		return true
	}
	return false
}

// simdVideo reports whether an opcode is one of the SIMD video instructions, which
// have no constants: PTX ISA, "SIMD Video Instructions".
func simdVideo(op string) bool {
	name, ok := strings.CutPrefix(op, "v")
	return ok && (strings.HasSuffix(name, "2") || strings.HasSuffix(name, "4"))
}
