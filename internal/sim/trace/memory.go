package trace

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/timeline"
)

// memoryTracks is what a trace has of the memory behind the L1Ds.
type memoryTracks struct {
	process *timeline.Track
	channel []channelTracks
	slice   []sliceCounters
}

type channelTracks struct {
	group *timeline.Track
	bank  []*timeline.Track
	busy  series // thousandths of cycles
	queue series // requests that wait
	miss  series // rows opened
	bytes series
}

// sliceCounters count what a slice of the L2 looks up.
type sliceCounters struct{ hits, misses, writes series }

type coreTrack struct {
	held     *timeline.Track
	name     string
	isHeld   bool
	since    int64
	inFlight series
}

var (
	classLabels = func() (l [len(accessNames)]timeline.Label) {
		for i, name := range accessNames {
			l[i] = timeline.Label{Name: name, Category: "L1D"}
		}
		return l
	}()
	transferLabels = [2][2]timeline.Label{
		{{Name: "read", Category: "DRAM"}, {Name: "read, row miss", Category: "DRAM"}},
		{{Name: "write", Category: "DRAM"}, {Name: "write, row miss", Category: "DRAM"}},
	}
	heldLabel     = timeline.Label{Name: "held", Category: "core"}
	fetchLabels   = [2]timeline.Label{{Name: "fetch", Category: "front end"}, {Name: "fetch, miss", Category: "front end"}}
	redirectLabel = timeline.Label{Name: "redirect", Category: "front end"}
	discrepancy   = timeline.Label{Name: "discrepancy", Category: "front end"}
	nopLabel      = timeline.Label{Name: "NOP", Category: "issue"}
)

// Access implements sim.AccessObserver.
func (r *Recorder) Access(e sim.AccessEvent) {
	s := r.sm(e.SM)
	s.counters.classes[e.Class].count(e.Cycle, 1)
	if e.Request == e.Requests-1 {
		s.counters.accesses.add(e.Cycle, -1)
	}
	if _, _, ok := r.detail(e.Block, e.Cycle, e.Cycle+1); !ok {
		return
	}
	r.tags(s).Instant(scale*e.Cycle, &classLabels[e.Class], timeline.Arg{Key: "access", Text: e.Kind.String()}, timeline.Arg{Key: "request", Int: int64(e.Request)}, timeline.Arg{Key: "address", Int: int64(e.Address)},
		timeline.Arg{Key: "block", Int: e.Block}, timeline.Arg{Key: "warp", Int: int64(e.Warp)}, timeline.Arg{Key: "pc", Int: int64(e.PC)})
	r.took(e.Cycle)
}

func (r *Recorder) tags(s *smTracks) *timeline.Track {
	if s.tags == nil {
		s.tags = r.group(s, &s.l1d, "L1D", rankL1D).Track("tags", 0)
	}
	return s.tags
}

// TagWait implements sim.PathObserver.
func (r *Recorder) TagWait(e sim.TagWaitEvent) {
	from, to, ok := r.shared(e.FromCycle, e.ToCycle)
	if !ok {
		return
	}
	r.tags(r.sm(e.SM)).Slice(scale*from, scale*to, &timeline.Label{Name: "waits: " + e.Cause, Category: "L1D"})
	r.took(from)
}

// MSHRs implements sim.PathObserver.
func (r *Recorder) MSHRs(e sim.MSHREvent) {
	r.sm(e.SM).counters.mshrs.set(e.Cycle, int64(e.InUse))
}

func (r *Recorder) mem() *memoryTracks {
	if r.memory == nil {
		r.memory = &memoryTracks{process: r.w.Process("memory")}
	}
	return r.memory
}

// DRAM implements sim.DRAMObserver.
func (r *Recorder) DRAM(e memory.Transfer) {
	m := r.mem()
	c := slotted(&m.channel, e.Channel, channelTracks{})
	if c.group == nil {
		name := fmt.Sprintf("DRAM channel %d", e.Channel)
		c.group = m.process.Track(name+r.limits(), e.Channel)
		for _, s := range []*series{&c.busy, &c.queue, &c.miss, &c.bytes} {
			s.most = mostWindows / 4
		}
	}
	from, to := e.BeginMillicycle/1000, (e.EndMillicycle+999)/1000
	c.busy.count(from, e.EndMillicycle-e.BeginMillicycle)
	c.bytes.count(from, e.Bytes)
	c.queue.span(e.ArriveCycle, from, 1)
	if e.RowMiss {
		c.miss.count(from, 1)
	}
	if _, _, ok := r.shared(from, to); !ok {
		return
	}
	t := slotted(&c.bank, e.Bank, nil)
	if *t == nil {
		*t = c.group.Track(fmt.Sprintf("bank %d", e.Bank), e.Bank)
	}
	by := timeline.Arg{Key: "for", Text: "GPU"}
	if e.Core >= 0 {
		by.Text = fmt.Sprintf("core %d", e.Core)
	}
	write, miss := 0, 0
	if e.Write {
		write = 1
	}
	if e.RowMiss {
		miss = 1
	}
	(*t).Slice(e.BeginMillicycle, e.EndMillicycle, &transferLabels[write][miss], by, timeline.Arg{Key: "address", Int: int64(e.Address)},
		timeline.Arg{Key: "row", Int: e.Row}, timeline.Arg{Key: "bytes", Int: e.Bytes}, timeline.Arg{Key: "arrive_cycle", Int: e.ArriveCycle})
	r.took(from)
}

