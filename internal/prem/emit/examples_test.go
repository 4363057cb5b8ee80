package emit

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/scheme"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

var schemes = []device.Scheme{device.Base, device.CMPT, device.DAE, device.SDMA}

// example is the module of an example program under a scheme.
func example(t testing.TB, e prem.Benchmark, s device.Scheme, spm int64) Module {
	t.Helper()
	text, err := e.Source()
	if err != nil {
		t.Fatal(err)
	}
	p, err := cfront.Parse(e.File(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return generated(t, p, []byte(text), s, spm)
}

// small is a scratchpad that makes most programs need several intervals; large one
// that holds at least an iteration of every loop.
const small, large = 4 << 10, 48 << 10

// generated is the module of the program's only function.
func generated(t testing.TB, p *loop.Unit, text []byte, s device.Scheme, spm int64) Module {
	t.Helper()
	return generatedFunc(t, p, p.Funcs[0], text, s, spm)
}

// generatedFunc is the module of a function.
func generatedFunc(t testing.TB, p *loop.Unit, f *loop.Func, text []byte, s device.Scheme, spm int64) Module {
	t.Helper()
	m := Module{Program: p, Func: f, Sources: map[string][]byte{p.File: text}}
	for n, k := range m.Func.Kernels() {
		plan, err := tile.Make(p, m.Func, k, tile.Options{SPMBytes: spm})
		if err != nil {
			plan, err = tile.Make(p, m.Func, k, tile.Options{SPMBytes: large})
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := scheme.Generate(p, m.Func, k, n, plan, s)
		if err != nil {
			t.Fatal(err)
		}
		m.Kernels = append(m.Kernels, d)
	}
	return m
}

// launcher executes the module's kernels when loop.Run reaches them.
type launcher struct {
	m   Module
	run func(k *device.Entry, args []deviceexec.Arg) error
}

func (l launcher) hook(k *loop.Nest, f *loop.Frame) (bool, error) {
	var d *device.Entry
	for i, x := range l.m.Func.Kernels() {
		if x == k {
			d = l.m.Kernels[i]
		}
	}
	partial := make(map[*loop.Array]*loop.Buffer)
	for _, r := range d.Reductions {
		b, err := loop.NewBuffer(r.Partial.Elem, d.Teams)
		if err != nil {
			return true, err
		}
		partial[r.Partial] = b
	}
	var args []deviceexec.Arg
	for _, q := range d.Params {
		switch {
		case q.Var != nil:
			v, _ := f.Scalar(q.Var)
			args = append(args, deviceexec.Arg{Value: v})
		case partial[q.Array] != nil:
			args = append(args, deviceexec.Arg{Buffer: partial[q.Array]})
		default:
			args = append(args, deviceexec.Arg{Buffer: f.Buffer(q.Array)})
		}
	}
	if err := l.run(d, args); err != nil {
		return true, err
	}
	for _, r := range d.Reductions {
		v, _ := f.Scalar(r.Var)
		for _, x := range partial[r.Partial].Bits {
			v.Bits, _ = r.Op.Combine(v.Type, v.Bits, x)
		}
		f.SetScalar(r.Var, v)
	}
	return true, nil
}

// reordered are the programs whose reductions add in another order than theirs.
var reordered = map[string]bool{"gramschmidt": true, "reduce": true}

// TestExamplesCompiled compiles all kernels of all example programs to PTX, runs
// the programs with them on the functional machine, and compares bit for bit with
// the references in Go, or, where a reduction adds in another order, with what the
// kernels compute in the interpreter.
func TestExamplesCompiled(t *testing.T) {
	for _, s := range schemes {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			var mods []Module
			for _, e := range prem.All() {
				m := example(t, e, s, small)
				one, err := CUDA(m)
				if err != nil {
					t.Fatalf("%s: %v", e.Name, err)
				}
				mods = append(mods, m)
				text.WriteString(one)
			}
			wants := make([]prem.Memory, len(mods))
			optional.Each(t, cudaCompilers(), func(t *testing.T, path string) {
				code, err := compiled(t, path, text.String())
				if err != nil {
					t.Fatal(err)
				}
				on, err := parsePTX(code)
				if err != nil {
					t.Fatal(err)
				}
				kernels := 0
				for i, e := range prem.All() {
					kernels += len(mods[i].Kernels)
					if wants[i] == nil {
						if wants[i], err = computed(t, e, mods[i]); err != nil {
							t.Errorf("%s: %v", e.Name, err)
							continue
						}
					}
					if err := compareExample(t, on, e, mods[i], wants[i]); err != nil {
						t.Errorf("%s: %v", e.Name, err)
					}
				}
				t.Logf("%d kernels of %d programs by %s", kernels, len(mods), path)
			})
		})
	}
}

// computed is what the kernels of an example have to compute.
func computed(t *testing.T, e prem.Benchmark, m Module) (prem.Memory, error) {
	if reordered[e.Name] {
		ran := loopkit.Arguments(t, e, e.Inputs())
		ran.OnKernel = launcher{m, func(k *device.Entry, args []deviceexec.Arg) error {
			return deviceexec.Run(k, args, deviceexec.Options{})
		}}.hook
		if err := loopkit.Run(m.Program, m.Func.Name, ran); err != nil {
			return nil, err
		}
		return loopkit.Results(e, e.Inputs(), ran), nil
	}
	want := e.Inputs()
	return want, e.Run(want)
}

func compareExample(t *testing.T, on *ptxFile, e prem.Benchmark, m Module, want prem.Memory) error {
	got := loopkit.Arguments(t, e, e.Inputs())
	got.OnKernel = launcher{m, func(k *device.Entry, args []deviceexec.Arg) error { return on.execute(m, k, args) }}.hook
	if err := loopkit.Run(m.Program, m.Func.Name, got); err != nil {
		return err
	}
	start := e.Inputs()
	if e.Compare(loopkit.Results(e, e.Inputs(), got), start) == nil {
		return errors.New("nothing changed")
	}
	return e.Compare(loopkit.Results(e, e.Inputs(), got), want)
}

// TestExamplesInOpenCL has clang check the kernels of all example programs.
func TestExamplesInOpenCL(t *testing.T) {
	for _, s := range schemes {
		var text strings.Builder
		for i, e := range prem.All() {
			m := example(t, e, s, small)
			m.Guard = i%2 == 0
			one, err := OpenCL(m)
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			if m.Guard {
				one = strings.ReplaceAll(one, "enter_", "guarded_enter_")
			}
			fmt.Fprintf(&text, "%s\n", one)
		}
		optional.Each(t, optional.Clangs(), func(t *testing.T, path string) {
			if err := checkOpenCL(t, path, text.String()); err != nil {
				t.Errorf("%s: %v", s, err)
			}
		})
	}
}
