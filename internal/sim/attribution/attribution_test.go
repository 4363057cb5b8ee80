package attribution_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/attribution"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/isa"
)

// run simulates a launch and says which instruction its cycles belong to.
func run(t *testing.T, file string, m *gpu.Machine, model sim.Model, order string) (*isa.Program, *sim.Result, []attribution.Cost) {
	t.Helper()
	l, err := load.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.On(m.Desc); err != nil {
		t.Fatal(err)
	}
	k, err := l.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	f, err := method.Prepare(k, m, method.Question{})
	if err != nil {
		return nil, nil, nil // does not fit
	}
	r := attribution.NewRecorder(k.Program())
	memory, err := sim.NamedMemory(order, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := sim.Run(t.Context(), sim.Config{Machine: m, Model: model, BlocksPerSM: int(f.Occupancy.Blocks), Memory: memory, Observers: []sim.Observer{r}, MaxCycles: 1 << 22}, k, f.Timing)
	if err != nil {
		t.Logf("%s: %v", file, err)
		return nil, nil, nil
	}
	return k.Program(), res, r.Costs()
}

// Cycles of all examples add up to those of all schedulers, those that issue to those that
// issued, and the others by reason to the stalls of the simulation.
func TestCyclesAddUp(t *testing.T) {
	runs, kinds := 0, map[attribution.Kind]int64{}
	reasons := map[string]int64{}
	for i, e := range examples.All() {
		m := gpus.Preset(t, []string{"ecrts2025-200", "rtx3070", "gtx480", "tx1", "vortex-32x32"}[i%5])
		order := sim.L1None
		if m.Desc.HasCaches() && i%2 == 0 {
			order = sim.L1Dynamic
		}
		var model sim.Model = sim.AbstractModel{Policy: policy.Policy{Name: []string{"lrr", "gto"}[i/5%2]}}
		switch {
		case m.Desc.FrontEnd != nil && i%2 == 0:
			model = sim.FrontModel{}
		case i%7 == 3 && m.Desc.Pipeline != nil:
			var err error
			if model, err = sim.NamedModel(sim.Pipeline, policy.Policy{Name: "gto"}); err != nil {
				t.Fatal(err)
			}
		}
		_, res, costs := run(t, filepath.Join("../../../examples", e.Launch), m, model, order)
		if res == nil {
			continue
		}
		runs++
		sum, issued, stalls := int64(0), int64(0), map[string]int64{}
		for _, c := range costs {
			sum += c.Cycles
			kinds[c.Kind] += c.Cycles
			if c.Kind == attribution.Issued || c.Reason == attribution.NOP {
				issued += c.Cycles
			} else {
				stalls[c.Reason] += c.Cycles
				reasons[c.Reason] += c.Cycles
			}
			if (c.PC < 0) != (c.Kind == attribution.Nobody) || c.Cycles <= 0 {
				t.Errorf("%s: %+v", e.Launch, c)
			}
		}
		if want := res.Cycles * int64(res.SMs*res.Schedulers); sum != want {
			t.Errorf("%s on %s: %d cycles, expected %d x %d x %d = %d", e.Launch, m.Desc.Name, sum, res.Cycles, res.SMs, res.Schedulers, want)
		}
		if issued != res.IssueCycles {
			t.Errorf("%s on %s: %d cycles issue, expected %d", e.Launch, m.Desc.Name, issued, res.IssueCycles)
		}
		if !maps.Equal(stalls, res.Stalls) {
			t.Errorf("%s on %s: stalls %v, expected %v", e.Launch, m.Desc.Name, stalls, res.Stalls)
		}
	}
	t.Logf("%d runs, cycles by kind %v, by reason %v", runs, kinds, reasons)
	if runs < 100 || len(kinds) != 4 || len(reasons) < 8 {
		t.Errorf("%d runs, kinds %v, reasons %v", runs, kinds, reasons)
	}
}

// One warp, whose every cycle is known: a load of which an addition waits, a barrier, and a
// store that is the last to complete.
func TestCyclesOfOneWarp(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("k.ptx", `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
	.reg .b32 %r<4>; .reg .b64 %d<2>;
	ld.param.u64 %d0, [p];
	ld.global.u32 %r1, [%d0];
	add.u32 %r2, %r1, 1;
	bar.sync 0;
	st.global.u32 [%d0], %r2;
	ret;
}
`)
	file := write("k.toml", `kernel = "k.ptx"
entry = "k"
grid = [1, 1, 1]
block = [32, 1, 1]
[[args]]
name = "p"
type = "u32"
count = 32
`)
	m := gpus.Preset(t, "ecrts2025-200")
	p, res, costs := run(t, file, m, sim.AbstractModel{Policy: policy.Policy{Name: "lrr"}}, sim.L1None)
	if res == nil {
		t.Fatal("no run")
	}
	timing, err := m.Resolve(p)
	if err != nil {
		t.Fatal(err)
	}
	// Behind a result that is waited for, the next instruction issues when it is there.
	wait := func(pc int) int64 { return timing[pc].InitiationCycles + timing[pc].LatencyCycles - 1 }
	got := map[attribution.Cost]int64{}
	for _, c := range costs {
		n := c.Cycles
		c.Cycles, c.Reason = 0, ""
		got[c] += n
	}
	want := map[attribution.Cost]int64{
		{PC: 0, Kind: attribution.Awaited}: wait(0),
		{PC: 1, Kind: attribution.Awaited}: wait(1),
	}
	for pc := range int32(6) {
		want[attribution.Cost{PC: pc, Kind: attribution.Issued}] = 1
	}
	// The addition goes on while the barrier issues; then the store waits for it.
	want[attribution.Cost{PC: 2, Kind: attribution.Awaited}] = wait(2) - 1
	// The store issues, ret issues behind it, and the store completes last.
	want[attribution.Cost{PC: 4, Kind: attribution.Awaited}] = wait(4) - 1
	for c, n := range want {
		if got[c] != n {
			t.Errorf("%+v: %d cycles, expected %d", c, got[c], n)
		}
		delete(got, c)
	}
	for c, n := range got {
		t.Errorf("%+v: %d cycles, expected none", c, n)
	}
}
