package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/timeline"
	"github.com/warpbound/warpbound/isa"
)

// Options say what is recorded.
type Options struct {
	Title string // of the launch

	Program *isa.Program
	Timing  []gpu.Timing // by instruction
	Machine *gpu.Machine
	Warps   int // of a block
	SMs     int // that get blocks

	// FromCycle and ToCycle limit the details; ToCycle 0 is the end.
	FromCycle, ToCycle int64
	Blocks             []int64 // with details; nil for all
	// MostSlices ends the details where they have so many slices and instants; 0 means
	// 1,000,000, or no end where FromCycle, ToCycle or Blocks limit them.
	MostSlices int64
	MostBlocks int64 // that have slices, all together; 0 means 100,000
}

const (
	defaultSlices = 1_000_000
	defaultBlocks = 100_000
)

// scale is the times of a trace in a cycle, of which DRAM transfers take thousandths.
const scale = 1000

// Summary is what a trace has, and what it leaves out.
type Summary struct {
	timeline.Counts
	// Full tells whether everything is in it. Otherwise details are of cycles from
	// FromCycle on and before ToCycle, and of some blocks if that was asked for.
	Full               bool
	FromCycle, ToCycle int64
	// Ended tells whether the details end because there were so many.
	Ended bool
	// LeftOut are the instructions issued that have no slice, and BlocksLeftOut the
	// blocks.
	LeftOut, BlocksLeftOut int64
	Instructions           int64 // of the run
}

// Recorder is an observer that writes a trace as the run goes.
type Recorder struct {
	w    *timeline.Writer
	opt  Options
	to   int64 // end of details
	left int64 // slices that details may still have
	only map[int64]bool

	issueLabels, unitLabels, hiddenLabels []timeline.Label // by instruction
	unitOf                                []int32

	process *timeline.Track
	launch  *timeline.Track
	sms     []*smTracks
	memory  *memoryTracks
	cores   []coreTrack
	corePID *timeline.Track
	total   totals

	sum Summary
}

// New begins a trace.
func New(to *timeline.Writer, o Options) *Recorder {
	r := &Recorder{w: to, opt: o, to: math.MaxInt64, left: cmp.Or(o.MostSlices, defaultSlices)}
	if o.ToCycle > 0 {
		r.to = o.ToCycle
	}
	if o.MostSlices == 0 && (o.FromCycle > 0 || o.ToCycle > 0 || o.Blocks != nil) {
		r.left = math.MaxInt64
	}
	if o.Blocks != nil {
		r.only = map[int64]bool{}
		for _, b := range o.Blocks {
			r.only[b] = true
		}
	}
	for pc := range o.Program.Instructions {
		in := &o.Program.Instructions[pc]
		args := placeOf(pc, in)
		r.issueLabels = append(r.issueLabels, timeline.Label{Name: in.Opcode, Category: "issue", Args: args})
		r.hiddenLabels = append(r.hiddenLabels, timeline.Label{Name: in.Opcode, Category: "no issue slot", Args: args})
		r.unitLabels = append(r.unitLabels, timeline.Label{Name: in.Opcode, Category: "initiation", Args: args[:1]})
		r.unitOf = append(r.unitOf, o.Timing[pc].Unit)
	}
	r.process = to.Process(o.Title)
	r.launch = r.process.Track("launch", 0)
	r.total = newTotals()
	return r
}

// placeOf says where an instruction is: in the kernel's file and, where that says it, in
// the language the kernel was written in, with the calls that it was inlined into.
func placeOf(pc int, in *isa.Instruction) []timeline.Arg {
	args := []timeline.Arg{{Key: "pc", Int: int64(pc)}}
	if in.Pos.Line > 0 {
		args = append(args, timeline.Arg{Key: "line", Text: in.Pos.String()})
	}
	if in.Source.Line > 0 {
		args = append(args, timeline.Arg{Key: "source", Text: in.Source.String()})
	}
	var calls []string
	for _, c := range in.Inlined {
		calls = append(calls, strings.TrimSpace(c.Function+" at "+c.At.String()))
	}
	if len(calls) > 0 {
		args = append(args, timeline.Arg{Key: "inlined", Text: strings.Join(calls, ", ")})
	}
	return args
}

