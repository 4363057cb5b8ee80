package timeline

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Format is how a trace is written.
type Format uint8

// The formats.
const (
	Perfetto Format = iota
	Chrome
)

// Ends are the ends of the names of files, by format, the usual one first.
var ends = [...][]string{Perfetto: {".pftrace", ".perfetto-trace"}, Chrome: {".json"}}

// FormatOf tells the format by the end of a file's name.
func FormatOf(file string) (Format, error) {
	for f, list := range ends {
		if slices.Contains(list, strings.ToLower(filepath.Ext(file))) {
			return Format(f), nil
		}
	}
	return 0, fmt.Errorf("%s: expected a name that ends in .pftrace or .perfetto-trace (Perfetto) or .json (Chrome)", file)
}

// Arg is a named value of an event: Text, or Int where that is empty.
type Arg struct {
	Key  string
	Int  int64
	Text string
}

// Label is what events of one kind have in common. It is not changed once it is used.
type Label struct {
	Name, Category string
	Args           []Arg
}

// A Ref is an event of a track, by its number, from 1.
type Ref int64

// Counts is what a trace has.
type Counts struct {
	Tracks, Slices, Instants, Samples, Flows, Bytes int64
}

// Writer writes a trace. The first error ends it and is returned by Close.
type Writer struct {
	out    *bufio.Writer
	format Format
	enc    encoder
	tracks []*Track
	flows  uint64
	count  Counts
	err    error
	closed bool
}

// encoder is a format.
type encoder interface {
	begin(w *Writer)
	track(w *Writer, t *Track)
	event(w *Writer, t *Track, e *event)
	end(w *Writer)
}

// New begins a trace.
func New(to io.Writer, f Format) *Writer {
	w := &Writer{format: f}
	w.out = bufio.NewWriterSize(countingWriter{to, &w.count.Bytes}, 1<<16)
	w.enc = &perfetto{}
	if f == Chrome {
		w.enc = &chrome{}
	}
	w.enc.begin(w)
	return w
}

type countingWriter struct {
	to io.Writer
	n  *int64
}

func (c countingWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	*c.n += int64(n)
	return n, err
}

func (w *Writer) write(p []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(p)
	}
}

func (w *Writer) fail(t *Track, format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("track %s: %s", t.Path(), fmt.Sprintf(format, args...))
	}
}

// Err is the first error so far.
func (w *Writer) Err() error { return w.err }

// Counts is what has been written. Bytes are complete after Close.
func (w *Writer) Counts() Counts { return w.count }

// Close ends every slice that is open, and the trace.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	for _, t := range w.tracks {
		t.settle()
		for t.depth > 0 {
			t.End(t.last)
		}
		t.drain(0)
	}
	w.enc.end(w)
	if err := w.out.Flush(); w.err == nil {
		w.err = err
	}
	return w.err
}

// Track is a row of a trace, or a group of rows. Time does not go back on a track.
type Track struct {
	w       *Writer
	parent  *Track
	process *Track // itself, of a process
	name    string
	number  int // from 1
	rank    int // among its siblings
	counter bool
	unit    string

	keep  int // events held for flows that may start at them
	queue []event
	refs  Ref
	open  int64 // end of the slice of Slice that is not ended yet, none below 0
	depth int
	last  int64
	value float64 // of a counter, last written
	some  bool

	sent [numTables][]uint64 // interned strings that its sequence has
}

type eventKind uint8

const (
	sliceBegin eventKind = iota
	sliceEnd
	instant
	sample
)

// event is what is written. Thousands of tracks hold hundreds each, so that it is kept
// small: few arguments that are numbers are in it, others elsewhere.
type event struct {
	at    int64
	label *Label
	few   [2]number
	more  []Arg
	ref   Ref
	flows *flows
	value float64
	kind  eventKind
	n     uint8 // of few
}

// number is an Arg without a text.
type number struct {
	key   string
	value int64
}

// flows are those that end at an event and that start at it.
type flows struct{ in, out []uint64 }

// setArgs gives an event its own arguments.
func (e *event) setArgs(args []Arg) {
	if len(args) > len(e.few) {
		e.more = args
		return
	}
	for i := range args {
		if args[i].Text != "" {
			e.more, e.n = args, 0
			return
		}
		e.few[i] = number{args[i].Key, args[i].Int}
		e.n++
	}
}

// args are those of an event's label and its own.
func (e *event) args(yield func(a Arg) bool) {
	if e.label != nil {
		for _, a := range e.label.Args {
			if !yield(a) {
				return
			}
		}
	}
	for _, x := range e.few[:e.n] {
		if !yield(Arg{Key: x.key, Int: x.value}) {
			return
		}
	}
	for _, a := range e.more {
		if !yield(a) {
			return
		}
	}
}

// Process makes a group at the top.
func (w *Writer) Process(name string) *Track {
	t := w.add(&Track{name: name})
	return t
}

// Track makes a row or group below t; rows and groups of one parent have different
// names and are shown by rank.
func (t *Track) Track(name string, rank int) *Track {
	return t.w.add(&Track{parent: t, process: t.process, name: name, rank: rank})
}

