package f32

import (
	"math/bits"
	"testing"
)

const (
	one32  = 0x3f800000
	qnan   = 0x7fc01234
	snan   = 0x7f801234
	pinf   = 0x7f800000
	ninf   = 0xff800000
	nzero  = 0x80000000
	minSub = 1
	maxSub = 0x7fffff
	minNor = 0x800000
	maxNor = 0x7f7fffff
)

// TestHandCases are results worked out from the standard.
func TestHandCases(t *testing.T) {
	type result struct {
		r uint32
		f Flags
	}
	mk := func(r uint32, f Flags) result { return result{r, f} }
	for _, c := range []struct {
		name      string
		got, want result
	}{
		// Halves of the smallest subnormal: a tie goes to zero or to it.
		{"half minSub rne", mk(Mul(minSub, 0x3f000000, RNE)), result{0, UF | NX}},
		{"half minSub rmm", mk(Mul(minSub, 0x3f000000, RMM)), result{minSub, UF | NX}},
		{"half minSub rup", mk(Mul(minSub, 0x3f000000, RUP)), result{minSub, UF | NX}},
		{"half -minSub rup", mk(Mul(minSub|nzero, 0x3f000000, RUP)), result{nzero, UF | NX}},
		{"half -minSub rdn", mk(Mul(minSub|nzero, 0x3f000000, RDN)), result{nzero | minSub, UF | NX}},
		{"half 3minSub rne", mk(Mul(3, 0x3f000000, RNE)), result{2, UF | NX}},
		{"minSub squared rne", mk(Mul(minSub, minSub, RNE)), result{0, UF | NX}},
		{"minSub squared rup", mk(Mul(minSub, minSub, RUP)), result{minSub, UF | NX}},
		// Exact subnormals raise nothing.
		{"half minNor", mk(Mul(minNor, 0x3f000000, RNE)), result{0x400000, 0}},
		{"maxSub + minSub", mk(Add(maxSub, minSub, RNE)), result{minNor, 0}},
		{"minNor - minSub", mk(Sub(minNor, minSub, RDN)), result{maxSub, 0}},
		// (1 - 2^-24) * 2^-126 is a tie between maxSub and minNor that fits 24
		// bits: tiny before and after rounding, although the result is normal.
		{"tiny to minNor", mk(Mul(minNor, 0x3f7fffff, RNE)), result{minNor, UF | NX}},
		{"tiny to maxSub", mk(Mul(minNor, 0x3f7fffff, RTZ)), result{maxSub, UF | NX}},
		// (1 - 2^-25 + ...) * 2^-126 rounds to 2^-126 with 24 bits: not tiny
		// after rounding. (1+2^-23)(1-2^-23) = 1-2^-46.
		{"not tiny rne", mk(Mul(minNor+1, 0x3f7ffffe, RNE)), result{minNor, NX}},
		{"not tiny rup", mk(Mul(minNor+1, 0x3f7ffffe, RUP)), result{minNor, NX}},
		{"tiny rtz", mk(Mul(minNor+1, 0x3f7ffffe, RTZ)), result{maxSub, UF | NX}},
		{"tiny rdn of negative is not tiny", mk(Mul(nzero|(minNor+1), 0x3f7ffffe, RDN)), result{nzero | minNor, NX}},
		// Overflow.
		{"max + max rne", mk(Add(maxNor, maxNor, RNE)), result{pinf, OF | NX}},
		{"max + max rtz", mk(Add(maxNor, maxNor, RTZ)), result{maxNor, OF | NX}},
		{"max + max rdn", mk(Add(maxNor, maxNor, RDN)), result{maxNor, OF | NX}},
		{"-max - max rdn", mk(Sub(nzero|maxNor, maxNor, RDN)), result{ninf, OF | NX}},
		{"-max - max rup", mk(Sub(nzero|maxNor, maxNor, RUP)), result{nzero | maxNor, OF | NX}},
		{"max + half ulp rne", mk(Add(maxNor, 0x73000000, RNE)), result{pinf, OF | NX}},
		{"max + less than half ulp rne", mk(Add(maxNor, 0x72ffffff, RNE)), result{maxNor, NX}},
		{"max + minSub rup", mk(Add(maxNor, minSub, RUP)), result{pinf, OF | NX}},
		// Zeros and infinities.
		{"1 - 1", mk(Sub(one32, one32, RNE)), result{0, 0}},
		{"1 - 1 rdn", mk(Sub(one32, one32, RDN)), result{nzero, 0}},
		{"-0 + -0", mk(Add(nzero, nzero, RUP)), result{nzero, 0}},
		{"inf - inf", mk(Sub(pinf, pinf, RNE)), result{NaN, NV}},
		{"0 * inf", mk(Mul(0, ninf, RNE)), result{NaN, NV}},
		{"1 / 0", mk(Div(one32, nzero, RNE)), result{ninf, DZ}},
		{"0 / 0", mk(Div(0, 0, RNE)), result{NaN, NV}},
		{"inf / 0", mk(Div(pinf, 0, RNE)), result{pinf, 0}},
		{"1 / 3 rne", mk(Div(one32, 0x40400000, RNE)), result{0x3eaaaaab, NX}},
		{"1 / 3 rtz", mk(Div(one32, 0x40400000, RTZ)), result{0x3eaaaaaa, NX}},
		{"sqrt 2", mk(Sqrt(0x40000000, RNE)), result{0x3fb504f3, NX}},
		{"sqrt 4", mk(Sqrt(0x40800000, RNE)), result{0x40000000, 0}},
		{"sqrt -0", mk(Sqrt(nzero, RNE)), result{nzero, 0}},
		{"sqrt -1", mk(Sqrt(0xbf800000, RNE)), result{NaN, NV}},
		{"sqrt minSub", mk(Sqrt(minSub, RNE)), result{0x1a3504f3, NX}},
		// NaNs.
		{"qnan + 1", mk(Add(qnan, one32, RNE)), result{NaN, 0}},
		{"snan + 1", mk(Add(snan, one32, RNE)), result{NaN, NV}},
		{"1 - snan", mk(Sub(one32, snan, RNE)), result{NaN, NV}},
		{"fma inf 0 qnan", mk(FMA(pinf, 0, qnan, RNE)), result{NaN, NV}},
		{"fma 1 1 qnan", mk(FMA(one32, one32, qnan, RNE)), result{NaN, 0}},
		{"fma inf 1 -inf", mk(FMA(pinf, one32, ninf, RNE)), result{NaN, NV}},
		// (1+2^-12)^2 - (1+2^-11) = 2^-24, which two roundings would lose.
		{"fma keeps", mk(FMSub(0x3f800800, 0x3f800800, 0x3f801000, RNE)), result{0x33800000, 0}},
		// 1 + 2^-148: what a binary64 sum would lose.
		{"fma far below", mk(FMA(0x1a800000, 0x1a800000, one32, RUP)), result{one32 + 1, NX}},
		{"fnmadd", mk(FNMAdd(one32, one32, one32, RNE)), result{0xc0000000, 0}},
		{"fnmsub", mk(FNMSub(one32, one32, 0x40000000, RNE)), result{one32, 0}},
		{"fnmsub zero", mk(FNMSub(one32, one32, one32, RNE)), result{0, 0}},
		// Minimum and maximum.
		{"min -0 0", mk(Min(nzero, 0)), result{nzero, 0}},
		{"min 0 -0", mk(Min(0, nzero)), result{nzero, 0}},
		{"max -0 0", mk(Max(nzero, 0)), result{0, 0}},
		{"min -1 1", mk(Min(0xbf800000, one32)), result{0xbf800000, 0}},
		{"max -2 -1", mk(Max(0xc0000000, 0xbf800000)), result{0xbf800000, 0}},
		{"min 1 qnan", mk(Min(one32, qnan)), result{one32, 0}},
		{"min snan 1", mk(Min(snan, one32)), result{one32, NV}},
		{"max qnan snan", mk(Max(qnan, snan)), result{NaN, NV}},
		{"max qnan qnan", mk(Max(qnan, qnan)), result{NaN, 0}},
	} {
		if c.got != c.want {
			t.Errorf("%s = %08x %v, want %08x %v", c.name, c.got.r, c.got.f, c.want.r, c.want.f)
		}
	}
}

