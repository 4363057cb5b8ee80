package study

import (
	"github.com/warpbound/warpbound/internal/prem/emit"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// HarnessArguments are the formulas of what Arguments makes, for the host program of
// emit.Harness, as far as the given values determine it.
func HarnessArguments(p *loop.Unit, f *loop.Func, values map[string]int64) []emit.Argument {
	var out []emit.Argument
	arrays := append([]*loop.Array{}, p.Arrays...)
	for _, q := range f.Params {
		if q.Array != nil {
			arrays = append(arrays, q.Array)
			continue
		}
		v, known := values[q.Var.Name]
		switch {
		case q.Var.Type.IsFloat():
			out = append(out, emit.Argument{Name: q.Var.Name, Init: emit.Init{Off: ScalarValue}})
		case known:
			out = append(out, emit.Argument{Name: q.Var.Name, Init: emit.Init{Off: float64(v)}})
		}
	}
	args, err := Arguments(p, f, values)
	for _, a := range arrays {
		x := emit.Argument{Name: a.Name, Init: emit.Init{Mul: 1, Mod: ArrayPeriod, Off: 1}}
		if a.Elem.IsFloat() {
			x.Init.Div = ArrayQuotient
		}
		if err == nil && a.Extents[0] == nil {
			x.Extent = args.Arrays[a.Name].Shape[0]
		}
		out = append(out, x)
	}
	return out
}
