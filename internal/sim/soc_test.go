package sim

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

func TestBadTraffic(t *testing.T) {
	m := gpus.WithCores(t)
	k := newMemKernel(t, 1, 0, "l0 u")
	for _, test := range []struct {
		traffic []soc.Traffic
		want    string
	}{
		{[]soc.Traffic{{CPU: "huge"}}, `traffic of CPU "huge": GPU gtx480 has no such table [[cpu]]`},
		{[]soc.Traffic{{CPU: "big"}, {CPU: "big"}}, `traffic of CPU "big" twice`},
		{[]soc.Traffic{{CPU: "big", Cores: 5}}, `5 cores: expected 0 to 4`},
		{[]soc.Traffic{{CPU: "big", Cores: -1}}, `-1 cores`},
		{[]soc.Traffic{{CPU: "big", BytesPerKilocycle: -1}}, `-1 bytes a kilocycle`},
		{[]soc.Traffic{{CPU: "big", SequentialPermille: 1001}}, `1001 sequential requests of 1000`},
		{[]soc.Traffic{{CPU: "big", WritePermille: 1001}}, `1001 writes of 1000`},
		{[]soc.Traffic{{CPU: "big", OffCycles: 1}}, `cycles off without cycles on`},
		{[]soc.Traffic{{CPU: "big", OnCycles: -1}}, `-1 cycles on`},
		{[]soc.Traffic{{CPU: "big", BufferBytes: 1000}}, `1000 bytes of a buffer: expected 24576 to`},
		{[]soc.Traffic{{CPU: "big", Outstanding: 7}}, `7 outstanding requests: expected 0 to 6`},
	} {
		_, _, err := runMem(t, Config{Machine: m, Model: AbstractModel{}, Memory: Caches{SoC: &soc.Config{Traffic: test.traffic}}}, k)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.traffic, err, test.want)
		}
	}
	if _, _, err := runMem(t, Config{Machine: m, Model: AbstractModel{}, Memory: Caches{SoC: &soc.Config{Agents: []soc.Agent{nil}}}}, k); err == nil || !strings.Contains(err.Error(), "agent 0 is nil") {
		t.Errorf("nil agent: %v", err)
	}
}

// A GPU beside which nothing sends is as if it were alone, and skipping cycles
// changes nothing where cores send.
func TestSilentCores(t *testing.T) {
	programs := "l0/128 s4096/128 u a0 l64/4 u; l8192/32 u s0/4"
	for _, set := range [][]string{nil, {"dram.scheduling=fr-fcfs", "dram.queue_entries=8", "dram.row_hit_cap=4"}, {"l2.arbitration=round-robin"}} {
		m := gpus.WithCores(t, append(set, "sm.count=2")...)
		k := newMemKernel(t, 6, 640, programs)
		for _, model := range []string{Abstract, Pipeline} {
			cfg := Config{Machine: m, Model: ModelNamed(model), Memory: Caches{}, BlocksPerSM: 2}
			alone, log := mustRunMem(t, cfg, k)
			cfg.Memory = Caches{SoC: &soc.Config{}}
			silent, silentLog := mustRunMem(t, cfg, k)
			if !reflect.DeepEqual(alone, silent) || !reflect.DeepEqual(log.accesses, silentLog.accesses) {
				t.Errorf("%v, %s: %+v alone, %+v beside silent cores", set, model, alone.Memory, silent.Memory)
			}
			cfg.Memory = Caches{SoC: &soc.Config{Traffic: []soc.Traffic{{CPU: "big", SequentialPermille: 800, WritePermille: 300, OnCycles: 400, OffCycles: 100}, {CPU: "little", Cores: 1}}}}
			busy, busyLog := mustRunMem(t, cfg, k)
			if busy.Cycles < alone.Cycles || model == Abstract && busy.Cycles == alone.Cycles || busy.Memory.GPU.Bytes != alone.Memory.GPU.Bytes || len(busy.Memory.CPU) != 5 {
				t.Errorf("%v, %s: %d cycles alone and %d beside cores, %+v", set, model, alone.Cycles, busy.Cycles, busy.Memory)
			}
			if again, _ := mustRunMem(t, cfg, k); !reflect.DeepEqual(busy, again) {
				t.Errorf("%v, %s: two runs of the same differ", set, model)
			}
			StepIdle(&cfg)
			stepped, steppedLog := mustRunMem(t, cfg, k)
			for i := range busy.Memory.CPU {
				// Cores are simulated up to the last cycle looked at.
				a, b := &busy.Memory.CPU[i], &stepped.Memory.CPU[i]
				if d := b.Sent - a.Sent; d < 0 || d > 100 {
					t.Errorf("%s, core %d: %+v, stepping through idle cycles %+v", model, i, a, b)
				}
			}
			if busy.Cycles != stepped.Cycles || busy.Memory.GPU != stepped.Memory.GPU || !reflect.DeepEqual(busyLog.accesses, steppedLog.accesses) {
				t.Errorf("%v, %s: %d cycles, stepping through idle cycles %d", set, model, busy.Cycles, stepped.Cycles)
			}
		}
	}
}

