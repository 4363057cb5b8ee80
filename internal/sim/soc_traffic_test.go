package sim

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/simt"
	"pgregory.net/rapid"
)

// socMachine is gtx480 with cores beside it.
func socMachine(t failer, set ...string) *gpu.Machine {
	t.Helper()
	d := *memMachine(t, "gtx480", set...).Desc
	d.CPUs = []gpu.CPU{
		{Name: "big", Cores: 4, LineBytes: 64, Outstanding: 6, RequestLatencyCycles: 20, ResponseLatencyCycles: 10},
		{Name: "little", Cores: 2, LineBytes: 32, Outstanding: 2, RequestLatencyCycles: 30},
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// coresAlone is the memory of a machine with cores that send, and no SM.
func coresAlone(t failer, m *gpu.Machine, traffic ...Traffic) (*memorySystem, *transferLog) {
	t.Helper()
	c := Config{Machine: m, Caches: CacheConfig{L1Order: L1Dynamic, SoC: &SoC{Traffic: traffic}}}
	if err := c.checkSoC(); err != nil {
		t.Fatal(err)
	}
	mem, err := newMemorySystem(m.Desc, 1)
	if err != nil {
		t.Fatal(err)
	}
	mem.addCores(m.Desc, c.Caches.SoC)
	l := &transferLog{}
	mem.watchers = []DRAMObserver{l}
	return mem, l
}

// one channel of one bank that is fast enough for everything.
var fastChannel = []string{"l2.slices=1", "dram.channels=1", "dram.banks=1", "dram.bytes_per_kilocycle=1000000", "dram.row_miss_cycles=0", "dram.latency_cycles=1", "dram.row_bytes=2048"}

// A core that nothing holds up sends at its rate, to the request, and the sequence
// is a row after the other.
func TestTrafficRate(t *testing.T) {
	for _, rate := range []int64{1, 63, 999, 1000, 6400, 12345, 63999, 64000, 0} {
		m, l := coresAlone(t, socMachine(t, fastChannel...), Traffic{CPU: "big", Cores: 1, BytesPerKilocycle: rate, SequentialPermille: 1000, BufferBytes: 1 << 20})
		m.cores[0].outstanding = 1000
		const cycles = 1_000_000
		m.advance(cycles - 1)
		millis := int64(1000)
		if rate > 0 {
			millis = (64_000_000 + rate - 1) / rate
		}
		want := (1000*cycles-1)/millis + 1
		if got := m.cores[0].use.Sent; got != want {
			t.Errorf("%d bytes a kilocycle: %d requests, want %d", rate, got, want)
		}
		if n := int64(len(l.events)); m.use.DRAM.RowMisses != (n+31)/32 {
			t.Errorf("%d bytes a kilocycle: %d rows opened for %d lines in a row of addresses", rate, m.use.DRAM.RowMisses, n)
		}
	}
}

// The shares of open rows and of writes are what was asked for.
func TestTrafficShares(t *testing.T) {
	for _, sequential := range []int{0, 250, 500, 900, 1000} {
		m, _ := coresAlone(t, socMachine(t, fastChannel...), Traffic{CPU: "big", Cores: 1, SequentialPermille: sequential, WritePermille: sequential / 2, Seed: 7})
		m.cores[0].outstanding = 1000
		m.advance(400_000)
		u := &m.cores[0].use
		n := float64(u.Reads + u.Writes)
		// A sequential request opens a row where the last one ended the row before:
		// the rows end after 32 lines.
		p := float64(sequential) / 1000
		ends := 1.0
		for range 31 {
			ends *= p
		}
		sum := 0.0
		for i, q := 0, 1.0; i < 32; i, q = i+1, q*p {
			sum += q
		}
		opened := 1 / sum // a row is left after sum requests on average
		if got := float64(u.RowMisses) / n; got < opened-0.005 || got > opened+0.005 {
			t.Errorf("%d of 1000 sequential: %.4f of the requests open a row, want %.4f", sequential, got, opened)
		}
		if got := float64(u.Writes) / n; got < p/2-0.005 || got > p/2+0.005 {
			t.Errorf("%.4f writes, want %.4f", got, p/2)
		}
	}
	// The same seed is the same traffic; another one, and another core, are not.
	lines := func(seed uint64) (n [2][]uint64) {
		m, l := coresAlone(t, socMachine(t, fastChannel...), Traffic{CPU: "big", Cores: 2, SequentialPermille: 500, Seed: seed})
		m.advance(5_000)
		for _, e := range l.events {
			n[e.Core] = append(n[e.Core], e.Address-m.cores[e.Core].base)
		}
		return n
	}
	if a, b, c := lines(1), lines(1), lines(2); !reflect.DeepEqual(a, b) || slices.Equal(a[0], c[0]) || slices.Equal(a[0], a[1]) || len(a[0]) < 500 {
		t.Errorf("%d lines: %t the same with the same seed, %t with another one, %t of another core", len(a[0]), reflect.DeepEqual(a, b), slices.Equal(a[0], c[0]), slices.Equal(a[0], a[1]))
	}
}

// Whatever the traffic and the DRAM: a core has no more requests under way than it
// can, sends in its bursts and at its rate only, and everything is accounted for.
func TestTrafficProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := []string{"dram.channels=2", "l2.slices=2", fmt.Sprintf("dram.bytes_per_kilocycle=%d", rapid.Int64Range(3000, 60000).Draw(t, "bandwidth"))}
		switch rapid.IntRange(0, 2).Draw(t, "scheduling") {
		case 1:
			set = append(set, "dram.scheduling=fr-fcfs", "dram.queue_entries=16", "dram.row_hit_cap=4")
		case 2:
			set = append(set, "l2.arbitration=round-robin")
		}
		if rapid.Bool().Draw(t, "refreshes") {
			set = append(set, "dram.refresh_interval_cycles=900", "dram.refresh_cycles=100")
		}
		var traffic []Traffic
		for _, name := range []string{"big", "little"} {
			x := Traffic{
				CPU: name, Cores: rapid.IntRange(0, 2).Draw(t, "cores"), BytesPerKilocycle: rapid.Int64Range(0, 20000).Draw(t, "rate"),
				SequentialPermille: rapid.IntRange(0, 1000).Draw(t, "sequential"), WritePermille: rapid.IntRange(0, 1000).Draw(t, "writes"),
				Outstanding: rapid.IntRange(0, 2).Draw(t, "outstanding"), Seed: rapid.Uint64().Draw(t, "seed"), BufferBytes: 1 << 18,
			}
			if x.OffCycles = rapid.Int64Range(0, 500).Draw(t, "off"); x.OffCycles > 0 {
				x.OnCycles = rapid.Int64Range(1, 500).Draw(t, "on")
			}
			traffic = append(traffic, x)
		}
		m, l := coresAlone(t, socMachine(t, set...), traffic...)
		m.advance(20_000)
		if err := m.check(); err != nil {
			t.Fatal(err)
		}
		type span struct{ sent, answered int64 }
		spans := make([][]span, len(m.cores))
		for _, e := range l.events {
			c := &m.cores[e.Core]
			back := (e.EndMillicycle+999)/1000 + m.dram.LatencyCycles + c.cpu.ResponseLatencyCycles
			spans[e.Core] = append(spans[e.Core], span{e.ArriveCycle - c.cpu.RequestLatencyCycles, back})
		}
		for i := range m.cores {
			c := &m.cores[i]
			s := spans[i]
			slices.SortFunc(s, func(a, b span) int { return int(a.sent - b.sent) })
			for k := range s {
				if k > 0 && 1000*(s[k].sent-s[k-1].sent) <= c.lineMillis-1000 {
					t.Errorf("core %d sends at %d and %d, with %d thousandths between", i, s[k-1].sent, s[k].sent, c.lineMillis)
				}
				if c.period > 0 && (s[k].sent+c.shift)%c.period >= c.on {
					t.Errorf("core %d sends in cycle %d: %d on of %d, shift %d", i, s[k].sent, c.on, c.period, c.shift)
				}
				under := 0
				for _, o := range s {
					if o.sent <= s[k].sent && o.answered > s[k].sent {
						under++
					}
				}
				if under > c.outstanding {
					t.Errorf("core %d has %d requests under way in cycle %d, at most %d", i, under, s[k].sent, c.outstanding)
				}
			}
			if len(s) == 0 {
				t.Errorf("core %d sends nothing", i)
			}
		}
	})
}

