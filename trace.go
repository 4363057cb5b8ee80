package warpbound

import (
	"fmt"
	"io"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/trace"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/timeline"
)

// The formats of a trace.
const (
	TracePerfetto = "perfetto" // for ui.perfetto.dev and trace_processor
	TraceChrome   = "chrome"   // JSON, for chrome://tracing and others
)

// TraceFormat is the format of a trace by the end of its file's name: .pftrace or
// .perfetto-trace, or .json.
func TraceFormat(file string) (string, error) {
	f, err := timeline.FormatOf(file)
	if err != nil {
		return "", err
	}
	return traceFormats[f], nil
}

var traceFormats = [...]string{timeline.Perfetto: TracePerfetto, timeline.Chrome: TraceChrome}

// TraceOptions have a simulation write what happens when (docs/trace.md): a timeline of
// SMs, blocks, warps, units, caches and DRAM banks, to walk through in a viewer. A trace
// is written as the simulation goes; of one that fails, what was written is no trace.
type TraceOptions struct {
	To     io.Writer
	Format string // TracePerfetto, which is "" too, or TraceChrome
	// Window limits single instructions, waits, requests and transfers to a part of the
	// execution, and Blocks to those of some blocks of the grid, nil being all. Blocks
	// over time and counters are of the whole. Without a limit the details end after a
	// million of them.
	Window CycleRange
	Blocks []int64
}

// CycleRange is the cycles from From on and before To, which is 0 for the end.
type CycleRange struct{ From, To int64 }

// String is From..To.
func (c CycleRange) String() string {
	if c.To == 0 {
		return fmt.Sprintf("%d..", c.From)
	}
	return fmt.Sprintf("%d..%d", c.From, c.To)
}

// TraceSummary is what was written as a trace.
type TraceSummary struct {
	Tracks, Slices, Instants, Samples, Flows, Bytes int64
	// Complete tells whether everything that happened has its slice. Otherwise details
	// are of Window, without LeftOut instructions and BlocksLeftOut blocks.
	Complete               bool
	Window                 CycleRange
	LeftOut, BlocksLeftOut int64
	Instructions           int64 // of the run
	// Ended tells whether the details end with the window because they are so many.
	Ended bool
}

// check says what is wrong with the options.
func (o *TraceOptions) check(k simt.Kernel) error {
	if o == nil {
		return nil
	}
	if o.Format != "" {
		if err := oneOf("Trace.Format", o.Format, TracePerfetto, TraceChrome); err != nil {
			return err
		}
	}
	if w := o.Window; w.From < 0 || w.To < 0 || w.To != 0 && w.To <= w.From {
		return &OptionError{Option: "Trace.Window", Value: w, Msg: "expected the first cycle of a window and a later one"}
	}
	for _, b := range o.Blocks {
		if n := simt.NumBlocks(k.Grid()); b < 0 || b >= n {
			return &OptionError{Option: "Trace.Blocks", Value: b, Msg: fmt.Sprintf("expected a block of the grid, 0 to %d", n-1)}
		}
	}
	return nil
}

// record begins the trace of a run.
func (o *TraceOptions) record(title string, m *gpu.Machine, k simt.Kernel, timing []gpu.Timing) *trace.Recorder {
	format := timeline.Perfetto
	if o.Format == TraceChrome {
		format = timeline.Chrome
	}
	return trace.New(timeline.New(o.To, format), trace.Options{
		Title: title + " on " + m.Desc.Name, Program: k.Program(), Timing: timing, Machine: m,
		Warps: simt.NumWarps(k.BlockDim(), k.WarpSize()), SMs: int(min(m.Desc.SM.Count, max(1, simt.NumBlocks(k.Grid())))),
		FromCycle: o.Window.From, ToCycle: o.Window.To, Blocks: o.Blocks,
	})
}

// finish ends the trace of a run of some cycles.
func (o *TraceOptions) finish(r *trace.Recorder, cycles int64, about []timeline.Arg) (*TraceSummary, error) {
	if w := o.Window; w.From >= cycles {
		return nil, &OptionError{Option: "Trace.Window", Value: w, Msg: fmt.Sprintf("expected a first cycle before the end of the execution, %d", cycles)}
	}
	s, err := r.Finish(cycles, about...)
	if err != nil {
		return nil, fmt.Errorf("writing the trace: %w", err)
	}
	return &TraceSummary{
		Tracks: s.Tracks, Slices: s.Slices, Instants: s.Instants, Samples: s.Samples, Flows: s.Flows, Bytes: s.Bytes,
		Complete: s.Full, Window: CycleRange{s.FromCycle, s.ToCycle}, Instructions: s.Instructions, LeftOut: s.LeftOut, BlocksLeftOut: s.BlocksLeftOut, Ended: s.Ended,
	}, nil
}

// recorder is what writes the trace of a simulation, nil where nobody asks for one.
func (o *SimulateOptions) recorder(cfg *sim.Config, k simt.Kernel, timing []gpu.Timing) *trace.Recorder {
	if o.Trace == nil {
		return nil
	}
	r := o.Trace.record(k.Program().Name, cfg.Machine, k, timing)
	cfg.Observers = append(cfg.Observers, r)
	return r
}

// traced ends the trace of a simulation, if there is one.
func (o *SimulateOptions) traced(r *trace.Recorder, of *Simulation) (*TraceSummary, error) {
	if r == nil {
		return nil, nil
	}
	run := of.whole
	d, err := report.Simulation(of.path, of.GPU, run, of.traffic)
	if err != nil {
		return nil, err
	}
	about := []timeline.Arg{
		{Key: "launch_file", Text: d.Launch}, {Key: "cycles", Int: run.Cycles}, {Key: "model", Text: run.Model}, {Key: "policy", Text: run.Policy},
		{Key: "l1_order", Text: run.L1Order}, {Key: "gpu_sha256", Text: d.SHA256}, {Key: "warpbound", Text: d.Warpbound.Version},
	}
	if len(d.Settings) > 0 {
		about = append(about, timeline.Arg{Key: "gpu_settings", Text: strings.Join(d.Settings, " ")})
	}
	if of.traffic != "" {
		about = append(about, timeline.Arg{Key: "traffic", Text: of.traffic})
	}
	if end := of.outcome; end != nil {
		about = append(about, timeline.Arg{Key: "exit_code", Int: int64(end.ExitCode)})
	}
	return o.Trace.finish(r, run.Cycles, about)
}
