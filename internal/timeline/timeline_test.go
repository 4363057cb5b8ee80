package timeline

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/testkit/traces"
)

// story writes a small trace that has everything.
func story(w *Writer) {
	p := w.Process("machine \"A\"")
	warps := p.Track("warps", 1)
	a, b := warps.Track("warp 0", 0), warps.Track("warp 1", 1)
	a.Keep(4)
	load := &Label{Name: "ld", Category: "issue", Args: []Arg{{Key: "pc", Int: -1}, {Key: "line", Text: "k.ptx:3:1"}}}
	use := &Label{Name: "add", Category: "issue"}
	a.Begin(0, &Label{Name: "life"})
	from := a.Slice(1000, 2000, load, Arg{Key: "lanes", Int: 32})
	a.Instant(1500, use, Arg{Key: "a", Int: 1}, Arg{Key: "b", Text: "\"two\""}, Arg{Key: "c", Int: -3}, Arg{Key: "d", Int: 4})
	a.Slice(2000, 3001, use)
	a.Flow(from, a)
	a.Extend(3002)
	b.Slice(5, 10, use, Arg{Key: "address", Int: 1 << 40})
	a.End(4000)
	c := p.Counter("IPC", "a cycle", 0)
	c.Set(0, 0.5)
	c.Set(1000, 0.5)
	c.Set(2000, 3)
	c.Set(3000, -1)
}

