package f32

// FSUB, FMSUB, FNMSUB and FNMADD as package rvexec executes them: with signs turned.

// Sub is a - b.
func Sub(a, b uint32, rm Rounding) (uint32, Flags) { return Add(a, b^signBit, rm) }

// FMSub is a*b - c.
func FMSub(a, b, c uint32, rm Rounding) (uint32, Flags) {
	return FMA(a, b, c^signBit, rm)
}

// FNMSub is -(a*b) + c.
func FNMSub(a, b, c uint32, rm Rounding) (uint32, Flags) {
	return FMA(a^signBit, b, c, rm)
}

// FNMAdd is -(a*b) - c.
func FNMAdd(a, b, c uint32, rm Rounding) (uint32, Flags) {
	return FMA(a^signBit, b, c^signBit, rm)
}
