package view

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/report"
)

// mostSlices is how many slices a recording has at most: some 40 MB in the browser.
const mostSlices = 2_000_000

// slice is a time in which something does one thing.
type slice struct {
	from, to int64
	state    uint8
	pc       int32 // of the instruction that is issued, -1 otherwise
	block    int64
	warp     int32
}

// place is what a track is of.
type place struct {
	kind     string // "blocks", "scheduler" or "warp"
	sm, slot int
}

// trackKinds are the kinds in their order on an SM.
var trackKinds = []string{"blocks", "scheduler", "warp"}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.sm, q.sm), cmp.Compare(slices.Index(trackKinds, p.kind), slices.Index(trackKinds, q.kind)), cmp.Compare(p.slot, q.slot))
}

// recording is what happened in a simulation from a cycle on.
type recording struct {
	id     int
	from   int64
	to     int64 // the end of the execution, or the cycle from which slices were too many
	cycles int64 // of the execution
	full   bool
	count  int
	tracks map[place][]slice
	states map[string]uint8
	open   map[place]slice // blocks that have not ended
}

func newRecording(from int64) *recording {
	r := &recording{from: from, tracks: map[place][]slice{}, states: map[string]uint8{}, open: map[place]slice{}}
	for i, s := range report.States() {
		r.states[s.Name] = uint8(i)
	}
	return r
}

// see takes in an event of the simulator.
func (r *recording) see(e warpbound.Event) {
	warp := place{kind: "warp", sm: e.SM, slot: e.Slot}
	scheduler := place{kind: "scheduler", sm: e.SM, slot: e.Scheduler}
	blocks := place{kind: "blocks", sm: e.SM, slot: e.Slot}
	switch e.Kind {
	case warpbound.Issue:
		s := slice{e.Cycle, e.Cycle + 1, r.states[report.Issuing], e.PC, e.Block, int32(e.Warp)}
		r.add(warp, s)
		r.add(scheduler, s)
	case warpbound.Wait:
		r.add(warp, slice{e.Cycle, e.EndCycle, r.states[e.Reason], -1, e.Block, int32(e.Warp)})
	case warpbound.Stall:
		r.add(scheduler, slice{e.Cycle, e.EndCycle, r.states[e.Reason], -1, -1, -1})
	case warpbound.BlockStart:
		r.open[blocks] = slice{e.Cycle, e.Cycle, blockState, -1, e.Block, -1}
	case warpbound.BlockEnd:
		if s, ok := r.open[blocks]; ok {
			delete(r.open, blocks)
			s.to = e.Cycle
			r.add(blocks, s)
		}
	}
}

// blockState is the state of the tracks of blocks: numbers above are those of warps.
const blockState = 255

func (r *recording) add(p place, s slice) {
	if s.to <= r.from || s.to <= s.from || r.full {
		return
	}
	if r.count == mostSlices {
		r.full, r.to = true, s.from
		return
	}
	r.count++
	r.tracks[p] = append(r.tracks[p], s)
}

// end is told when the simulation has ended.
func (r *recording) end(cycles int64) {
	r.cycles = cycles
	if !r.full {
		r.to = cycles
	}
	for p, s := range r.open { // cut short
		s.to = r.to
		if s.to > s.from {
			r.tracks[p] = append(r.tracks[p], s)
		}
	}
}

// track is what the header of the slices says of one.
type track struct {
	Kind  string `json:"kind"`
	SM    int    `json:"sm"`
	Slot  int    `json:"slot"`
	Label string `json:"label"`
	Count int    `json:"count"`
}

// header is what comes before the slices.
type header struct {
	From   int64   `json:"from"`
	To     int64   `json:"to"`
	Cycles int64   `json:"cycles"`
	Full   bool    `json:"full"`
	Slices int     `json:"slices"`
	Tracks []track `json:"tracks"`
}

// encode writes the slices for the page: the length of the header as 4 bytes, the header in
// JSON with spaces up to a multiple of 4, then, little-endian and track by track, all
// beginnings, ends (cycles from the first one that is recorded), instructions and blocks as
// 4 bytes, all warps as 2, and all states as 1.
func (r *recording) encode() ([]byte, error) {
	places := make([]place, 0, len(r.tracks))
	for p := range r.tracks {
		places = append(places, p)
	}
	slices.SortFunc(places, place.compare)
	h := header{From: r.from, To: r.to, Cycles: r.cycles, Full: r.full, Tracks: []track{}}
	for _, p := range places {
		list := r.tracks[p]
		slices.SortStableFunc(list, func(a, b slice) int { return cmp.Compare(a.from, b.from) })
		h.Slices += len(list)
		h.Tracks = append(h.Tracks, track{Kind: p.kind, SM: p.sm, Slot: p.slot, Label: label(p, list), Count: len(list)})
	}
	if r.to-r.from > 1<<31-1 {
		return nil, fmt.Errorf("%d cycles are too many for a picture, expected fewer than 2^31: record from a later one", r.to-r.from)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	out := make([]byte, 0, 4+len(text)+19*h.Slices)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	out = append(out, text...)
	each := func(write func(*slice)) {
		for _, p := range places {
			for i := range r.tracks[p] {
				write(&r.tracks[p][i])
			}
		}
	}
	word := func(of func(*slice) int64) {
		each(func(s *slice) { out = binary.LittleEndian.AppendUint32(out, uint32(of(s))) })
	}
	word(func(s *slice) int64 { return max(s.from, r.from) - r.from })
	word(func(s *slice) int64 { return min(s.to, r.to) - r.from })
	word(func(s *slice) int64 { return int64(s.pc) })
	word(func(s *slice) int64 { return s.block })
	each(func(s *slice) { out = binary.LittleEndian.AppendUint16(out, uint16(s.warp)) })
	each(func(s *slice) { out = append(out, s.state) })
	return out, nil
}

// label names a track, a warp's by its warp where it had but one.
func label(p place, list []slice) string {
	switch p.kind {
	case "blocks":
		return fmt.Sprintf("blocks %d", p.slot)
	case "scheduler":
		return fmt.Sprintf("scheduler %d", p.slot)
	}
	first := list[0]
	if slices.ContainsFunc(list, func(s slice) bool { return s.block != first.block || s.warp != first.warp }) {
		return fmt.Sprintf("slot %d", p.slot)
	}
	return fmt.Sprintf("block %d warp %d", first.block, first.warp)
}
