package ptxgen

import (
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// call is a function of <math.h>. Those that PTX computes exactly come first; the
// others need Options.Approx.
func (g *gen) call(e *loop.Call, r func() string) string {
	t := e.Fn.Type
	name := e.Fn.Name
	if t == loop.Float {
		name = strings.TrimSuffix(name, "f")
	}
	x := g.register(e.Args[0])
	n := typeNames[t]
	switch name {
	case "sqrt":
		d := r()
		g.emit("sqrt.rn.%s %s, %s", n, d, x)
		return d
	case "fabs":
		d := r()
		g.emit("abs.%s %s, %s", n, d, x)
		return d
	case "floor", "ceil":
		d := r()
		g.emit("cvt.%s.%s.%s %s, %s", map[string]string{"floor": "rmi", "ceil": "rpi"}[name], n, n, d, x)
		return d
	case "fmin", "fmax":
		y, d := g.register(e.Args[1]), r()
		g.emit("%s.%s %s, %s, %s", name[1:], n, d, x, y)
		return d
	}
	if !g.opt.Approx {
		g.fail(e.At, "%s has no exact form in PTX; --approx (Options.Approx) takes the approximation of PTX", e.Fn.Name)
		return x
	}
	single := g.toSingle(t, x)
	var out string
	if name == "pow" {
		out = g.single("mul.rn.f32", g.toSingle(t, g.register(e.Args[1])), g.single("lg2.approx.f32", single))
		out = g.single("ex2.approx.f32", out)
	} else {
		out = g.approximate(name, single)
	}
	if t == loop.Float {
		return out
	}
	d := r()
	g.emit("cvt.f64.f32 %s, %s", d, out)
	return d
}

// toSingle rounds to binary32: the approximations have no wider form.
func (g *gen) toSingle(t loop.Type, x string) string {
	if t == loop.Float {
		return x
	}
	return g.single("cvt.rn.f32.f64", x)
}

func (g *gen) single(op string, args ...string) string {
	d := g.newFor(loop.Float)
	g.emit("%s %s, %s", op, d, strings.Join(args, ", "))
	return d
}

const (
	log2E    = "0f3FB8AA3B" // log2(e)
	ln2      = "0f3F317218" // ln(2)
	twoLog2E = "0f4038AA3B" // 2*log2(e)
	one      = "0f3F800000"
	minusTwo = "0fC0000000"
)

func (g *gen) approximate(name, x string) string {
	switch name {
	case "exp":
		return g.single("ex2.approx.f32", g.single("mul.rn.f32", x, log2E))
	case "log":
		return g.single("mul.rn.f32", g.single("lg2.approx.f32", x), ln2)
	case "tan":
		s := g.single("sin.approx.f32", x)
		return g.single("div.approx.f32", s, g.single("cos.approx.f32", x))
	case "tanh":
		// 1 - 2/(exp(2x) + 1)
		s := g.single("ex2.approx.f32", g.single("mul.rn.f32", x, twoLog2E))
		s = g.single("rcp.approx.f32", g.single("add.rn.f32", s, one))
		return g.single("fma.rn.f32", s, minusTwo, one)
	}
	return g.single(name+".approx.f32", x) // sin, cos
}