// A core that is held sends nothing, what it has sent is answered, and it goes on
// when it is released.
func TestHeldCoresDrain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, l := coresAlone(t, socMachine(t), Traffic{CPU: "big", SequentialPermille: 700, OnCycles: 100, OffCycles: rapid.Int64Range(0, 50).Draw(t, "off")}, Traffic{CPU: "little"})
		cores := &Cores{m}
		now := int64(0)
		total, longest := int64(0), int64(0)
		for range rapid.IntRange(1, 6).Draw(t, "times") {
			now += rapid.Int64Range(1, 3000).Draw(t, "run")
			m.advance(now)
			cores.HoldAll(now)
			cores.HoldAll(now) // no more than once
			held := now
			for cores.InFlight() > 0 {
				if next := m.nextEvent(); next == never || next <= now {
					t.Fatalf("%d requests in flight, and the next event is in cycle %d", cores.InFlight(), next)
				}
				now = m.nextEvent()
				m.advance(now)
			}
			longest = max(longest, now-held)
			now += rapid.Int64Range(0, 2000).Draw(t, "hold")
			m.advance(now)
			before := len(l.events)
			for _, e := range l.events {
				if c := m.cores[e.Core].cpu; e.ArriveCycle-c.RequestLatencyCycles > held {
					t.Fatalf("core %d, held in cycle %d, sends in cycle %d", e.Core, held, e.ArriveCycle-c.RequestLatencyCycles)
				}
			}
			cores.ReleaseAll(now)
			total += now - held
			m.advance(now + 2000)
			now += 2000
			if len(l.events) == before {
				t.Fatal("nothing is sent after the release")
			}
			l.events = l.events[:0]
		}
		if err := m.check(); err != nil {
			t.Fatal(err)
		}
		for i := range m.cores {
			if u := &m.cores[i].use; u.HeldCycles != total {
				t.Errorf("core %d was held for %d cycles, want %d", i, u.HeldCycles, total)
			}
		}
		if longest > 3000 {
			t.Errorf("requests drain for %d cycles", longest)
		}
	})
}