func TestCompareNaN(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(a, b uint32) (bool, Flags)
		a, b uint32
		r    bool
		want Flags
	}{
		{"feq quiet", Eq, qnan, one32, false, 0},
		{"feq signalling", Eq, one32, snan, false, NV},
		{"feq same", Eq, qnan, qnan, false, 0},
		{"feq zeros", Eq, 0, nzero, true, 0},
		{"flt quiet", Lt, qnan, one32, false, NV},
		{"flt zeros", Lt, nzero, 0, false, 0},
		{"fle quiet", Le, one32, qnan, false, NV},
		{"fle zeros", Le, 0, nzero, true, 0},
		{"fle less", Le, nzero | 1, 0, true, 0},
		{"flt negatives", Lt, 0xc0000000, 0xbf800000, true, 0},
	} {
		if r, f := c.f(c.a, c.b); r != c.r || f != c.want {
			t.Errorf("%s = %v %v, want %v %v", c.name, r, f, c.r, c.want)
		}
	}
}

func TestConversionsSaturate(t *testing.T) {
	for _, c := range []struct {
		a    uint32
		rm   Rounding
		i    int32
		fi   Flags
		u    uint32
		fu   Flags
		what string
	}{
		{0xbf000000, RNE, 0, NX, 0, NX, "-0.5"},
		{0xbf000000, RDN, -1, NX, 0, NV, "-0.5 down"},
		{0xbf000000, RMM, -1, NX, 0, NV, "-0.5 away"},
		{0x3fc00000, RNE, 2, NX, 2, NX, "1.5"},
		{0x40200000, RNE, 2, NX, 2, NX, "2.5"},
		{0x40200000, RMM, 3, NX, 3, NX, "2.5 away"},
		{0x4f000000, RTZ, 1<<31 - 1, NV, 1 << 31, 0, "2^31"},
		{0xcf000000, RTZ, -1 << 31, 0, 0, NV, "-2^31"},
		{0xcf000001, RTZ, -1 << 31, NV, 0, NV, "below -2^31"},
		{0x4f7fffff, RTZ, 1<<31 - 1, NV, 0xffffff00, 0, "below 2^32"},
		{0x4f800000, RTZ, 1<<31 - 1, NV, 1<<32 - 1, NV, "2^32"},
		{snan, RNE, 1<<31 - 1, NV, 1<<32 - 1, NV, "NaN"},
		{0xffc00000, RNE, 1<<31 - 1, NV, 1<<32 - 1, NV, "negative NaN"},
		{ninf, RNE, -1 << 31, NV, 0, NV, "-inf"},
		{nzero, RDN, 0, 0, 0, 0, "-0"},
		{nzero | 1, RUP, 0, NX, 0, NX, "-minSub up"},
	} {
		if i, f := ToInt32(c.a, c.rm); i != c.i || f != c.fi {
			t.Errorf("%s to int32 = %d %v, want %d %v", c.what, i, f, c.i, c.fi)
		}
		if u, f := ToUint32(c.a, c.rm); u != c.u || f != c.fu {
			t.Errorf("%s to uint32 = %d %v, want %d %v", c.what, u, f, c.u, c.fu)
		}
	}
}

func TestClassAndSigns(t *testing.T) {
	for i, a := range []uint32{ninf, 0xbf800000, nzero | maxSub, nzero, 0, minSub, one32, pinf, snan, qnan} {
		if c := Class(a); c != 1<<i {
			t.Errorf("class of %08x is %#x, want bit %d", a, c, i)
		}
	}
	for _, a := range special {
		if n := bits.OnesCount32(Class(a)); n != 1 {
			t.Errorf("class of %08x has %d bits", a, n)
		}
	}
	if CopySign(qnan, nzero) != qnan|nzero || NegSign(one32, one32) != 0xbf800000 || XorSign(0xbf800000, nzero) != one32 {
		t.Error("sign injection")
	}
}

func TestNames(t *testing.T) {
	if s := (NV | OF | NX).String(); s != "NX|OF|NV" {
		t.Errorf("flags print as %q", s)
	}
	if RMM.String() != "rmm" || Rounding(5).String() != "reserved" {
		t.Error("names of modes")
	}
}
