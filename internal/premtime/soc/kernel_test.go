package soc

import (
	"cmp"
	"context"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
)

// launch is the kernel of testdata/phases.ptx, on a tx1 unless told otherwise.
type launch struct {
	intervals, work uint32
	guard           Config // Teams is set
	traffic         []soc.Traffic
	model           string
	set             []string
	observers       []sim.Observer
	maxCycles       int64
}

const blocks, threads = 2, 64

func module(t testing.TB) *ptxexec.Code {
	t.Helper()
	text, err := os.ReadFile("testdata/phases.ptx")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Parse("phases.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptxexec.Lower(m, "phases")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func word(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// prepare is the kernel, and what it is given.
func (l *launch) prepare(t testing.TB) *ptxexec.Kernel {
	t.Helper()
	var data []byte
	for i := range l.intervals * blocks * threads {
		data = append(data, word(i)...)
	}
	k, err := ptxexec.NewKernel(module(t), ptxexec.LaunchConfig{Grid: [3]int{blocks, 1, 1}, Block: [3]int{threads, 1, 1}, Args: []ptxexec.Arg{
		{Name: "data", Buffer: &ptxexec.Buffer{Contents: data}},
		{Name: "intervals", Bytes: word(l.intervals)},
		{Name: "work", Bytes: word(l.work)},
		{Name: "token", Buffer: &ptxexec.Buffer{Contents: make([]byte, 512)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (l *launch) machine(t testing.TB) *gpu.Machine {
	t.Helper()
	name := "tx1"
	if l.model == sim.Pipeline {
		name = "gtx480" // a tx1 has no pipeline
	}
	d, err := gpu.Open(name, l.set)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.CPUs) == 0 {
		d.CPUs = []gpu.CPU{{Name: "a57", Cores: 4, LineBytes: 64, Outstanding: 6, RequestLatencyCycles: 20, ResponseLatencyCycles: 20}}
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// run simulates the launch.
func (l *launch) run(t testing.TB) (*sim.Result, *Guard, error) {
	t.Helper()
	k := l.prepare(t)
	l.guard.Teams, l.guard.KeepPhases = blocks, true
	g, err := NewGuard(k.Buffer("token"), l.guard)
	if err != nil {
		t.Fatal(err)
	}
	r, err := simulate(t, l, k, g)
	if err != nil {
		return nil, g, err
	}
	data := k.Buffer("data")
	for i := range l.intervals * blocks * threads {
		v := i
		for range l.work {
			v = 3*v + 1
		}
		if got := binary.LittleEndian.Uint32(data[4*i:]); got != v {
			t.Fatalf("element %d is %d, want %d", i, got, v)
		}
	}
	return r, g, nil
}

// simulate runs a kernel beside a guard.
func simulate(t testing.TB, l *launch, k *ptxexec.Kernel, g *Guard) (*sim.Result, error) {
	t.Helper()
	m := l.machine(t)
	timing, err := m.Resolve(k.Program())
	if err != nil {
		t.Fatal(err)
	}
	model, err := sim.NamedModel(cmp.Or(l.model, sim.Abstract), policy.Policy{})
	if err != nil {
		return nil, err
	}
	most := l.maxCycles
	if most == 0 {
		most = 50_000_000
	}
	cfg := sim.Config{
		Machine: m, Model: model, BlocksPerSM: 1, Memory: sim.Caches{SoC: &soc.Config{Traffic: l.traffic, Agents: []soc.Agent{g}}}, Checks: true, MaxCycles: most, Observers: l.observers,
	}
	return sim.Run(context.Background(), cfg, k, timing)
}

func contains(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }
