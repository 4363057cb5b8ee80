package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

// trafficFlag says what CPU cores send: KIND or KIND:SETTING=N,...
type trafficFlag string

func (f *trafficFlag) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(f), "traffic", "", "what CPU cores send beside the launch: "+trafficForms)
	_ = cmd.RegisterFlagCompletionFunc("traffic", words(warpbound.TrafficStress, warpbound.TrafficRandom))
}

const trafficForms = "stress (line after line) or random (rows), with settings as in stress:cores=2,rate=4000,seed=7 (rate: bytes a core sends in 1000 cycles at most)"

// traffic is what the cores of a description send, nil where nothing is asked for.
func (f trafficFlag) traffic(d *gpu.Description) ([]soc.Traffic, error) {
	if f == "" {
		return nil, nil
	}
	out, err := soc.ParseTraffic(d, string(f))
	if err != nil {
		return nil, fmt.Errorf("--traffic %q: %w", string(f), err)
	}
	return out, nil
}
