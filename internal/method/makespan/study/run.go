package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/ilp"
	"github.com/warpbound/warpbound/internal/method/makespan/potential"
	"github.com/warpbound/warpbound/internal/milp/solvers"
)

// Config says what to run and what it may cost.
type Config struct {
	// Methods are the methods to run besides the closed forms, which are always
	// given; All for every one, none for those that take seconds at most.
	Methods []string
	// Solver is the solver of the integer linear programmes: highs, cbc or glpk; ""
	// for highs.
	Solver string
	// MemoryBytes is what one method may allocate; 0 is DefaultMemoryBytes.
	MemoryBytes int64
	// Timeout is for all methods together, each of which gets an equal share of
	// what is left; 0 is DefaultTimeout.
	Timeout time.Duration
	// Eager is for all methods together where none is named; 0 is DefaultEager.
	Eager time.Duration
	// Witness asks for a schedule that takes as long as the exact makespan.
	Witness bool
	// Progress, where set, is called with how far a method is: states, or seconds of
	// the time allowed. It is called from one goroutine at a time.
	Progress func(method string, done, total int64)

	methods []method // for tests; nil for all
}

// The budgets where none are stated.
const (
	DefaultMemoryBytes = 4 << 30
	DefaultTimeout     = time.Minute
	DefaultEager       = 5 * time.Second
)

