package path_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/verify/affine"
)

// machines are one that counts no transactions, and some that coalesce by 4, 32 and
// 128 bytes.
func machines(t *testing.T) []*gpu.Machine {
	d, err := gpu.Preset("ecrts2025-200")
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return append(segments(t, 4, 32, 128), m)
}

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

// recordBoth records a launch by classes and block by block. It says how many
// blocks the first executed, and what differs, "" where nothing does.
func recordBoth(m *gpu.Machine, kernel func(taint bool) (tainted, error)) (executed, blocks int64, differs string) {
	executed, blocks, _, differs = compareRecordings(m, kernel)
	return executed, blocks, differs
}

// compareRecordings is recordBoth, and says whether iterations of loops were
// skipped.
func compareRecordings(m *gpu.Machine, kernel func(taint bool) (tainted, error)) (executed, blocks int64, skipped bool, differs string) {
	var of [2]*path.Recorded
	var errs [2]error
	for i, every := range []bool{false, true} {
		k, err := kernel(true)
		if err != nil {
			return 0, 0, false, err.Error()
		}
		timing, err := m.Resolve(k.Program())
		if err != nil {
			return 0, 0, false, err.Error()
		}
		of[i], errs[i] = path.Record(context.Background(), k, m, timing, path.Options{EveryBlock: every, Limits: simt.Limits{MaxInstructions: 4 << 20}})
		blocks = simt.NumBlocks(k.Grid())
		if errs[i] != nil || errs[0] != nil {
			continue
		}
		// What the classes say for all inputs, the launch as a whole does too: at
		// most the order of stores to a known buffer that nobody relies on is open.
		for _, taint := range k.Taints() {
			if of[0].Executed < blocks && taint.Kind != simt.TaintOrder {
				return of[0].Executed, blocks, false, "by classes: " + taint.String()
			}
		}
	}
	if fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) {
		return 0, blocks, false, fmt.Sprintf("by classes %v, block by block %v", errs[0], errs[1])
	}
	if errs[0] != nil {
		return blocks, blocks, false, ""
	}
	executed = of[0].Executed
	skipped = of[0].Skipped > 0
	of[0].Stepped, of[0].Skipped = of[1].Stepped, of[1].Skipped
	of[0].Executed = of[1].Executed
	if !reflect.DeepEqual(of[0], of[1]) {
		differs = fmt.Sprintf("%d of %d blocks executed give another launch: %d classes and %d instructions, want %d and %d", executed, blocks, len(of[0].Classes), of[0].Instructions, len(of[1].Classes), of[1].Instructions)
	}
	return executed, blocks, skipped, differs
}

// sameRecorded is recordBoth where nothing may differ.
func sameRecorded(t *testing.T, m *gpu.Machine, kernel func(taint bool) (tainted, error)) (executed, blocks int64) {
	t.Helper()
	executed, blocks, differs := recordBoth(m, kernel)
	if differs != "" {
		t.Error(differs)
	}
	return executed, blocks
}

// Recorded by classes, every example is what it is recorded block by block.
func TestClassesOfExamples(t *testing.T) {
	machines := segments(t, 32, 128)
	var all, few int64
	for _, e := range examples.All() {
		l, err := load.Open(filepath.Join("../../examples", filepath.FromSlash(e.Launch)))
		if err != nil {
			t.Fatal(err)
		}
		if l.File.RISCV != nil {
			continue // has no classes
		}
		t.Run(e.Launch, func(t *testing.T) {
			for _, m := range machines {
				n, blocks := sameRecorded(t, m, func(taint bool) (tainted, error) { return l.Kernel(taint) })
				all += blocks
				few += n
			}
		})
	}
	if few*4 > all*3 {
		t.Errorf("%d of %d blocks were executed", few, all)
	}
	t.Logf("%d of %d blocks executed", few, all)
}

// The same for random kernels.
func TestClassesOfRandomKernels(t *testing.T) {
	machines := machines(t)
	directed, err := affine.Directed()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range directed {
		for _, m := range machines {
			sameRecorded(t, m, func(taint bool) (tainted, error) { return c.Kernel(taint) })
		}
		if t.Failed() {
			t.Fatalf("directed kernel %d\n%s", i, c.Text)
		}
	}
	few, loops := 0, 0
	for seed := range uint64(300) {
		for _, draw := range draws {
			c, err := draw(seed)
			if err != nil {
				t.Fatal(err)
			}
			n, blocks, skipped, differs := compareRecordings(machines[seed%4], func(taint bool) (tainted, error) { return c.Kernel(taint) })
			if differs != "" {
				t.Fatalf("kernel %d: %s\n%s", seed, differs, c.Text)
			}
			if n < blocks {
				few++
			}
			if skipped {
				loops++
			}
		}
	}
	if few < 200 {
		t.Errorf("blocks of only %d kernels share a class", few)
	}
	if loops < 20 {
		t.Errorf("iterations of loops are skipped in only %d kernels", loops)
	}
	t.Logf("blocks of %d kernels share a class, iterations are skipped in %d", few, loops)
}

var draws = []func(uint64) (*affine.Case, error){affine.Random, affine.Wide}
