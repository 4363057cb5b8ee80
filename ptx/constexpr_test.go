package ptx

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// constantOf parses a module-level initialiser and returns it.
func constantOf(t *testing.T, text string) *Operand {
	t.Helper()
	f := mustParse(t, "t.ptx", []byte(module(".const .u64 c = "+text+";")))
	roundTrip(t, f)
	return f.Decls[0].(*VarDecl).Vars[0].Init
}

// TestConstantExpressions evaluates by the rules of the PTX ISA, "Constant
// Expressions": C's operators and precedences on 64 bits.
func TestConstantExpressions(t *testing.T) {
	for _, c := range []struct {
		text     string
		want     int64
		unsigned bool
	}{
		{"42", 42, false}, {"0x2A", 42, false}, {"052", 42, false}, {"0b101010", 42, false}, {"42U", 42, true}, {"0XffU", 255, true},
		{"0", 0, false}, {"0U", 0, true}, {"9223372036854775807", math.MaxInt64, false}, {"9223372036854775808", math.MinInt64, true},
		{"0xFFFFFFFFFFFFFFFF", -1, true}, {"-9223372036854775807 - 1", math.MinInt64, false},
		{"1 + 2 * 3", 7, false}, {"(1 + 2) * 3", 9, false}, {"10 - 4 - 3", 3, false}, {"100 / 10 / 5", 2, false}, {"-7 / 2", -3, false},
		{"-7 % 3", -1, false}, {"7 %4", 3, false}, {"7%4", 3, false}, {"-1 / 2U", math.MaxInt64, true}, {"-1 % 10U", 5, true},
		{"1 << 4 | 3", 19, false}, {"1 | 6 & 3", 3, false}, {"6 ^ 3 & 1", 7, false}, {"1 << 2 + 1", 8, false}, {"1 << 64", 0, false},
		{"-8 >> 1", -4, false}, {"-8 >> 70", -1, false}, {"0xFFFFFFFFFFFFFFFF >> 63", 1, true}, {"8U >> 2", 2, true},
		{"~0", -1, false}, {"!5", 0, false}, {"!0", 1, false}, {"- -3", 3, false}, {"+3", 3, false}, {"-WARP_SZ", -32, false},
		{"WARP_SZ * 2", 64, false}, {"WARP_SZ", 32, false},
		{"1 < 2", 1, false}, {"2 <= 1", 0, false}, {"-1 < 1", 1, false}, {"-1 < 1U", 0, false}, {"-1 > 1U", 1, false}, {"3 >= 3", 1, false},
		{"1 == 1", 1, false}, {"1 != 1", 0, false}, {"1 && 0", 0, false}, {"2 && 3", 1, false}, {"0 || 2", 1, false}, {"1 || 0 && 0", 1, false},
		{"1 ? 2 : 3", 2, false}, {"0 ? 2 : 0 ? 4 : 5", 5, false}, {"1 < 2 ? 3 + 1 : 9", 4, false}, {"(.u64) -1", -1, true}, {"(.s64) 5U", 5, false},
		{"1.5 < 2.5", 1, false}, {"1.5 > 2.5", 0, false}, {"1.5 <= 1.5", 1, false}, {"1 >= 1.5", 0, false}, {"1.5 == 1.5", 1, false},
		{"1.5 != 1.5", 0, false}, {"0.0 || 1.5", 1, false}, {"0.0 && 1.5", 0, false}, {"!0.0", 1, false}, {"0f3F800000 < 2", 1, false}, {"3U < 4.0", 1, false},
	} {
		o := constantOf(t, c.text)
		if o.Kind != KindInt || int64(o.Imm) != c.want || o.Unsigned != c.unsigned {
			t.Errorf("%s is kind %d, %d, unsigned %v; want %d, %v", c.text, o.Kind, int64(o.Imm), o.Unsigned, c.want, c.unsigned)
		}
	}
	for _, c := range []struct {
		text string
		want float64
	}{
		{"1.5", 1.5}, {"1.", 1}, {".25", 0.25}, {"1e3", 1000}, {"2.5E-1", 0.25}, {"1e+2", 100}, {"0.5", 0.5}, {"0d3FF8000000000000", 1.5},
		{"0D4000000000000000", 2}, {"-1.5", -1.5}, {"1.5 + 1", 2.5}, {"1 - 0.5", 0.5}, {"0.5 * 4U", 2}, {"1.0 / 4", 0.25}, {"0f3F800000 + 1", 2},
	} {
		if o := constantOf(t, c.text); o.Kind != KindF64 || math.Float64frombits(o.Imm) != c.want {
			t.Errorf("%s is kind %d, %v; want %v", c.text, o.Kind, math.Float64frombits(o.Imm), c.want)
		}
	}
	if o := constantOf(t, "0F40490fdb"); o.Kind != KindF32 || o.Imm != 0x40490fdb {
		t.Errorf("0F40490fdb is kind %d, %#x", o.Kind, o.Imm)
	}
	for _, text := range []string{"1 % 2.5", "1.5 << 2", "~2.0", "(.u64) 1.5", "5 % 0", "1 ? 2", "(1", "0b2", "0f3F80000", "0d0", "08", "1e", "0x", "1_0", "1.5.2", "12U3"} {
		if _, err := Parse("t.ptx", []byte(module(".const .u64 c = "+text+";"))); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// TestIntegerRoundTrip: every integer survives printing, signed or not.
func TestIntegerRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		v := rapid.Uint64().Draw(r, "v")
		for _, text := range []string{fmt.Sprintf("%dU", v), fmt.Sprintf("0x%x", v), fmt.Sprintf("(.s64) %d", v), fmt.Sprintf("0%o", v)} {
			if o := constantOf(t, text); o.Imm != v {
				r.Fatalf("%s is %d, want %d", text, o.Imm, v)
			}
		}
	})
}