func TestBadTraffic(t *testing.T) {
	m := socMachine(t)
	k := newMemKernel(t, 1, 0, "l0 u")
	for _, test := range []struct {
		traffic []Traffic
		want    string
	}{
		{[]Traffic{{CPU: "huge"}}, `traffic of CPU "huge": GPU gtx480 has no such table [[cpu]]`},
		{[]Traffic{{CPU: "big"}, {CPU: "big"}}, `traffic of CPU "big" twice`},
		{[]Traffic{{CPU: "big", Cores: 5}}, `5 cores: expected 0 to 4`},
		{[]Traffic{{CPU: "big", Cores: -1}}, `-1 cores`},
		{[]Traffic{{CPU: "big", BytesPerKilocycle: -1}}, `-1 bytes a kilocycle`},
		{[]Traffic{{CPU: "big", SequentialPermille: 1001}}, `1001 sequential requests of 1000`},
		{[]Traffic{{CPU: "big", WritePermille: 1001}}, `1001 writes of 1000`},
		{[]Traffic{{CPU: "big", OffCycles: 1}}, `cycles off without cycles on`},
		{[]Traffic{{CPU: "big", OnCycles: -1}}, `-1 cycles on`},
		{[]Traffic{{CPU: "big", BufferBytes: 1000}}, `1000 bytes of a buffer: expected 24576 to`},
		{[]Traffic{{CPU: "big", Outstanding: 7}}, `7 outstanding requests: expected 0 to 6`},
	} {
		_, _, err := runMem(t, Config{Machine: m, Model: Abstract, Caches: CacheConfig{L1Order: L1Dynamic, SoC: &SoC{Traffic: test.traffic}}}, k)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.traffic, err, test.want)
		}
	}
	if _, _, err := runMem(t, Config{Machine: m, Model: Abstract, Caches: CacheConfig{SoC: &SoC{}}}, k); err == nil || !strings.Contains(err.Error(), "without caches") {
		t.Errorf("no caches: %v", err)
	}
	if _, _, err := runMem(t, Config{Machine: m, Model: Abstract, Caches: CacheConfig{L1Order: L1Dynamic, SoC: &SoC{Agents: []Agent{nil}}}}, k); err == nil || !strings.Contains(err.Error(), "agent 0 is nil") {
		t.Errorf("nil agent: %v", err)
	}
}

