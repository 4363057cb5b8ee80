package ptxexec

import (
	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/ptx"
)

type ordered interface {
	uint16 | uint32 | uint64 | int16 | int32 | int64
}

func eqV[T ordered](a, b *lanes) (m uint32) {
	for i := 0; i < len(a); i += 4 {
		var x, y, z, w uint32
		if T(a[i]) == T(b[i]) {
			x = 1
		}
		if T(a[i+1]) == T(b[i+1]) {
			y = 2
		}
		if T(a[i+2]) == T(b[i+2]) {
			z = 4
		}
		if T(a[i+3]) == T(b[i+3]) {
			w = 8
		}
		m |= (x | y | z | w) << i
	}
	return m
}

func ltV[T ordered](a, b *lanes) (m uint32) {
	for i := 0; i < len(a); i += 4 {
		var x, y, z, w uint32
		if T(a[i]) < T(b[i]) {
			x = 1
		}
		if T(a[i+1]) < T(b[i+1]) {
			y = 2
		}
		if T(a[i+2]) < T(b[i+2]) {
			z = 4
		}
		if T(a[i+3]) < T(b[i+3]) {
			w = 8
		}
		m |= (x | y | z | w) << i
	}
	return m
}

// comparison is a relation built from a basic one: with operands exchanged, or
// negated, or both.
type comparison struct {
	equal, swap, negate bool
}

var comparisons = map[ptx.Cmp]comparison{
	ptx.CmpEQ: {equal: true}, ptx.CmpNE: {equal: true, negate: true},
	ptx.CmpLT: {}, ptx.CmpLE: {swap: true, negate: true},
	ptx.CmpGT: {swap: true}, ptx.CmpGE: {negate: true},
	ptx.CmpLO: {}, ptx.CmpLS: {swap: true, negate: true},
	ptx.CmpHI: {swap: true}, ptx.CmpHS: {negate: true},
}

// compareInt compares values of an integer or untyped type; lo to hs are
// unsigned whatever the type.
func compareInt(c ptx.Cmp, t ptx.Type) (laneFn, cmpFn) {
	k := comparisons[c]
	sign := t.Signed() && c < ptx.CmpLO
	n := t.Bits()
	f := func(a, b, _ uint64) uint64 {
		if k.swap {
			a, b = b, a
		}
		var r bool
		switch {
		case k.equal:
			r = (a^b)&widthMask(n) == 0
		case sign:
			r = signExtend(a, n) < signExtend(b, n)
		default:
			r = a&widthMask(n) < b&widthMask(n)
		}
		if r != k.negate {
			return 1
		}
		return 0
	}
	basic := integerCompare(k.equal, sign, n)
	switch {
	case k.swap && k.negate:
		return f, func(a, b *lanes) uint32 { return ^basic(b, a) }
	case k.swap:
		return f, func(a, b *lanes) uint32 { return basic(b, a) }
	case k.negate:
		return f, func(a, b *lanes) uint32 { return ^basic(a, b) }
	}
	return f, basic
}

func integerCompare(equal, sign bool, width int) cmpFn {
	switch {
	case equal && width == 16:
		return eqV[uint16]
	case equal && width == 32:
		return eqV[uint32]
	case equal:
		return eqV[uint64]
	case sign && width == 16:
		return ltV[int16]
	case sign && width == 32:
		return ltV[int32]
	case sign:
		return ltV[int64]
	case width == 16:
		return ltV[uint16]
	case width == 32:
		return ltV[uint32]
	}
	return ltV[uint64]
}

// compareFloat compares floating-point values. A plain relation with a NaN is
// false, one ending in u is true.
func compareFloat(c ptx.Cmp, t ptx.Type, ftz bool) laneFn {
	w := format(t)
	value := func(x uint64) float64 {
		if ftz {
			x = w.Flush(x)
		}
		switch t {
		case ptx.F32:
			return float64(f32(x))
		case ptx.F64:
			return f64(x)
		}
		return f64(fp.F64.Convert(fp.RN, w, x))
	}
	return func(p, q, _ uint64) uint64 {
		a, b := value(p), value(q)
		nan := a != a || b != b
		var r bool
		switch c {
		case ptx.CmpEQ:
			r = a == b
		case ptx.CmpNE:
			r = a < b || a > b
		case ptx.CmpLT:
			r = a < b
		case ptx.CmpLE:
			r = a <= b
		case ptx.CmpGT:
			r = a > b
		case ptx.CmpGE:
			r = a >= b
		case ptx.CmpEQU:
			r = nan || a == b
		case ptx.CmpNEU:
			r = a != b
		case ptx.CmpLTU:
			r = nan || a < b
		case ptx.CmpLEU:
			r = nan || a <= b
		case ptx.CmpGTU:
			r = nan || a > b
		case ptx.CmpGEU:
			r = nan || a >= b
		case ptx.CmpNUM:
			r = !nan
		case ptx.CmpNAN:
			r = nan
		}
		if r {
			return 1
		}
		return 0
	}
}

