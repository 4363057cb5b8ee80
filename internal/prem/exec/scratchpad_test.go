package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/testkit/ptxas"
	"github.com/warpbound/warpbound/internal/verify/premtest"
)

const (
	below = device.MaxStaticShared
	above = 96 << 10
)

func large(t *testing.T, s device.Scheme, spm int64, guard bool) *Module {
	t.Helper()
	p, err := cfront.Parse("large.c", premtest.LargeScratchpad, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Compile(p, "large", Options{Scheme: s, Tile: tile.Options{SPMBytes: spm}, PTX: ptxgen.Options{Guard: guard}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A scratchpad that is too large to be declared is given at the launch, and the
// kernels compute the same.
func TestLargeScratchpads(t *testing.T) {
	args := func() loop.Args {
		return loop.Args{Arrays: map[string]*loop.Buffer{"x": counted(t, loop.Float, 12288), "y": counted(t, loop.Float, 12288), "z": counted(t, loop.Double, 64)}}
	}
	for _, s := range schemes {
		for _, spm := range []int64{below, above} {
			m := large(t, s, spm, false)
			dynamic := m.Kernels[0].Device.DynamicBytes()
			if (dynamic > below) != (spm == above && s >= device.DAE) || m.Kernels[1].Device.DynamicBytes() != 0 {
				t.Errorf("%s, %d bytes: dynamic shared memory of %d bytes", s, spm, dynamic)
			}
			if n := strings.Count(m.PTX, ".extern .shared .align 8 .b8 "); n != map[bool]int{true: 1}[dynamic > 0] {
				t.Errorf("%s, %d bytes: %d dynamic arrays in\n%s", s, spm, n, m.PTX)
			}
			want, got := args(), args()
			wanted, err := loop.Invoke(m.Program, "large", want)
			if err != nil {
				t.Fatal(err)
			}
			seen := false
			functional := &Functional{}
			have, err := m.Invoke(context.Background(), got, func(ctx context.Context, l *Offload) (k *ptxexec.Kernel, err error) {
				if k, err = functional.Run(ctx, l); err == nil && l.Kernel.Number == 0 {
					seen = true
					if n := k.SharedBytes(); dynamic > 0 && n != dynamic {
						t.Errorf("%s, %d bytes: a block of %d bytes of shared memory, want %d", s, spm, n, dynamic)
					}
				}
				return k, err
			})
			if err != nil || have != wanted || !seen {
				t.Errorf("%s, %d bytes: %v, %v, want %v", s, spm, have, err, wanted)
			}
			for name, b := range want.Arrays {
				if !slices.Equal(b.Bits, got.Arrays[name].Bits) {
					t.Errorf("%s, %d bytes: %s differs", s, spm, name)
				}
			}
		}
	}
}

// NVIDIA's assembler accepts them, and refuses what they would be otherwise.
func TestLargeScratchpadsAssemble(t *testing.T) {
	a := ptxas.Need(t)
	var legal modules
	for _, s := range schemes {
		for _, guard := range []bool{false, true} {
			m := large(t, s, above, guard)
			legal.add(m.PTX, "%s, guard %v", s, guard)
			k := m.Kernels[0].Device
			n := k.DynamicBytes()
			if n == 0 {
				continue
			}
			name := k.Name + "_spm"
			static := strings.Replace(m.PTX, ".extern .shared .align 8 .b8 "+name+"[]", fmt.Sprintf(".shared .align 8 .b8 %s[%d]", name, n), 1)
			if complaints, err := a.Check("sm_70", static); err != nil || len(complaints) == 0 {
				t.Errorf("%s: %d bytes of static shared memory: %v, %v", s, n, complaints, err)
			}
		}
	}
	legal.assemble(t, a)
}
