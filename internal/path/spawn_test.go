package path_test

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// recordLaunch records an example on a GPU whose warps are as wide as its own.
func recordLaunch(t *testing.T, file string) *path.Recorded {
	t.Helper()
	l, err := load.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	m, timing := gpus.Timed(t, l.Program(), "vortex-32x32")
	k, err := l.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	r, err := path.Record(context.Background(), k, m, timing, path.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Warps that start one another are told apart from warps that start together,
// and from warps that meet at barriers of some of them only.
func TestSpawns(t *testing.T) {
	r := recordLaunch(t, "../../examples/vortex/kernels/sgemm/sgemm.toml")
	if !r.Spawns || !strings.Contains(r.Irregular, "sgemm.elf@0x8000000c:4:1: vx_wspawn starts warps") {
		t.Errorf("%v, %q", r.Spawns, r.Irregular)
	}
	if r = recordLaunch(t, "../../examples/vortex/kernels/sgemm/sgemm-ptx.toml"); r.Spawns || r.Irregular != "" {
		t.Errorf("PTX: %v, %q", r.Spawns, r.Irregular)
	}
}

// waiting is a kernel whose second warp never starts: its first one ends the
// block without a step that starts others.
type waiting struct{ simt.Kernel }

type waitingBlock struct{ simt.Block }

type waitingWarp struct{ simt.Warp }

func (k waiting) NewBlock(i int64) (simt.Block, error) {
	b, err := k.Kernel.NewBlock(i)
	return waitingBlock{b}, err
}

func (b waitingBlock) Warps() []simt.Warp {
	w := b.Block.Warps()[0]
	return []simt.Warp{w, waitingWarp{w}}
}

// Status ends the warp with the one that runs.
func (w waitingWarp) Status() simt.Status {
	if w.Warp.Status() == simt.Done {
		return simt.Done
	}
	return simt.Waiting
}

func TestWarpThatNeverStarts(t *testing.T) {
	l, err := load.Open("../../examples/basic/saxpy/saxpy.toml")
	if err != nil {
		t.Fatal(err)
	}
	m, timing := gpus.Timed(t, l.Program(), "ecrts2025-200")
	k, err := l.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	r, err := path.Record(context.Background(), waiting{k}, m, timing, path.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Spawns || !strings.Contains(r.Irregular, "waits from its start on") {
		t.Errorf("%v, %q", r.Spawns, r.Irregular)
	}
}
