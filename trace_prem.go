package warpbound

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/premtime/soc"
	"github.com/warpbound/warpbound/internal/premtime/study"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/trace"
	"github.com/warpbound/warpbound/internal/timeline"
)

// premTrace writes the trace of a launch with the guard.
type premTrace struct {
	opt     *TraceOptions
	study   *premStudy
	of      study.Watched
	r       *trace.Recorder
	summary *TraceSummary
}

// Begin implements study.Watcher.
func (p *premTrace) Begin(x study.Watched) (sim.Observer, error) {
	if err := p.opt.check(x.Kernel); err != nil {
		return nil, err
	}
	p.of = x
	p.r = p.opt.record(fmt.Sprintf("%s, %s with the guard,", x.Name, x.Scheme), p.study.of.GPU, x.Kernel, x.Timing)
	return p.r, nil
}

// End implements study.Watcher.
func (p *premTrace) End(r *sim.Result, phases []soc.Phase) error {
	tracePhases(p.r.Process("PREM guard").Track("phases", 0), phases, r.Cycles)
	b := &p.of.Budgets
	about := []timeline.Arg{
		{Key: "program", Text: p.study.of.File}, {Key: "cycles", Int: r.Cycles}, {Key: "scheme", Text: p.of.Scheme.String()},
		{Key: "memory_budget_cycles", Int: b.MemoryNanos}, {Key: "compute_budget_cycles", Int: b.ComputeNanos},
	}
	if n := p.of.Traffic; n >= 0 {
		about = append(about, timeline.Arg{Key: "traffic", Text: p.study.Traffic[n]})
	}
	var err error
	p.summary, err = p.opt.finish(p.r, r.Cycles, about)
	return err
}

// tracePhases writes the phases of a run: from one grant to the next, and inside how long
// the GPU waits for the next.
func tracePhases(t *timeline.Track, phases []soc.Phase, cycles int64) {
	waits := &timeline.Label{Name: "waits for its next phase", Category: "guard"}
	missed := &timeline.Label{Name: "missed", Category: "guard"}
	for i := range phases {
		p := &phases[i]
		end := p.EndCycle
		if end < 0 {
			end = max(cycles, p.GrantCycle, p.RequestCycle)
		}
		kind := p.Token.Kind()
		t.Begin(trace.At(p.GrantCycle), &timeline.Label{Name: fmt.Sprint(kind), Category: "phase"},
			timeline.Arg{Key: "number", Int: int64(p.Token.Seq())}, timeline.Arg{Key: "work_cycles", Int: p.WorkCycles()}, timeline.Arg{Key: "misses", Int: p.Misses})
		if p.Misses > 0 {
			t.Instant(trace.At(p.GrantCycle), missed)
		}
		if p.RequestCycle >= 0 && p.RequestCycle < end {
			t.Slice(trace.At(p.RequestCycle), trace.At(end), waits)
		}
		t.End(trace.At(end))
	}
}
