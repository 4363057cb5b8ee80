package launch

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func parseArg(t testing.TB, lines string) *Launch {
	t.Helper()
	l, err := Parse("t.toml", []byte("kernel = \"k\"\ngrid = [1]\nblock = [1]\n[[args]]\nname = \"x\"\n"+lines), ".")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestScalars(t *testing.T) {
	for _, c := range []struct {
		typ, text string
		want      uint64
	}{
		{"u8", "255", 0xff}, {"s8", "-128", 0x80}, {"b8", "-1", 0xff}, {"b8", "255", 0xff},
		{"u16", "0xbeef", 0xbeef}, {"s16", "-2", 0xfffe}, {"u32", "4_294_967_295", 0xffffffff}, {"s32", "+7", 7},
		{"u64", "18446744073709551615", math.MaxUint64}, {"u64", "0xffffffffffffffff", math.MaxUint64},
		{"s64", "-9223372036854775808", 1 << 63}, {"b64", "-1", math.MaxUint64}, {"u64", "9007199254740993", 9007199254740993},
		{"u8", "0b101", 5}, {"u8", "0o17", 15},
		{"f32", "1.5", 0x3fc00000}, {"f32", "1", 0x3f800000}, {"f32", "-0.0", 0x80000000}, {"f32", "1e-45", 1},
		{"f32", "nan", 0x7fc00000}, {"f32", "-nan", 0xffc00000}, {"f32", "inf", 0x7f800000}, {"f32", "-inf", 0xff800000},
		{"f32", "\"0x1.8p-3\"", 0x3e400000}, {"f32", "\"-0x1p0\"", 0xbf800000}, {"f32", "3.4028235e38", 0x7f7fffff},
		// Rounding by way of f64 would give 0x3f800000 here.
		{"f32", "1.00000005960464477539062501", 0x3f800001},
		{"f64", "0.1", 0x3fb999999999999a}, {"f64", "nan", 0x7ff8000000000000}, {"f64", "9007199254740993", 0x4340000000000000},
		{"f16", "1", 0x3c00}, {"f16", "65504", 0x7bff}, {"f16", "65519.99", 0x7bff}, {"f16", "-2.5", 0xc100}, {"f16", "nan", 0x7e00}, {"f16", "-inf", 0xfc00},
		{"f16", "6e-8", 1}, {"f16", "2.9e-8", 0}, {"f16", "-1e-30", 0x8000}, {"f16", "6.103515625e-05", 0x0400},
		// Just above and just below the middle of 1 and the next number.
		{"f16", "1.00048828125000000000000000001", 0x3c01}, {"f16", "1.00048828125", 0x3c00}, {"f16", "1.00048828124999999999999999999", 0x3c00},
		{"f16", "-1.00048828125000000000000000001", 0xbc01},
	} {
		a := &parseArg(t, "type = \""+c.typ+"\"\nvalue = "+c.text+"\n").Args[0]
		if a.Bits != c.want {
			t.Errorf("%s %s: %#x, want %#x", c.typ, c.text, a.Bits, c.want)
		}
		data, err := (&Launch{Args: []Arg{*a}}).Materialise(0)
		var full [8]byte
		copy(full[:], data)
		if got := binary.LittleEndian.Uint64(full[:]); err != nil || got != c.want || int64(len(data)) != a.Type.Bytes() {
			t.Errorf("%s %s: bytes %x, %v", c.typ, c.text, data, err)
		}
	}
}

func TestFormatScalar(t *testing.T) {
	for text, typ := range map[string]string{"-128": "s8", "255": "u8", "-1": "s64", "1.5": "f32", "0.1": "f64", "18446744073709551615": "u64"} {
		if got := parseArg(t, "type = \""+typ+"\"\nvalue = "+text+"\n").Args[0].FormatScalar(); got != text {
			t.Errorf("%s %s: %s", typ, text, got)
		}
	}
	if got := parseArg(t, "type = \"f16\"\nvalue = 1.5\n").Args[0].FormatScalar(); got != "0x3e00" {
		t.Errorf("f16 1.5: %s", got)
	}
}

// half is the value of a half-precision number by its definition.
func half(h uint16) float64 {
	sign := 1.0
	if h&0x8000 != 0 {
		sign = -1
	}
	exponent, fraction := int(h>>10&31), float64(h&0x3ff)
	switch {
	case exponent == 31 && fraction != 0:
		return math.Copysign(math.NaN(), sign)
	case exponent == 31:
		return sign * math.Inf(1)
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

func TestFloat16RoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		want := h
		if math.IsNaN(half(h)) {
			want = h&0x8000 | 0x7e00
		}
		if got := float16(half(h)); got != want {
			t.Fatalf("%#04x became %#04x", h, got)
		}
	}
}

// Rounding picks the nearer neighbour, and the even one from the middle.
func TestFloat16Rounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := uint16(rapid.IntRange(0, 0x7bfe).Draw(t, "h"))
		low, high := half(h), half(h+1)
		middle := (low + high) / 2
		if got, want := float16(middle), h+h&1; got != want {
			t.Fatalf("%v: %#04x, want %#04x", middle, got, want)
		}
		if got := float16(math.Nextafter(middle, 0)); got != h {
			t.Fatalf("below %v: %#04x, want %#04x", middle, got, h)
		}
		if got := float16(-math.Nextafter(middle, 1e9)); got != 0x8000|(h+1) {
			t.Fatalf("beyond -%v: %#04x, want %#04x", middle, got, 0x8000|(h+1))
		}
	})
}

