package project

import (
	"math/big"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
)

// Budget is how long a launch may take.
type Budget struct {
	Stated string // as the file has it, "15 us" or "20000 cycles"
	Pos    conf.Pos

	cycles  int64    // where it is stated in cycles, otherwise 0
	seconds *big.Rat // where it is stated as time, otherwise nil
}

// CyclesOf is a budget in cycles.
func CyclesOf(cycles int64) *Budget {
	return &Budget{Stated: big.NewInt(cycles).String() + " cycles", cycles: cycles}
}

// units are those of time, in the order in which messages name them.
var units = []struct {
	name string
	per  int64 // of a second
}{{"ns", 1e9}, {"us", 1e6}, {"µs", 1e6}, {"ms", 1e3}, {"s", 1}}

// budget reads a number of cycles, or a time with its unit.
func (r *reader) budget(where string, n *node) *Budget {
	if n == nil {
		return nil
	}
	b := &Budget{Pos: n.Pos}
	if n.Kind == conf.Integer {
		cycles, err := n.Int()
		if err != nil || cycles < 1 {
			r.errs.Addf(n.Pos, "%s is %s, expected 1 cycle or more", where, n.Text)
			return nil
		}
		return &Budget{Stated: CyclesOf(cycles).Stated, Pos: n.Pos, cycles: cycles}
	}
	if n.Kind == conf.String {
		text := strings.TrimSpace(n.Text)
		at := strings.LastIndexFunc(text, func(c rune) bool { return c >= '0' && c <= '9' || c == '.' }) + 1
		amount, unit := text[:at], strings.TrimSpace(text[at:])
		value, ok := decimal(amount)
		if ok && unit == "cycles" && value.IsInt() && value.Num().IsInt64() {
			b.Stated, b.cycles = value.Num().String()+" cycles", value.Num().Int64()
			return b
		}
		for _, u := range units {
			if ok && unit == u.name {
				b.Stated, b.seconds = text, value.Quo(value, new(big.Rat).SetInt64(u.per))
				return b
			}
		}
	}
	r.errs.Addf(n.Pos, "%s is %s, expected a number of cycles, or a time above 0 such as \"15.5 us\" (ns, us, ms or s)", where, n.Describe())
	return nil
}

// decimal reads a positive decimal number exactly.
func decimal(s string) (*big.Rat, bool) {
	if len(s) == 0 || len(s) > 24 || strings.Trim(s, "0123456789.") != "" {
		return nil, false
	}
	v, ok := new(big.Rat).SetString(s)
	return v, ok && v.Sign() > 0
}

// Cycles is the budget in whole cycles of a clock: what takes more of them takes longer.
func (b *Budget) Cycles(kHz int64) int64 {
	if b.seconds == nil {
		return b.cycles
	}
	hz := new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(kHz), big.NewInt(1000)))
	cycles := hz.Mul(hz, b.seconds)
	whole := new(big.Int).Quo(cycles.Num(), cycles.Denom())
	if !whole.IsInt64() {
		const most = 1<<63 - 1
		return most
	}
	return whole.Int64()
}
