package ptxexec

import (
	"math"

	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/ptx"
)

// The rules for NaN: an operation whose result is a NaN gives the canonical NaN
// of its type, 0x7fffffff for f32 as PTX says, and the quiet NaN without
// payload for f64, where PTX leaves it open.

const (
	nan32 = 0x7fffffff
	nan64 = 0x7ff8000000000000
)

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

func bits32(x float32) uint64 {
	if x != x {
		return nan32
	}
	return uint64(math.Float32bits(x))
}

func bits64(x float64) uint64 {
	if x != x {
		return nan64
	}
	return math.Float64bits(x)
}

// flush32 replaces a subnormal by the zero of its sign.
func flush32(x uint64) uint64 {
	if x&0x7f800000 == 0 {
		return x & 0x80000000
	}
	return x
}

// fma32 is a*b + c in f32, rounded once. The product is exact in double
// precision, so only the sum is rounded before the conversion to f32. Rounding
// twice goes wrong only where the sum lies halfway between two floats or among
// the subnormals; there fma32Slow looks at what the sum lost.
func fma32(a, b, c uint64) uint64 {
	x, slow := fma32Try(a, b, c)
	if slow {
		return fma32Slow(a, b, c)
	}
	return x
}

// fma32Slow rounds the sum to odd first: where it is not exact and even, to the
// neighbour on the side of the exact value. Double precision has enough bits
// beyond those of f32 that rounding an odd number again is correct.
func fma32Slow(a, b, c uint64) uint64 {
	p, z := float64(f32(a))*float64(f32(b)), float64(f32(c))
	x := float64(p) + z
	back := x - p
	lost := (p - (x - back)) + (z - back)
	n := math.Float64bits(x)
	if lost != 0 && n&1 == 0 {
		if lost > 0 == (x > 0) {
			n++
		} else {
			n--
		}
	}
	return bits32(float32(math.Float64frombits(n)))
}

func add32(a, b, _ uint64) uint64 { return bits32(f32(a) + f32(b)) }
func sub32(a, b, _ uint64) uint64 { return bits32(f32(a) - f32(b)) }
func mul32(a, b, _ uint64) uint64 { return bits32(f32(a) * f32(b)) }

func add32V(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = bits32(f32(a[i]) + f32(b[i]))
		d[i+1] = bits32(f32(a[i+1]) + f32(b[i+1]))
		d[i+2] = bits32(f32(a[i+2]) + f32(b[i+2]))
		d[i+3] = bits32(f32(a[i+3]) + f32(b[i+3]))
	}
}

func sub32V(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = bits32(f32(a[i]) - f32(b[i]))
		d[i+1] = bits32(f32(a[i+1]) - f32(b[i+1]))
		d[i+2] = bits32(f32(a[i+2]) - f32(b[i+2]))
		d[i+3] = bits32(f32(a[i+3]) - f32(b[i+3]))
	}
}

func mul32V(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = bits32(f32(a[i]) * f32(b[i]))
		d[i+1] = bits32(f32(a[i+1]) * f32(b[i+1]))
		d[i+2] = bits32(f32(a[i+2]) * f32(b[i+2]))
		d[i+3] = bits32(f32(a[i+3]) * f32(b[i+3]))
	}
}

// fma32Try is fma32 where rounding twice is correct; slow says that it may not
// be, or that the result is a NaN.
func fma32Try(a, b, c uint64) (r uint64, slow bool) {
	x := float64(f32(a))*float64(f32(b)) + float64(f32(c))
	y := math.Float32bits(float32(x))
	return uint64(y), uint32(math.Float64bits(x))<<3 == 1<<31 || y&(1<<31-1)-0x00800001 > 0x7effffff
}

func fma32V(d, a, b, c *lanes) {
	for i := 0; i < len(d); i += 2 {
		x, slowX := fma32Try(a[i], b[i], c[i])
		y, slowY := fma32Try(a[i+1], b[i+1], c[i+1])
		if slowX {
			x = fma32Slow(a[i], b[i], c[i])
		}
		if slowY {
			y = fma32Slow(a[i+1], b[i+1], c[i+1])
		}
		d[i], d[i+1] = x, y
	}
}

func add64(a, b, _ uint64) uint64 { return bits64(f64(a) + f64(b)) }
func sub64(a, b, _ uint64) uint64 { return bits64(f64(a) - f64(b)) }
func mul64(a, b, _ uint64) uint64 { return bits64(f64(a) * f64(b)) }
func fma64(a, b, c uint64) uint64 { return bits64(math.FMA(f64(a), f64(b), f64(c))) }

func add64V(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = bits64(f64(a[i]) + f64(b[i]))
		d[i+1] = bits64(f64(a[i+1]) + f64(b[i+1]))
		d[i+2] = bits64(f64(a[i+2]) + f64(b[i+2]))
		d[i+3] = bits64(f64(a[i+3]) + f64(b[i+3]))
	}
}

func sub64V(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = bits64(f64(a[i]) - f64(b[i]))
		d[i+1] = bits64(f64(a[i+1]) - f64(b[i+1]))
		d[i+2] = bits64(f64(a[i+2]) - f64(b[i+2]))
		d[i+3] = bits64(f64(a[i+3]) - f64(b[i+3]))
	}
}

