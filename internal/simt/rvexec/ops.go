package rvexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/rvexec/f32"
)

// pure has the computations without flags: d = f(a, b) in every lane, whether
// active or not. An immediate is an operand like another.
var pure = [rv.NumOps]func(d, a, b *lanes){
	rv.Lui:   second,
	rv.Auipc: second,
	rv.Addi:  add, rv.Add: add,
	rv.Slti: slt, rv.Slt: slt,
	rv.Sltiu: sltu, rv.Sltu: sltu,
	rv.Xori: xor, rv.Xor: xor,
	rv.Ori: or, rv.Or: or,
	rv.Andi: and, rv.And: and,
	rv.Slli: sll, rv.Sll: sll,
	rv.Srli: srl, rv.Srl: srl,
	rv.Srai: sra, rv.Sra: sra,
	rv.Sub: func(d, a, b *lanes) {
		for i := range d {
			d[i] = a[i] - b[i]
		}
	},
	rv.Mul: func(d, a, b *lanes) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	},
	rv.Mulh: func(d, a, b *lanes) {
		for i := range d {
			d[i] = uint32(uint64(int64(int32(a[i]))*int64(int32(b[i]))) >> 32)
		}
	},
	rv.Mulhsu: func(d, a, b *lanes) {
		for i := range d {
			d[i] = uint32(uint64(int64(int32(a[i]))*int64(b[i])) >> 32)
		}
	},
	rv.Mulhu: func(d, a, b *lanes) {
		for i := range d {
			d[i], _ = bits.Mul32(a[i], b[i])
		}
	},
	rv.Div: func(d, a, b *lanes) {
		for i := range d {
			d[i], _ = divide(a[i], b[i])
		}
	},
	rv.Rem: func(d, a, b *lanes) {
		for i := range d {
			_, d[i] = divide(a[i], b[i])
		}
	},
	rv.Divu: func(d, a, b *lanes) {
		for i := range d {
			if b[i] == 0 {
				d[i] = 1<<32 - 1
				continue
			}
			d[i] = a[i] / b[i]
		}
	},
	rv.Remu: func(d, a, b *lanes) {
		for i := range d {
			if b[i] == 0 {
				d[i] = a[i]
				continue
			}
			d[i] = a[i] % b[i]
		}
	},
	rv.CzeroEqz: func(d, a, b *lanes) {
		for i := range d {
			d[i] = a[i] &^ (nonZero(b[i]) - 1)
		}
	},
	rv.CzeroNez: func(d, a, b *lanes) {
		for i := range d {
			d[i] = a[i] & (nonZero(b[i]) - 1)
		}
	},
	rv.FsgnjS: func(d, a, b *lanes) {
		for i := range d {
			d[i] = f32.CopySign(a[i], b[i])
		}
	},
	rv.FsgnjnS: func(d, a, b *lanes) {
		for i := range d {
			d[i] = f32.NegSign(a[i], b[i])
		}
	},
	rv.FsgnjxS: func(d, a, b *lanes) {
		for i := range d {
			d[i] = f32.XorSign(a[i], b[i])
		}
	},
	rv.FclassS: func(d, a, _ *lanes) {
		for i := range d {
			d[i] = f32.Class(a[i])
		}
	},
	rv.FmvXW: first,
	rv.FmvWX: first,
}

func first(d, a, _ *lanes)  { *d = *a }
func second(d, _, b *lanes) { *d = *b }

func add(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func slt(d, a, b *lanes) {
	for i := range d {
		d[i] = truth(int32(a[i]) < int32(b[i]))
	}
}

func sltu(d, a, b *lanes) {
	for i := range d {
		d[i] = truth(a[i] < b[i])
	}
}

func xor(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func or(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func and(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func sll(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] << (b[i] & 31)
	}
}

func srl(d, a, b *lanes) {
	for i := range d {
		d[i] = a[i] >> (b[i] & 31)
	}
}

func sra(d, a, b *lanes) {
	for i := range d {
		d[i] = uint32(int32(a[i]) >> (b[i] & 31))
	}
}

// truth is 1 where the condition holds.
func truth(cond bool) uint32 {
	var x uint32
	if cond {
		x = 1
	}
	return x
}

// nonZero is 1 where x is not zero.
func nonZero(x uint32) uint32 { return (x | -x) >> 31 }

// divide is the signed quotient and remainder. By zero they are -1 and a; the
// one that overflows gives a and 0.
func divide(a, b uint32) (q, r uint32) {
	switch {
	case b == 0:
		return 1<<32 - 1, a
	case a == 1<<31 && b == 1<<32-1:
		return a, 0
	}
	return uint32(int32(a) / int32(b)), uint32(int32(a) % int32(b))
}

// compares has the conditions of branches, a bit a lane.
var compares = [rv.NumOps]func(a, b *lanes) uint32{
	rv.Beq: func(a, b *lanes) (r uint32) {
		for i := range a {
			r |= truth(a[i] == b[i]) << i
		}
		return r
	},
	rv.Bne: func(a, b *lanes) (r uint32) {
		for i := range a {
			r |= truth(a[i] != b[i]) << i
		}
		return r
	},
	rv.Blt: func(a, b *lanes) (r uint32) {
		for i := range a {
			r |= truth(int32(a[i]) < int32(b[i])) << i
		}
		return r
	},
	rv.Bge: func(a, b *lanes) (r uint32) {
		for i := range a {
			r |= truth(int32(a[i]) >= int32(b[i])) << i
		}
		return r
	},
	rv.Bltu: func(a, b *lanes) (r uint32) {
		for i := range a {
			r |= truth(a[i] < b[i]) << i
		}
		return r
	},
	rv.Bgeu: func(a, b *lanes) (r uint32) {
		for i := range a {
			r |= truth(a[i] >= b[i]) << i
		}
		return r
	},
}
