package report

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

func simulationText(t *testing.T, m *gpu.Machine, r *sim.Result, traffic string) string {
	t.Helper()
	d, err := Simulation("k.toml", m, r, traffic)
	if err != nil {
		t.Fatal(err)
	}
	return d.Document(m, r, nil, nil).Text()
}

// besideCores is a run with caches beside two CPU cores.
func besideCores(t *testing.T) (*gpu.Machine, *sim.Result) {
	t.Helper()
	desc, err := gpu.Open("tx1", nil)
	if err != nil {
		t.Fatal(err)
	}
	u := &sim.MemoryUse{}
	u.L1D.Uncached = 3
	u.DRAM = memory.DRAMUse{Reads: 30, Writes: 10, RowMisses: 8, Bytes: 2048, BusyMillicycles: 160_000, Refreshes: 2}
	u.GPU = memory.RequesterUse{Reads: 32, Bytes: 1024, RowMisses: 8, WaitCycles: 80, MostWaitCycles: 40}
	u.CPU = []soc.CoreUse{
		{CPU: "a57", RequesterUse: memory.RequesterUse{Reads: 4, Writes: 4, Bytes: 512, RowMisses: 2, WaitCycles: 20, MostWaitCycles: 9}, Sent: 10, InFlight: 2, LatencyCycles: 1001},
		{CPU: "a57", Core: 1, Sent: 1, InFlight: 1},
	}
	return &gpu.Machine{Desc: desc}, &sim.Result{Cycles: 2000, SMs: 2, Schedulers: 4, L1Order: sim.L1Dynamic, Memory: u}
}

func TestInterference(t *testing.T) {
	m, r := besideCores(t)
	cores := r.Memory.CPU
	r.Memory.CPU = nil
	d, err := Simulation("k.toml", m, r, "")
	if err != nil || d.Interference != nil {
		t.Fatalf("%v, without traffic: %+v", err, d.Interference)
	}
	text := simulationText(t, m, r, "")
	contains(t, text, "0 atomics and 3 uncached loads went past it\n")
	contains(t, text, "8 rows opened; refreshes begun: 2\n")
	if strings.Contains(text, "CPU") {
		t.Errorf("without traffic:\n%s", text)
	}

	r.Memory.CPU = cores
	if d, err = Simulation("k.toml", m, r, "stress"); err != nil {
		t.Fatal(err)
	}
	x := d.Interference
	if x == nil || x.Traffic != "stress" || len(x.Cores) != 2 {
		t.Fatalf("%+v", x)
	}
	if g := (RequesterUse{Reads: 32, Bytes: 1024, BytesPerKilocycle: 512, RowHits: 24, RowMisses: 8, WaitCycles: 80, MeanWaitCycles: 2.5, MostWaitCycles: 40}); x.GPU != g {
		t.Errorf("GPU: %+v, want %+v", x.GPU, g)
	}
	if c := &x.Cores[0]; c.BytesPerKilocycle != 256 || c.RowHits != 6 || c.MeanWaitCycles != 2.5 || c.MeanLatencyCycles != 125.125 {
		t.Errorf("core 0: %+v", c)
	}
	// Nothing that this core sent was answered.
	if c := x.Cores[1]; c != (CoreUse{CPU: "a57", Core: 1, Sent: 1, InFlight: 1}) {
		t.Errorf("core 1: %+v", c)
	}
	text = simulationText(t, m, r, "stress")
	contains(t, text, "CPU cores sent stress\n")
	contains(t, text, "GPU          1,024  50.00 %          512        24   75.00 %        2.5       40        -\n")
	contains(t, text, "a57 core 0     512  25.00 %          256         6   75.00 %        2.5        9    125.1\n")
	contains(t, text, "a57 core 1       0   0.00 %            0         0         -        0.0        0        -\n")
	contains(t, text, "3 requests of CPU cores had no answer")
}
