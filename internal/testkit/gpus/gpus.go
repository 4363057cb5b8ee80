// Package gpus makes the GPUs that tests of the simulator's memory and of what is beside it
// run on.
package gpus

import "github.com/warpbound/warpbound/gpu"

// T is what *testing.T and *rapid.T share of what is needed here.
type T interface {
	Helper()
	Fatal(...any)
}

// Open is a preset with one SM, and with settings changed.
func Open(t T, preset string, set ...string) *gpu.Machine {
	t.Helper()
	d, err := gpu.Open(preset, append([]string{"sm.count=1"}, set...))
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// WithCores is gtx480 with two kinds of CPU cores beside it.
func WithCores(t T, set ...string) *gpu.Machine {
	t.Helper()
	d := *Open(t, "gtx480", set...).Desc
	d.CPUs = []gpu.CPU{
		{Name: "big", Cores: 4, LineBytes: 64, Outstanding: 6, RequestLatencyCycles: 20, ResponseLatencyCycles: 10},
		{Name: "little", Cores: 2, LineBytes: 32, Outstanding: 2, RequestLatencyCycles: 30},
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}