// A GPU beside which nothing sends is as if it were alone, and skipping cycles
// changes nothing where cores send.
func TestSilentCores(t *testing.T) {
	programs := "l0/128 s4096/128 u a0 l64/4 u; l8192/32 u s0/4"
	for _, set := range [][]string{nil, {"dram.scheduling=fr-fcfs", "dram.queue_entries=8", "dram.row_hit_cap=4"}, {"l2.arbitration=round-robin"}} {
		m := socMachine(t, append(set, "sm.count=2")...)
		k := newMemKernel(t, 6, 640, programs)
		for _, model := range []string{Abstract, Pipeline} {
			cfg := Config{Machine: m, Model: model, Caches: CacheConfig{L1Order: L1Dynamic}, BlocksPerSM: 2}
			alone, log := mustRunMem(t, cfg, k)
			cfg.Caches.SoC = &SoC{}
			silent, silentLog := mustRunMem(t, cfg, k)
			if !reflect.DeepEqual(alone, silent) || !reflect.DeepEqual(log.accesses, silentLog.accesses) {
				t.Errorf("%v, %s: %+v alone, %+v beside silent cores", set, model, alone.Memory, silent.Memory)
			}
			cfg.Caches.SoC.Traffic = []Traffic{{CPU: "big", SequentialPermille: 800, WritePermille: 300, OnCycles: 400, OffCycles: 100}, {CPU: "little", Cores: 1}}
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
		m := socMachine(t, append(set, "l2.slices=2", "dram.channels=2", "dram.bytes_per_kilocycle=6400", "l1d.mshrs=256", "l2.response_cycles=1")...)
		m.Desc.CPUs[0].Outstanding = 32
		k := newMemKernel(t, 8, 1<<20, strings.Join(warps, ";"))
		last, first := int64(0), int64(0)
		for _, rate := range []int64{0, 200, 800, 1600, 3200, 12800} {
			soc := &SoC{}
			if rate > 0 {
				soc.Traffic = []Traffic{{CPU: "big", BytesPerKilocycle: rate, SequentialPermille: 900, Seed: 3}}
			}
			r, _ := mustRunMem(t, Config{Machine: m, Model: Abstract, Caches: CacheConfig{L1Order: L1Dynamic, SoC: soc}, BlocksPerSM: 4}, k)
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
		cfg := Config{Machine: socMachine(t), Model: model, Caches: CacheConfig{L1Order: L1Dynamic, SoC: &SoC{}}}
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
		cfg.Caches.SoC = nil
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
		cfg := Config{Machine: socMachine(t), Model: model, Caches: CacheConfig{L1Order: L1Dynamic, SoC: &SoC{}}}
		waits := func() int64 {
			r, l := mustRunMem(t, cfg, k)
			if cfg.Caches.SoC != nil && r.Stalls[AtFence.String()] == 0 {
				t.Errorf("%s: %v", model, r.Stalls)
			}
			return l.issues[5] - l.issues[1]
		}
		least := cfg.Machine.Desc.L2.LatencyCycles + cfg.Machine.Desc.L2.RequestLatencyCycles
		if took := waits(); took < least {
			t.Errorf("%s: a fence waits %d cycles, at least %d for a store", model, took, least)
		}
		cfg.Caches.SoC = nil
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
	cfg := Config{Machine: socMachine(t), Model: Abstract, Caches: CacheConfig{L1Order: L1Dynamic, SoC: &SoC{Traffic: []Traffic{{CPU: "big"}}}}, BlocksPerSM: 1, MaxCycles: 1_000_000}
	timing, err := cfg.Machine.Resolve(k.Program())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), cfg, k, timing); !errors.Is(err, simt.ErrDeadlock) {
		t.Errorf("%v, want a deadlock", err)
	}
}

// BenchmarkTraffic is the cores and the DRAM alone: four cores, as much as they
// can send.
func BenchmarkTraffic(b *testing.B) {
	for name, set := range map[string][]string{"fifo": nil, "fr-fcfs": {"dram.scheduling=fr-fcfs", "dram.queue_entries=16", "dram.row_hit_cap=4"}} {
		b.Run(name, func(b *testing.B) {
			m := socMachine(b, append(set, "l2.slices=2", "dram.channels=2", "dram.bytes_per_kilocycle=12820")...)
			m.Desc.CPUs[0].Outstanding = 24
			mem, _ := coresAlone(b, m, Traffic{CPU: "big", SequentialPermille: 900})
			mem.watchers = nil
			now := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				now += 1000
				mem.advance(now)
			}
			b.ReportMetric(float64(mem.use.DRAM.Reads)/b.Elapsed().Seconds()/1e6, "Mtransfers/s")
		})
	}
}
