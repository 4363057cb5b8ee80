package depend

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/prem/loop"
)

// Kernel checks that the SIMT iterations of kernel k of p are independent: that no
// array element which one of them writes is read or written by another. The error
// is a *loop.Error at the write; see Accesses.Check.
func Kernel(p *loop.Program, k *loop.Kernel) error {
	a, err := Collect(p, k)
	if err != nil {
		return err
	}
	return a.Check()
}

// Check is the dependence test of Kernel. The error names both accesses, the kind
// of the dependence and the loop that carries it, and says whether the dependence is
// proved, with two iterations that have it, or only not excluded. A proved one is
// preferred; otherwise it is the first in the order of the program.
func (a *Accesses) Check() error {
	var first *loop.Error
	for i, x := range a.list {
		for _, y := range a.list[i:] {
			if x.node.Array != y.node.Array || !x.write && !y.write {
				continue
			}
			err, proved := a.carried(x, y)
			if proved {
				return err
			}
			if err != nil && first == nil {
				first = err
			}
		}
	}
	if first == nil {
		return nil
	}
	return first
}

// carried tests one pair of accesses in every direction and at every SIMT loop.
func (a *Accesses) carried(x, y *access) (err *loop.Error, proved bool) {
	base := a.system()
	ix, iy := base.instance(x), base.instance(y)
	base.sameElement(x, y, ix, iy)
	for d, n := range x.loops[:a.kernel.Collapse] {
		v := loop.Of(n.loop.Var)
		for _, forward := range []bool{true, false} {
			if !forward && x == y {
				continue
			}
			s := base.Clone()
			// The iteration whose variable is less comes first where the loop counts up.
			if forward == (n.loop.Step > 0) {
				s.Less(ix.Of(v), iy.Of(v))
			} else {
				s.Less(iy.Of(v), ix.Of(v))
			}
			verdict, p := s.solve()
			if verdict == empty {
				continue
			}
			dep := dependence{first: x, then: y, in: ix, out: iy, level: d, point: p}
			if !forward {
				dep.first, dep.then, dep.in, dep.out = y, x, iy, ix
			}
			dep.proved = verdict == found && s.Exact()
			e := a.report(dep)
			if dep.proved {
				return e, true
			}
			if err == nil {
				err = e
			}
		}
		base.Equal(ix.Of(v), iy.Of(v))
	}
	return err, false
}

// dependence is what is known of two accesses, the first in an earlier iteration.
type dependence struct {
	first, then *access
	in, out     Instance
	level       int   // of the SIMT loop that carries it
	point       Point // nil where no pair of iterations was found
	proved      bool
}

func (d dependence) kind() string {
	switch {
	case d.first.write && d.then.write:
		return "output"
	case d.first.write:
		return "flow"
	}
	return "anti"
}

func (a *Accesses) report(d dependence) *loop.Error {
	here, there := d.first, d.then
	if !here.write {
		here, there = there, here
	}
	carrier := d.first.loops[d.level].loop.Var.Name
	var b strings.Builder
	verb := "may depend"
	if d.proved {
		verb = "depend"
	}
	fmt.Fprintf(&b, "iterations of the parallel loop over %s %s on one another: %s writes what %s at %d:%d ", carrier, verb,
		loop.ExprString(here.node), loop.ExprString(there.node), there.node.At.Line, there.node.At.Col)
	if there.write {
		b.WriteString("writes")
	} else {
		b.WriteString("reads")
	}
	fmt.Fprintf(&b, " (%s dependence", d.kind())
	switch {
	case d.proved:
		fmt.Fprintf(&b, ", for instance from %s to %s", a.iteration(d.in, d.point), a.iteration(d.out, d.point))
	case d.point != nil:
		fmt.Fprintf(&b, " not excluded, for instance from %s to %s", a.iteration(d.in, d.point), a.iteration(d.out, d.point))
	default:
		b.WriteString(" not excluded")
	}
	b.WriteString(")")
	return &loop.Error{Pos: here.node.At, Msg: b.String()}
}

// iteration writes the values of the SIMT loops' variables.
func (a *Accesses) iteration(in Instance, p Point) string {
	var parts []string
	for _, n := range a.list[0].loops[:a.kernel.Collapse] {
		parts = append(parts, fmt.Sprintf("%s = %d", n.loop.Var.Name, p[in.own[n.loop.Var]]))
	}
	return strings.Join(parts, ", ")
}
