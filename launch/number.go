package launch

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
)

// scalarBits reads a number of type t exactly as it is written and returns its
// bits, extended to 64 by sign for signed types and by zero for all others.
func scalarBits(n *conf.Node, t Type) (uint64, error) {
	if t.IsFloat() {
		return floatBits(n, t)
	}
	v, err := integer(n)
	if err != nil {
		return 0, err
	}
	if least, largest := t.limits(); v.Cmp(least) < 0 || v.Cmp(largest) > 0 {
		return 0, fmt.Errorf("%s, expected %s for %s", n.Text, between(least, largest), t)
	}
	return lowBits(v), nil
}

// limits is the range of an integer type. B types take both the signed and the
// unsigned numbers of their width.
func (t Type) limits() (least, largest *big.Int) {
	one := big.NewInt(1)
	half := new(big.Int).Lsh(one, t.Bits()-1)
	least, largest = new(big.Int), new(big.Int)
	if d := types[t].domain; d == signed || d == untyped {
		least.Neg(half)
	}
	if types[t].domain == signed {
		largest.Sub(half, one)
	} else {
		largest.Sub(new(big.Int).Lsh(one, t.Bits()), one)
	}
	return least, largest
}

func between(least, largest *big.Int) string { return fmt.Sprintf("%s to %s", least, largest) }

// lowBits is v modulo 2^64.
func lowBits(v *big.Int) uint64 {
	low := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64))
	return low.Uint64()
}

// integer reads an integer of any size that TOML can write.
func integer(n *conf.Node) (*big.Int, error) {
	if n.Kind != conf.Integer {
		return nil, fmt.Errorf("%s, expected an integer", n.Describe())
	}
	v, ok := new(big.Int).SetString(strings.ReplaceAll(n.Text, "_", ""), 0)
	if !ok {
		return nil, fmt.Errorf("%s, expected an integer", n.Text)
	}
	return v, nil
}

// number reads a finite number for use as a float64, or any where finite is false.
func number(n *conf.Node, finite bool) (float64, error) {
	bits, err := floatBits(n, F64)
	if err != nil {
		return 0, err
	}
	v := math.Float64frombits(bits)
	if finite && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return 0, fmt.Errorf("%s, expected a finite number", n.Describe())
	}
	return v, nil
}

// floatBits reads a number as a floating-point type: an integer, a float with
// inf and nan, or a string holding a hexadecimal float such as "0x1.8p-3". The
// text is rounded once, to nearest even; a number beyond the type's range is an
// error. NaN is the quiet NaN with an empty payload and the sign written.
func floatBits(n *conf.Node, t Type) (uint64, error) {
	text := strings.ReplaceAll(n.Text, "_", "")
	unsigned := strings.TrimLeft(text, "+-")
	switch n.Kind {
	case conf.Integer:
		v, err := integer(n)
		if err != nil {
			return 0, err
		}
		text, unsigned = v.String(), ""
	case conf.String:
		if !strings.HasPrefix(strings.ToLower(unsigned), "0x") {
			return 0, fmt.Errorf("%q, expected a number, or a string with a hexadecimal float such as \"0x1.8p-3\"", n.Text)
		}
	case conf.Float:
	default:
		return 0, fmt.Errorf("%s, expected a number", n.Describe())
	}
	sign := uint64(0)
	if strings.HasPrefix(text, "-") {
		sign = 1
	}
	switch unsigned {
	case "nan":
		quiet := map[Type]uint64{F16: 0x7e00, F32: 0x7fc00000, F64: 0x7ff8000000000000}[t]
		return sign<<(t.Bits()-1) | quiet, nil
	case "inf":
		infinity := map[Type]uint64{F16: 0x7c00, F32: 0x7f800000, F64: 0x7ff0000000000000}[t]
		return sign<<(t.Bits()-1) | infinity, nil
	}
	bits, ok := parseFloat(text, t)
	if !ok {
		return 0, fmt.Errorf("%s, expected a number in the range of %s", n.Describe(), t)
	}
	return bits, nil
}

// parseFloat rounds the text of a finite number; ok is false where the text is
// malformed or the result is infinite.
func parseFloat(text string, t Type) (bits uint64, ok bool) {
	switch t {
	case F32:
		v, err := strconv.ParseFloat(text, 32)
		return uint64(math.Float32bits(float32(v))), err == nil
	case F64:
		v, err := strconv.ParseFloat(text, 64)
		return math.Float64bits(v), err == nil
	}
	// By way of a wide number rounded to odd, which a second rounding cannot spoil.
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	exact, _, err := big.ParseFloat(text, 0, 400, big.ToNearestEven)
	if err != nil {
		return 0, false
	}
	b := math.Float64bits(v)
	if c := new(big.Float).SetFloat64(v).Cmp(exact); c != 0 && b&1 == 0 {
		if (c < 0) == (v >= 0) && v != 0 {
			b++
		} else if v != 0 {
			b--
		}
	}
	h := float16(math.Float64frombits(b))
	return uint64(h), h&0x7c00 != 0x7c00
}

// float16 rounds to half precision, to nearest even. NaNs become the quiet NaN
// of their sign.
func float16(v float64) uint16 {
	b := math.Float64bits(v)
	sign := uint16(b >> 48 & 0x8000)
	exponent := int(b>>52&0x7ff) - 1023
	fraction := b & (1<<52 - 1)
	switch {
	case exponent == 1024 && fraction != 0:
		return sign | 0x7e00
	case exponent > 15:
		return sign | 0x7c00
	case exponent < -25:
		return sign
	}
	// drop is how many bits of the significand do not fit; more of them where
	// the result is subnormal.
	significand := fraction | 1<<52
	drop := uint(42)
	biased := uint64(exponent+14) << 10
	if exponent < -14 {
		drop += uint(-14 - exponent)
		biased = 0
	}
	kept, rest, half := significand>>drop, significand&(1<<drop-1), uint64(1)<<(drop-1)
	if rest > half || rest == half && kept&1 == 1 {
		kept++
	}
	// The hidden bit of kept, and a carry out of it, add to the exponent.
	return sign | uint16(biased+kept)
}

// roundTo is the bits of v rounded to a floating-point type, to nearest even.
func roundTo(t Type, v float64) uint64 {
	switch t {
	case F16:
		return uint64(float16(v))
	case F32:
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}
