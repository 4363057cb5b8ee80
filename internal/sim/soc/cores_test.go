package soc

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/clock"
	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"pgregory.net/rapid"
)

// transferLog collects transfers.
type transferLog struct{ events []memory.Transfer }

func (l *transferLog) DRAM(e memory.Transfer) { l.events = append(l.events, e) }

// alone is a memory with cores that send, and no SM.
type alone struct {
	*memory.System
	*SoC
	cores []cpuCore
}

func (a alone) check() error { return errors.Join(a.System.Check(), a.SoC.Check()) }

// transferCount counts transfers.
type transferCount int64

func (n *transferCount) DRAM(memory.Transfer) { *n++ }

func coresAlone(t gpus.T, m *gpu.Machine, traffic ...Traffic) (alone, *transferLog) {
	t.Helper()
	a, l := unwatched(t, m, traffic...), &transferLog{}
	a.System.Watch(l)
	return a, l
}

func unwatched(t gpus.T, m *gpu.Machine, traffic ...Traffic) alone {
	t.Helper()
	c := Config{Traffic: traffic}
	if err := c.Check(m.Desc); err != nil {
		t.Fatal(err)
	}
	mem, err := memory.New(m.Desc, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(mem, m.Desc, &c)
	if err != nil {
		t.Fatal(err)
	}
	return alone{mem, s, s.cores.core}
}

// one channel of one bank that is fast enough for everything.
var fastChannel = []string{"l2.slices=1", "dram.channels=1", "dram.banks=1", "dram.bytes_per_kilocycle=1000000", "dram.row_miss_cycles=0", "dram.latency_cycles=1", "dram.row_bytes=2048"}

// A core that nothing holds up sends at its rate, to the request, and the sequence
// is a row after the other.
func TestTrafficRate(t *testing.T) {
	for _, rate := range []int64{1, 63, 999, 1000, 6400, 12345, 63999, 64000, 0} {
		m := unwatched(t, gpus.WithCores(t, fastChannel...), Traffic{CPU: "big", Cores: 1, BytesPerKilocycle: rate, SequentialPermille: 1000, BufferBytes: 1 << 20})
		var count transferCount // a million is too many to keep
		m.System.Watch(&count)
		m.cores[0].outstanding = 1000
		const cycles = 1_000_000
		m.Advance(cycles - 1)
		millis := int64(1000)
		if rate > 0 {
			millis = (64_000_000 + rate - 1) / rate
		}
		want := (1000*cycles-1)/millis + 1
		if got := m.cores[0].use.Sent; got != want {
			t.Errorf("%d bytes a kilocycle: %d requests, want %d", rate, got, want)
		}
		if n := int64(count); m.System.Use(0).DRAM.RowMisses != (n+31)/32 {
			t.Errorf("%d bytes a kilocycle: %d rows opened for %d lines in a row of addresses", rate, m.System.Use(0).DRAM.RowMisses, n)
		}
	}
}

// The shares of open rows and of writes are what was asked for.
func TestTrafficShares(t *testing.T) {
	for _, sequential := range []int{0, 250, 500, 900, 1000} {
		m := unwatched(t, gpus.WithCores(t, fastChannel...), Traffic{CPU: "big", Cores: 1, SequentialPermille: sequential, WritePermille: sequential / 2, Seed: 7})
		m.cores[0].outstanding = 1000
		m.Advance(400_000)
		u := &m.SoC.Use(400_000)[0]
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
		m, l := coresAlone(t, gpus.WithCores(t, fastChannel...), Traffic{CPU: "big", Cores: 2, SequentialPermille: 500, Seed: seed})
		m.Advance(5_000)
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
		d := gpus.WithCores(t, set...)
		m, l := coresAlone(t, d, traffic...)
		m.Advance(20_000)
		if err := m.check(); err != nil {
			t.Fatal(err)
		}
		type span struct{ sent, answered int64 }
		spans := make([][]span, len(m.cores))
		for _, e := range l.events {
			c := &m.cores[e.Core]
			back := (e.EndMillicycle+999)/1000 + d.Desc.DRAM.LatencyCycles + c.cpu.ResponseLatencyCycles
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
		m, l := coresAlone(t, gpus.WithCores(t), Traffic{CPU: "big", SequentialPermille: 700, OnCycles: 100, OffCycles: rapid.Int64Range(0, 50).Draw(t, "off")}, Traffic{CPU: "little"})
		cores := m.SoC.cores
		now := int64(0)
		total, longest := int64(0), int64(0)
		for range rapid.IntRange(1, 6).Draw(t, "times") {
			now += rapid.Int64Range(1, 3000).Draw(t, "run")
			m.Advance(now)
			cores.HoldAll(now)
			cores.HoldAll(now) // no more than once
			held := now
			for cores.InFlight() > 0 {
				if next := m.NextEvent(); next == clock.Never || next <= now {
					t.Fatalf("%d requests in flight, and the next event is in cycle %d", cores.InFlight(), next)
				}
				now = m.NextEvent()
				m.Advance(now)
			}
			longest = max(longest, now-held)
			now += rapid.Int64Range(0, 2000).Draw(t, "hold")
			m.Advance(now)
			before := len(l.events)
			for _, e := range l.events {
				if c := m.cores[e.Core].cpu; e.ArriveCycle-c.RequestLatencyCycles > held {
					t.Fatalf("core %d, held in cycle %d, sends in cycle %d", e.Core, held, e.ArriveCycle-c.RequestLatencyCycles)
				}
			}
			cores.ReleaseAll(now)
			total += now - held
			m.Advance(now + 2000)
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

// BenchmarkTraffic is the cores and the DRAM alone: four cores, as much as they
// can send.
func BenchmarkTraffic(b *testing.B) {
	for name, set := range map[string][]string{"fifo": nil, "fr-fcfs": {"dram.scheduling=fr-fcfs", "dram.queue_entries=16", "dram.row_hit_cap=4"}} {
		b.Run(name, func(b *testing.B) {
			m := gpus.WithCores(b, append(set, "l2.slices=2", "dram.channels=2", "dram.bytes_per_kilocycle=12820")...)
			m.Desc.CPUs[0].Outstanding = 24
			mem := unwatched(b, m, Traffic{CPU: "big", SequentialPermille: 900})
			now := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				now += 1000
				mem.Advance(now)
			}
			b.ReportMetric(float64(mem.System.Use(0).DRAM.Reads)/b.Elapsed().Seconds()/1e6, "Mtransfers/s")
		})
	}
}

// coreLog keeps what an observer is told.
type coreLog []CoreEvent

func (l *coreLog) Core(e CoreEvent) { *l = append(*l, e) }

// An observer sees every request that is sent and answered, and every time that a core is
// held, in the order of time.
func TestObserver(t *testing.T) {
	m := gpus.WithCores(t)
	mem, err := memory.New(m.Desc, 1)
	if err != nil {
		t.Fatal(err)
	}
	var log coreLog
	s, err := New(mem, m.Desc, &Config{Traffic: []Traffic{{CPU: "big", Cores: 2, SequentialPermille: 500}}}, &log)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func(){
		func() { mem.Advance(500); s.cores.HoldAll(500); s.cores.HoldAll(500) },
		func() { mem.Advance(900); s.cores.ReleaseAll(900) },
		func() { mem.Advance(2000); s.cores.Hold(1, 2000) },
	} {
		step()
	}
	use := s.Use(2000)
	sent, answered, last, held, holds := [2]int64{}, [2]int64{}, [2]CoreEvent{}, [2]int64{}, [2]int{}
	for i, e := range log {
		if i > 0 && e.Cycle < log[i-1].Cycle || e.CPU != "big" || e.Core != e.Number {
			t.Fatalf("%+v after %+v", e, log[i-1])
		}
		was := last[e.Number]
		switch {
		case e.Held != was.Held:
			if e.InFlight != was.InFlight {
				t.Errorf("%+v after %+v", e, was)
			}
			if was.Held {
				held[e.Number] += e.Cycle - 500
			} else {
				holds[e.Number]++
			}
		case e.InFlight == was.InFlight+1 && !e.Held:
			sent[e.Number]++
		case e.InFlight == was.InFlight-1:
			answered[e.Number]++
		default:
			t.Errorf("%+v after %+v", e, was)
		}
		last[e.Number] = e
	}
	for i, u := range use {
		if sent[i] != u.Sent || answered[i] != u.Sent-u.InFlight || int64(last[i].InFlight) != u.InFlight || held[i] != u.HeldCycles || held[i] != 400 || holds[i] != 1+i || last[i].Held != (i == 1) || sent[i] == 0 {
			t.Errorf("core %d: %d sent, %d answered, held %d times for %d cycles, last %+v, expected %+v", i, sent[i], answered[i], holds[i], held[i], last[i], u)
		}
	}
}
