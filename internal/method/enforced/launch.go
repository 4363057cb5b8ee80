package enforced

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/method/segment"
	"github.com/warpbound/warpbound/internal/simt"
)

// Table is the methods of this package.
var Table = []*method.Method{
	ofOrder(ordered.Method, "each warp alone on a clock of its own, and what others delay it", 21, 22, 28, 29),
	ofOrder(ordered.SerialMethod, "accesses and instructions one after the other", 20, 28, 29),
	ofTurns(segment.Method, "the published segment WCET, latencies of eq. 3 (Huangfu2017)", true, 19),
	ofTurns(segment.CountMethod, "the same with an issue slot for each instruction", true, 19),
	ofTurns(segment.EstimateMethod, "the same with the latencies of eq. 4, from the estimated miss rate", true, 19),
	ofTurns(segment.ClassMethod, "the same with the latency of each access by its hits and misses", true, 19),
	ofTurns(segment.StrictMethod, "any strict round robin: initiations and each warp's longest chain of latencies", false, 19, 26),
	ofTurns(ordered.TurnsMethod, "the fixed sequence of strict turns", false, 19, 26),
}

var scopes = []bound.Scope{bound.Block, bound.SM, bound.Kernel}

func ofOrder(name, doc string, theorems ...int) *method.Method {
	return entry(name, doc, method.InOrder, newOrdered, false, theorems)
}

func ofTurns(name, doc string, unsafe bool, theorems ...int) *method.Method {
	m := entry(name, doc, method.InTurns, newTurns, unsafe, theorems)
	m.Costs = func(ctx context.Context, f *method.Facts, _ method.PathOf) ([]method.Cost, error) {
		known, err := method.Once(f, method.InTurns, func() (*results, error) { return newTurns(ctx, f) })
		if err != nil {
			return nil, err
		}
		b, err := known.bound(name, method.Part{Scope: f.WholeScope()})
		if err != nil || b == nil {
			return nil, err
		}
		if f.Question.Reordered || f.Path.Instructions > mostTraced {
			return method.UndividedCosts(b), nil
		}
		of, err := method.Once(f, costsKey{}, func() (*results, error) { return turnsOf(ctx, f, true) })
		if err != nil {
			return nil, err
		}
		costs := of.costs[name]
		if costs == nil {
			return method.UndividedCosts(b), nil
		}
		var out []method.Cost
		for _, c := range slices.SortedFunc(maps.Keys(costs), method.CompareCosts) {
			if n := costs[c]; n != 0 {
				c.Cycles = n
				out = append(out, c)
			}
		}
		return out, nil
	}
	return m
}

func entry(name, doc string, on method.MachineKind, compute func(context.Context, *method.Facts) (*results, error), unsafe bool, theorems []int) *method.Method {
	return &method.Method{
		Name: name, Doc: doc, Theorems: theorems, Machine: on, Need: method.Accesses, Scopes: scopes, Unsafe: unsafe,
		Run: func(ctx context.Context, f *method.Facts, part method.Part) (*bound.Bound, error) {
			of, err := method.Once(f, on, func() (*results, error) { return compute(ctx, f) })
			if no := refusal(err); no != nil {
				return nil, no
			}
			if err != nil {
				return nil, err
			}
			return of.bound(name, part)
		},
	}
}

type costsKey struct{}

// mostTraced is how many warp instructions a launch may have for the costs of turns: what
// each time is the sum of is kept by instruction executed.
const mostTraced = 1 << 22

// results are the figures on a block and on the launch.
type results struct {
	block, whole *bound.Result
	costs        map[string]map[method.Cost]int64 // of the launch, by method, where they are asked for and known
}

// bound is a figure, or a *bound.Refusal as an error; nil where there is
// neither.
func (r *results) bound(name string, part method.Part) (*bound.Bound, error) {
	res := r.block
	if part.Whole() {
		res = r.whole
	}
	for i := range res.Refused {
		if no := &res.Refused[i]; no.Method == name {
			return nil, no
		}
	}
	return res.Bound(name), nil
}

// caches says what a description lacks for an enforced order of accesses.
func caches(d *gpu.Description) error {
	switch {
	case !d.HasCaches():
		return fmt.Errorf("GPU %s has no tables [l1d], [l2] and [dram]: expected a description with caches, such as gtx480 or rtx3070", d.Name)
	case d.LDSTPath == nil:
		return fmt.Errorf("GPU %s has no table [ldst_path]: expected the channels of a reordering unit", d.Name)
	}
	return nil
}

// analyse decides whether the accesses of a launch are known before it runs.
func analyse(ctx context.Context, r *method.Facts) (*l1d.Analysis, error) {
	if err := caches(r.Machine.Desc); err != nil {
		return nil, err
	}
	k, err := r.Source.Tainted()
	if err != nil {
		return nil, err
	}
	a, err := l1d.Analyse(ctx, k, l1d.AnalyseOptions{Limits: r.Question.Limits})
	r.Observe(k)
	return a, err
}

// Residency is how the blocks of a launch share the SMs.
func Residency(m *gpu.Machine, blocks int64, perSM int) l1d.Residency {
	return l1d.Residency{Blocks: blocks, SMs: int(min(m.Desc.SM.Count, blocks)), BlocksPerSM: perSM}
}

// NewAccessOrder is the order of a launch's accesses.
func NewAccessOrder(ctx context.Context, a *l1d.Analysis, launch method.Source, segmentBytes int, limits simt.Limits) (*l1d.Order, error) {
	k, err := launch.Fresh()
	if err != nil {
		return nil, err
	}
	return a.NewOrder(k, l1d.Options{SegmentBytes: segmentBytes, Limits: limits, Interrupt: ctx.Err})
}

// OrderOf is NewAccessOrder for a launch that has not been analysed. Where its accesses
// depend on unknown data, the error is an *l1d.NotAnalysable.
func OrderOf(ctx context.Context, launch method.Source, segmentBytes int, limits simt.Limits) (*l1d.Order, error) {
	k, err := launch.Tainted()
	if err != nil {
		return nil, err
	}
	a, err := l1d.Analyse(ctx, k, l1d.AnalyseOptions{Limits: limits})
	if err != nil {
		return nil, err
	}
	return NewAccessOrder(ctx, a, launch, segmentBytes, limits)
}

// refusal says why there is no bound, nil where err is a failure.
func refusal(err error) *bound.Refusal {
	var (
		no        *bound.Refusal
		unknown   *l1d.NotAnalysable
		irregular *irregularError
		stop      *ordered.OrderError
	)
	switch {
	case errors.As(err, &no):
		return &bound.Refusal{Reason: no.Reason, Assumption: no.Assumption}
	case errors.As(err, &unknown):
		return &bound.Refusal{Reason: "the accesses depend on unknown data: " + unknown.Reasons[0].String(), Assumption: bound.AccessClassesExact}
	case errors.As(err, &irregular):
		return &bound.Refusal{Reason: irregular.reason, Assumption: bound.BarrierKind}
	case errors.As(err, &stop):
		return &bound.Refusal{Reason: stop.Error(), Assumption: bound.EnforcedAccessOrder}
	}
	return nil
}