// L2 implements sim.L2Observer.
func (r *Recorder) L2(e memory.Lookup) {
	const windows = mostWindows / 4
	c := slotted(&r.mem().slice, e.Slice, sliceCounters{hits: series{most: windows}, misses: series{most: windows}, writes: series{most: windows}})
	switch {
	case e.Write:
		c.writes.count(e.Cycle, 1)
	case e.Hit:
		c.hits.count(e.Cycle, 1)
	default:
		c.misses.count(e.Cycle, 1)
	}
}

func (r *Recorder) finishMemory(cycles int64) {
	m := r.memory
	if m == nil {
		return
	}
	for i := range m.channel {
		c := &m.channel[i]
		if c.group == nil {
			continue
		}
		group := m.process.Track(fmt.Sprintf("counters of DRAM channel %d", i), 1<<10+i)
		c.bytes.write(group.Counter("bytes", "bytes a cycle", 0), cycles)
		c.busy.write(group.Counter("busy", "thousandths of the time", 1), cycles)
		c.queue.write(group.Counter("waiting", "requests", 2), cycles)
		c.miss.write(group.Counter("rows opened", "rows a cycle", 3), cycles)
	}
	for i := range m.slice {
		c := &m.slice[i]
		if !c.hits.used() && !c.misses.used() && !c.writes.used() {
			continue
		}
		group := m.process.Track(fmt.Sprintf("L2 slice %d", i), 1<<11+i)
		c.hits.write(group.Counter("hits", "sectors a cycle", 0), cycles)
		c.misses.write(group.Counter("misses", "sectors a cycle", 1), cycles)
		c.writes.write(group.Counter("writes", "sectors a cycle", 2), cycles)
	}
}

// Core implements sim.CoreObserver.
func (r *Recorder) Core(e soc.CoreEvent) {
	if r.corePID == nil {
		r.corePID = r.w.Process("CPU cores")
	}
	c := slotted(&r.cores, e.Number, coreTrack{})
	if c.name == "" {
		c.name = fmt.Sprintf("%s, core %d", e.CPU, e.Core)
		c.inFlight.most = mostWindows / 4
		c.held = r.corePID.Track(c.name, 2*e.Number)
	}
	c.inFlight.set(e.Cycle, int64(e.InFlight))
	if e.Held == c.isHeld {
		return
	}
	if c.isHeld {
		r.wasHeld(c, e.Cycle)
	}
	c.isHeld, c.since = e.Held, e.Cycle
}

// wasHeld writes for how long a core was held.
func (r *Recorder) wasHeld(c *coreTrack, to int64) {
	if from, to, ok := r.shared(c.since, to); ok {
		c.held.Slice(scale*from, scale*to, &heldLabel)
		r.took(from)
	}
}

func (r *Recorder) finishCores(cycles int64) {
	for i := range r.cores {
		c := &r.cores[i]
		if c.name == "" {
			continue
		}
		if c.isHeld {
			r.wasHeld(c, cycles)
		}
		c.inFlight.write(r.corePID.Counter(c.name+": requests under way", "requests", 2*i+1), cycles)
	}
}

// fetchTrack is the track of what the front end of an SM fetches.
func (r *Recorder) fetchTrack(sm int) *timeline.Track {
	s := r.sm(sm)
	if s.fetch == nil {
		s.fetch = r.group(s, &s.front, "front end", rankFrontEnd).Track("fetch", 0)
	}
	return s.fetch
}

// Fetch implements sim.FrontObserver.
func (r *Recorder) Fetch(e sim.FetchEvent) {
	miss := 0
	if e.Miss {
		miss = 1
	}
	r.sm(e.SM).counters.line[miss].count(e.Cycle, 1)
	if _, _, ok := r.detail(e.Block, e.Cycle, e.Cycle+1); !ok {
		return
	}
	r.fetchTrack(e.SM).Instant(scale*e.Cycle, &fetchLabels[miss], timeline.Arg{Key: "pc", Int: int64(e.PC)}, timeline.Arg{Key: "block", Int: e.Block}, timeline.Arg{Key: "warp", Int: int64(e.Warp)})
	r.took(e.Cycle)
}

// NOP implements sim.FrontObserver: it takes an issue slot.
func (r *Recorder) NOP(e sim.NOPEvent) {
	r.does(r.sm(e.SM), e.Scheduler, e.Cycle, e.Cycle+1, &nopLabel)
}

// Redirect implements sim.FrontObserver.
func (r *Recorder) Redirect(e sim.RedirectEvent) {
	if _, _, ok := r.detail(e.Block, e.Cycle, e.Cycle+1); !ok {
		return
	}
	r.fetchTrack(e.SM).Instant(scale*e.Cycle, &redirectLabel, timeline.Arg{Key: "next_pc", Int: int64(e.NextPC)}, timeline.Arg{Key: "discarded", Int: int64(e.Discarded)},
		timeline.Arg{Key: "block", Int: e.Block}, timeline.Arg{Key: "warp", Int: int64(e.Warp)})
	r.took(e.Cycle)
}

// Discrepancy implements sim.FrontObserver.
func (r *Recorder) Discrepancy(e sim.DiscrepancyEvent) {
	if _, _, ok := r.shared(e.Cycle, e.Cycle+1); !ok {
		return
	}
	r.fetchTrack(e.SM).Instant(scale*e.Cycle, &discrepancy, timeline.Arg{Key: "selected", Int: int64(e.Slot)}, timeline.Arg{Key: "intended", Int: int64(e.Intended)}, timeline.Arg{Key: "expected", Int: int64(e.Expected)})
	r.took(e.Cycle)
}