func mul64V(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = bits64(f64(a[i]) * f64(b[i]))
		d[i+1] = bits64(f64(a[i+1]) * f64(b[i+1]))
		d[i+2] = bits64(f64(a[i+2]) * f64(b[i+2]))
		d[i+3] = bits64(f64(a[i+3]) * f64(b[i+3]))
	}
}

func fma64V(d, a, b, c *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = bits64(math.FMA(f64(a[i]), f64(b[i]), f64(c[i])))
		d[i+1] = bits64(math.FMA(f64(a[i+1]), f64(b[i+1]), f64(c[i+1])))
		d[i+2] = bits64(math.FMA(f64(a[i+2]), f64(b[i+2]), f64(c[i+2])))
		d[i+3] = bits64(math.FMA(f64(a[i+3]), f64(b[i+3]), f64(c[i+3])))
	}
}

// withFlush flushes subnormal operands and results.
func withFlush(g laneFn) laneFn {
	return func(a, b, c uint64) uint64 { return flush32(g(flush32(a), flush32(b), flush32(c))) }
}

func withFlushV(g vecFn) vecFn {
	if g == nil {
		return nil
	}
	return func(d, a, b, c *lanes) {
		var x, y, z lanes
		for i := range x {
			x[i], y[i], z[i] = flush32(a[i]), flush32(b[i]), flush32(c[i])
		}
		g(d, &x, &y, &z)
		for i := range d {
			d[i] = flush32(d[i])
		}
	}
}

// format returns the floating-point format of a type.
func format(t ptx.Type) *fp.Format {
	switch t {
	case ptx.F16:
		return fp.F16
	case ptx.BF16:
		return fp.BF16
	case ptx.F32:
		return fp.F32
	}
	return fp.F64
}

// flushOperands flushes subnormal operands and results of format w.
func flushOperands(w *fp.Format, g laneFn) laneFn {
	return func(a, b, c uint64) uint64 { return w.Flush(g(w.Flush(a), w.Flush(b), w.Flush(c))) }
}

// saturate clamps to [0, 1]; NaN gives +0.
func saturate(t ptx.Type, g laneFn) laneFn {
	w := format(t)
	one := w.FromInt(fp.RN, false, 1)
	sign := uint64(1) << (t.Bits() - 1)
	return func(a, b, c uint64) uint64 {
		x := g(a, b, c)
		switch {
		case w.IsNaN(x) || x&sign != 0:
			return 0
		case x > one:
			return one
		}
		return x
	}
}

func roundMode(r ptx.Rounding) fp.Mode {
	switch r {
	case ptx.RZ, ptx.RZI:
		return fp.RZ
	case ptx.RM, ptx.RMI:
		return fp.RM
	case ptx.RP, ptx.RPI:
		return fp.RP
	}
	return fp.RN
}

// floatOp is the floating-point arithmetic of PTX. Without a rounding modifier
// results are rounded to nearest; mad is fma.
func floatOp(op string, f *ptx.Form) pureOp {
	t := f.Type
	p := roundedOp(op, t, roundMode(f.Round))
	if p.f == nil {
		p = unroundedOp(op, f)
	}
	if f.Relu {
		g := p.f
		w := format(t)
		p = pureOp{f: func(a, b, c uint64) uint64 { return rectify(w, t.Bits(), g(a, b, c)) }}
	}
	if f.Ftz {
		if t == ptx.F32 {
			p = pureOp{withFlush(p.f), withFlushV(p.v)}
		} else {
			p = pureOp{f: flushOperands(format(t), p.f)}
		}
		if t == ptx.F64 && (op == "rcp" || op == "rsqrt") {
			p = pureOp{f: highWords(format(t), p.f)}
		}
	}
	if f.Sat {
		p = pureOp{f: saturate(t, p.f)}
	}
	return p
}

// highWords is rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64, of which PTX says that they
// read and write the upper half only, and that the lower half of the result is zero.
func highWords(w *fp.Format, g laneFn) laneFn {
	const upper uint64 = 0xffffffff << 32
	return func(a, b, c uint64) uint64 { return w.Flush(g(a&upper, b, c)) & upper }
}

// rectify replaces what is below zero by zero; x has width bits.
func rectify(w *fp.Format, width int, x uint64) uint64 {
	if !w.IsNaN(x) && x>>(width-1) != 0 {
		return 0
	}
	return x
}

