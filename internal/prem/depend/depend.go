package depend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Kernel checks that the SIMT iterations of kernel k of p are independent: that no
// array element which one of them writes is read or written by another. The error
// is a *loop.Error at the write; see Accesses.Check.
func Kernel(p *loop.Unit, k *loop.Nest) error {
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
			verdict, p := s.overlaps(x, y, ix, iy)
			if verdict == empty {
				continue
			}
			dep := dependence{first: x, then: y, in: ix, out: iy, level: d, point: p, given: s.given()}
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
	level       int         // of the SIMT loop that carries it
	point       Point       // nil where no pair of iterations was found
	given       []*loop.Var // what the point has beside the two iterations
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
	verb, does := "may depend", "reads"
	if d.proved {
		verb = "depend"
	}
	if there.write {
		does = "writes"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "iterations of the parallel loop over %s %s on one another: %s writes what %s at %s %s (%s dependence",
		d.first.loops[d.level].loop.Var.Name, verb, loop.ExprText(here.node), loop.ExprText(there.node),
		there.node.At.In(here.node.At.File), does, d.kind())
	instance := true
	if !d.proved {
		var why string
		why, instance = d.obstacle()
		fmt.Fprintf(&b, " that cannot be excluded: %s", why)
	}
	if instance && d.point != nil {
		b.WriteString("; for instance ")
		for i, v := range d.given {
			if i == 0 {
				b.WriteString("with ")
			}
			fmt.Fprintf(&b, "%s = %d, ", v.Name, d.point[v])
		}
		fmt.Fprintf(&b, "from %s to %s", a.iteration(d.first, d.in, d.point), a.iteration(d.then, d.out, d.point))
	}
	b.WriteString(")")
	return &loop.Error{Pos: here.node.At, Msg: b.String()}
}

// obstacle says what kept the test from a proof, and whether the pair of iterations
// that was found is one that could have the dependence: what the test leaves out are
// then only conditions around the two accesses.
func (d dependence) obstacle() (why string, instance bool) {
	for _, x := range []*access{d.first, d.then} {
		for i, s := range x.subs {
			if !s.affine {
				return fmt.Sprintf("subscript %s of %s is not affine", loop.ExprText(x.node.Subs[i]), x.node.Array.Name), false
			}
		}
	}
	for _, x := range []*access{d.first, d.then} {
		for _, n := range x.loops {
			if !n.exact {
				return fmt.Sprintf("a bound of the loop over %s is not affine", n.loop.Var.Name), false
			}
		}
	}
	for _, x := range []*access{d.first, d.then} {
		if slices.ContainsFunc(x.guard, func(f formula) bool { return !f.exact }) {
			return fmt.Sprintf("a condition around %s is not affine", loop.ExprText(x.node)), true
		}
	}
	if d.point != nil {
		return "a condition or a bound around the kernel, or an extent, is not affine", false
	}
	return "the question is beyond the limits of the test", false
}

// iteration writes the values of the SIMT loops' variables.
func (a *Accesses) iteration(x *access, in Instance, p Point) string {
	var parts []string
	for _, n := range x.loops[:a.kernel.Collapse] {
		parts = append(parts, fmt.Sprintf("%s = %d", n.loop.Var.Name, p[in.own[n.loop.Var]]))
	}
	return strings.Join(parts, ", ")
}
