package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/instr"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// benchmark simulates a launch again and again and reports warp instructions
// and cycles a second.
func benchmark(b *testing.B, cfg sim.Config, k simt.Kernel, timing []gpu.Timing) {
	b.Helper()
	b.ReportAllocs()
	var instructions, cycles int64
	for b.Loop() {
		r, err := sim.Run(context.Background(), cfg, k, timing)
		if err != nil {
			b.Fatal(err)
		}
		instructions += r.WarpInstructions
		cycles += r.Cycles
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Mwarp-instr/s")
	b.ReportMetric(float64(cycles)/b.Elapsed().Seconds()/1e6, "Mcycles/s")
}

// BenchmarkStream runs instruction strings: no functional execution to speak of.
func BenchmarkStream(b *testing.B) {
	body := strings.Repeat(" F0/2/2 F1/1/3 F2/1/40 F1/1/3(0,1) F0/1/0", 200)
	for _, c := range []struct {
		name, warps, policy string
		queue               gpu.QueueKind
	}{
		{"lrr", "32x", "lrr", gpu.Unbounded},
		{"gto", "32x", "gto", gpu.Unbounded},
		{"slots", "32x", "lrr", gpu.Slots},
		{"alone", "1x", "lrr", gpu.Unbounded},
	} {
		b.Run(c.name, func(b *testing.B) {
			k, err := instr.NewKernel(instr.MustParse(c.warps+body), 8)
			if err != nil {
				b.Fatal(err)
			}
			m := k.Machine()
			m.Queue, m.Slots = c.queue, 2
			p, err := policy.Parse(c.policy)
			if err != nil {
				b.Fatal(err)
			}
			benchmark(b, sim.Config{Machine: m, Model: sim.OwnModel{Policy: p}, BlocksPerSM: 2}, k, k.Timing())
		})
	}
}

// BenchmarkFrontend runs PTX kernels behind the front end of Crouzet2024,
// functional execution and oracles included, beside the abstract machine alone.
func BenchmarkFrontend(b *testing.B) {
	for _, c := range []struct{ kernel, variant, fetch, issue string }{
		{"sgemm", "", "", ""},
		{"sgemm", gpu.Baseline, "lrr", "gtlrr"},
		{"sgemm", gpu.SWaS, "", "gtlrr"},
		{"sgemm", gpu.SWaS, "", "lrr"},
		{"reduce", gpu.Baseline, "lrr", "gtlo"},
		{"reduce", gpu.SWaS, "", "gtlo"},
	} {
		name, model := c.kernel+"/"+c.variant+"/"+c.fetch+"-"+c.issue, sim.Model(sim.FrontModel{Variant: c.variant, FetchPolicy: c.fetch, IssuePolicy: c.issue})
		if c.variant == "" {
			name, model = c.kernel+"/abstract", sim.AbstractModel{}
		}
		b.Run(name, func(b *testing.B) {
			grid, block := [3]int{4, 4, 1}, [3]int{16, 16, 1}
			if c.kernel == "reduce" {
				grid, block = [3]int{8, 1, 1}, [3]int{256, 1, 1}
			}
			cfg, k, timing := kernelRun(b, c.kernel, grid, block, "vortex-32x32")
			cfg.Model, cfg.BlocksPerSM, cfg.Checks = model, 4, false
			benchmark(b, cfg, k, timing)
		})
	}
}

// BenchmarkSleepers has one warp working beside others that sleep: the time per
// instruction must not depend on how many sleep.
func BenchmarkSleepers(b *testing.B) {
	for _, sleepers := range []string{"1x", "63x", "1023x"} {
		b.Run(sleepers, func(b *testing.B) {
			k, err := instr.NewKernel(instr.MustParse(sleepers+" F1/1/2000000 F0/1/0(0) ; F0/1/1"+strings.Repeat(" F0/1/1 F0/1/1", 20000)), 1)
			if err != nil {
				b.Fatal(err)
			}
			benchmark(b, sim.Config{Machine: k.Machine(), BlocksPerSM: 1}, k, k.Timing())
		})
	}
}

// BenchmarkKernel runs PTX kernels, functional execution included.
func BenchmarkKernel(b *testing.B) {
	for _, c := range []struct{ kernel, gpu, model string }{
		{"sgemm", "ecrts2025-200", sim.Abstract},
		{"matmul", "ecrts2025-200", sim.Abstract},
		{"reduce", "ecrts2025-200", sim.Abstract},
		{"sgemm", "rtx3070", sim.Abstract},
		{"sgemm", "rtx3070", sim.Pipeline},
		{"matmul", "rtx3070", sim.Pipeline},
		{"reduce", "rtx3070", sim.Pipeline},
		{"sgemm", "gtx480", sim.Pipeline},
	} {
		b.Run(c.model+"/"+c.gpu+"/"+c.kernel, func(b *testing.B) {
			grid, block := [3]int{4, 4, 1}, [3]int{16, 16, 1}
			if c.kernel == "reduce" {
				grid, block = [3]int{8, 1, 1}, [3]int{256, 1, 1}
			}
			cfg, k, timing := kernelRun(b, c.kernel, grid, block, c.gpu)
			cfg.Model, cfg.BlocksPerSM, cfg.Checks = sim.ModelNamed(c.model), 6, false
			benchmark(b, cfg, k, timing)
		})
	}
}
