package l1d_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/verify/soundness/kernels"
	"github.com/warpbound/warpbound/ptx"
)

// drawn is a random kernel of package internal/verify/soundness/kernels, which branches on data,
// loads addresses and synchronises parts of blocks.
type drawn struct {
	kernels.Case
	program *ptxexec.Code
}

func draw(t *testing.T, seed uint64) drawn {
	t.Helper()
	c := drawn{Case: kernels.Draw(seed)}
	file, err := ptx.Parse("case.ptx", []byte(c.PTX))
	if err != nil {
		t.Fatal(err)
	}
	if c.program, err = ptxexec.Lower(file, "k"); err != nil {
		t.Fatal(err)
	}
	return c
}

// kernel makes the launch. Unknown contents are drawn anew for each variant.
func (c *drawn) kernel(t *testing.T, variant uint64, taint bool) *ptxexec.Kernel {
	t.Helper()
	contents := func(known bool, number uint64) []byte {
		if !known {
			number += 2 * variant
		}
		rng := rand.New(rand.NewPCG(c.Seed, number))
		b := make([]byte, 4*8192)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	in := contents(c.Known, 0)
	k, err := ptxexec.NewKernel(c.program, ptxexec.LaunchConfig{
		Textures: c.Textures(in),
		Grid:     [3]int{c.Grid, 1, 1}, Block: [3]int{c.Block, 1, 1}, Options: ptxexec.Options{Taint: taint},
		Args: []ptxexec.Arg{
			{Name: "in", Buffer: &ptxexec.Buffer{Contents: in, ElementBytes: 4, Known: c.Known}},
			{Name: "out", Buffer: &ptxexec.Buffer{Contents: contents(false, 1), ElementBytes: 4}},
			{Name: "n", Bytes: []byte{16, 0, 0, 0}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// order lists the accesses with all blocks resident.
func (c *drawn) order(t *testing.T, a *l1d.Analysis, variant uint64) []string {
	t.Helper()
	o, err := a.NewOrder(c.kernel(t, variant, false), l1d.Options{Limits: simt.Limits{MaxInstructions: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	for b := range int64(c.Grid) {
		if err := o.Admit(0, b); err != nil {
			t.Fatalf("case %d: %v", c.Seed, err)
		}
	}
	var out []string
	for {
		next, err := o.NextAccess(0)
		if err != nil {
			t.Fatal(err)
		}
		if next == nil {
			return out
		}
		out = append(out, fmt.Sprint(*next))
		if err := o.Sent(0); err != nil {
			t.Fatalf("case %d: %v", c.Seed, err)
		}
	}
}

// What Analyse accepts makes the same accesses, in the same order, whatever the
// unknown buffers hold, and its analysis is the same.
func TestAcceptedAccessesHoldForAllInputs(t *testing.T) {
	accepted, tainted, refused := 0, 0, 0
	seeds := uint64(300)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		c := draw(t, seed)
		follow := c.kernel(t, 0, true)
		a, err := l1d.Analyse(context.Background(), follow, l1d.AnalyseOptions{Limits: simt.Limits{MaxInstructions: 1 << 20}})
		if errors.Is(err, l1d.ErrNotAnalysable) || errors.Is(err, l1d.ErrUnplaced) {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("case %d: %v\n%s", seed, err, c.PTX)
		}
		accepted++
		if len(follow.Taints()) > 0 {
			tainted++
		}
		want := c.order(t, a, 0)
		for variant := uint64(1); variant < 4; variant++ {
			b, err := l1d.Analyse(context.Background(), c.kernel(t, variant, true), l1d.AnalyseOptions{})
			if err != nil {
				t.Fatalf("case %d, contents %d: %v\n%s", seed, variant, err, c.PTX)
			}
			for i, analysis := range []*l1d.Analysis{a, b} {
				got := c.order(t, analysis, variant)
				for j := range min(len(got), len(want)) {
					if got[j] != want[j] {
						t.Fatalf("case %d, contents %d, analysis %d: access %d is %s, want %s; taints %v\n%s", seed, variant, i, j, got[j], want[j], follow.Taints(), c.PTX)
					}
				}
				if len(got) != len(want) {
					t.Fatalf("case %d, contents %d, analysis %d: %d accesses, want %d; taints %v\n%s", seed, variant, i, len(got), len(want), follow.Taints(), c.PTX)
				}
			}
		}
	}
	t.Logf("%d accepted, %d of them with taint, %d refused", accepted, tainted, refused)
	if uint64(accepted)*5 < seeds || tainted == 0 || refused == 0 {
		t.Errorf("of %d kernels %d accepted, %d of them with taint, %d refused", seeds, accepted, tainted, refused)
	}
}
