package path_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/affine"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/path"
	"github.com/warpbound/warpbound/simt"
)

// segments are machines that coalesce by so many bytes.
func segments(t *testing.T, bytes ...int64) []*gpu.Machine {
	t.Helper()
	var out []*gpu.Machine
	for _, b := range bytes {
		d, err := gpu.Preset("rtx3070")
		if err != nil {
			t.Fatal(err)
		}
		d.Memory.SegmentBytes = b
		m, err := d.Machine()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// tainted is a kernel that follows what depends on unknown data.
type tainted interface {
	simt.Kernel
	Taints() []simt.Taint
}

// sameRecorded records a launch by classes and block by block, and says how many
// blocks the first executed.
func sameRecorded(t *testing.T, m *gpu.Machine, kernel func(taint bool) (tainted, error)) (executed, blocks int64) {
	t.Helper()
	var of [2]*path.Launch
	for i, every := range []bool{false, true} {
		k, err := kernel(true)
		if err != nil {
			t.Fatal(err)
		}
		timing, err := m.Resolve(k.Program())
		if err != nil {
			t.Skip(err)
		}
		if of[i], err = path.Record(context.Background(), k, m, timing, path.Options{EveryBlock: every}); err != nil {
			t.Fatal(err)
		}
		blocks = simt.NumBlocks(k.Grid())
		// What the classes say for all inputs, the launch as a whole does too: at
		// most the order of stores to a known buffer that nobody relies on is open.
		for _, taint := range k.Taints() {
			if of[0].Executed < blocks && taint.Kind != simt.TaintOrder {
				t.Errorf("by classes: %v", taint)
			}
		}
	}
	executed = of[0].Executed
	of[0].Executed = of[1].Executed
	if !reflect.DeepEqual(of[0], of[1]) {
		t.Errorf("%d of %d blocks executed give another launch: %d classes and %d instructions, want %d and %d", executed, blocks, len(of[0].Classes), of[0].Instructions, len(of[1].Classes), of[1].Instructions)
	}
	return executed, blocks
}

// Recorded by classes, every example is what it is recorded block by block.
func TestClassesOfExamples(t *testing.T) {
	machines := segments(t, 32, 128)
	var all, few int64
	err := filepath.WalkDir("../examples", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".toml" || filepath.Base(filepath.Dir(file)) == "gpu" {
			return err
		}
		l, err := load.Open(file)
		if err != nil || l.File.RISCV != nil || filepath.Base(file) == "gpu.toml" {
			return nil
		}
		t.Run(file, func(t *testing.T) {
			for _, m := range machines {
				n, blocks := sameRecorded(t, m, func(taint bool) (tainted, error) { return l.Kernel(taint) })
				all += blocks
				few += n
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if few*2 > all {
		t.Errorf("%d of %d blocks were executed", few, all)
	}
	t.Logf("%d of %d blocks executed", few, all)
}

// The same for random kernels.
func TestClassesOfRandomKernels(t *testing.T) {
	machines := segments(t, 4, 32, 128)
	var all, few int64
	for seed := range uint64(400) {
		c, err := affine.Random(seed)
		if err != nil {
			t.Fatal(err)
		}
		n, blocks := sameRecorded(t, machines[seed%3], func(taint bool) (tainted, error) { return c.Kernel(taint) })
		if t.Failed() {
			t.Fatalf("kernel %d\n%s", seed, c.Text)
		}
		all += blocks
		if n < blocks {
			few++
		}
	}
	if few < 100 {
		t.Errorf("blocks of only %d kernels share a class", few)
	}
	t.Logf("blocks of %d kernels share a class", few)
}
