package scheme

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// fill makes arguments of any function: scalars as given, arrays of numbers that
// have another sum in another order.
func fill(t fataler, p *loop.Unit, scalars map[string]loop.Value) loop.Args {
	t.Helper()
	args := loop.Args{Scalars: map[string]loop.Value{}, Arrays: map[string]*loop.Buffer{}}
	value := func(x loop.Expr) int64 {
		l, ok := loop.Affine(x)
		if !ok {
			t.Fatalf("extent %s", loop.ExprText(x))
		}
		n := l.Const
		for _, c := range l.Terms {
			n += c.Coef * int64(scalars[c.Var.Name].Bits)
		}
		return n
	}
	for i, q := range p.Funcs[0].Params {
		if q.Array == nil {
			args.Scalars[q.Var.Name] = scalars[q.Var.Name]
			continue
		}
		var shape []int64
		for _, x := range q.Array.Extents {
			if x == nil {
				x = section(p.Funcs[0], q.Array)
			}
			shape = append(shape, value(x))
		}
		b, err := loop.NewBuffer(q.Array.Elem, shape...)
		if err != nil {
			t.Fatal(err)
		}
		for n := range b.Bits {
			v := (n*37 + 11*i) % 101
			switch q.Array.Elem {
			case loop.Float:
				b.Bits[n] = uint64(math.Float32bits(float32(float64(v)/7 + 0.5)))
			case loop.Double:
				b.Bits[n] = math.Float64bits(float64(v)/7 + 0.5)
			default:
				b.Bits[n] = uint64(v)
			}
		}
		args.Arrays[q.Array.Name] = b
	}
	return args
}

// section is the length that a map clause gives an array.
func section(f *loop.Func, a *loop.Array) loop.Expr {
	for _, k := range f.Kernels() {
		for _, m := range k.Maps {
			if m.Array == a && len(m.Sections) > 0 {
				return m.Sections[0].Len
			}
		}
	}
	return nil
}

// compare runs a program as it is and as generated, and fails where the results
// are not the same in every bit. Reductions are computed in the generated order.
// Twice also takes threads and teams from the last to the first.
func compare(t fataler, p *loop.Unit, c *code, in loop.Args, twice bool) {
	t.Helper()
	want := copyOf(in)
	want.OnKernel = func(k *loop.Nest, f *loop.Frame) (bool, error) {
		if len(k.Reductions) == 0 {
			return false, nil
		}
		return true, (&dealer{k: k, f: f, plan: c.plans[k], base: c.scheme == device.Base}).run()
	}
	if err := loopkit.Run(p, c.f.Name, want); err != nil {
		t.Fatal(err)
	}
	for _, o := range []deviceexec.Options{{Races: true}, {Reverse: true}} {
		if o.Reverse && !twice {
			continue
		}
		got := copyOf(in)
		got.OnKernel = func(k *loop.Nest, f *loop.Frame) (bool, error) { return true, c.launch(k, f, o) }
		if err := loopkit.Run(p, c.f.Name, got); err != nil {
			t.Fatal(err, c.text())
		}
		if d := differs(p, got, want); d != "" {
			t.Fatal(d, c.text())
		}
	}
}

func (c *code) text() string {
	s := "\n"
	for _, k := range c.f.Kernels() {
		s += deviceexec.Print(c.source[k])
	}
	return s
}

func TestNests(t *testing.T) {
	files, err := filepath.Glob("testdata/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no test programs", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{"1", "7", "37"} {
			p := parse(t, file, string(text), map[string]string{"N": n})
			in := fill(t, p, map[string]loop.Value{"n": loop.OfInt(21), "m": loop.OfInt(33), "from": loop.OfLong(3),
				"limit": loop.OfInt(40), "scale": loop.OfDouble(1.25)})
			for _, s := range schemes {
				for _, spm := range []int64{48 << 10, 4 << 10, 1 << 10, 300} {
					t.Run(fmt.Sprintf("%s/%s/%s/%d", filepath.Base(file), n, s, spm), func(t *testing.T) {
						c, err := build(p, s, planned(spm))
						if errors.Is(err, errPlan) && spm < 4<<10 {
							return
						}
						if err != nil {
							t.Fatal(err)
						}
						compare(t, p, c, in, true)
						if s == device.SDMA {
							if c, err = buildWith(Options{Pack: true}, p, s, planned(spm)); err != nil {
								t.Fatal(err)
							}
							compare(t, p, c, in, false)
						}
					})
				}
			}
		}
	}
}

// fataler is a test or a rapid check.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A box may count its elements from the last one to the first.
func TestBoxesThatCountDown(t *testing.T) {
	text, err := os.ReadFile("testdata/steps.c")
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, "steps.c", string(text), map[string]string{"N": "24"})
	in, turned := fill(t, p, nil), 0
	for _, s := range []device.Scheme{device.DAE, device.SDMA} {
		for _, spm := range []int64{48 << 10, 4 << 10, 1 << 10} {
			c, err := build(p, s, func(p *loop.Unit, f *loop.Func, k *loop.Nest, n int) (*tile.Plan, error) {
				plan, err := planned(spm)(p, f, k, n)
				if err != nil {
					return nil, err
				}
				for _, x := range intervals(plan.Body) {
					for _, b := range x.Boxes {
						for i, d := range b.Dims {
							b.Dims[i].Lo.Const += d.Step * (d.Count - 1)
							b.Dims[i].Step = -d.Step
							turned++
						}
					}
				}
				return plan, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, p, c, in, false)
		}
	}
	if turned == 0 {
		t.Error("no box")
	}
}
