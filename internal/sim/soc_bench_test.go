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
		name string
		l1   string
		soc  *soc.Config
	}{
		{"no-caches", sim.L1None, nil},
		{"caches", sim.L1Dynamic, nil},
		{"silent-cores", sim.L1Dynamic, &soc.Config{}},
		{"stress", sim.L1Dynamic, &soc.Config{Traffic: stress}},
	} {
		b.Run(c.name, func(b *testing.B) {
			cfg, k, timing := kernelRun(b, "saxpy", [3]int{16, 1, 1}, [3]int{256, 1, 1}, "tx1", "sm.count=2")
			cfg.BlocksPerSM, cfg.Checks, cfg.Caches.L1Order, cfg.Caches.SoC = 8, false, c.l1, c.soc
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
