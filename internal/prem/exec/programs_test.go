package exec

import (
	"context"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
	"github.com/warpbound/warpbound/internal/verify/premtest"
)

var schemes = []device.Scheme{device.Base, device.CMPT, device.DAE, device.SDMA}

// parsed lowers an example program.
func parsed(tb testing.TB, e prem.Benchmark) *loop.Unit {
	tb.Helper()
	text, err := e.Source()
	if err != nil {
		tb.Fatal(err)
	}
	p, err := cfront.Parse(e.File(), text, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// once compiles a program and runs it on the functional machine.
func once(t *testing.T, e prem.Benchmark, opt Options) (*Module, *Functional, prem.Memory) {
	t.Helper()
	mod, err := Compile(parsed(t, e), e.Function(), opt)
	if err != nil {
		t.Fatal(err)
	}
	in := e.Inputs()
	args := loopkit.Arguments(t, e, in)
	x := &Functional{}
	if err := mod.Run(context.Background(), args, x.Run); err != nil {
		t.Fatal(err)
	}
	return mod, x, loopkit.Results(e, in, args)
}

// Every program computes the same under every scheme, bit for bit what the
// reference in Go computes; the reduction over floats what a sum in the order of
// the teams and threads computes, which is that of package device.
func TestProgramsAreExact(t *testing.T) {
	compatible, ran := 0, 0
	for _, e := range prem.All() {
		want := e.Inputs()
		if err := e.Run(want); err != nil {
			t.Fatal(err)
		}
		for _, s := range schemes {
			for _, spm := range []int64{48 << 10, 6 << 10} {
				t.Run(fmt.Sprintf("%s/%s/%d", e.Name, s, spm), func(t *testing.T) {
					mod, x, got := once(t, e, Options{Scheme: s, Tile: tile.Options{SPMBytes: spm}})
					want := want
					if reduces(mod) {
						want = e.Inputs()
						args := loopkit.Arguments(t, e, want)
						if err := byDevice(mod, args); err != nil {
							t.Fatal(err)
						}
						want = loopkit.Results(e, want, args)
					}
					if err := e.Compare(got, want); err != nil {
						t.Error(err)
					}
					ran++
					for i, k := range mod.Kernels {
						if k.Device.Compatible != nil {
							compatible++
						}
						if c := x.Counts[i]; c.Launches == 0 || k.Phased != (s != device.Base) || k.Phased && c.MemoryPhases == 0 {
							t.Errorf("kernel %d: %+v", i, c)
						}
					}
				})
			}
		}
	}
	t.Logf("%d runs, %d kernels run as compatible intervals", ran, compatible)
}

func reduces(m *Module) bool {
	for _, k := range m.Kernels {
		if len(k.Source.Reductions) > 0 {
			return true
		}
	}
	return false
}

// byDevice runs a module's kernels in the interpreter of package device.
func byDevice(m *Module, args loop.Args) error {
	road, err := premtest.NewRoad(m.Program, m.Func.Name, func(_ *loop.Func, _ *loop.Nest, n int) (*device.Entry, error) {
		return m.Kernels[n].Device, nil
	})
	if err != nil {
		return err
	}
	return road.Run(args, deviceexec.Options{})
}

// Copy loops with several iterations at a time move the same elements.
func TestUnrolledProgramsAreExact(t *testing.T) {
	fewer := int64(0)
	for _, e := range prem.All() {
		for _, s := range schemes {
			t.Run(e.Name+"/"+s.String(), func(t *testing.T) {
				opt := Options{Scheme: s, Tile: tile.Options{SPMBytes: 8 << 10}, Trusted: true}
				_, plain, want := once(t, e, opt)
				opt.PTX.Unroll = 4
				_, unrolled, got := once(t, e, opt)
				if err := e.Compare(got, want); err != nil {
					t.Error(err)
				}
				for i, p := range plain.Counts {
					u := unrolled.Counts[i]
					fewer += p.WarpInstructions - u.WarpInstructions
					p.WarpInstructions, u.WarpInstructions = 0, 0
					if u != p {
						t.Errorf("kernel %d: unrolled %+v, not %+v", i, u, p)
					}
				}
			})
		}
	}
	if fewer <= 0 {
		t.Errorf("unrolling saves %d instructions", fewer)
	}
}

// With the guard's protocol, too.
func TestGuardedProgramsAreExact(t *testing.T) {
	for _, e := range prem.All() {
		t.Run(e.Name, func(t *testing.T) {
			opt := Options{Scheme: device.SDMA, Tile: tile.Options{SPMBytes: 8 << 10}}
			_, plain, want := once(t, e, opt)
			opt.PTX = ptxgen.Options{Guard: true}
			_, guarded, got := once(t, e, opt)
			if err := e.Compare(got, want); err != nil {
				t.Error(err)
			}
			for i, p := range plain.Counts {
				g := guarded.Counts[i]
				p.WarpInstructions, g.WarpInstructions = 0, 0
				if g != p {
					t.Errorf("kernel %d: with the guard %+v, without %+v", i, g, p)
				}
			}
		})
	}
}
