package analysis

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// A DRAM that the theorems are not for, or that others share, has no bounds.
func TestOrderedRefusesSharedDRAM(t *testing.T) {
	l := open(t, "../../examples/"+examples.All()[4].Launch)
	for want, m := range map[string]*gpu.Machine{
		"serves open rows first": gpus.Preset(t, "gtx480", "dram.scheduling=fr-fcfs", "dram.queue_entries=16", "dram.row_hit_cap=4"),
		"refreshes for 200 of":   gpus.Preset(t, "gtx480", "dram.refresh_interval_cycles=4000", "dram.refresh_cycles=200"),
		"CPU cores (a57) that":   gpus.Preset(t, "gtx480"),
		"":                       gpus.Preset(t, "gtx480", "dram.scheduling=fifo"),
	} {
		if strings.HasPrefix(want, "CPU") {
			d := *m.Desc
			d.CPUs = []gpu.CPU{{Name: "a57", Cores: 4, LineBytes: 64, Outstanding: 6, RequestLatencyCycles: 20}}
			var err error
			if m, err = d.Machine(); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Run(context.Background(), cacheLaunch(l), m, method.Question{Reordered: true})
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			if r.Best == nil {
				t.Errorf("no bound: %+v", r.Scopes[0].Refused)
			}
			continue
		}
		if r.Best != nil || len(r.Scopes) != 2 {
			t.Fatalf("%s: best bound %+v of %d scopes", want, r.Best, len(r.Scopes))
		}
		for _, s := range r.Scopes {
			for _, no := range s.Refused {
				if no.Assumption != bound.MemoryResponse || !strings.Contains(no.Reason, want) {
					t.Errorf("%s: refused for %s: %s", want, no.Assumption, no.Reason)
				}
			}
			if len(s.Refused) != len(Names(method.InOrder)) {
				t.Errorf("%s: %d methods refused", want, len(s.Refused))
			}
		}
	}
}
