package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

// What CPU cores can send beside a launch.
const (
	stressTraffic = "stress"
	randomTraffic = "random"
)

// trafficKinds are the kinds of traffic by name: writes are half of it, as much
// as goes.
var trafficKinds = map[string]soc.Traffic{
	stressTraffic: {SequentialPermille: 1000, WritePermille: 500},
	randomTraffic: {WritePermille: 500},
}

// trafficSettings can follow a kind.
var trafficSettings = []string{"cores", "rate", "seed"}

// mostRate is what a core can be limited to, in bytes of 1000 cycles.
const mostRate = 1 << 40

// trafficFlag says what CPU cores send: KIND or KIND:SETTING=N,...
type trafficFlag string

func (f *trafficFlag) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(f), "traffic", "", "what CPU cores send beside the launch: "+trafficForms)
	_ = cmd.RegisterFlagCompletionFunc("traffic", words(stressTraffic, randomTraffic))
}

const trafficForms = "stress (line after line) or random (rows), with settings as in stress:cores=2,rate=4000,seed=7 (rate: bytes a core sends in 1000 cycles at most)"

// traffic is what the cores of a description send, nil where nothing is asked for.
func (f trafficFlag) traffic(d *gpu.Description) ([]soc.Traffic, error) {
	if f == "" {
		return nil, nil
	}
	name, settings, more := strings.Cut(string(f), ":")
	if err := oneOf("traffic", name, stressTraffic, randomTraffic); err != nil {
		return nil, err
	}
	if len(d.CPUs) == 0 {
		return nil, fmt.Errorf("--traffic %s: %s has no table [[cpu]], expected a GPU with CPU cores at its DRAM, such as tx1", f, d.Name)
	}
	var cores int64
	for _, c := range d.CPUs {
		cores += int64(c.Cores)
	}
	kind := trafficKinds[name]
	if more {
		given, err := f.settings(settings)
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
				return nil, fmt.Errorf("--traffic %s: %s is %d, expected 1 to %d", f, s.key, n, s.large)
			default:
				*s.to = int64(n)
			}
		}
		kind.Seed = given["seed"]
	}
	var out []soc.Traffic
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

// settings reads SETTING=N,...
func (f trafficFlag) settings(list string) (map[string]uint64, error) {
	out := map[string]uint64{}
	for _, s := range strings.Split(list, ",") {
		key, value, _ := strings.Cut(s, "=")
		if !slices.Contains(trafficSettings, key) {
			return nil, fmt.Errorf("--traffic %s: setting %q: %s", f, key, conf.Suggest(key, trafficSettings))
		}
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("--traffic %s: %q: expected %s=N with a whole number", f, s, key)
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("--traffic %s: %s is given twice", f, key)
		}
		out[key] = n
	}
	return out, nil
}
