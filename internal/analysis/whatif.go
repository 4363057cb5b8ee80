package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// Kinds of changes.
const (
	OfSetting   = "setting"   // a number of the GPU description
	OfClass     = "class"     // the timing of one class of instructions
	OfAccess    = "access"    // where an access goes to, or how
	OfBarrier   = "barrier"   // no warp waits at it: what the kernel computes changes
	OfOccupancy = "occupancy" // blocks that are resident on an SM
)

// WhatIf is what becomes of the best bound on a launch where one thing is changed.
type WhatIf struct {
	Bound *bound.Bound
	Rows  []WhatIfRow // in the order of the kinds
}

// WhatIfRow is an analysis with one thing changed.
type WhatIfRow struct {
	Kind string
	Name string       // of what is changed
	Pos  isa.Position // of an instruction; zero otherwise
	// From and To are the number that is changed, before and after; both 0 where it is none.
	From, To int64
	Change   string // what is changed
	// Setting is what --set has to be given for the same, "" where there is no such setting.
	Setting string
	// Bound is the best one then; nil where there is none, and NoBound says why.
	Bound   *bound.Bound
	NoBound string
}

// whatIf tries changes.
type whatIf struct {
	ctx context.Context
	r   *Report
	k   simt.Kernel
	out *WhatIf
	// executed says which instructions the path has.
	executed []bool
}

// WhatIf tries changes of the machine and of the kernel: each row is another analysis, of the
// same paths where the change leaves them as they are. It is of a plain machine; nil where no
// bound is safe.
func (r *Report) WhatIf(ctx context.Context) (*WhatIf, error) {
	if r.Best == nil {
		return nil, nil
	}
	if r.Question.Machine() != method.Plain {
		return nil, errors.New("changes are tried of a machine without a policy, an order of accesses or a front end")
	}
	k, err := r.Source.Tainted()
	if err != nil {
		return nil, err
	}
	w := &whatIf{ctx: ctx, r: r, k: k, out: &WhatIf{Bound: r.Best}, executed: make([]bool, len(r.Program.Instructions))}
	for _, s := range r.Path.Symbols {
		w.executed[s.PC] = true
	}
	for _, try := range []func() error{w.settings, w.classes, w.accesses, w.barriers, w.occupancy} {
		if err := try(); err != nil {
			return nil, err
		}
	}
	return w.out, nil
}

// add appends a row with the bound on a launch, or why there is none.
func (w *whatIf) add(row WhatIfRow, f *method.Facts) error {
	rep := &Report{Facts: f, methods: w.r.methods}
	res, err := rep.result(w.ctx, method.Part{Scope: f.WholeScope(), Index: method.Slowest})
	if err != nil {
		return err
	}
	w.bounded(row, res)
	return nil
}

func (w *whatIf) bounded(row WhatIfRow, res *bound.Result) {
	if row.Bound = res.BestBound(); row.Bound == nil {
		row.NoBound = "no bound is safe"
		if len(res.Refused) > 0 {
			row.NoBound = res.Refused[0].Reason
		}
	}
	w.out.Rows = append(w.out.Rows, row)
}

// on appends a row of another machine.
func (w *whatIf) on(row WhatIfRow, d *gpu.Description, err error) error {
	if err != nil {
		row.NoBound = err.Error()
		w.out.Rows = append(w.out.Rows, row)
		return nil
	}
	m, err := d.Machine()
	if err != nil {
		return err
	}
	timing, fit, err := simt.Fit(w.k, m)
	var small *gpu.FitError
	switch {
	case errors.As(err, &small):
		row.NoBound = small.Error()
		w.out.Rows = append(w.out.Rows, row)
		return nil
	case err != nil:
		return err
	}
	if n := int64(w.r.Question.BlocksPerSM); n > 0 {
		fit.Blocks = min(fit.Blocks, n)
	}
	if !w.samePath(m, timing) {
		q := w.r.Question
		q.Progress = nil
		again, err := Run(w.ctx, w.r.Source, m, q)
		var no *NotCoveredError
		switch {
		case errors.As(err, &no):
			row.NoBound = no.Error()
			w.out.Rows = append(w.out.Rows, row)
			return nil
		case err != nil:
			return err
		}
		w.bounded(row, again.Whole())
		return nil
	}
	return w.add(row, w.r.On(m, timing, fit, w.r.Path))
}

// samePath says that accesses make as many transactions on another machine, and that the
// same instructions are issued.
func (w *whatIf) samePath(m *gpu.Machine, timing []gpu.Timing) bool {
	if m.Desc.Memory != w.r.Machine.Desc.Memory {
		return false
	}
	return slices.EqualFunc(timing, w.r.Timing, func(a, b gpu.Timing) bool {
		return a.Transactions == b.Transactions && a.NotIssued == b.NotIssued
	})
}

// knob is a number of a description.
type knob struct {
	key         string
	value       int64
	least, most int64
	doubles     bool // by a factor of 2
}

