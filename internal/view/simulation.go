package view

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/warpbound/warpbound"
)

// told is a line of a stream: how far a computation is, then its result or its error.
type told struct {
	Progress *progress `json:"progress,omitempty"`
	Result   any       `json:"result,omitempty"`
	Error    string    `json:"error,omitempty"`
}

type progress struct {
	Task   string `json:"task"`
	Detail string `json:"detail,omitempty"`
	Done   int64  `json:"done"`
	Total  int64  `json:"total"`
	Cycle  int64  `json:"cycle"`
}

// toldEvery is how often the page is told how far something is.
const toldEvery = 100 * time.Millisecond

// stream makes a handler of a function that takes long: JSON, a line each. Who asked may
// leave, which ends the computation.
func stream(ask func(r *http.Request, tell func(warpbound.Progress)) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		to := http.NewResponseController(w)
		write := func(t told) {
			if data, err := json.Marshal(t); err == nil {
				_, _ = w.Write(append(data, '\n'))
				_ = to.Flush()
			}
		}
		var last time.Time
		out, err := ask(r, func(p warpbound.Progress) {
			if time.Since(last) < toldEvery {
				return
			}
			last = time.Now()
			write(told{Progress: &progress{p.Task, p.Detail, p.Done, p.Total, p.Cycle}})
		})
		if err != nil {
			write(told{Error: err.Error()})
			return
		}
		write(told{Result: out})
	}
}

// simulate executes a launch cycle by cycle, and records what happens for the timeline.
func (s *site) simulate(r *http.Request, tell func(warpbound.Progress)) (any, error) {
	_, l, err := s.opened(r)
	if err != nil {
		return nil, err
	}
	m, err := s.machine(r, warpbound.DefaultGPU)
	if err != nil {
		return nil, err
	}
	from, err := number(r, "from")
	if err != nil {
		return nil, err
	}
	rec := newRecording(int64(from))
	opt := warpbound.SimulateOptions{
		GPU: m, Policy: r.FormValue("policy"), Model: r.FormValue("model"), L1Order: r.FormValue("l1-order"),
		FrontEnd: warpbound.FrontEnd{Variant: r.FormValue("variant")}, By: "instruction", Observe: rec.see, Progress: tell,
	}
	if opt.BlocksPerSM, err = number(r, "blocks-per-sm"); err != nil {
		return nil, err
	}
	done, err := s.wait(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	begun := time.Now()
	sim, err := l.Simulate(r.Context(), opt)
	if sim == nil {
		return nil, err
	}
	rec.end(sim.Cycles)
	rep, err := sim.Report()
	out, err := answeredBy(rep, err, begun)
	if err != nil {
		return nil, err
	}
	return map[string]any{"report": out, "run": s.keep(rec), "slices": rec.count, "full": rec.full}, nil
}

// keep keeps a recording, and forgets the oldest where there are too many.
func (s *site) keep(rec *recording) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextRun++
	rec.id = s.nextRun
	s.runs = append(s.runs, rec)
	if len(s.runs) > mostRuns {
		s.runs = s.runs[1:]
	}
	return rec.id
}

// slices are those of a recording.
func (s *site) slices(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.Atoi(r.FormValue("run"))
	s.mu.Lock()
	var data []byte
	err := errNoItem
	for _, rec := range s.runs {
		if rec.id == id {
			data, err = rec.encode()
		}
	}
	s.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data)
}

// prem plans a C file, and bounds and simulates its phases.
func (s *site) prem(r *http.Request, tell func(warpbound.Progress)) (any, error) {
	it, err := s.item(r, ofProgram)
	if err != nil {
		return nil, err
	}
	m, err := s.machine(r, warpbound.DefaultPremGPU)
	if err != nil {
		return nil, err
	}
	done, err := s.wait(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	begun := time.Now()
	p, err := warpbound.Prem(r.Context(), it.path, warpbound.PremOptions{GPU: m})
	if err != nil {
		return nil, err
	}
	rep, err := p.Report(true)
	plan, err := answeredBy(rep, err, begun)
	if err != nil {
		return nil, err
	}
	schedule, err := s.premSchedule(r.Context(), p, warpbound.PremScheduleOptions{Schedule: r.FormValue("schedule"), Guarded: r.FormValue("guarded") != "", Progress: tell})
	if err != nil {
		return nil, err
	}
	data, err := fileText(it)
	if err != nil {
		return nil, err
	}
	runs := []guardRun{}
	if r.FormValue("guarded") != "" {
		if runs, err = guardRuns(r.Context(), p); err != nil {
			return nil, err
		}
	}
	return map[string]any{"plan": plan, "schedule": schedule, "source": data, "guard": runs}, nil
}

// guardRun is one launch with the guard, phase by phase.
type guardRun struct {
	Kernel  string       `json:"kernel"`
	Scheme  string       `json:"scheme"`
	Cycles  int64        `json:"cycles"`
	Memory  int64        `json:"memory_budget_cycles"`
	Compute int64        `json:"compute_budget_cycles"`
	Phases  []guardPhase `json:"phases"`
}

type guardPhase struct {
	Kind    string `json:"kind"`
	Grant   int64  `json:"grant_cycle"`
	Request int64  `json:"request_cycle"` // -1 where the run was over before, as the next
	End     int64  `json:"end_cycle"`
	Misses  int64  `json:"misses"`
}

// guardRuns simulates the first launch of each scheme with the guard.
func guardRuns(ctx context.Context, p *warpbound.PremProgram) ([]guardRun, error) {
	var out []guardRun
	for _, scheme := range []string{warpbound.SchemeCMPT, warpbound.SchemeDAE, warpbound.SchemeSDMA} {
		s, err := p.Schedule(ctx, warpbound.PremScheduleOptions{Schemes: []string{scheme}, NoBounds: true, Guarded: true, Phases: true})
		if err != nil {
			return nil, err
		}
		g := s.Guard
		if g == nil {
			continue // a kernel that is never launched
		}
		one := guardRun{Kernel: g.Kernel, Scheme: g.Scheme, Cycles: g.Cycles, Memory: g.MemoryBudgetCycles, Compute: g.ComputeBudgetCycles, Phases: []guardPhase{}}
		for _, x := range g.Phases {
			one.Phases = append(one.Phases, guardPhase{x.Kind, x.GrantCycle, x.RequestCycle, x.EndCycle, x.Misses})
		}
		out = append(out, one)
	}
	return out, nil
}

func (s *site) premSchedule(ctx context.Context, p *warpbound.PremProgram, opt warpbound.PremScheduleOptions) (*answered, error) {
	begun := time.Now()
	t, err := p.Schedule(ctx, opt)
	if err != nil {
		return nil, err
	}
	rep, err := t.Report(true)
	return answeredBy(rep, err, begun)
}
