package serial

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/seq"
)

// TestEveryPathIsCovered: the bound for warps with choices is that of the heaviest
// path, and at least that of every other.
func TestEveryPathIsCovered(t *testing.T) {
	b := choice.NewBuilder()
	must := func(e *choice.Expr, err error) *choice.Expr {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	side := must(b.Any(must(b.Run(0, 1)), must(b.Run(2))))
	e := must(b.Concat(must(b.Run(1)), must(b.One(side, must(b.Repeat(2, must(b.Run(2)))))), must(b.AtMost(3, must(b.Run(0))))))
	l := &launch{f: &method.Facts{Machine: &gpu.Machine{Desc: &gpu.Description{}}}, cycles: []int64{5, 7, 11}}
	l.f.Machine.Desc.Barrier.DelayCycles = 2
	of := func(w *path.Warp) *bound.Bound {
		t.Helper()
		w.Barriers = 1
		r, err := l.bound(bound.Block, []path.BlockClass{{Blocks: 2, Warps: []path.WarpClass{{Warp: w, Count: 3}}}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	got := of(&path.Warp{Choices: []*choice.Expr{e, must(b.Run(1))}})
	if !strings.HasSuffix(got.Theorem, "theorem 41") {
		t.Errorf("proved by %s", got.Theorem)
	}
	largest := int64(0)
	for p := range e.Paths() {
		one := of(&path.Warp{Sections: []*seq.Seq{seq.Must(seq.Run(p...)), seq.Must(seq.Run(1))}})
		largest = max(largest, one.Cycles)
	}
	// 7 + (5 + 7 + 11) + 3·5, then 7: 52 cycles and a barrier of 2, for six warps.
	if got.Cycles != 6*54 || got.Cycles != largest {
		t.Errorf("%d cycles, the heaviest path %d, want %d", got.Cycles, largest, 6*54)
	}
}
