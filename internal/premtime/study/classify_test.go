package study

import (
	"testing"

	"github.com/warpbound/warpbound/internal/premtime/budget"
)

// The groups of made-up kernels, with the published costs: an interval whose phases
// are both longer than R_timer has 11.6 us of synchronisation.
func TestClassify(t *testing.T) {
	s := &study{opt: Options{Costs: published}}
	for _, c := range []struct {
		name      string
		mem, comp int64 // ns
		last      int64
		want      Group
	}{
		{"both long, balanced", 40_000, 30_000, 0, GroupA},
		{"compute bound", 11_000, 300_000, 0, GroupA},
		{"four times", 80_000, 20_000, 0, GroupA},
		{"more than four times", 80_001, 20_000, 0, GroupC},
		{"no compute phase, but a long memory phase", 90_000, 0, 0, GroupC},
		{"both shorter than the timer's response", 5_000, 5_000, 0, GroupB},
		{"just as much work as synchronisation", 13_000, 9_300, 0, GroupA}, // 11.6 + 1.4 of 10.7 us, and 22.3 of work
		{"work of one short phase", 10_700, 450, 0, GroupB},                // 11.6 + 10.25, and 11.15
		{"compatible, memory phase as long as all waiting", 22_300, 0, 0, GroupC},
		{"compatible, a little shorter", 22_299, 0, 0, GroupB},
		{"the last memory phase is work too", 22_000, 0, 400, GroupC},
	} {
		var v intervals
		spans := []budget.Span{{Kind: budget.Setup, Cycles: 7}, {Kind: budget.Memory, Cycles: c.mem}, {Kind: budget.Compute, Cycles: c.comp}, {Kind: budget.Memory, Cycles: c.last}}
		if err := v.add(spans, 1_000_000_000); err != nil {
			t.Fatal(err)
		}
		p, err := s.phases(&v)
		if err != nil {
			t.Fatal(err)
		}
		if got := Classify(&p); got != c.want {
			t.Errorf("%s: group %q, want %q: %d ns of work, %d of synchronisation", c.name, got, c.want, p.WorkNanos, p.SyncNanos())
		}
	}
	if got := Classify(&Phases{}); got != "" {
		t.Errorf("no intervals: group %q", got)
	}
}

// A launch's times add up: setup, an interval, the last memory phase.
func TestTotals(t *testing.T) {
	s := &study{opt: Options{Costs: published}}
	var v intervals
	for range 2 {
		spans := []budget.Span{
			{Kind: budget.Setup, Cycles: 100}, {Kind: budget.Memory, Cycles: 20_000}, {Kind: budget.Compute, Cycles: 4_000},
			{Kind: budget.Memory, Cycles: 15_000}, {Kind: budget.Compute, Cycles: 12_000}, {Kind: budget.Memory, Cycles: 25_000},
		}
		if err := v.add(spans, 1_000_000_000); err != nil {
			t.Fatal(err)
		}
	}
	p, err := s.phases(&v)
	if err != nil {
		t.Fatal(err)
	}
	if p.Intervals != 4 || p.MemNanos != 25_000 || p.CompNanos != 12_000 || p.LastNanos != 50_000 || p.WorkNanos != 2*76_000 {
		t.Errorf("%+v", p)
	}
	sync := int64(4*2*5800 + 2*(10_700-4_000))
	if p.SyncNanos() != sync || p.AloneNanos() != 2*(100+76_000)+sync {
		t.Errorf("%d ns of synchronisation, %d in all", p.SyncNanos(), p.AloneNanos())
	}
	if got, want := p.TotalNanos(&p.Best), int64(2*100+4*(25_000+12_000+2*5800)+50_000); got != want {
		t.Errorf("best case %d ns, want %d", got, want)
	}
	if got, want := p.TotalNanos(&p.Fair), int64(2*100+4*(2*25_000+2*5800)+50_000); got != want {
		t.Errorf("fair %d ns, want %d", got, want)
	}
}
