package warpbound

import (
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

// What CPU cores can send beside a GPU, in options named Traffic. Settings may follow
// behind a colon, as in stress:cores=2,rate=4000,seed=7: how many cores send, in the
// order of the description, and how many bytes each sends in 1000 cycles at most.
const (
	TrafficStress = soc.Stress // line after line
	TrafficRandom = soc.Random // rows at random
)

// parseTraffic reads what the CPU cores of a description send.
func parseTraffic(option, text string, d *gpu.Description) ([]soc.Traffic, error) {
	out, err := soc.ParseTraffic(d, text)
	if err != nil {
		return nil, &OptionError{Option: option, Value: text, Msg: err.Error()}
	}
	return out, nil
}