// floatCompareV returns the whole-warp form of the plain relations of f32 and
// f64, nil for the others.
func floatCompareV(c ptx.Cmp, t ptx.Type, ftz bool) cmpFn {
	if ftz {
		return nil
	}
	var lt, le, eq cmpFn
	switch t {
	case ptx.F32:
		lt, le, eq = lt32V, le32V, eq32V
	case ptx.F64:
		lt, le, eq = lt64V, le64V, eq64V
	default:
		return nil
	}
	swap := func(g cmpFn) cmpFn { return func(a, b *lanes) uint32 { return g(b, a) } }
	negate := func(g cmpFn) cmpFn { return func(a, b *lanes) uint32 { return ^g(a, b) } }
	switch c {
	case ptx.CmpEQ:
		return eq
	case ptx.CmpNEU:
		return negate(eq)
	case ptx.CmpLT:
		return lt
	case ptx.CmpLE:
		return le
	case ptx.CmpGT:
		return swap(lt)
	case ptx.CmpGE:
		return swap(le)
	case ptx.CmpGEU:
		return negate(lt)
	case ptx.CmpGTU:
		return negate(le)
	case ptx.CmpLEU:
		return negate(swap(lt))
	case ptx.CmpLTU:
		return negate(swap(le))
	}
	return nil
}

func lt32V(a, b *lanes) (m uint32) {
	for i := 0; i < len(a); i += 4 {
		var x, y, z, w uint32
		if f32(a[i]) < f32(b[i]) {
			x = 1
		}
		if f32(a[i+1]) < f32(b[i+1]) {
			y = 2
		}
		if f32(a[i+2]) < f32(b[i+2]) {
			z = 4
		}
		if f32(a[i+3]) < f32(b[i+3]) {
			w = 8
		}
		m |= (x | y | z | w) << i
	}
	return m
}

func le32V(a, b *lanes) (m uint32) {
	for i := 0; i < len(a); i += 4 {
		var x, y, z, w uint32
		if f32(a[i]) <= f32(b[i]) {
			x = 1
		}
		if f32(a[i+1]) <= f32(b[i+1]) {
			y = 2
		}
		if f32(a[i+2]) <= f32(b[i+2]) {
			z = 4
		}
		if f32(a[i+3]) <= f32(b[i+3]) {
			w = 8
		}
		m |= (x | y | z | w) << i
	}
	return m
}

func eq32V(a, b *lanes) (m uint32) {
	for i := 0; i < len(a); i += 4 {
		var x, y, z, w uint32
		if f32(a[i]) == f32(b[i]) {
			x = 1
		}
		if f32(a[i+1]) == f32(b[i+1]) {
			y = 2
		}
		if f32(a[i+2]) == f32(b[i+2]) {
			z = 4
		}
		if f32(a[i+3]) == f32(b[i+3]) {
			w = 8
		}
		m |= (x | y | z | w) << i
	}
	return m
}

func lt64V(a, b *lanes) (m uint32) {
	for i := 0; i < len(a); i += 4 {
		var x, y, z, w uint32
		if f64(a[i]) < f64(b[i]) {
			x = 1
		}
		if f64(a[i+1]) < f64(b[i+1]) {
			y = 2
		}
		if f64(a[i+2]) < f64(b[i+2]) {
			z = 4
		}
		if f64(a[i+3]) < f64(b[i+3]) {
			w = 8
		}
		m |= (x | y | z | w) << i
	}
	return m
}

func le64V(a, b *lanes) (m uint32) {
	for i := 0; i < len(a); i += 4 {
		var x, y, z, w uint32
		if f64(a[i]) <= f64(b[i]) {
			x = 1
		}
		if f64(a[i+1]) <= f64(b[i+1]) {
			y = 2
		}
		if f64(a[i+2]) <= f64(b[i+2]) {
			z = 4
		}
		if f64(a[i+3]) <= f64(b[i+3]) {
			w = 8
		}
		m |= (x | y | z | w) << i
	}
	return m
}

func eq64V(a, b *lanes) (m uint32) {
	for i := 0; i < len(a); i += 4 {
		var x, y, z, w uint32
		if f64(a[i]) == f64(b[i]) {
			x = 1
		}
		if f64(a[i+1]) == f64(b[i+1]) {
			y = 2
		}
		if f64(a[i+2]) == f64(b[i+2]) {
			z = 4
		}
		if f64(a[i+3]) == f64(b[i+3]) {
			w = 8
		}
		m |= (x | y | z | w) << i
	}
	return m
}