// roundedOp is the operations whose results are correctly rounded. Those that
// have an approximate form are exact here, too.
func roundedOp(op string, t ptx.Type, mode fp.Mode) pureOp {
	if mode == fp.RN && (t == ptx.F32 || t == ptx.F64) {
		return nearestOp(op, t)
	}
	w := format(t)
	switch op {
	case "add":
		return pureOp{f: func(a, b, _ uint64) uint64 { return w.Add(mode, a, b) }}
	case "sub":
		return pureOp{f: func(a, b, _ uint64) uint64 { return w.Add(mode, a, w.Neg(b)) }}
	case "mul":
		return pureOp{f: func(a, b, _ uint64) uint64 { return w.Mul(mode, a, b) }}
	case "fma", "mad":
		return pureOp{f: func(a, b, c uint64) uint64 { return w.FMA(mode, a, b, c) }}
	case "div":
		return pureOp{f: func(a, b, _ uint64) uint64 { return w.Div(mode, a, b) }}
	case "rcp":
		one := w.FromInt(fp.RN, false, 1)
		return pureOp{f: func(a, _, _ uint64) uint64 { return w.Div(mode, one, a) }}
	case "sqrt":
		return pureOp{f: func(a, _, _ uint64) uint64 { return w.Sqrt(mode, a) }}
	}
	return pureOp{}
}

// nearestOp rounds to nearest by the host's arithmetic, which is IEEE 754. A
// square root in double precision of a float, rounded again, is correct: the
// root of a float is never close to halfway between two.
func nearestOp(op string, t ptx.Type) pureOp {
	if t == ptx.F32 {
		switch op {
		case "add":
			return pureOp{add32, add32V}
		case "sub":
			return pureOp{sub32, sub32V}
		case "mul":
			return pureOp{mul32, mul32V}
		case "fma", "mad":
			return pureOp{fma32, fma32V}
		case "div":
			return pureOp{f: func(a, b, _ uint64) uint64 { return bits32(f32(a) / f32(b)) }}
		case "rcp":
			return pureOp{f: func(a, _, _ uint64) uint64 { return bits32(1 / f32(a)) }}
		case "sqrt":
			return pureOp{f: func(a, _, _ uint64) uint64 { return bits32(float32(math.Sqrt(float64(f32(a))))) }}
		}
		return pureOp{}
	}
	switch op {
	case "add":
		return pureOp{add64, add64V}
	case "sub":
		return pureOp{sub64, sub64V}
	case "mul":
		return pureOp{mul64, mul64V}
	case "fma", "mad":
		return pureOp{fma64, fma64V}
	case "div":
		return pureOp{f: func(a, b, _ uint64) uint64 { return bits64(f64(a) / f64(b)) }}
	case "rcp":
		return pureOp{f: func(a, _, _ uint64) uint64 { return bits64(1 / f64(a)) }}
	case "sqrt":
		return pureOp{f: func(a, _, _ uint64) uint64 { return bits64(math.Sqrt(f64(a))) }}
	}
	return pureOp{}
}

// unroundedOp is what is exact, and what PTX only approximates.
func unroundedOp(op string, f *ptx.Form) pureOp {
	t := f.Type
	w := format(t)
	sign := uint64(1) << (t.Bits() - 1)
	switch op {
	case "abs":
		return pureOp{f: func(a, _, _ uint64) uint64 { return w.Canonical(a &^ sign) }}
	case "neg":
		return pureOp{f: func(a, _, _ uint64) uint64 { return w.Canonical(a ^ sign) }}
	case "min", "max":
		return pureOp{f: floatExtreme(op == "max", f)}
	}
	return pureOp{f: approximate(op, t)}
}

// floatExtreme is min and max: of a NaN and a number the number, unless .NaN;
// -0 is less than +0.
func floatExtreme(largest bool, f *ptx.Form) laneFn {
	w := format(f.Type)
	width := f.Type.Bits()
	sign := uint64(1) << (width - 1)
	// order maps patterns to integers in the order of their values.
	order := func(x uint64) int64 {
		if x&sign != 0 {
			return -int64(x&^sign) - 1
		}
		return int64(x)
	}
	propagate, xorSign := f.NaN, f.XorSign
	return func(a, b, _ uint64) uint64 {
		s := (a ^ b) & sign
		if xorSign {
			a, b = a&^sign, b&^sign
		}
		var r uint64
		switch {
		case w.IsNaN(a) && w.IsNaN(b), propagate && (w.IsNaN(a) || w.IsNaN(b)):
			return w.NaN
		case w.IsNaN(a):
			r = b
		case w.IsNaN(b):
			r = a
		case (order(a) < order(b)) != largest:
			r = a
		default:
			r = b
		}
		if xorSign {
			r |= s
		}
		return r
	}
}

// copySign is copysign: the magnitude of b with the sign of a.
func copySign(t ptx.Type) laneFn {
	sign := uint64(1) << (t.Bits() - 1)
	return func(a, b, _ uint64) uint64 { return b&^sign | a&sign }
}

// testProperty is testp. Zeros count as normal.
func testProperty(t ptx.Type, property string) laneFn {
	w := format(t)
	is := func(a uint64) bool {
		switch property {
		case "finite":
			return !w.IsNaN(a) && !w.IsInf(a)
		case "infinite":
			return w.IsInf(a)
		case "number":
			return !w.IsNaN(a)
		case "notanumber":
			return w.IsNaN(a)
		case "normal":
			return !w.IsNaN(a) && !w.IsInf(a) && w.Flush(a) == a
		}
		return !w.IsZero(a) && w.IsZero(w.Flush(a))
	}
	return func(a, _, _ uint64) uint64 {
		if is(a) {
			return 1
		}
		return 0
	}
}