// check refuses unknown names and fills in defaults.
func (c *Config) check() error {
	for _, m := range c.Methods {
		if m != All && !slices.Contains(Methods(), m) {
			return fmt.Errorf("method %q: %s", m, conf.Suggest(m, append(Methods(), All)))
		}
	}
	if c.MemoryBytes < 0 || c.Timeout < 0 || c.Eager < 0 {
		return fmt.Errorf("a budget of %d bytes, %v and %v, expected none below 0", c.MemoryBytes, c.Timeout, c.Eager)
	}
	if c.MemoryBytes == 0 {
		c.MemoryBytes = DefaultMemoryBytes
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Eager == 0 {
		c.Eager = DefaultEager
	}
	if c.methods == nil {
		c.methods = registry()
	}
	if c.wants(ILPShort, false) || c.wants(ILPLong, false) || c.wants(ILPCounts, false) {
		if _, err := solvers.ByName(c.Solver); err != nil {
			return fmt.Errorf("solver %s: %w", c.Solver, err)
		}
	}
	return nil
}

// wants says whether a method is to be run.
func (c *Config) wants(name string, eager bool) bool {
	if len(c.Methods) == 0 {
		return eager
	}
	return slices.Contains(c.Methods, name) || slices.Contains(c.Methods, All)
}

// Run runs the methods on an instance. The error is the context's where that
// ended, with what was found until then; a *ContradictionError, a fault of a
// method, leaves nothing to be believed. That a budget is exhausted, or a solver
// fails, is no error: the rows say it.
func Run(ctx context.Context, in *makespan.Instance, c Config) (*Study, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	budget := c.Timeout
	if len(c.Methods) == 0 {
		budget = min(budget, c.Eager)
	}
	r := &runner{ctx: ctx, in: in, config: c, deadline: time.Now().Add(budget), study: &Study{Instance: in}, certificate: &certificate{}}
	if err := r.closed(); err != nil {
		return nil, err
	}
	if err := r.methods(); err != nil {
		return nil, err
	}
	if c.wants(Estimate, true) && ctx.Err() == nil {
		if err := r.estimate(); err != nil {
			return nil, err
		}
	}
	r.judgePublished()
	return r.study, ctx.Err()
}

// runner is a Study in the making.
type runner struct {
	ctx      context.Context
	in       *makespan.Instance
	config   Config
	deadline time.Time
	study    *Study
	upTo     []int64 // exact makespans of 1, 2, ... warps

	certificate *certificate
}

// closed adds the figures in closed form.
func (r *runner) closed() error {
	published, err := r.in.Published()
	paper := Row{Method: Paper, Kind: PublishedUnsafe, Cycles: published, Theorem: "Berezovskyi2012, eq. 5-7"}
	if err != nil {
		paper.Kind, paper.Note = NoAnswer, err.Error()
	}
	bound, err := r.in.Safe()
	if err != nil {
		return fmt.Errorf("the makespan of %s: %w", r.in.Source, err)
	}
	r.study.Rows = append(r.study.Rows, paper, Row{Method: Safe, Kind: SafeBound, Cycles: bound, Theorem: "docs/soundness.md, theorem 14"})
	r.study.Best = &Answer{Method: Safe, Cycles: bound}
	return nil
}

// methods runs the methods that are wanted, one after the other, and puts their
// rows in order.
func (r *runner) methods() error {
	unfinished := false
	for i, m := range r.config.methods {
		if r.ctx.Err() != nil {
			unfinished = true
			break
		}
		if !r.config.wants(m.name, m.eager(r)) {
			continue
		}
		row, out, err := r.run(m, r.in, r.share(i))
		if err == nil {
			// Nobody asked whether there is nothing to say.
			if row.Kind != NoAnswer || row.Unfinished != "" || r.config.wants(m.name, false) {
				r.study.Rows = append(r.study.Rows, row)
			}
			unfinished = unfinished || row.Unfinished != ""
			err = r.accept(row, out)
		}
		if err != nil {
			return err
		}
	}
	r.study.Complete = !unfinished || r.study.Exact != nil
	if len(r.config.Methods) == 0 && r.study.Exact != nil {
		// That a method nobody asked for had no answer matters to nobody now.
		r.study.Rows = slices.DeleteFunc(r.study.Rows, func(row Row) bool { return row.Kind == NoAnswer && row.Method != Paper })
	}
	slices.SortStableFunc(r.study.Rows, func(a, b Row) int {
		return cmp.Compare(slices.Index(Methods(), a.Method), slices.Index(Methods(), b.Method))
	})
	return nil
}

// wanting says whether the exact makespan is not known, or the schedule that was
// asked for.
func (r *runner) wanting() bool {
	return r.study.Exact == nil || r.config.Witness && r.study.Exact.Schedule == nil
}

// share is the time for the i-th method: its part of what is left for those that
// are named, and all that is left where none is: which of those run depends on what
// the ones before have found.
func (r *runner) share(i int) time.Duration {
	left := time.Until(r.deadline)
	if len(r.config.Methods) == 0 {
		return max(left, time.Millisecond)
	}
	sharing := 0
	for _, m := range r.config.methods[i:] {
		if r.config.wants(m.name, false) {
			sharing++
		}
	}
	return max(left/time.Duration(sharing), time.Millisecond)
}

// run runs one method and checks its witness. A method that did not end has an
// outcome only where it leaves more than a bound.
func (r *runner) run(m method, in *makespan.Instance, share time.Duration) (Row, *outcome, error) {
	ctx, cancel := context.WithTimeout(r.ctx, share)
	defer cancel()
	t := task{
		Config: r.config, budget: Budget{MemoryBytes: r.config.MemoryBytes, Timeout: share},
		witness: r.config.Witness, certificate: r.certificate, asked: r.config.wants(m.name, false), best: r.study.Best.Cycles,
		progress: func(done, total int64) {
			if r.config.Progress != nil {
				r.config.Progress(m.name, done, total)
			}
		},
	}
	if r.study.Exact != nil {
		t.exact = r.study.Exact.Cycles
	}
	start := time.Now()
	stop := func() {}
	if !m.reports && r.config.Progress != nil {
		stop = tick(start, share, t.progress)
	}
	out, err := m.run(ctx, in, t)
	stop()
	row := Row{Method: m.name, Kind: SafeBound, Theorem: m.theorem, Elapsed: time.Since(start)}
	var (
		limit  *makespan.LimitError
		solver *ilp.SolverError
		wrong  *potential.BoundError
	)
	switch {
	case errors.As(err, &wrong):
		return row, nil, &ContradictionError{in, fmt.Sprintf("%s: %v", m.name, wrong)}
	case errors.As(err, &limit):
		row.Cycles, row.Unfinished = limit.Cycles, limit.Error()
		if errors.Is(limit, context.DeadlineExceeded) {
			row.Unfinished += fmt.Sprintf(" (%v allowed)", roughly(share))
		}
		if limit.Cycles == 0 {
			row.Kind, row.Theorem = NoAnswer, ""
		}
		if r.ctx.Err() != nil {
			row.Unfinished = "interrupted"
		}
		return row, out, nil
	case errors.As(err, &solver) && r.ctx.Err() == nil:
		// A program that fails, or is wrong, takes nothing from the other methods.
		row.Kind, row.Theorem = NoAnswer, ""
		row.Unfinished = strings.NewReplacer(":\n", ": ", "\n", "; ").Replace(solver.Error())
		return row, nil, nil
	case err != nil:
		return row, nil, fmt.Errorf("%s: %w", m.name, err)
	}
	row.Cycles, row.Work, row.WorkUnit, row.Note = out.cycles, out.work, out.workUnit, out.note
	switch {
	case out.cycles == 0:
		row.Kind, row.Theorem = NoAnswer, ""
	case m.exact:
		row.Kind = Exact
	}
	if out.schedule != nil {
		if err := out.schedule.Check(in); err != nil {
			return row, nil, &ContradictionError{in, fmt.Sprintf("the witness of %s is no schedule: %v", m.name, err)}
		}
		if got := out.schedule.MakespanCycles(); got != out.cycles {
			return row, nil, &ContradictionError{in, fmt.Sprintf("%s says %d cycles, its witness takes %d", m.name, out.cycles, got)}
		}
	}
	return row, out, nil
}

// roughly is a time as people say it.
func roughly(d time.Duration) time.Duration {
	if d >= time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// tick reports the seconds spent until the function it returns is called.
func tick(start time.Time, share time.Duration, progress func(done, total int64)) func() {
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-ended:
				return
			case <-t.C:
				progress(int64(time.Since(start).Seconds()), int64(share.Seconds()))
			}
		}
	}()
	return func() {
		close(ended)
		<-gone
	}
}