// Counter makes a row below t that has a value over time.
func (t *Track) Counter(name, unit string, rank int) *Track {
	return t.w.add(&Track{parent: t, process: t.process, name: name, rank: rank, counter: true, unit: unit})
}

func (w *Writer) add(t *Track) *Track {
	t.w, t.open = w, -1
	t.number = len(w.tracks) + 1
	if t.parent == nil {
		t.process = t
	}
	w.tracks = append(w.tracks, t)
	w.count.Tracks++
	w.enc.track(w, t)
	return t
}

// Path is the names of the groups that t is in and its own.
func (t *Track) Path() string {
	if t.parent == nil {
		return t.name
	}
	return t.parent.Path() + " / " + t.name
}

// within is Path below the process.
func (t *Track) within() string {
	if t.parent == nil || t.parent.parent == nil {
		return t.name
	}
	return t.parent.within() + " / " + t.name
}

// Keep holds the last n events of t, at least, so that flows can start at them.
func (t *Track) Keep(n int) { t.keep = n }

// Slice adds what took from from to to. It ends when t is used again, so that it can be
// extended, and have instants inside.
func (t *Track) Slice(from, to int64, l *Label, args ...Arg) Ref {
	t.settle()
	ref := t.Begin(from, l, args...)
	t.open = to
	return ref
}

// Extend has the slice of Slice that was added last end at to.
func (t *Track) Extend(to int64) {
	if t.open >= 0 {
		t.open = max(t.open, to)
	}
}

// settle ends the slice of Slice.
func (t *Track) settle() {
	if to := t.open; to >= 0 {
		t.open = -1
		t.End(to)
	}
}

// Begin begins a slice, which End ends.
func (t *Track) Begin(at int64, l *Label, args ...Arg) Ref {
	t.settle()
	t.depth++
	t.w.count.Slices++
	return t.push(sliceBegin, at, l, args)
}

// End ends the slice begun last.
func (t *Track) End(at int64) {
	t.settle()
	if t.depth == 0 {
		t.w.fail(t, "a slice ends at %d that has not begun", at)
		return
	}
	t.depth--
	t.push(sliceEnd, at, nil, nil)
}

// Instant adds what takes no time.
func (t *Track) Instant(at int64, l *Label, args ...Arg) Ref {
	if t.open >= 0 && at >= t.open {
		t.settle()
	}
	t.w.count.Instants++
	return t.push(instant, at, l, args)
}

// Set says what value a counter has from at on. A value that it has already is left out.
func (t *Track) Set(at int64, value float64) {
	if t.some && t.value == value {
		return
	}
	t.some, t.value = true, value
	t.w.count.Samples++
	t.push(sample, at, nil, nil)
}

func (t *Track) push(kind eventKind, at int64, l *Label, args []Arg) Ref {
	if at < t.last {
		t.w.fail(t, "time goes back from %d to %d", t.last, at)
	}
	t.last = max(t.last, at)
	t.refs++
	e := event{kind: kind, at: at, label: l, ref: t.refs, value: t.value}
	e.setArgs(args)
	if t.keep == 0 {
		t.w.enc.event(t.w, t, &e)
		return e.ref
	}
	if len(t.queue) >= t.keep+t.keep/4+1 {
		t.drain(t.keep)
	}
	if len(t.queue) == cap(t.queue) {
		// Not twice as many, which would never be used.
		t.queue = slices.Grow(t.queue, min(t.keep+t.keep/4+1, 2*cap(t.queue)+8)-cap(t.queue))
	}
	e.more = slices.Clone(e.more) // the caller's
	t.queue = append(t.queue, e)
	return e.ref
}

// drain writes the events that are held, but for some.
func (t *Track) drain(but int) {
	n := len(t.queue) - but
	if n <= 0 {
		return
	}
	for i := range t.queue[:n] {
		t.w.enc.event(t.w, t, &t.queue[i])
	}
	rest := copy(t.queue, t.queue[n:])
	clear(t.queue[rest:])
	t.queue = t.queue[:rest]
}

// Flow draws an arrow from a slice or instant of t to the last one of to. It tells whether
// it could: both have to be held still, and to has to have none that ended since.
func (t *Track) Flow(from Ref, to *Track) bool {
	a, b := t.held(from), to.held(to.refs)
	if a == nil || b == nil || a == b || a.kind == sliceEnd || b.kind == sliceEnd {
		return false
	}
	t.w.flows++
	t.w.count.Flows++
	for _, e := range []*event{a, b} {
		if e.flows == nil {
			e.flows = &flows{}
		}
	}
	a.flows.out = append(a.flows.out, t.w.flows)
	b.flows.in = append(b.flows.in, t.w.flows)
	return true
}

// held is an event of the queue.
func (t *Track) held(ref Ref) *event {
	i, found := slices.BinarySearchFunc(t.queue, ref, func(e event, r Ref) int { return cmp.Compare(e.ref, r) })
	if !found {
		return nil
	}
	return &t.queue[i]
}
