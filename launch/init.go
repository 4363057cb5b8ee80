package launch

import (
	"math"
	"math/big"

	"github.com/warpbound/warpbound/internal/conf"
)

// initial is an init table as it is written: one key of the six.
type initial struct {
	Zero   *conf.Node   `toml:"zero,omitempty"`
	Value  *conf.Node   `toml:"value,omitempty"`
	Iota   *iotaTable   `toml:"iota,omitempty"`
	Random *randomTable `toml:"random,omitempty"`
	File   string       `toml:"file,omitempty"`
	// Pointers is a list or a table.
	Pointers *conf.Node `toml:"pointers,omitempty"`
}

type iotaTable struct {
	Start *conf.Node `toml:"start"`
	Step  *conf.Node `toml:"step"`
}

type randomTable struct {
	Seed *conf.Node `toml:"seed"`
	Low  *conf.Node `toml:"low"`
	High *conf.Node `toml:"high"`
}

// initial reads the initial contents of buffer a, whose table is n.
func (l *Launch) initial(f *initial, n *conf.Node, a *Arg, where string, errs *conf.ErrorList) Init {
	table := n.Get("init")
	if f == nil || table == nil || table.Kind != conf.Table {
		return Init{}
	}
	in := Init{pos: table.Pos}
	if len(table.Entries) != 1 {
		errs.Addf(table.Pos, "%s has %d keys, expected one of file, zero, value, iota, random or pointers", where, len(table.Entries))
		return in
	}
	key := table.Entries[0].Key
	where += "." + key
	switch key {
	case "zero":
		if f.Zero.Kind != conf.Bool || f.Zero.Text != "true" {
			errs.Addf(f.Zero.Pos, "%s is %s, expected true", where, f.Zero.Describe())
		}
	case "value":
		bits, err := scalarBits(f.Value, a.Type)
		if err != nil {
			errs.Addf(f.Value.Pos, "%s is %v", where, err)
		}
		in.Kind, in.Bits = Value, bits
	case "iota":
		in.Kind = Iota
		in.iota(f.Iota, a, where, errs)
	case "random":
		in.Kind = Random
		in.random(f.Random, a, where, errs)
	case "pointers":
		in.pointers(f.Pointers, a, where, errs)
	case "file":
		in.Kind, in.File = File, l.resolve(f.File)
		if v := table.Get(key); v.Kind == conf.String && v.Text == "" {
			errs.Addf(v.Pos, "%s is empty, expected a path", where)
		}
	}
	return in
}

func (in *Init) iota(f *iotaTable, a *Arg, where string, errs *conf.ErrorList) {
	if f.Start == nil || f.Step == nil {
		return
	}
	if a.Type.IsFloat() {
		in.FloatStart = floatKey(f.Start, where+".start", errs)
		in.FloatStep = floatKey(f.Step, where+".step", errs)
		return
	}
	start, step := integerKey(f.Start, where+".start", errs), integerKey(f.Step, where+".step", errs)
	if start == nil || step == nil {
		return
	}
	// Elements between the first and the last lie between their values.
	last := new(big.Int).Mul(step, big.NewInt(a.Count-1))
	last.Add(last, start)
	least, largest := a.Type.limits()
	for _, v := range []*big.Int{start, last} {
		if v.Cmp(least) < 0 || v.Cmp(largest) > 0 {
			errs.Addf(f.Start.Pos, "%s runs from %s to %s, expected %s for %s", where, start, last, between(least, largest), a.Type)
			return
		}
	}
	in.Start, in.Step = lowBits(start), lowBits(step)
}

func (in *Init) random(f *randomTable, a *Arg, where string, errs *conf.ErrorList) {
	if f.Seed == nil || f.Low == nil || f.High == nil {
		return
	}
	seed, err := f.Seed.Uint()
	if err != nil {
		errs.Addf(f.Seed.Pos, "%s.seed is %v", where, err)
	}
	in.Seed = seed
	if a.Type.IsFloat() {
		in.FloatLow = floatKey(f.Low, where+".low", errs)
		in.FloatHigh = floatKey(f.High, where+".high", errs)
		if in.FloatLow > in.FloatHigh {
			errs.Addf(f.High.Pos, "%s.high is %s, expected at least low = %s", where, f.High.Text, f.Low.Text)
		}
		for _, v := range []float64{in.FloatLow, in.FloatHigh} {
			if isInfinite(a.Type, v) || isInfinite(F64, in.FloatHigh-in.FloatLow) {
				errs.Addf(f.Low.Pos, "%s reaches from %s to %s, expected numbers and a difference in the range of %s", where, f.Low.Text, f.High.Text, a.Type)
				return
			}
		}
		return
	}
	low, high := integerKey(f.Low, where+".low", errs), integerKey(f.High, where+".high", errs)
	if low == nil || high == nil {
		return
	}
	least, largest := a.Type.limits()
	if low.Cmp(least) < 0 || low.Cmp(largest) > 0 {
		errs.Addf(f.Low.Pos, "%s.low is %s, expected %s for %s", where, low, between(least, largest), a.Type)
	}
	// high itself is not drawn, so it may be one beyond the type.
	if high.Cmp(low) <= 0 || new(big.Int).Sub(high, big.NewInt(1)).Cmp(largest) > 0 {
		errs.Addf(f.High.Pos, "%s.high is %s, expected more than low and at most %s + 1 for %s", where, high, largest, a.Type)
	}
	in.Low, in.Span = lowBits(low), lowBits(new(big.Int).Sub(high, low))
}

func isInfinite(t Type, v float64) bool {
	switch t {
	case F16:
		return float16(v)&0x7c00 == 0x7c00
	case F32:
		return float32(v)-float32(v) != 0
	}
	return v-v != 0
}

func floatKey(n *conf.Node, where string, errs *conf.ErrorList) float64 {
	v, err := number(n, true)
	if err != nil {
		errs.Addf(n.Pos, "%s is %v", where, err)
	}
	return v
}

// integerKey reads an integer, which may be written as a float without a
// fraction, as ranges of random numbers often are. It returns nil where the
// value is neither.
func integerKey(n *conf.Node, where string, errs *conf.ErrorList) *big.Int {
	if n.Kind == conf.Float {
		if v, err := number(n, true); err == nil && v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
			return big.NewInt(int64(v))
		}
	}
	v, err := integer(n)
	if err != nil {
		errs.Addf(n.Pos, "%s is %v, as the element type is", where, err)
		return nil
	}
	return v
}