// Process makes a group beside those of the SMs, for what the simulator does not know of.
func (r *Recorder) Process(name string) *timeline.Track { return r.w.Process(name) }

// At is the time of a cycle in the trace.
func At(cycle int64) int64 { return scale * cycle }

// detail tells whether an event of a block in [from, to) has a slice, and cuts it to the
// window.
func (r *Recorder) detail(block, from, to int64) (int64, int64, bool) {
	from, to = max(from, r.opt.FromCycle), min(to, r.to)
	return from, to, from < to && (r.only == nil || r.only[block])
}

// shared tells the same of what belongs to no block, which is left out where blocks are
// listed.
func (r *Recorder) shared(from, to int64) (int64, int64, bool) {
	if r.only != nil {
		return 0, 0, false
	}
	return r.detail(0, from, to)
}

// took notes that a detail of cycle t is in the trace.
func (r *Recorder) took(t int64) {
	if r.left--; r.left == 0 {
		r.to = min(r.to, t+1)
		r.sum.Ended = true
	}
}

// limits says, for the names of groups, what details are of; "" for everything.
func (r *Recorder) limits() string {
	s := ""
	switch {
	case r.opt.ToCycle > 0:
		s = fmt.Sprintf("cycles %d to %d", r.opt.FromCycle, r.opt.ToCycle)
	case r.opt.FromCycle > 0:
		s = fmt.Sprintf("from cycle %d on", r.opt.FromCycle)
	}
	if r.opt.Blocks != nil {
		if s != "" {
			s += ", "
		}
		s += "blocks " + r.blockList()
	}
	if s == "" {
		return ""
	}
	return " (only " + s + ")"
}

// blockList is the blocks with details, the first ones.
func (r *Recorder) blockList() string {
	const most = 8
	list := slices.Clone(r.opt.Blocks)
	slices.Sort(list)
	s := ""
	for i, b := range list {
		if i == most {
			return s + fmt.Sprintf(" and %d more", len(list)-most)
		}
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprint(b)
	}
	return s
}

// Finish ends the trace of a run of so many cycles. about says more of the launch.
func (r *Recorder) Finish(cycles int64, about ...timeline.Arg) (Summary, error) {
	for _, s := range r.sms {
		if s != nil {
			s.finish(r, cycles)
		}
	}
	r.total.finish(r, cycles)
	r.finishMemory(cycles)
	r.finishCores(cycles)
	r.sum.FromCycle, r.sum.ToCycle = r.opt.FromCycle, min(r.to, cycles)
	r.sum.Full = r.opt.FromCycle == 0 && r.to >= cycles && r.opt.Blocks == nil && r.sum.BlocksLeftOut == 0
	r.writeLaunch(cycles, about)
	err := r.w.Close()
	r.sum.Counts, r.sum.Instructions = r.w.Counts(), r.total.instructions
	return r.sum, err
}

// writeLaunch writes the slice of the launch, which says what the trace leaves out.
func (r *Recorder) writeLaunch(cycles int64, about []timeline.Arg) {
	l := &timeline.Label{Name: r.opt.Title, Category: "launch", Args: about}
	text := func(key, value string) {
		l.Args = append(l.Args[:len(l.Args):len(l.Args)], timeline.Arg{Key: key, Text: value})
	}
	text("time", "a microsecond of the trace is a cycle")
	if r.sum.Full {
		text("left_out", "nothing")
	} else {
		text("details", fmt.Sprintf("of cycles from %d on and before %d", r.sum.FromCycle, r.sum.ToCycle))
		if r.opt.Blocks != nil {
			text("details_of_blocks", r.blockList())
		}
		text("left_out", fmt.Sprintf("%d of %d instructions, %d of %d blocks; counters are of the whole run", r.sum.LeftOut, r.total.instructions, r.sum.BlocksLeftOut, r.total.blocks))
	}
	r.launch.Begin(0, l)
	if r.sum.Ended {
		r.launch.Instant(scale*r.sum.ToCycle, &timeline.Label{Name: "details end", Category: "launch", Args: []timeline.Arg{{Key: "why", Text: "there are as many slices as the trace may have; a window or a list of blocks shows others"}}})
	}
	r.launch.End(scale * max(cycles, r.sum.ToCycle))
}
