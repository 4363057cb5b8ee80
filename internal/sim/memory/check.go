package memory

import (
	"fmt"

	"github.com/warpbound/warpbound/gpu"
)

// Check verifies of the tables on the L2 and the DRAM what a description that no file made
// may not fulfil. The shape of the cache is checked where it is made.
func Check(d *gpu.Description) error {
	l2, m := d.L2, d.DRAM
	for _, x := range []struct {
		name         string
		value, least int64
	}{
		{"l2.slices", int64(l2.Slices), 1}, {"l2.line_bytes", int64(l2.LineBytes), int64(d.L1D.SectorBytes)}, {"l2.interleave_bytes", l2.InterleaveBytes, int64(l2.LineBytes)},
		{"l2.latency_cycles", l2.LatencyCycles, 1}, {"l2.access_cycles", l2.AccessCycles, 1}, {"l2.response_cycles", l2.ResponseCycles, 1},
		{"l2.request_latency_cycles", l2.RequestLatencyCycles, 1}, {"l2.response_latency_cycles", l2.ResponseLatencyCycles, 1},
		{"dram.channels", int64(m.Channels), 1}, {"dram.banks", int64(m.Banks), 1}, {"dram.row_bytes", m.RowBytes, 1},
		{"dram.latency_cycles", m.LatencyCycles, 1}, {"dram.row_miss_cycles", m.RowMissCycles, 0}, {"dram.bytes_per_kilocycle", m.BytesPerKilocycle, 1},
		{"l2.slices", int64(l2.Slices), int64(m.Channels)},
		{"dram.refresh_interval_cycles", m.RefreshIntervalCycles, min(m.RefreshCycles, 1) * (m.RefreshCycles + m.RowMissCycles + 1)},
		{"dram.refresh_cycles", m.RefreshCycles, 0},
	} {
		if x.value < x.least {
			return fmt.Errorf("%s is %d, expected at least %d", x.name, x.value, x.least)
		}
	}
	for _, x := range []struct {
		name  string
		value int64
	}{{"l2.interleave_bytes", l2.InterleaveBytes}, {"dram.row_bytes", m.RowBytes}} {
		if x.value&(x.value-1) != 0 {
			return fmt.Errorf("%s is %d, expected a power of two", x.name, x.value)
		}
	}
	if m.FRFCFS() && (m.QueueEntries < 1 || m.RowHitCap < 1 || l2.RoundRobin()) {
		return fmt.Errorf("DRAM with scheduling %q, a queue of %d, %d hits before others and L2 arbitration %q: expected at least 1 and no other arbitration", m.Scheduling, m.QueueEntries, m.RowHitCap, l2.Arbitration)
	}
	return nil
}
