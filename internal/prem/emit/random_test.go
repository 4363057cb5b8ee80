package emit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/scheme"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
	"github.com/warpbound/warpbound/internal/verify/premtest"
)

// randomNest is the module of a random nest under a scheme, or false where it is
// undefined, its iterations are not independent, or a scratchpad does not hold it.
func randomNest(n *premtest.Nest, seed int, s device.Scheme) (Module, bool) {
	p, err := cfront.Parse("nest.c", n.Source, nil)
	if err != nil {
		return Module{}, false
	}
	m := Module{Program: p, Func: p.Funcs[0], Sources: map[string][]byte{p.File: []byte(n.Source)}}
	k := m.Func.Kernels()[0]
	if depend.Kernel(p, k) != nil || loopkit.Run(p, premtest.Function, n.Args(0)) != nil {
		return m, false
	}
	plan, err := tile.Make(p, m.Func, k, tile.Options{SPMBytes: []int64{1 << 10, 4 << 10, 48 << 10}[seed%3]})
	if err != nil {
		return m, false
	}
	d, err := scheme.Generate(p, m.Func, k, 0, plan, s)
	if err != nil {
		return m, false
	}
	d.Name = fmt.Sprintf("nest_%d_%s", seed, s)
	m.Kernels = []*device.Entry{d}
	return m, true
}

// TestRandomNestsCompiled compiles the kernels of random nests to PTX, all in one
// text, and compares what they compute on the functional machine with what the
// interpreter computes.
func TestRandomNestsCompiled(t *testing.T) {
	type drawn struct {
		n    *premtest.Nest
		m    Module
		seed int
	}
	var all []drawn
	var cu, cl strings.Builder
	nests := settings.Cases(t, 40)
	for seed := range nests {
		n := premtest.Generate(premtest.Seeded(uint64(seed)))
		m, ok := randomNest(n, seed, schemes[seed%4])
		if !ok {
			continue
		}
		all = append(all, drawn{n, m, seed})
		text, err := CUDA(m)
		if err != nil {
			t.Fatal(err)
		}
		cu.WriteString(text)
		if text, err = OpenCL(m); err != nil {
			t.Fatal(err)
		}
		cl.WriteString(text)
	}
	if len(all) < nests/3 {
		t.Fatalf("%d of %d nests", len(all), nests)
	}
	wants := make([][]*loop.Args, len(all)) // for each nest and variant of its arguments; nil where those leave it undefined
	for i, x := range all {
		for v := range x.n.Variants() {
			want := x.n.Args(v)
			want.OnKernel = launcher{x.m, func(k *device.Entry, args []deviceexec.Arg) error {
				return deviceexec.Run(k, args, deviceexec.Options{})
			}}.hook
			if loopkit.Run(x.m.Program, premtest.Function, want) != nil {
				wants[i] = append(wants[i], nil)
			} else {
				wants[i] = append(wants[i], &want)
			}
		}
	}
	optional.Each(t, cudaCompilers(), func(t *testing.T, path string) {
		code, err := compiled(t, path, cu.String())
		if err != nil {
			t.Fatal(err)
		}
		on, err := parsePTX(code)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range all {
			for v, want := range wants[i] {
				if want == nil {
					continue
				}
				got := x.n.Args(v)
				got.OnKernel = launcher{x.m, func(k *device.Entry, args []deviceexec.Arg) error { return on.execute(x.m, k, args) }}.hook
				if err := loopkit.Run(x.m.Program, premtest.Function, got); err != nil {
					t.Errorf("seed %d: %v\n%s", x.seed, err, x.n.Source)
					continue
				}
				for name, w := range want.Arrays {
					for e := range w.Bits {
						if g := got.Arrays[name].Bits[e]; g != w.Bits[e] && !(nan(w.Elem, g) && nan(w.Elem, w.Bits[e])) {
							t.Errorf("seed %d: %s, element %d: %#x, want %#x\n%s", x.seed, name, e, g, w.Bits[e], x.n.Source)
							break
						}
					}
				}
			}
		}
		t.Logf("%d nests", len(all))
		if err := checkOpenCL(t, path, cl.String()); err != nil {
			t.Error(err)
		}
	})
}