// accept takes a row into the answers, unless it contradicts them.
func (r *runner) accept(row Row, out *outcome) error {
	s := r.study
	if out != nil && len(out.upTo) > len(r.upTo) {
		r.upTo = out.upTo
	}
	if !row.Kind.safe() {
		return nil
	}
	if e := s.Exact; e != nil {
		switch {
		case row.Kind == Exact && row.Cycles != e.Cycles:
			return &ContradictionError{r.in, fmt.Sprintf("%s says exactly %d cycles, %s exactly %d", e.Method, e.Cycles, row.Method, row.Cycles)}
		case row.Cycles < e.Cycles:
			return &ContradictionError{r.in, fmt.Sprintf("%s says at most %d cycles, %s exactly %d", row.Method, row.Cycles, e.Method, e.Cycles)}
		}
	} else if row.Kind == Exact {
		for _, other := range s.Rows {
			if other.Kind.safe() && other.Cycles < row.Cycles {
				return &ContradictionError{r.in, fmt.Sprintf("%s says exactly %d cycles, %s at most %d", row.Method, row.Cycles, other.Method, other.Cycles)}
			}
		}
		s.Exact = &Answer{Method: row.Method, Cycles: row.Cycles}
	}
	if s.Exact != nil && s.Exact.Schedule == nil && row.Kind == Exact {
		s.Exact.Schedule = out.schedule
	}
	if row.Kind == Exact && s.Best.Method != s.Exact.Method {
		s.Best = s.Exact
	} else if row.Cycles < s.Best.Cycles {
		s.Best = &Answer{Method: row.Method, Cycles: row.Cycles}
	}
	return nil
}
