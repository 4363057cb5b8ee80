package soc

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
)

// The kinds of traffic: writes are half of it, as much as goes.
const (
	Stress = "stress" // line after line
	Random = "random" // rows at random
)

var kinds = map[string]Traffic{
	Stress: {SequentialPermille: 1000, WritePermille: 500},
	Random: {WritePermille: 500},
}

// settings can follow a kind.
var settings = []string{"cores", "rate", "seed"}

// mostRate is what a core can be limited to, in bytes of 1000 cycles.
const mostRate = 1 << 40

// ParseTraffic reads what the cores of a description send, as users name it: KIND or
// KIND:SETTING=N,..., as in stress:cores=2,rate=4000,seed=7. cores is how many send, in
// the order of the description, rate how many bytes each sends in 1000 cycles at most.
// The error says what was expected.
func ParseTraffic(d *gpu.Description, text string) ([]Traffic, error) {
	name, list, more := strings.Cut(text, ":")
	kind, known := kinds[name]
	switch {
	case text == "":
		return nil, errors.New("expected " + conf.List([]string{Stress, Random}))
	case !known:
		return nil, errors.New(conf.Suggest(name, []string{Stress, Random}))
	case len(d.CPUs) == 0:
		return nil, fmt.Errorf("%s has no table [[cpu]], expected a GPU with CPU cores at its DRAM, such as tx1", d.Name)
	}
	var cores int64
	for _, c := range d.CPUs {
		cores += int64(c.Cores)
	}
	if more {
		given, err := assignments(list)
		if err != nil {
			return nil, err
		}
		for _, s := range []struct {
			key   string
			to    *int64
			large int64
		}{{"cores", &cores, cores}, {"rate", &kind.BytesPerKilocycle, mostRate}} {
			switch n, ok := given[s.key]; {
			case !ok:
			case n < 1 || n > uint64(s.large):
				return nil, fmt.Errorf("%s is %d, expected 1 to %d", s.key, n, s.large)
			default:
				*s.to = int64(n)
			}
		}
		kind.Seed = given["seed"]
	}
	var out []Traffic
	for _, c := range d.CPUs {
		if n := min(cores, int64(c.Cores)); n > 0 {
			x := kind
			x.CPU, x.Cores = c.Name, int(n)
			out = append(out, x)
			cores -= n
		}
	}
	return out, nil
}

// assignments reads SETTING=N,...
func assignments(list string) (map[string]uint64, error) {
	out := map[string]uint64{}
	for _, s := range strings.Split(list, ",") {
		key, value, _ := strings.Cut(s, "=")
		if !slices.Contains(settings, key) {
			return nil, fmt.Errorf("setting %q: %s", key, conf.Suggest(key, settings))
		}
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q: expected %s=N with a whole number", s, key)
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		out[key] = n
	}
	return out, nil
}
