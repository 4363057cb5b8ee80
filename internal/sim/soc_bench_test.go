package sim_test

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

// BenchmarkSoC runs a kernel that streams through memory on a tx1: without caches,
// with them, and beside the traffic of four cores.
func BenchmarkSoC(b *testing.B) {
	stress := []soc.Traffic{{CPU: "a57", SequentialPermille: 900, WritePermille: 500, Seed: 1}}
	for _, c := range []struct {
		name   string
		memory sim.Memory
	}{
		{"no-caches", sim.FixedTimes{}},
		{"caches", sim.Caches{}},
		{"silent-cores", sim.Caches{SoC: &soc.Config{}}},
		{"stress", sim.Caches{SoC: &soc.Config{Traffic: stress}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			cfg, k, timing := kernelRun(b, "saxpy", [3]int{16, 1, 1}, [3]int{256, 1, 1}, "tx1", "sm.count=2")
			cfg.BlocksPerSM, cfg.Checks, cfg.Memory = 8, false, c.memory
			b.ReportAllocs()
			var instructions, cycles, transfers int64
			for b.Loop() {
				r, err := sim.Run(context.Background(), cfg, k, timing)
				if err != nil {
					b.Fatal(err)
				}
				instructions += r.WarpInstructions
				cycles += r.Cycles
				if r.Memory != nil {
					transfers += r.Memory.DRAM.Reads + r.Memory.DRAM.Writes
				}
			}
			b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Mwarp-instr/s")
			b.ReportMetric(float64(cycles)/b.Elapsed().Seconds()/1e6, "Mcycles/s")
			b.ReportMetric(float64(transfers)/b.Elapsed().Seconds()/1e6, "Mtransfers/s")
		})
	}
}
