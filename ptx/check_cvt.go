package ptx

// conversion checks which modifiers a cvt between two types may have. PTX ISA,
// "Data Movement and Conversion Instructions: cvt", and the verdict of ptxas 11.8
// on every combination (testdata/cvt.txt). The narrower floating-point formats,
// whose rules differ from version to version, are not looked at.
func (c *checker) conversion(in *Inst, f *Form) {
	to, from := f.Type, f.Type2
	if !converts(to) || !converts(from) || f.Action != "" || f.Relu || f.SatFinite {
		return
	}
	none, float, integral := conversionRounding(to, from)
	switch r := f.Round; {
	case r == RoundNone && !none && float:
		c.errorf(in.Pos, "no rounding from .%s to .%s, expected .rn, .rz, .rm or .rp", from, to)
	case r == RoundNone && !none:
		c.errorf(in.Pos, "no rounding from .%s to .%s, expected .rni, .rzi, .rmi or .rpi", from, to)
	case r == RoundNone, r >= RNI && r <= RPI && integral, r >= RN && r <= RP && float:
	case float:
		c.errorf(in.Pos, "rounding .%s from .%s to .%s, expected .rn, .rz, .rm or .rp", r, from, to)
	case integral && none:
		c.errorf(in.Pos, "rounding .%s from .%s to .%s, expected none, or .rni, .rzi, .rmi or .rpi", r, from, to)
	case integral:
		c.errorf(in.Pos, "rounding .%s from .%s to .%s, expected .rni, .rzi, .rmi or .rpi", r, from, to)
	default:
		c.errorf(in.Pos, "rounding .%s from .%s to .%s, which is exact or cuts bits off, expected none", r, from, to)
	}
	if f.Ftz && to != F32 && from != F32 {
		c.errorf(in.Pos, ".ftz from .%s to .%s, expected it only where one of the types is .f32", from, to)
	}
	if f.Sat && to.Integer() && from.Integer() && holdsAll(to, from) {
		c.errorf(in.Pos, ".sat from .%s to .%s, which holds all of its values, expected none", from, to)
	}
}

// converts tells whether the rules of conversion know a type.
func converts(t Type) bool { return t.Integer() || t == F16 || t == F32 || t == F64 }

// conversionRounding says which rounding a conversion may have: none, one to a
// floating-point number, one to an integer.
func conversionRounding(to, from Type) (none, float, integral bool) {
	switch {
	case to.Integer() && from.Integer():
		return true, false, false
	case to.Integer():
		return false, false, true
	case from.Integer() || to.Bits() < from.Bits():
		return false, true, false
	}
	return true, false, to == from
}

// holdsAll tells whether all values of one integer type are values of another.
func holdsAll(to, from Type) bool {
	if to.Signed() == from.Signed() {
		return to.Bits() >= from.Bits()
	}
	return to.Signed() && to.Bits() > from.Bits()
}