func written(t *testing.T, f Format, tell func(*Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	w := New(&out, f)
	tell(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Counts().Bytes != int64(out.Len()) {
		t.Errorf("%d bytes, %+v", out.Len(), w.Counts())
	}
	return out.Bytes()
}

// Both formats can be read back by readers of their own, and say the same.
func TestFormats(t *testing.T) {
	read, err := traces.Perfetto(written(t, Perfetto, story))
	if err == nil {
		err = read.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, err := traces.Chrome(written(t, Chrome, story))
	if err == nil {
		err = traces.Differ(read.Rows(), rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range read.Slices() {
		got = append(got, fmt.Sprint(s.Path, " ", s.Name, " ", s.From, "-", s.To, " ", s.Depth, " ", s.Args))
	}
	want := []string{
		`machine "A" / warps / warp 0 ld 1000-2000 1 map[lanes:32 line:k.ptx:3:1 pc:-1]`,
		`machine "A" / warps / warp 0 add 2000-3002 1 map[]`,
		`machine "A" / warps / warp 0 life 0-4000 0 map[]`,
		`machine "A" / warps / warp 1 add 5-10 0 map[address:1099511627776]`,
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(got, "\n"), w) {
			t.Errorf("no %s in %q", w, got)
		}
	}
}

// What is wrong with a trace is noticed, whatever it is.
func TestFaults(t *testing.T) {
	good := written(t, Perfetto, story)
	read := func() *traces.Trace {
		x, err := traces.Perfetto(good)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	first := func(x *traces.Trace, is func(*traces.Event) bool) int {
		for i := range x.Events {
			if is(&x.Events[i]) {
				return i
			}
		}
		t.Fatal("no such event")
		return 0
	}
	drop := func(x *traces.Trace, i int) { x.Events = append(x.Events[:i:i], x.Events[i+1:]...) }
	kind := func(k traces.Kind) func(*traces.Event) bool {
		return func(e *traces.Event) bool { return e.Kind == k }
	}
	for what, c := range map[string]struct {
		spoil func(x *traces.Trace)
		said  string
	}{
		"an end is missing":      {func(x *traces.Trace) { drop(x, first(x, kind(traces.End))) }, "not ended"},
		"a begin is missing":     {func(x *traces.Trace) { drop(x, first(x, kind(traces.Begin))) }, "not begun"},
		"time goes back":         {func(x *traces.Trace) { x.Events[first(x, kind(traces.End))].At = 0 }, "time goes back"},
		"a name is missing":      {func(x *traces.Trace) { x.Events[first(x, kind(traces.Instant))].Name = "" }, "with the name"},
		"a track is missing":     {func(x *traces.Trace) { x.Tracks = x.Tracks[:len(x.Tracks)-1] }, "not declared"},
		"a track is there twice": {func(x *traces.Trace) { x.Tracks = append(x.Tracks, x.Tracks[2]) }, "twice"},
		"a parent is missing":    {func(x *traces.Trace) { x.Tracks[2].Parent = 77 }, "parent 77"},
		"two rows have one name": {func(x *traces.Trace) { x.Tracks[3].Name = x.Tracks[2].Name }, "sibling"},
		"a counter has a slice":  {func(x *traces.Trace) { x.Events[first(x, kind(traces.Counter))].Kind = traces.Begin }, "kind 1"},
		"a flow does not end": {func(x *traces.Trace) {
			x.Events[first(x, func(e *traces.Event) bool { return len(e.FlowsIn) > 0 })].FlowsIn = nil
		}, "flow 1"},
		"a flow does not start": {func(x *traces.Trace) {
			x.Events[first(x, func(e *traces.Event) bool { return len(e.FlowsOut) > 0 })].FlowsOut = nil
		}, "does not start"},
		"a track is declared late": {func(x *traces.Trace) {
			i := first(x, kind(traces.Counter))
			e := x.Events[i]
			drop(x, i)
			x.Events = append([]traces.Event{e}, x.Events...)
		}, "not declared before"},
		"a kind that does not exist": {func(x *traces.Trace) { x.Events[0].Kind = 9 }, "kind 9"},
	} {
		x := read()
		c.spoil(x)
		if err := x.Check(); err == nil || !strings.Contains(err.Error(), c.said) {
			t.Errorf("%s: %v, expected %q", what, err, c.said)
		}
	}
	for cut := 1; cut < len(good); cut++ {
		x, err := traces.Perfetto(good[:cut])
		if err == nil {
			err = x.Check()
		}
		if err == nil && len(x.Events) == len(read().Events) {
			t.Errorf("%d bytes of %d are as good as all", cut, len(good))
		}
	}
	// Every byte counts: one that is changed gives an error or another trace.
	for i := range good {
		spoiled := bytes.Clone(good)
		spoiled[i] ^= 0x14
		x, err := traces.Perfetto(spoiled)
		if err == nil && x.Check() == nil && fmt.Sprint(x) == fmt.Sprint(read()) {
			t.Errorf("byte %d of %d may as well be %#x as %#x", i, len(good), spoiled[i], good[i])
		}
	}
	for what, data := range map[string]string{
		"no object": `[]`, "two objects": `{"displayTimeUnit":"ns","traceEvents":[]}{}`, "another field": `{"displayTimeUnit":"ns","events":[]}`,
		"a phase":   `{"displayTimeUnit":"ns","traceEvents":[{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"a"}},{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"b"}},{"ph":"X","pid":1,"tid":2,"ts":0}]}`,
		"no thread": `{"displayTimeUnit":"ns","traceEvents":[{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"a"}},{"ph":"B","pid":1,"tid":2,"ts":0}]}`,
	} {
		if rows, err := traces.Chrome([]byte(data)); err == nil {
			t.Errorf("%s: %v", what, rows)
		}
	}
}

// A writer that is used wrongly says so.
func TestMisuse(t *testing.T) {
	for what, c := range map[string]struct {
		tell func(w *Writer)
		want string
	}{
		"backwards": {func(w *Writer) {
			a := w.Process("p").Track("a", 0)
			a.Slice(5, 6, &Label{Name: "x"})
			a.Slice(4, 6, &Label{Name: "x"})
		}, "track p / a: time goes back from 6 to 4"},
		"end": {func(w *Writer) { w.Process("p").Track("a", 0).End(7) }, "track p / a: a slice ends at 7 that has not begun"},
	} {
		w := New(&bytes.Buffer{}, Perfetto)
		c.tell(w)
		if err := w.Close(); err == nil || !strings.Contains(err.Error(), c.want) || w.Err() != err {
			t.Errorf("%s: %v, expected %s", what, err, c.want)
		}
	}
	w := New(full{}, Chrome)
	story(w)
	if err := w.Close(); !errors.Is(err, errFull) || w.Close() != err {
		t.Errorf("%v, expected %v", err, errFull)
	}
}

type full struct{}

var errFull = errors.New("no space")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{"a.pftrace": Perfetto, "a.b.PFTRACE": Perfetto, "x.perfetto-trace": Perfetto, "x.json": Chrome} {
		if f, err := FormatOf(name); f != want || err != nil {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	for _, name := range []string{"a", "a.svg", "json", ""} {
		if _, err := FormatOf(name); err == nil || !strings.Contains(err.Error(), "expected a name that ends in .pftrace") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever is told in order, both formats are well formed, say the same, and hold it all;
// memory is bounded by what tracks keep.
func TestRandomStories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.SliceOfN(rapid.IntRange(0, 1<<20), 1, 200).Draw(t, "story")
		keep := rapid.IntRange(0, 6).Draw(t, "keep")
		flows := int64(0)
		tell := func(w *Writer) {
			flows = 0
			p := w.Process("p")
			a, now := p.Track("a", 0), int64(0)
			c := p.Counter("c", "", 1)
			a.Keep(keep)
			var refs []Ref
			for _, x := range seed {
				l := &Label{Name: fmt.Sprintf("n%d", x%7), Category: "c"}
				now += int64(x>>3) % 50
				switch x % 8 {
				case 0:
					refs = append(refs, a.Begin(now, l))
				case 1:
					if a.depth > 0 && a.open < 0 || a.depth > 1 {
						a.End(max(now, a.open))
					}
				case 2, 3, 4:
					refs = append(refs, a.Slice(max(now, a.open), max(now, a.open)+int64(x>>4)%30, l, Arg{Key: "x", Int: int64(x)}))
				case 5:
					refs = append(refs, a.Instant(max(now, a.last), l, Arg{Key: "s", Text: fmt.Sprint(x % 3)}))
				case 6:
					c.Set(now, float64(x%5)/2)
				case 7:
					if len(refs) > 0 && a.Flow(refs[(x>>5)%len(refs)], a) {
						flows++
					}
				}
				now = max(now, a.last, a.open)
				if len(a.queue) > keep+keep/4+1 {
					t.Fatalf("%d events are held, %d asked for", len(a.queue), keep)
				}
			}
		}
		var perfetto, chrome bytes.Buffer
		for to, f := range map[*bytes.Buffer]Format{&perfetto: Perfetto, &chrome: Chrome} {
			w := New(to, f)
			tell(w)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if w.Counts().Flows != flows {
				t.Fatalf("%+v, %d flows", w.Counts(), flows)
			}
		}
		read, err := traces.Perfetto(perfetto.Bytes())
		if err == nil {
			err = read.Check()
		}
		if err != nil {
			t.Fatal(err)
		}
		rows, err := traces.Chrome(chrome.Bytes())
		if err == nil {
			err = traces.Differ(read.Rows(), rows)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}
