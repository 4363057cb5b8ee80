package report

import (
	"fmt"

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

// requester is a row of who had what of the DRAM.
type requester struct {
	name string
	RequesterUse
	latency any // mean, nil where nothing was answered
}

// sections say who had what of the DRAM; there are none without traffic.
func (x *Interference) sections(r *sim.Result) []Section {
	if x == nil {
		return nil
	}
	rows := []requester{{"GPU", x.GPU, nil}}
	var open int64
	for i := range x.Cores {
		c := &x.Cores[i]
		row := requester{fmt.Sprintf("%s core %d", c.CPU, c.Core), c.RequesterUse, nil}
		if c.Sent > c.InFlight {
			row.latency = c.MeanLatencyCycles
		}
		rows = append(rows, row)
		open += c.InFlight
	}
	return []Section{
		{ID: "traffic", Lead: fmt.Sprintf("CPU cores sent %s\n", x.Traffic)},
		{
			ID: "interference", Sheet: interferenceSheet(rows, r.Memory.DRAM.Bytes),
			Notes: fmt.Sprintf("waits are cycles at the channels before the transfer, latencies those from a core to the core; %s of CPU cores had no answer when the launch ended\n", plural(open, "request")),
		},
	}
}

func interferenceSheet(rows []requester, bytes int64) *Sheet {
	return NewSheet("", rows, []Of[requester]{
		{Column{ID: "requester", Heading: "at the DRAM"}, func(q *requester) any { return q.name }},
		{Column{ID: "bytes", Heading: "bytes", Unit: "bytes", Type: Amount}, func(q *requester) any { return q.Bytes }},
		{Column{ID: "share", Heading: "share", Unit: "ratio", Type: Share, Bar: true}, func(q *requester) any { return mean(q.Bytes, bytes) }},
		{Column{ID: "bytes_per_kilocycle", Heading: "a kilocycle", Unit: "bytes in 1000 cycles", Type: Amount}, func(q *requester) any { return int64(q.BytesPerKilocycle) }},
		{Column{ID: "row_hits", Heading: "row hits", Unit: "requests", Type: Amount}, func(q *requester) any { return q.RowHits }},
		{Column{ID: "hit_rate", Heading: "hit rate", Unit: "ratio", Type: Share}, func(q *requester) any { return shareOf(q.RowHits, q.Reads+q.Writes) }},
		{Column{ID: "mean_wait_cycles", Heading: "mean wait", Unit: "cycles", Type: Number, Digits: 1}, func(q *requester) any { return q.MeanWaitCycles }},
		{Column{ID: "most_wait_cycles", Heading: "longest", Unit: "cycles", Type: Amount}, func(q *requester) any { return q.MostWaitCycles }},
		{Column{ID: "mean_latency_cycles", Heading: "latency", Unit: "cycles", Type: Number, Digits: 1}, func(q *requester) any { return q.latency }},
	})
}
