package soc

import "testing"

// BenchmarkGuard is a launch under the protocol with the times of a TX1
// (Forsberg2021, section 4.2.1: a synchronisation takes 5.8 us of the 10.7 us within
// which the timer responds), beside cores that send all they can.
func BenchmarkGuard(b *testing.B) {
	for name, traffic := range map[string]bool{"silent": false, "stress": true} {
		b.Run(name, func(b *testing.B) {
			var cycles, phases, transfers int64
			for b.Loop() {
				l := &launch{intervals: 20, work: 100, guard: Config{Budgets: budgets(4000, 4000, 8000, 1000), ResponseCycles: 4892, SyncCycles: 5791}}
				if traffic {
					l.traffic = stress()
				}
				r, g, err := l.run(b)
				if err != nil {
					b.Fatal(err)
				}
				cycles += r.Cycles
				phases += int64(len(g.Phases()))
				transfers += r.Memory.DRAM.Reads + r.Memory.DRAM.Writes
			}
			b.ReportMetric(float64(cycles)/b.Elapsed().Seconds()/1e6, "Mcycles/s")
			b.ReportMetric(float64(transfers)/b.Elapsed().Seconds()/1e6, "Mtransfers/s")
			b.ReportMetric(float64(phases)/b.Elapsed().Seconds(), "phases/s")
		})
	}
}
