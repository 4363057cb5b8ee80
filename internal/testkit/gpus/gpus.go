// Package gpus makes the GPUs that tests run on.
package gpus

import (
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/isa"
)

// T is what *testing.T and *rapid.T share of what is needed here.
type T interface {
	Helper()
	Fatal(...any)
}

// Open is a preset with one SM, and with settings changed.
func Open(t T, preset string, set ...string) *gpu.Machine {
	t.Helper()
	return Preset(t, preset, append([]string{"sm.count=1"}, set...)...)
}

// Timed is a preset with settings changed, and the timing of a program on it.
func Timed(t T, p *isa.Program, preset string, set ...string) (*gpu.Machine, []gpu.Timing) {
	t.Helper()
	m := Preset(t, preset, set...)
	timing, err := m.Resolve(p)
	if err != nil {
		t.Fatal(err)
	}
	return m, timing
}

// Preset is a preset with settings changed.
func Preset(t T, preset string, set ...string) *gpu.Machine {
	t.Helper()
	d, err := gpu.Open(preset, set)
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
