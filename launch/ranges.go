package launch

import (
	"encoding/binary"
	"fmt"

	"github.com/warpbound/warpbound/internal/conf"
)

// Integers says that a scalar may be any integer from Min to Max in the launches that a bound
// is to hold for, or each element of a buffer.
type Integers struct {
	Min, Max int64
	// Ascending says that each element of a buffer is at least the one before it, and at
	// most MaxStep more.
	Ascending bool
	MaxStep   int64
}

type rangeTable struct {
	Min       *conf.Node `toml:"min"`
	Max       *conf.Node `toml:"max"`
	Ascending bool       `toml:"ascending,omitempty"`
	MaxStep   *conf.Node `toml:"max_step,omitempty"`
}

// within reads the range of an argument.
func (f *rangeTable) within(n *conf.Node, a *Arg, where string, errs *conf.ErrorList) *Integers {
	table := n.Get("range")
	if f == nil || table == nil || f.Min == nil || f.Max == nil {
		return nil // an error, or none
	}
	where += ".range"
	if a.Type.IsFloat() || len(a.Fields) > 0 {
		errs.Addf(table.Pos, "%s is set for %s, expected it for integers", where, a.Type)
		return nil
	}
	r := &Integers{Ascending: f.Ascending}
	number := func(key string, v *conf.Node, least int64) int64 {
		x, err := v.Int()
		lo, hi := a.Type.limits()
		switch {
		case err != nil:
			errs.Addf(v.Pos, "%s.%s is %s, expected an integer", where, key, v.Describe())
		case lo.IsInt64() && x < lo.Int64() || hi.IsInt64() && x > hi.Int64():
			errs.Addf(v.Pos, "%s.%s is %d, expected %s for %s", where, key, x, between(lo, hi), a.Type)
		case x < least:
			errs.Addf(v.Pos, "%s.%s is %d, expected at least %d", where, key, x, least)
		}
		return x
	}
	least, _ := a.Type.limits()
	from := int64(-1 << 63)
	if least.IsInt64() {
		from = least.Int64()
	}
	r.Min = number("min", f.Min, from)
	r.Max = number("max", f.Max, r.Min)
	switch {
	case a.Kind == Scalar && f.Ascending:
		errs.Addf(table.Get("ascending").Pos, "%s.ascending is set, expected it only with count", where)
	case f.MaxStep != nil && !f.Ascending:
		errs.Addf(f.MaxStep.Pos, "%s.max_step is set, expected it only with ascending = true", where)
	case f.MaxStep != nil:
		r.MaxStep = number("max_step", f.MaxStep, 0)
	case f.Ascending:
		r.MaxStep = r.Max - r.Min
		if r.MaxStep < 0 {
			errs.Addf(table.Pos, "%s has no max_step, expected one for so large a range", where)
		}
	}
	return r
}

// String writes the range as in a sentence.
func (r *Integers) String() string {
	text := fmt.Sprintf("%d to %d", r.Min, r.Max)
	if r.Ascending {
		text += fmt.Sprintf(", ascending by at most %d", r.MaxStep)
	}
	return text
}

// CheckRange says whether what the launch passes is in the argument's range. The error
// names the first element that is not.
func (a *Arg) CheckRange(contents []byte) error {
	r := a.Range
	if r == nil {
		return nil
	}
	size := int(a.Type.Bytes())
	lo, _ := a.Type.limits()
	negative := lo.Sign() < 0 && (r.Min < 0 || types[a.Type].domain == signed)
	var last int64
	for i := 0; (i+1)*size <= len(contents); i++ {
		var raw [8]byte
		copy(raw[:], contents[i*size:(i+1)*size])
		x := int64(binary.LittleEndian.Uint64(raw[:]))
		if shift := 64 - 8*size; negative {
			x = x << shift >> shift
		}
		what := fmt.Sprintf("element %d", i)
		if a.Kind == Scalar {
			what = "the value"
		}
		switch {
		case x < r.Min || x > r.Max:
			return fmt.Errorf("%s.range: %s is %d, expected %d to %d", a.key, what, x, r.Min, r.Max)
		case r.Ascending && i > 0 && (x < last || x-last > r.MaxStep):
			return fmt.Errorf("%s.range: %s is %d behind %d, expected 0 to %d more", a.key, what, x, last, r.MaxStep)
		}
		last = x
	}
	return nil
}