// The generator's first outputs for seed 1234567, as other implementations of
// SplitMix64 publish them.
func TestSplitMix64(t *testing.T) {
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := splitMix64(1234567, uint64(i)); got != want {
			t.Errorf("output %d: %d, want %d", i, got, want)
		}
	}
}

// contents materialises a buffer and formats its elements.
func contents(t *testing.T, typ Type, count int, init string) string {
	t.Helper()
	l := parseArg(t, fmt.Sprintf("type = %q\ncount = %d\n%s\n", typ, count, init))
	data, err := l.Materialise(0)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	size := int(typ.Bytes())
	for i := range count {
		var full [8]byte
		copy(full[:], data[i*size:(i+1)*size])
		a := Arg{Type: typ, Bits: binary.LittleEndian.Uint64(full[:])}
		list = append(list, a.FormatScalar())
	}
	return fmt.Sprint(list)
}

func TestContents(t *testing.T) {
	for _, c := range []struct {
		typ  Type
		init string
		want string
	}{
		{U32, "", "[0 0 0 0]"},
		{F64, "init = { zero = true }", "[0 0 0 0]"},
		{F32, "init = { value = 1.5 }", "[1.5 1.5 1.5 1.5]"},
		{S8, "init = { value = -1 }", "[-1 -1 -1 -1]"},
		{S32, "init = { iota = { start = 3, step = -2 } }", "[3 1 -1 -3]"},
		{U8, "init = { iota = { start = 252, step = 1 } }", "[252 253 254 255]"},
		{U64, "init = { iota = { start = 18446744073709551612, step = 1 } }", "[18446744073709551612 18446744073709551613 18446744073709551614 18446744073709551615]"},
		{F32, "init = { iota = { start = 0.5, step = 0.25 } }", "[0.5 0.75 1 1.25]"},
		{F16, "init = { iota = { start = 1, step = 1 } }", "[0x3c00 0x4000 0x4200 0x4400]"},
		{U64, "init = { random = { seed = 1234567, low = 0, high = 18446744073709551616 } }", "[6457827717110365317 3203168211198807973 9817491932198370423 4593380528125082431]"},
		// 6457827717110365317 / 2^64 = 0.35008, and so on.
		{S32, "init = { random = { seed = 1234567, low = -10, high = 10 } }", "[-3 -7 0 -6]"},
		{S32, "init = { random = { seed = 1234567, low = -10.0, high = 10.0 } }", "[-3 -7 0 -6]"},
		{F64, "init = { random = { seed = 1234567, low = 0, high = 1 } }", "[0.3500795420214081 0.17364409667091263 0.5322073040624192 0.24900765738229136]"},
	} {
		if got := contents(t, c.typ, 4, c.init); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.typ, c.init, got, c.want)
		}
	}
}

// Random numbers stay within their range, at its ends too.
func TestRandomStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Int64Range(-128, 127).Draw(t, "low")
		high := rapid.Int64Range(low+1, 128).Draw(t, "high")
		in := Init{Kind: Random, Seed: rapid.Uint64().Draw(t, "seed"), Low: uint64(low), Span: uint64(high - low)}
		if v := int64(in.element(S8, rapid.Uint64().Draw(t, "i"))); v < low || v >= high {
			t.Fatalf("%d not in [%d, %d)", v, low, high)
		}
		f := Init{Kind: Random, Seed: in.Seed, FloatLow: float64(low), FloatHigh: float64(high)}
		if v := math.Float64frombits(f.element(F64, 3)); v < float64(low) || v >= float64(high) {
			t.Fatalf("%v not in [%d, %d)", v, low, high)
		}
	})
}

func BenchmarkRandomFloats(b *testing.B) {
	l := parseArg(b, "type = \"f32\"\ncount = 1000000\ninit = { random = { seed = 1, low = 0.0, high = 1.0 } }\n")
	b.SetBytes(l.Args[0].Bytes())
	for b.Loop() {
		if _, err := l.Materialise(0); err != nil {
			b.Fatal(err)
		}
	}
}