// A kernel that loads from DRAM gets slower the more the cores send.
func TestInterferenceGrowsWithLoad(t *testing.T) {
	var warps []string
	for w := range 4 {
		var words []string
		for i := range 15 {
			words = append(words, fmt.Sprintf("l%d/128 u", 4096*(16*w+i)))
		}
		warps = append(warps, strings.Join(words, " "))
	}
	for _, set := range [][]string{nil, {"dram.scheduling=fr-fcfs", "dram.queue_entries=64", "dram.row_hit_cap=16"}} {
		m := gpus.WithCores(t, append(set, "l2.slices=2", "dram.channels=2", "dram.bytes_per_kilocycle=6400", "l1d.mshrs=256", "l2.response_cycles=1")...)
		m.Desc.CPUs[0].Outstanding = 32
		k := newMemKernel(t, 8, 1<<20, strings.Join(warps, ";"))
		last, first := int64(0), int64(0)
		for _, rate := range []int64{0, 200, 800, 1600, 3200, 12800} {
			beside := &soc.Config{}
			if rate > 0 {
				beside.Traffic = []soc.Traffic{{CPU: "big", BytesPerKilocycle: rate, SequentialPermille: 900, Seed: 3}}
			}
			r, _ := mustRunMem(t, Config{Machine: m, Model: AbstractModel{}, Memory: Caches{SoC: beside}, BlocksPerSM: 4}, k)
			if r.Cycles <= last {
				t.Errorf("%v: %d cycles with 4 x %d bytes a kilocycle, %d with less", set, r.Cycles, rate, last)
			}
			if last = r.Cycles; rate == 0 {
				first = last
			}
		}
		if 2*last < 3*first {
			t.Errorf("%v: %d cycles alone, %d beside all that the cores can send", set, first, last)
		}
		t.Logf("%v: %d cycles alone, %d beside all that the cores can send", set, first, last)
	}
}

// An uncached load goes to the L2 every time, and leaves the L1D as it is; only
// where there may be somebody to change what it loads.
func TestUncachedLoads(t *testing.T) {
	for _, model := range []string{Abstract, Pipeline} {
		k := newMemKernel(t, 1, 0, "l0 u v0 u v0 u l0 u")
		cfg := Config{Machine: gpus.WithCores(t), Model: ModelNamed(model), Memory: Caches{SoC: &soc.Config{}}}
		r, l := mustRunMem(t, cfg, k)
		var classes []AccessClass
		for _, e := range l.accesses {
			classes = append(classes, e.Class)
		}
		if u := &r.Memory.L1D; !slices.Equal(classes, []AccessClass{Miss, Passed, Passed, Hit}) || u.Uncached != 2 || u.Loads != 4 || u.Reads != 3 || r.Memory.L2.Reads < 3 {
			t.Errorf("%s: %v, %+v", model, classes, r.Memory)
		}
		if took, hit := l.issues[3]-l.issues[2], l.issues[7]-l.issues[6]; hit > 60 || took < cfg.Machine.Desc.L2.LatencyCycles {
			t.Errorf("%s: an uncached load takes %d cycles, a hit %d", model, took, hit)
		}
		cfg.Memory = Caches{}
		if r, _ := mustRunMem(t, cfg, k); r.Memory.L1D.Uncached != 0 || r.Memory.L1D.LoadHits != 3 {
			t.Errorf("%s, alone: %+v", model, r.Memory.L1D)
		}
	}
}

// A fence waits for the accesses of all warps of its block, not of others.
func TestFencesWait(t *testing.T) {
	for _, model := range []string{Abstract, Pipeline} {
		// Warp 0 stores and meets warp 1, which then fences.
		k := newMemKernel(t, 1, 0, "s0/128 | p; | f p")
		cfg := Config{Machine: gpus.WithCores(t), Model: ModelNamed(model), Memory: Caches{SoC: &soc.Config{}}}
		waits := func() int64 {
			r, l := mustRunMem(t, cfg, k)
			if cfg.Memory.(Caches).SoC != nil && r.Stalls[AtFence.String()] == 0 {
				t.Errorf("%s: %v", model, r.Stalls)
			}
			return l.issues[5] - l.issues[1]
		}
		least := cfg.Machine.Desc.L2.LatencyCycles + cfg.Machine.Desc.L2.RequestLatencyCycles
		if took := waits(); took < least {
			t.Errorf("%s: a fence waits %d cycles, at least %d for a store", model, took, least)
		}
		cfg.Memory = Caches{}
		if took := waits(); took >= least {
			t.Errorf("%s: alone a fence waits %d cycles", model, took)
		}
	}
}

// absentWarp is a kernel whose barriers wait for a warp that there is not.
type absentWarp struct{ *memKernel }

func (k absentWarp) NewBlock(i int64) (simt.Block, error) {
	b, err := k.memKernel.NewBlock(i)
	b.(*memBlock).live++
	return b, err
}

// Traffic does not hide that a kernel stands still.
func TestDeadlockBesideTraffic(t *testing.T) {
	k := absentWarp{newMemKernel(t, 1, 0, "l0 u | p; l0 u | p")}
	cfg := Config{Machine: gpus.WithCores(t), Model: AbstractModel{}, Memory: Caches{SoC: &soc.Config{Traffic: []soc.Traffic{{CPU: "big"}}}}, BlocksPerSM: 1, MaxCycles: 1_000_000}
	timing, err := cfg.Machine.Resolve(k.Program())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), cfg, k, timing); !errors.Is(err, simt.ErrDeadlock) {
		t.Errorf("%v, want a deadlock", err)
	}
}
