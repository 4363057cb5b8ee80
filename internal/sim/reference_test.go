package sim_test

import (
	"context"
	"encoding/binary"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
)

// reference is a row of testdata/gpgpusim/cycles.csv: cycles of kernels of our
// own on GPGPU-Sim 4.
type reference struct {
	kernel, config, policy, memory string
	grid, block                    [3]int
	cycles, threadInsn, warpInsn   int64
}

func references(t testing.TB) []reference {
	t.Helper()
	f, err := os.Open("testdata/gpgpusim/cycles.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	extent := func(s string) (e [3]int) {
		for i, f := range strings.Split(s, "x") {
			e[i] = int(number(f))
		}
		return e
	}
	var all []reference
	seen := map[reference]bool{}
	for _, r := range rows[1:] {
		ref := reference{r[0], r[1], r[2], r[3], extent(r[4]), extent(r[5]), number(r[6]), number(r[7]), number(r[8])}
		if !seen[ref] {
			all = append(all, ref)
		}
		seen[ref] = true
	}
	return all
}

// launch is how a kernel of the reference was launched.
type launch struct {
	entry string
	args  func() []ptxexec.Arg
}

func u32(v uint32) ptxexec.Arg {
	return ptxexec.Arg{Name: "n", Bytes: binary.LittleEndian.AppendUint32(nil, v)}
}

func iota32(name string, n int, float bool) ptxexec.Arg {
	b := make([]byte, 0, 4*n)
	for i := range n {
		v := uint32(i)
		if float {
			v = math.Float32bits(float32(i))
		}
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return ptxexec.Arg{Name: name, Buffer: &ptxexec.Buffer{Contents: b, ElementBytes: 4}}
}

func launchOf(kernel string) launch {
	matrices := func(n int) func() []ptxexec.Arg {
		return func() []ptxexec.Arg {
			return []ptxexec.Arg{iota32("A", n*n, true), iota32("B", n*n, true), iota32("C", n*n, true), u32(uint32(n))}
		}
	}
	switch kernel {
	case "vecadd", "vecadd1w", "vecadd1b":
		return launch{"vecadd", func() []ptxexec.Arg {
			return []ptxexec.Arg{iota32("a", 4096, true), iota32("b", 4096, true), iota32("c", 4096, true), u32(4096)}
		}}
	case "saxpy":
		return launch{"saxpy", func() []ptxexec.Arg {
			return []ptxexec.Arg{iota32("x", 4096, true), iota32("y", 4096, true), u32(math.Float32bits(2)), u32(4096)}
		}}
	case "matmul", "sgemm":
		return launch{kernel, matrices(64)}
	case "reduce":
		return launch{"reduce", func() []ptxexec.Arg {
			return []ptxexec.Arg{iota32("in", 16384, false), iota32("out", 8, false), u32(16384)}
		}}
	case "alu", "alu1w":
		return launch{"alu", func() []ptxexec.Arg { return []ptxexec.Arg{iota32("out", 2048, false), u32(100)} }}
	case "fma", "fma1w":
		return launch{"fmachain", func() []ptxexec.Arg { return []ptxexec.Arg{iota32("out", 2048, true), u32(100)} }}
	}
	return launch{}
}

func program(t testing.TB, file, entry string) *ptxexec.Code {
	t.Helper()
	text, err := os.ReadFile("testdata/gpgpusim/" + file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptxexec.Lower(m, entry)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// machine is the description of a configuration of the reference.
func (r *reference) machine(t testing.TB) *gpu.Machine {
	t.Helper()
	name, set := "", []string{"sm.count=1"}
	switch {
	case strings.HasPrefix(r.config, "orin_"):
		name = "ecrts2025-" + strings.TrimPrefix(r.memory, "mi")
		if r.memory == "mi5" {
			set = append(set, "pipeline.store_drain_cycles=1")
		}
	case strings.HasPrefix(r.config, "r3070"):
		name = "rtx3070"
		if r.config == "r3070_1sub" {
			set = append(set, "sm.schedulers=1", "pipeline.result_buses=2")
		}
		if r.memory == "perfmem" {
			set = append(set, "pipeline.memory_latency_cycles=45", "pipeline.segments_per_cycle=4", "pipeline.store_drain_cycles=40")
		}
	case strings.HasPrefix(r.config, "gtx480"):
		name = "gtx480"
	}
	d, err := gpu.Open(name, set)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// referenceRegisters is the registers a thread that the reference counted with.
// It is not recorded; 32 leaves room for four blocks of 256 threads on the GTX
// 480, which every row there agrees with, and limits nothing elsewhere.
const referenceRegisters = 32

func (r *reference) simulate(t testing.TB, m *gpu.Machine) *sim.Result {
	t.Helper()
	return r.simulateOn(t, m, sim.FixedTimes{})
}

// simulateOn is simulate with or without caches.
func (r *reference) simulateOn(t testing.TB, m *gpu.Machine, memory sim.Memory) *sim.Result {
	t.Helper()
	l := launchOf(r.kernel)
	k, err := ptxexec.NewKernel(program(t, "all.ptx", l.entry), ptxexec.LaunchConfig{Grid: r.grid, Block: r.block, Args: l.args()})
	if err != nil {
		t.Fatal(err)
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		t.Fatal(err)
	}
	policy, err := policy.Parse(r.policy)
	if err != nil {
		t.Fatal(err)
	}
	occupancy, err := m.Occupancy(gpu.OccupancyInput{ThreadsPerBlock: int64(r.block[0] * r.block[1] * r.block[2]), RegistersPerThread: referenceRegisters, SharedBytes: k.SharedBytes()})
	if err != nil {
		t.Fatal(err)
	}
	res, err := sim.Run(context.Background(), sim.Config{Machine: m, Model: sim.PipelineModel{Policy: policy}, BlocksPerSM: int(occupancy.Blocks), Checks: true, Memory: memory}, k, timing)
	if err != nil {
		t.Fatalf("%s on %s: %v", r.kernel, r.config, err)
	}
	return res
}
