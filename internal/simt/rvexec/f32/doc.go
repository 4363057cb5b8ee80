// Package f32 is IEEE-754 binary32 arithmetic as the F extension of RISC-V
// wants it: every rounding mode, every exception flag, the canonical NaN.
//
//	Add Mul Div Sqrt FMA            arithmetic, rounded once; a difference is a sum
//	                                with a sign turned
//	Min Max                         minimumNumber and maximumNumber
//	Eq Lt Le                        comparisons; Eq is quiet, the others signal
//	CopySign NegSign XorSign        FSGNJ, FSGNJN, FSGNJX
//	ToInt32 ToUint32                conversions that saturate
//	FromInt32 FromUint32
//	Class                           FCLASS
//	AddLanes MulLanes DivLanes SqrtLanes FMALanes   the same for many, faster
//
// Numbers are bit patterns in uint32, so that no NaN changes on its way through
// a register of the host. Results and flags do not depend on the host: they are
// computed with integers. The functions for lanes use the host's binary64 where
// that gives the same result and flags; lanes.go says when and why.
//
// Underflow is detected after rounding. A result that is a NaN is always
// 0x7fc00000: payloads are not propagated.
//
// It is not a library of other formats: no binary64, no NaN boxing (registers
// are 32 bits wide).
//
// Source: IEEE Std 754-2008; "The RISC-V Instruction Set Manual, Volume I",
// version 20191213, chapter 11 ("F", version 2.2).
package f32
