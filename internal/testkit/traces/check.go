package traces

import (
	"errors"
	"fmt"
)

// most is how many faults Check tells.
const most = 20

// Check says what is wrong with a trace, nil if nothing is: tracks are declared once,
// after their parents and before their events, and told apart from their siblings by name
// and rank; time does not go back within a sequence; slices nest, begin before they end
// and are all ended; counters alone have values; each flow has one event at which it
// starts and one, not earlier, at which it ends.
func (t *Trace) Check() error {
	c := checker{trace: t, tracks: map[uint64]*Track{}, last: map[uint64]int64{}, open: map[uint64]int{}, out: map[uint64]int64{}, in: map[uint64]int64{}}
	c.declared()
	for i := range t.Events {
		c.event(i)
	}
	for _, x := range t.Tracks {
		if n := c.open[x.UUID]; n != 0 {
			c.fault("track %s: %d slices are not ended", t.Path(x.UUID), n)
		}
	}
	for id, from := range c.out {
		if to, ok := c.in[id]; !ok || to < from {
			c.fault("flow %d starts at %d and ends at %d (%v)", id, from, to, ok)
		}
	}
	for id := range c.in {
		if _, ok := c.out[id]; !ok {
			c.fault("flow %d does not start", id)
		}
	}
	return errors.Join(c.faults...)
}

type checker struct {
	trace   *Trace
	tracks  map[uint64]*Track
	last    map[uint64]int64 // by sequence
	open    map[uint64]int   // by track
	out, in map[uint64]int64 // by flow
	faults  []error
}

func (c *checker) fault(format string, args ...any) {
	if len(c.faults) < most {
		c.faults = append(c.faults, fmt.Errorf(format, args...))
	}
}

func (c *checker) declared() {
	type sibling struct {
		parent uint64
		name   string
		rank   int64
	}
	seen := map[sibling]bool{}
	for i := range c.trace.Tracks {
		x := &c.trace.Tracks[i]
		if c.tracks[x.UUID] != nil || x.UUID == 0 {
			c.fault("track %d %q is declared twice, or has no number", x.UUID, x.Name)
		}
		if x.Name == "" {
			c.fault("track %d has no name", x.UUID)
		}
		if (x.Parent == 0) != x.Process || x.Parent != 0 && (c.tracks[x.Parent] == nil || c.tracks[x.Parent].Counter) {
			c.fault("track %q: parent %d", x.Name, x.Parent)
		}
		if x.Parent != 0 {
			for _, s := range []sibling{{x.Parent, x.Name, -1}, {x.Parent, "", x.Rank}} {
				if seen[s] {
					c.fault("track %q: a sibling of that name or rank %d", x.Name, x.Rank)
				}
				seen[s] = true
			}
		}
		c.tracks[x.UUID] = x
	}
}

func (c *checker) event(i int) {
	e := &c.trace.Events[i]
	x := c.tracks[e.Track]
	if x == nil || x.at > i {
		c.fault("event %d %q: track %d is not declared before", i, e.Name, e.Track)
		return
	}
	if e.At < c.last[e.Sequence] {
		c.fault("track %q: time goes back from %d to %d", x.Name, c.last[e.Sequence], e.At)
	}
	c.last[e.Sequence] = e.At
	if (e.Kind == Counter) != x.Counter {
		c.fault("track %q: an event of kind %d", x.Name, e.Kind)
	}
	if (e.Kind == Begin || e.Kind == Instant) != (e.Name != "") {
		c.fault("track %q: an event of kind %d at %d with the name %q", x.Name, e.Kind, e.At, e.Name)
	}
	switch e.Kind {
	case Begin:
		c.open[e.Track]++
	case End:
		if c.open[e.Track]--; c.open[e.Track] < 0 {
			c.fault("track %q: a slice ends at %d that has not begun", x.Name, e.At)
		}
	case Instant, Counter:
	default:
		c.fault("track %q: an event of kind %d", x.Name, e.Kind)
	}
	for _, f := range e.FlowsOut {
		if _, twice := c.out[f]; twice {
			c.fault("flow %d starts twice", f)
		}
		c.out[f] = e.At
	}
	for _, f := range e.FlowsIn {
		if _, twice := c.in[f]; twice {
			c.fault("flow %d ends twice", f)
		}
		c.in[f] = e.At
	}
}

// Path is the names of the groups of a track and its own, from the process on.
func (t *Trace) Path(uuid uint64) string {
	for i := range t.Tracks {
		if x := &t.Tracks[i]; x.UUID == uuid {
			if x.Parent == 0 || x.Parent == uuid {
				return x.Name
			}
			return t.Path(x.Parent) + " / " + x.Name
		}
	}
	return ""
}

// Paths are the paths of all tracks, by number.
func (t *Trace) Paths() map[uint64]string {
	out := map[uint64]string{}
	for _, x := range t.Tracks {
		out[x.UUID] = x.Name
		if x.Parent != 0 {
			out[x.UUID] = out[x.Parent] + " / " + x.Name
		}
	}
	return out
}

// A Slice is a slice with its end; Depth is how many slices it lies in.
type Slice struct {
	Path           string
	Name, Category string
	From, To       int64
	Depth          int
	Args           map[string]any
}

// Slices pairs what begins and ends, in the order of the ends. The trace is one that
// Check finds nothing wrong with.
func (t *Trace) Slices() []Slice {
	var out []Slice
	paths, open := t.Paths(), map[uint64][]*Event{}
	for i := range t.Events {
		e := &t.Events[i]
		stack := open[e.Track]
		switch e.Kind {
		case Begin:
			open[e.Track] = append(stack, e)
		case End:
			b := stack[len(stack)-1]
			open[e.Track] = stack[:len(stack)-1]
			out = append(out, Slice{Path: paths[e.Track], Name: b.Name, Category: b.Category, From: b.At, To: e.At, Depth: len(stack) - 1, Args: b.Args})
		}
	}
	return out
}
