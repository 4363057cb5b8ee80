package deviceexec

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// drawer draws kernels whose control flow depends now and then on the thread or
// on memory, with barriers and Syncs anywhere.
type drawer struct {
	*rapid.T
	f      *fixture
	next   int
	locals []*loop.Var
	loops  []*loop.Var
}

func (d *drawer) pick(n int) int { return rapid.IntRange(0, n-1).Draw(d.T, "pick") }

func (d *drawer) expr(depth int) loop.Expr {
	switch k := d.pick(9); {
	case k == 0:
		return get(d.f.thread)
	case k == 1:
		return get(d.f.team)
	case k == 2 && len(d.locals) > 0:
		return get(d.locals[d.pick(len(d.locals))])
	case k == 3 && len(d.loops) > 0:
		return get(d.loops[d.pick(len(d.loops))])
	case k == 4 && depth > 0:
		return elem(d.f.in, bin(loop.And, d.expr(0), num(7)))
	case k > 6 && depth > 0:
		return bin([]loop.Op{loop.Add, loop.Lt, loop.And, loop.Eq}[d.pick(4)], d.expr(depth-1), d.expr(depth-1))
	}
	return num(int64(d.pick(4)))
}

// small is a value from 0 to 3.
func (d *drawer) small() loop.Expr { return bin(loop.And, d.expr(1), num(3)) }

func (d *drawer) stmts(depth int) []device.Stmt {
	var out []device.Stmt
	locals := len(d.locals)
	for range 1 + d.pick(4) {
		switch k := d.pick(8); {
		case k == 0 || len(d.locals) == 0:
			v := &loop.Var{Name: "v", Type: loop.Int, Kind: loop.Local, ID: d.next, At: pos(1)}
			d.next++
			out = append(out, &device.Decl{At: pos(2), Var: v, Init: d.small()})
			d.locals = append(d.locals, v)
		case k <= 2:
			out = append(out, set(2, get(d.locals[d.pick(len(d.locals))]), d.small()))
		case k == 3 && depth > 0:
			out = append(out, &device.If{At: pos(2), Cond: d.expr(1), Then: d.stmts(depth - 1), Else: d.stmts(depth - 1)})
		case k == 4 && depth > 0:
			v := &loop.Var{Name: "l", Type: loop.Int, Kind: loop.Induction, ID: d.next, At: pos(1)}
			d.next++
			lo, hi := d.small(), d.small()
			d.loops = append(d.loops, v)
			out = append(out, &device.For{At: pos(2), Var: v, Lo: lo, Hi: hi, Cmp: loop.Lt, Step: 1, Body: d.stmts(depth - 1)})
			d.loops = d.loops[:len(d.loops)-1]
		case k == 5:
			out = append(out, &device.Sync{At: pos(2), Phase: device.Phase(d.pick(2))})
		default:
			out = append(out, &device.Barrier{At: pos(2)})
		}
	}
	d.locals = d.locals[:locals]
	return out
}

// What Check accepts neither leaves threads behind at a barrier nor accesses
// memory in the wrong phase. Besides those, only bounds are refused.
func TestAcceptedKernelsKeepTogether(t *testing.T) {
	accepted, divergent, phases := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := &drawer{T: t, f: newFixture(), next: 5}
		k := d.f.kernel(d.stmts(3)...)
		k.NumVars = d.next
		err := device.Check(k)
		run := compile(k).Run(d.f.args(), Options{})
		switch {
		case err == nil && run != nil:
			t.Fatalf("Check accepts what faults: %v\n%s", run, Print(k))
		case err == nil:
			accepted++
		case strings.Contains(err.Error(), "may meet"):
			divergent++
		case strings.Contains(err.Error(), "reads memory"), strings.Contains(err.Error(), "which its bound names"):
		case strings.Contains(err.Error(), "outside the memory phase"), strings.Contains(err.Error(), "may not come"):
			phases++
		default:
			t.Fatalf("refused: %v\n%s", err, Print(k))
		}
	})
	t.Logf("%d kernels accepted, %d refused for their control flow and %d for their phases", accepted, divergent, phases)
	if accepted == 0 || divergent == 0 || phases == 0 {
		t.Errorf("%d kernels accepted, %d refused for their control flow and %d for their phases", accepted, divergent, phases)
	}
}
