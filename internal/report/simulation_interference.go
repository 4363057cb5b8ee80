package report

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/memory"
)

// Interference is what the GPU and CPU cores had of the DRAM that they share.
type Interference struct {
	Traffic string       `json:"traffic"` // as asked for
	GPU     RequesterUse `json:"gpu"`
	Cores   []CoreUse    `json:"cores"`
}

// RequesterUse is what one requester had of the DRAM.
type RequesterUse struct {
	Reads             int64   `json:"reads"`
	Writes            int64   `json:"writes"`
	Bytes             int64   `json:"bytes"`
	BytesPerKilocycle float64 `json:"bytes_per_kilocycle"` // over the run
	RowHits           int64   `json:"row_hits"`
	RowMisses         int64   `json:"row_misses"`
	// What its requests waited at the channels before their transfer began.
	WaitCycles     int64   `json:"wait_cycles"`
	MeanWaitCycles float64 `json:"mean_wait_cycles"`
	MostWaitCycles int64   `json:"most_wait_cycles"`
}

// CoreUse is what one CPU core did.
type CoreUse struct {
	CPU  string `json:"cpu"`
	Core int    `json:"core"`
	RequesterUse
	Sent     int64 `json:"sent"`
	InFlight int64 `json:"in_flight"` // not answered when the launch ended
	// MeanLatencyCycles is what an answered request took, from the core to the core.
	MeanLatencyCycles float64 `json:"mean_latency_cycles"`
}

// newInterference is nil without traffic.
func newInterference(r *sim.Result, traffic string) *Interference {
	if r.Memory == nil || len(r.Memory.CPU) == 0 {
		return nil
	}
	x := &Interference{Traffic: traffic, GPU: requesterUse(r, &r.Memory.GPU)}
	for i := range r.Memory.CPU {
		c := &r.Memory.CPU[i]
		x.Cores = append(x.Cores, CoreUse{
			CPU: c.CPU, Core: c.Core, RequesterUse: requesterUse(r, &c.RequesterUse), Sent: c.Sent, InFlight: c.InFlight,
			MeanLatencyCycles: mean(c.LatencyCycles, c.Sent-c.InFlight),
		})
	}
	return x
}

func requesterUse(r *sim.Result, u *memory.RequesterUse) RequesterUse {
	return RequesterUse{
		Reads: u.Reads, Writes: u.Writes, Bytes: u.Bytes, BytesPerKilocycle: 1000 * mean(u.Bytes, r.Cycles), RowHits: u.RowHits(), RowMisses: u.RowMisses,
		WaitCycles: u.WaitCycles, MeanWaitCycles: mean(u.WaitCycles, u.Reads+u.Writes), MostWaitCycles: u.MostWaitCycles,
	}
}

// mean is 0 of nothing.
func mean(sum, n int64) float64 { return float64(sum) / float64(max(n, 1)) }

// interferenceText writes who had what of the DRAM.
func interferenceText(r *sim.Result, traffic string) string {
	x := newInterference(r, traffic)
	if x == nil {
		return ""
	}
	t := Table{Header: []string{"at the DRAM", "bytes", "share", "a kilocycle", "row hits", "hit rate", "mean wait", "longest", "latency"}}
	add := func(name string, u *RequesterUse, latency string) {
		hits := "-"
		if n := u.Reads + u.Writes; n > 0 {
			hits = Percent(mean(u.RowHits, n))
		}
		t.Add(name, Count(u.Bytes), Percent(mean(u.Bytes, r.Memory.DRAM.Bytes)), Count(int64(u.BytesPerKilocycle)), Count(u.RowHits), hits,
			fmt.Sprintf("%.1f", u.MeanWaitCycles), Count(u.MostWaitCycles), latency)
	}
	add("GPU", &x.GPU, "-")
	var open int64
	for i := range x.Cores {
		c := &x.Cores[i]
		latency := "-"
		if c.Sent > c.InFlight {
			latency = fmt.Sprintf("%.1f", c.MeanLatencyCycles)
		}
		add(fmt.Sprintf("%s core %d", c.CPU, c.Core), &c.RequesterUse, latency)
		open += c.InFlight
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nCPU cores sent %s\n\n%s", x.Traffic, t.Render(Text))
	fmt.Fprintf(&b, "waits are cycles at the channels before the transfer, latencies those from a core to the core; %s of CPU cores had no answer when the launch ended\n", plural(open, "request"))
	return b.String()
}
