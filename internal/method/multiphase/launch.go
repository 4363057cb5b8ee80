package multiphase

import (
	"context"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
)

var allScopes = []bound.Scope{bound.Warp, bound.Block, bound.SM, bound.Kernel}

// Table is the methods of this package.
var Table = []*method.Method{
	entry(GUB, "the published bound on a thread block (Jeanmougin2025, Definition 10)", 1, 9, 11),
	entry(SUM, "every other warp costs all its initiations", 2, 3, 4, 5, 6, 7, 8, 9, 11, 41),
	entry(FUA, "every other warp costs its initiations on the units of the delayed one, and one issue slot each elsewhere", 2, 3, 6, 7, 8, 9, 11, 41),
	entry(BURST, "every other warp costs its bursts on the units of the delayed one", 2, 3, 7, 9, 11),
	entry(PATH, "the longest path of the delayed warp over each set of units, plus the bursts of others there", 2, 3, 7, 9, 11),
	entry(REF, "as path, with what a burst cannot delay given back", 2, 3, 9, 11),
	entry(CHAIN, "sum over the chain of sections between barriers, with what is pending across them", 9, 11, 13),
}

func entry(name, doc string, theorems ...int) *method.Method {
	return &method.Method{
		Name: name, Doc: doc, Theorems: theorems, Machine: method.Plain, Need: method.Sections, Scopes: allScopes, Unsafe: name == GUB, Choices: name == SUM || name == FUA,
		Applies: func(f *method.Facts, _ method.Part) *bound.Refusal { return f.Irregular() },
		Run: func(ctx context.Context, f *method.Facts, part method.Part) (*bound.Bound, error) {
			l, err := Of(f)
			if err != nil {
				return nil, err
			}
			res, err := l.Result(ctx, part)
			if err != nil {
				return nil, err
			}
			if b := res.Bound(name); b != nil {
				return b, nil
			}
			for i := range res.Refused {
				if no := &res.Refused[i]; no.Method == name {
					return nil, no
				}
			}
			return nil, fmt.Errorf("%s: neither a bound nor a refusal", name)
		},
		Costs: func(ctx context.Context, f *method.Facts, path method.PathOf) ([]method.Cost, error) {
			l, err := Of(f)
			if err != nil {
				return nil, err
			}
			return l.Costs(ctx, name, path)
		},
	}
}

// Analysis is the analysis of a launch that all methods of the package share.
type Analysis struct {
	f        *method.Facts
	hw       method.Hardware
	opt      Options
	analyzer *Analyzer
	results  map[method.Part]*bound.Result
	slowest  int
}

type launchKey struct{}

// Of is the analysis of a launch whose path is known, by the methods asked for.
func Of(f *method.Facts) (*Analysis, error) {
	return method.Once(f, launchKey{}, func() (*Analysis, error) {
		l := &Analysis{f: f, hw: method.HardwareOf(f.Machine, f.Occupancy.Blocks), opt: Options{Ledger: f.Ledger(), Methods: []string{}}, results: map[method.Part]*bound.Result{}}
		for _, name := range Methods() {
			if f.Question.Methods == nil || slices.Contains(f.Question.Methods, name) {
				l.opt.Methods = append(l.opt.Methods, name)
			}
		}
		var err error
		l.analyzer, err = NewAnalyzer(l.hw, l.opt)
		return l, err
	})
}

// With is an analyzer of the same hardware and ledger for other methods.
func (l *Analysis) With(methods ...string) (*Analyzer, error) {
	opt := l.opt
	opt.Methods = methods
	return NewAnalyzer(l.hw, opt)
}

// SlowestBlock is the index of the class of blocks with the largest best bound.
func (l *Analysis) SlowestBlock(ctx context.Context) (int, error) {
	_, err := l.Result(ctx, method.Part{Scope: bound.Block, Index: method.Slowest})
	return l.slowest, err
}

// Result is the bounds on a part by all methods asked for, with profiles. Of the
// slowest part, all bounds are of the one warp or block whose best bound is largest.
func (l *Analysis) Result(ctx context.Context, part method.Part) (*bound.Result, error) {
	if r := l.results[part]; r != nil {
		return r, nil
	}
	r, err := l.result(ctx, part)
	if err == nil {
		l.results[part] = r
	}
	return r, err
}

func (l *Analysis) result(ctx context.Context, part method.Part) (r *bound.Result, err error) {
	warps, classes := l.f.Alone(), l.f.Classes()
	warp := func(i int) (*bound.Result, error) { return l.analyzer.Warp(ctx, warps[i]) }
	block := func(i int) (*bound.Result, error) { return l.analyzer.Block(ctx, classes[i].Block) }
	what := "whole launch"
	switch {
	case part.Whole():
		r, err = l.whole(ctx)
	case part.Scope == bound.Warp:
		what = "one warp"
		if part.Index == method.Slowest {
			r, _, err = slowest(len(warps), warp)
		} else {
			r, err = warp(part.Index)
		}
	default:
		what = "one block"
		if part.Index == method.Slowest {
			r, l.slowest, err = slowest(len(classes), block)
		} else {
			r, err = block(part.Index)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return r, nil
}

// whole bounds all blocks.
func (l *Analysis) whole(ctx context.Context) (*bound.Result, error) {
	classes := l.f.Classes()
	if l.hw.SMs == 1 {
		return l.analyzer.SM(ctx, classes)
	}
	a, _, err := l.launched()
	if err != nil {
		return nil, err
	}
	return a.Kernel(ctx, classes)
}

// launched is the analyzer of the whole launch, and on how many SMs.
func (l *Analysis) launched() (*Analyzer, int64, error) {
	wide, even := l.f.Spread(l.hw)
	if l.hw.SMs == 1 || !even {
		return l.analyzer, l.hw.SMs, nil
	}
	opt := l.opt
	opt.Ledger = append([]bound.Assumption{
		bound.Assume(bound.GreedyBlocks, bound.Enforced, fmt.Sprintf("breadth-first: all %d blocks start at once, at most %d on an SM", l.f.Blocks, wide.SlotsPerSM)),
		bound.Assume(bound.SlotRule, bound.Enforced, fmt.Sprintf("%d slot(s) on each of %d SM(s)", l.hw.SlotsPerSM, l.hw.SMs)),
	}, opt.Ledger...)
	a, err := NewAnalyzer(wide, opt)
	return a, wide.SMs, err
}

// slowest returns the result with the largest best bound, or the largest first
// bound where none is safe; the first of equals.
func slowest(n int, result func(int) (*bound.Result, error)) (*bound.Result, int, error) {
	cycles := func(r *bound.Result) int64 {
		switch {
		case r.Best >= 0:
			return r.Bounds[r.Best].Cycles
		case len(r.Bounds) > 0:
			return r.Bounds[0].Cycles
		}
		return -1
	}
	var worst *bound.Result
	index := 0
	for i := range n {
		r, err := result(i)
		if err != nil {
			return nil, 0, err
		}
		if worst == nil || cycles(r) > cycles(worst) {
			worst, index = r, i
		}
	}
	return worst, index, nil
}
