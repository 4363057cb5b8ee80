package conformance

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/gantt"
	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// TestGantt compares the README's picture with a fresh one.
func TestGantt(t *testing.T) {
	l, err := load.Open(filepath.Join(root, "examples", "basic", "reduce", "reduce-1block.toml"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := l.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	m, timing := gpus.Timed(t, k.Program(), "ecrts2025-200")
	var rec gantt.Recorder
	r, err := sim.Run(context.Background(), sim.Config{Machine: m, BlocksPerSM: 1, Observers: []sim.Observer{&rec}, Checks: true}, k, timing)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := report.WriteGantt(&want, rec.Intervals(), report.SimulationGantt("examples/basic/reduce/reduce-1block.toml", m, r)); err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join(root, "docs", "gantt.svg"), want.Bytes())
}