// settings tries each number of the description that the bound may depend on, a unit less and
// a unit more, or half and double of it.
func (w *whatIf) settings() error {
	for _, k := range w.knobs() {
		for _, to := range [2]int64{k.next(-1), k.next(1)} {
			if to < k.least || to > k.most {
				continue
			}
			set := fmt.Sprintf("%s=%d", k.key, to)
			d, err := w.r.Machine.Desc.With(set)
			if err := w.on(WhatIfRow{Kind: OfSetting, Name: k.key, From: k.value, To: to, Change: fmt.Sprintf("%d → %d", k.value, to), Setting: set}, d, err); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *knob) next(way int64) int64 {
	switch {
	case !k.doubles:
		return k.value + way
	case way < 0:
		return k.value / 2
	}
	return k.value * 2
}

// Limits of numbers that are tried, those of the format of descriptions.
const (
	mostDelay      = 1_000_000
	mostRuleCycles = 1_000_000_000
)

// knobs lists what is tried.
func (w *whatIf) knobs() []knob {
	d := w.r.Machine.Desc
	out := []knob{
		{key: "sm.count", value: d.SM.Count, least: 1, most: 65536},
		{key: "sm.schedulers", value: int64(d.SM.Schedulers), least: 1, most: 64},
		{key: "issue.per_cycle", value: int64(d.Issue.PerCycle), least: 1, most: 8},
		{key: "issue.dependency_depth_cycles", value: d.Issue.DependencyDepthCycles, most: mostDelay},
	}
	if d.Queue.Slots > 0 {
		out = append(out, knob{key: "queue.slots", value: int64(d.Queue.Slots), least: 1, most: mostDelay})
	}
	if w.waits() {
		out = append(out, knob{key: "barrier.delay_cycles", value: d.Barrier.DelayCycles, most: mostDelay})
	}
	out = append(out, knob{key: "block_dispatch.start_delay_cycles", value: d.Dispatch.StartDelayCycles, most: mostRuleCycles})
	counted := map[gpu.TransactionRule]bool{}
	units, rules := make([]bool, len(d.Units)), make([]bool, len(d.Timing))
	for pc, yes := range w.executed {
		if !yes {
			continue
		}
		t := &w.r.Timing[pc]
		units[t.Unit], counted[t.Transactions] = true, true
		if _, rule, err := w.r.Machine.Timing(w.r.Program.Instructions[pc].Class); err == nil {
			rules[rule] = true
		}
	}
	if counted[gpu.Segments] {
		out = append(out, knob{key: "memory.segment_bytes", value: d.Memory.SegmentBytes, least: 4, most: 65536, doubles: true})
	}
	if counted[gpu.Banks] {
		out = append(out, knob{key: "memory.shared_banks", value: int64(d.Memory.SharedBanks), least: 1, most: 1024, doubles: true})
	}
	for i, u := range d.Units {
		if units[i] {
			out = append(out, knob{key: "units." + u.Name + ".count", value: int64(u.Count), least: 1, most: 64})
		}
	}
	for i := range d.Timing {
		r := &d.Timing[i]
		if !rules[i] || r.Name == "" || r.NotIssued {
			continue
		}
		at := "timing." + r.Name + "."
		out = append(out,
			knob{key: at + "initiation_cycles", value: r.InitiationCycles, least: 1, most: mostRuleCycles},
			knob{key: at + "latency_cycles", value: r.LatencyCycles, least: 1, most: mostRuleCycles})
		if r.DependentIssueCycles > 0 {
			out = append(out, knob{key: at + "dependent_issue_cycles", value: r.DependentIssueCycles, least: 1, most: mostRuleCycles})
		}
		if r.TransactionCycles > 0 {
			out = append(out, knob{key: at + "transaction_cycles", value: r.TransactionCycles, least: 1, most: mostDelay})
		}
	}
	return out
}

// waits says that some warp arrives at a barrier.
func (w *whatIf) waits() bool {
	return slices.ContainsFunc(w.r.Path.Classes, func(c path.BlockClass) bool {
		return slices.ContainsFunc(c.Warps, func(x path.WarpClass) bool { return x.Warp.Barriers > 0 })
	})
}

// classes tries the timing of each class of instructions that shares its rule with another
// one: a cycle less and a cycle more.
func (w *whatIf) classes() error {
	of := map[int][]isa.Class{}
	var rules []int
	for pc, yes := range w.executed {
		c := w.r.Program.Instructions[pc].Class
		_, rule, err := w.r.Machine.Timing(c)
		if !yes || err != nil || w.r.Machine.Desc.Timing[rule].NotIssued || slices.Contains(of[rule], c) {
			continue
		}
		if of[rule] == nil {
			rules = append(rules, rule)
		}
		of[rule] = append(of[rule], c)
	}
	slices.Sort(rules)
	for _, rule := range rules {
		if len(of[rule]) == 1 && w.r.Machine.Desc.Timing[rule].Name != "" {
			continue // the rule is the class
		}
		for _, c := range of[rule] {
			for _, change := range []struct {
				what string
				at   func(*gpu.Rule) *int64
			}{
				{"initiation", func(r *gpu.Rule) *int64 { return &r.InitiationCycles }},
				{"latency", func(r *gpu.Rule) *int64 { return &r.LatencyCycles }},
			} {
				for _, by := range [2]int64{-1, 1} {
					r := w.r.Machine.Desc.Timing[rule]
					r.Name, r.Classes = "", []string{c.String()}
					v := change.at(&r)
					from := *v
					if *v += by; *v < 1 {
						continue
					}
					d, err := w.r.Machine.Desc.WithRule(r)
					if err := w.on(WhatIfRow{Kind: OfClass, Name: c.String() + " " + change.what, From: from, To: *v, Change: fmt.Sprintf("%d → %d", from, *v)}, d, err); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// occupancy tries every number of resident blocks that fits.
func (w *whatIf) occupancy() error {
	_, fit, err := simt.Fit(w.k, w.r.Machine)
	if err != nil {
		return err
	}
	now := w.r.Occupancy.Blocks
	for n := int64(1); n <= fit.Blocks; n++ {
		o := w.r.Occupancy
		o.Blocks = n
		if err := w.add(WhatIfRow{Kind: OfOccupancy, Name: "blocks per SM", From: now, To: n, Change: fmt.Sprintf("%d → %d", now, n), Setting: fmt.Sprintf("sm.max_blocks=%d", n)}, w.r.On(w.r.Machine, w.r.Timing, o, w.r.Path)); err != nil {
			return err
		}
	}
	return nil
}
