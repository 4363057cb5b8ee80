package trace

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/instr"
	"github.com/warpbound/warpbound/internal/testkit/traces"
	"github.com/warpbound/warpbound/internal/timeline"
)

// run simulates blocks of a program of package instr with a trace.
func run(t *testing.T, program string, blocks int, o Options) (*sim.Result, Summary, *traces.Trace) {
	t.Helper()
	p, err := instr.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	k, err := instr.NewKernel(p, blocks)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	o.Title, o.Program, o.Timing, o.Machine, o.SMs = "test", k.Program(), k.Timing(), k.Machine(), 1
	o.Warps = k.BlockDim()[0] * k.BlockDim()[1] * k.BlockDim()[2] / k.WarpSize()
	r := New(timeline.New(&out, timeline.Perfetto), o)
	cfg := sim.Config{Machine: o.Machine, BlocksPerSM: 2, Checks: true, Observers: []sim.Observer{r}}
	res, err := sim.Run(context.Background(), cfg, k, k.Timing())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := r.Finish(res.Cycles)
	if err != nil {
		t.Fatal(err)
	}
	x, err := traces.Perfetto(out.Bytes())
	if err == nil {
		err = x.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return res, sum, x
}

// Details end where there are as many as the trace may have, and the trace says so, but
// blocks and counters go on; what asks for a window has no such end.
func TestDetailsEnd(t *testing.T) {
	body := "4x" + strings.Repeat(" F0/2/7 F1/1/3(0)", 50)
	whole, full, _ := run(t, body, 40, Options{})
	for _, most := range []int64{1, 100, 1000} {
		res, sum, x := run(t, body, 40, Options{MostSlices: most})
		if !sum.Ended || sum.Full || sum.LeftOut == 0 || sum.ToCycle >= res.Cycles || res.Cycles != whole.Cycles {
			t.Errorf("at most %d: %+v", most, sum)
		}
		details, blocks, ended := int64(0), int64(0), int64(-1)
		for _, s := range x.Slices() {
			switch s.Category {
			case "block":
				blocks++
			case "warp", "launch":
			default:
				details++
			}
		}
		for _, e := range x.Events {
			if e.Name == "details end" {
				ended = e.At / 1000
			}
		}
		// Waits that began before the end are told when they are over: one for each warp and
		// one for each scheduler and unit may come on top.
		if details < most || details > most+20 || blocks != whole.Blocks || ended != sum.ToCycle {
			t.Errorf("at most %d: %d slices, %d blocks, end %d of %+v", most, details, blocks, ended, sum)
		}
	}
	if !full.Full || full.Ended || full.LeftOut != 0 {
		t.Errorf("%+v", full)
	}
	if _, sum, _ := run(t, body, 40, Options{FromCycle: 1}); sum.Ended || sum.Full || sum.ToCycle != whole.Cycles {
		t.Errorf("%+v", sum)
	}
	if _, sum, x := run(t, body, 40, Options{MostBlocks: 7}); sum.BlocksLeftOut != whole.Blocks-7 || sum.Full {
		t.Errorf("%+v in %d tracks", sum, len(x.Tracks))
	}
}

// Observing changes nothing.
func TestRunIsTheSame(t *testing.T) {
	p := instr.MustParse("3x F0/2/7 F1/1/3 F0/1/0(0) F1/2/4(1,2) | F0/3/0 F1/1/9(0)")
	k, err := instr.NewKernel(p, 9)
	if err != nil {
		t.Fatal(err)
	}
	want, err := sim.Run(context.Background(), sim.Config{Machine: k.Machine(), BlocksPerSM: 2}, k, k.Timing())
	if err != nil {
		t.Fatal(err)
	}
	got, _, _ := run(t, "3x F0/2/7 F1/1/3 F0/1/0(0) F1/2/4(1,2) | F0/3/0 F1/1/9(0)", 9, Options{})
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
}

// Windows add up what was counted, however long the run gets.
func TestSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := 1 << rapid.IntRange(0, 4).Draw(t, "windows")
		s, level := series{most: most}, series{most: most}
		const longest = 400
		var want [longest + 1]int64
		now, held := int64(0), int64(0)
		var levels [longest + 1]int64
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			from := rapid.Int64Range(0, longest-1).Draw(t, "from")
			to := rapid.Int64Range(from, longest).Draw(t, "to")
			n := rapid.Int64Range(-3, 9).Draw(t, "n")
			s.span(from, to, n)
			for i := from; i < to; i++ {
				want[i] += n
			}
			s.count(from, n)
			want[from] += n
			next := rapid.Int64Range(now, longest).Draw(t, "at")
			for i := now; i < next; i++ {
				levels[i] = held
			}
			now, held = next, n
			level.set(next, n)
		}
		level.set(longest, 0)
		for i := now; i < longest; i++ {
			levels[i] = held
		}
		for _, c := range []struct {
			of   *series
			want []int64
		}{{&s, want[:]}, {&level, levels[:]}} {
			if len(c.of.sum) > most {
				t.Fatalf("%d windows of %d", len(c.of.sum), most)
			}
			for i, got := range c.of.sum {
				sum := int64(0)
				for j := i << c.of.shift; j < (i+1)<<c.of.shift && j < len(c.want); j++ {
					sum += c.want[j]
				}
				if got != sum {
					t.Fatalf("window %d of %d cycles: %d, expected %d", i, 1<<c.of.shift, got, sum)
				}
			}
		}
	})
}

// The counters of all SMs have a bounded number of samples together.
func TestCountersAreBounded(t *testing.T) {
	for _, sms := range []int{1, 4, 84, 1000} {
		c := newCounters(&Recorder{opt: Options{SMs: sms}})
		if n := c.windows; n&(n-1) != 0 || n < leastWindow || n > mostWindows || n > leastWindow && n*sms*perSM > mostSamples {
			t.Errorf("%d SMs: %d windows", sms, n)
		}
	}
}
