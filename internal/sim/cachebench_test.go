package sim_test

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
)

// BenchmarkCaches runs kernels without caches, with them, and with the
// reordering unit, whose order executes the kernel once more.
func BenchmarkCaches(b *testing.B) {
	for _, c := range []struct{ kernel, gpu, model string }{
		{"sgemm", "gtx480", sim.Abstract},
		{"matmul", "gtx480", sim.Abstract},
		{"saxpy", "gtx480", sim.Abstract},
		{"sgemm", "rtx3070", sim.Abstract},
		{"matmul", "rtx3070", sim.Abstract},
		{"sgemm", "gtx480", sim.Pipeline},
		{"matmul", "gtx480", sim.Pipeline},
		{"matmul", "rtx3070", sim.Pipeline},
		{"saxpy", "rtx3070", sim.Pipeline},
	} {
		for _, l1 := range []string{sim.L1None, sim.L1Dynamic, sim.L1Reorder} {
			b.Run(c.model+"/"+c.gpu+"/"+c.kernel+"/"+l1, func(b *testing.B) {
				grid, block := [3]int{4, 4, 1}, [3]int{16, 16, 1}
				if c.kernel == "saxpy" {
					grid, block = [3]int{16, 1, 1}, [3]int{256, 1, 1}
				}
				cfg, k, timing := kernelRun(b, c.kernel, grid, block, c.gpu, "sm.count=2")
				cfg.Model, cfg.BlocksPerSM, cfg.Checks = sim.ModelNamed(c.model), 6, false
				analysis, newKernel := analysisOf(b, c.kernel, grid, block)
				b.ReportAllocs()
				var instructions, cycles int64
				for b.Loop() {
					var err error
					cfg.Memory, err = sim.NamedMemory(l1, func() (sim.AccessOrder, error) {
						return analysis.NewOrder(newKernel(), l1d.Options{SegmentBytes: cfg.Machine.Desc.L1D.SectorBytes})
					}, nil)
					if err != nil {
						b.Fatal(err)
					}
					r, err := sim.Run(context.Background(), cfg, k, timing)
					if err != nil {
						b.Fatal(err)
					}
					instructions += r.WarpInstructions
					cycles += r.Cycles
				}
				b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Mwarp-instr/s")
				b.ReportMetric(float64(cycles)/b.Elapsed().Seconds()/1e6, "Mcycles/s")
			})
		}
	}
}

// analysisOf analyses a kernel of the reference, with all its buffers known.
func analysisOf(b *testing.B, kernel string, grid, block [3]int) (*l1d.Analysis, func() simt.Kernel) {
	b.Helper()
	l := launchOf(kernel)
	p := program(b, "all.ptx", l.entry)
	newKernel := func(taint bool) *ptxexec.Kernel {
		k, err := ptxexec.NewKernel(p, ptxexec.LaunchConfig{Grid: grid, Block: block, Args: l.args(), Options: ptxexec.Options{Taint: taint}})
		if err != nil {
			b.Fatal(err)
		}
		return k
	}
	a, err := l1d.Analyse(context.Background(), newKernel(true), l1d.AnalyseOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return a, func() simt.Kernel { return newKernel(false) }
}
