package gpu

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func machine(t testing.TB, name string) *Machine {
	t.Helper()
	d, err := Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Published occupancy computations. Where a source counts another number of
// blocks than the preset allows, the case stays below it.
func TestOccupancyPublished(t *testing.T) {
	for _, c := range []struct {
		source  string
		gpu     string
		in      OccupancyInput
		blocks  int64
		limiter string
	}{
		{"S. Boehm, SGEMM worklog, kernel 3 on compute capability 8.6: one block of 32 warps", "rtx3070", OccupancyInput{1024, 37, 8192}, 1, "warps"},
		{"46 registers on sm_86 round up to 1536 a warp: 10 blocks of 4 warps", "rtx3070", OccupancyInput{128, 46, 0}, 10, "registers"},
		{"40 registers reach all 48 warps of sm_86", "rtx3070", OccupancyInput{128, 40, 0}, 12, "warps"},
		{"compute capability 8.6, 672 threads of 48 registers: granularity leaves one block", "rtx3070", OccupancyInput{672, 48, 0}, 1, "registers"},
		{"Maxwell with 64 warps, 48 registers, 4096 bytes: 40 warps in 10 blocks", "tx1", OccupancyInput{128, 48, 4096}, 10, "registers"},
		{"CUDA Programming Guide: a kernel of 512 threads with 16 registers fits an SM of 2.x three times", "gtx480", OccupancyInput{512, 16, 0}, 3, "warps"},
		{"Fermi's 8 blocks", "gtx480", OccupancyInput{64, 10, 0}, 8, "blocks"},
		{"1 KiB reserved a block: 100 KiB hold 11 blocks of 8 KiB", "rtx3070", OccupancyInput{32, 16, 8192}, 11, "shared memory"},
	} {
		o, err := machine(t, c.gpu).Occupancy(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		if o.Blocks != c.blocks || o.Limiter != c.limiter {
			t.Errorf("%s: %d blocks by %s, want %d by %s: %v", c.source, o.Blocks, o.Limiter, c.blocks, c.limiter, o.Limits)
		}
	}
}

func TestOccupancyMisfits(t *testing.T) {
	for _, c := range []struct {
		gpu  string
		in   OccupancyInput
		want string
	}{
		{"rtx3070", OccupancyInput{1025, 1, 0}, "rtx3070: threads: 1025 threads, at most 1024"},
		{"rtx3070", OccupancyInput{32, 256, 0}, "registers: 256 registers a thread, at most 255"},
		{"rtx3070", OccupancyInput{1024, 128, 0}, "registers: 4096 registers a warp, so 16 warps in 65536 registers"},
		{"rtx3070", OccupancyInput{32, 1, 49_153}, "shared memory: 49153 bytes, at most 49152"},
		{"rtx3070", OccupancyInput{0, 1, 0}, "0 threads"},
		{"rtx3070", OccupancyInput{32, -1, 0}, "-1 registers"},
		{"rtx3070", OccupancyInput{32, 0, -1}, "-1 bytes"},
	} {
		_, err := machine(t, c.gpu).Occupancy(c.in)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.in, err, c.want)
		}
		var fit *FitError
		if isMisfit := errors.As(err, &fit); isMisfit != strings.Contains(c.want, ": ") {
			t.Errorf("%+v: FitError is %t", c.in, isMisfit)
		}
	}
}

// A block that needs more never fits more often, and what is resident fits.
func TestOccupancyIsMonotone(t *testing.T) {
	var machines []*Machine
	for _, name := range presetNames() {
		machines = append(machines, machine(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(machines).Draw(t, "machine")
		in := OccupancyInput{
			rapid.Int64Range(1, 1024).Draw(t, "threads"),
			rapid.Int64Range(0, 255).Draw(t, "registers"),
			rapid.Int64Range(0, 50_000).Draw(t, "shared"),
		}
		o, err := m.Occupancy(in)
		if err != nil {
			return
		}
		sm := &m.Desc.SM
		if o.Blocks*in.ThreadsPerBlock > sm.MaxThreads || o.Blocks*in.ThreadsPerBlock*in.RegistersPerThread > sm.Registers || o.Blocks*in.SharedBytes > sm.SharedMemoryBytes || o.Blocks > sm.MaxBlocks {
			t.Fatalf("%d blocks of %+v do not fit %+v", o.Blocks, in, sm)
		}
		more := in
		more.ThreadsPerBlock += rapid.Int64Range(0, 64).Draw(t, "more threads")
		more.RegistersPerThread += rapid.Int64Range(0, 16).Draw(t, "more registers")
		more.SharedBytes += rapid.Int64Range(0, 4096).Draw(t, "more shared")
		if p, err := m.Occupancy(more); err == nil && p.Blocks > o.Blocks {
			t.Fatalf("%+v: %d blocks, but %+v: %d", in, o.Blocks, more, p.Blocks)
		}
	})
}
