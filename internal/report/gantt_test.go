package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/gantt"
)

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
	}
}

func drawn(t *testing.T, intervals []gantt.Interval, o GanttOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteGantt(&b, intervals, o); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.String())
	return b.String()
}

func TestWriteGantt(t *testing.T) {
	intervals := []gantt.Interval{
		{Slot: 0, Warp: 0, FromCycle: 0, ToCycle: 3, State: gantt.Issuing},
		{Slot: 0, Warp: 0, FromCycle: 3, ToCycle: 20, State: "data"},
		{Slot: 1, Warp: 1, FromCycle: 0, ToCycle: 10, State: "memory"},
		{Slot: 2, Block: 1, Warp: 0, FromCycle: 5, ToCycle: 8, State: "fetch"},
		{Slot: 2, Block: 2, Warp: 0, FromCycle: 8, ToCycle: 9, State: "fetch"},
	}
	text := drawn(t, intervals, GanttOptions{Title: "a < b & c", Notes: []string{"of k.toml"}, WidthPx: 200, ToCycle: 10, Hidden: 3, Quantum: 4})
	for _, want := range []string{
		">a &lt; b &amp; c</text>", ">of k.toml</text>", ">3 more warp slots not shown</text>", ">in pieces of 4 cycles,",
		"font-family=\"Liberation Sans, Arial, ",
		// cut at cycle 10
		`<rect x="110.00" y="151" width="60.00" height="12" fill="#1b7837"><title>issue 0-3 (block 0, warp 0)</title></rect>`,
		`<rect x="170.00" y="151" width="140.00" height="12" fill="#92c5de"><title>data 3-20 (block 0, warp 0)</title></rect>`,
		`<rect x="110.00" y="165" width="200.00" height="12" fill="#2166ac"><title>memory 0-10 (block 0, warp 1)</title></rect>`,
		">SM 0, 0.0</text>", ">SM 0, 0.1</text>", ">SM 0, slot 2</text>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// A chart of as many intervals as a recorder keeps has less than half a megabyte,
// reaches the right end, and has every state in its place.
func TestGanttIsBounded(t *testing.T) {
	var intervals []gantt.Interval
	for slot := range 128 {
		for i := range int64(250) {
			state := sim.Reason((i + int64(slot)) % 17)
			if state == sim.Idle {
				state = sim.Selected
			}
			intervals = append(intervals, gantt.Interval{Slot: slot, Block: i, FromCycle: 1e9 + 4096*i, ToCycle: 1e9 + 4096*(i+1), State: state.String()})
		}
	}
	text := drawn(t, intervals, GanttOptions{Title: "long", FromCycle: 1e9, ToCycle: 1e9 + 4096*250})
	if len(text) > 500_000 || strings.Count(text, "<rect") > 40 {
		t.Errorf("%d bytes, %d rectangles", len(text), strings.Count(text, "<rect"))
	}
	// The path of a state ends where its last interval does.
	path := regexp.MustCompile(`<path stroke="#2166ac" stroke-width="12" d="M([0-9.]+) [0-9]+((?:m[0-9.]+ 0|h[0-9.]+)*)"/>`).FindAllStringSubmatch(text, -1)
	if len(path) != 128 {
		t.Fatalf("%d paths of memory, expected one a row", len(path))
	}
	for slot, p := range path {
		x, err := strconv.ParseFloat(p[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range regexp.MustCompile(`[mh]([0-9.]+)`).FindAllStringSubmatch(p[2], -1) {
			d, err := strconv.ParseFloat(step[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			x += d
		}
		last := int64(-1)
		for i, v := range intervals[slot*250 : (slot+1)*250] {
			if v.State == sim.MemoryRAW.String() {
				last = int64(i)
			}
		}
		if want := 110 + 1200*float64(last+1)/250; math.Abs(x-want) > 0.11 {
			t.Fatalf("slot %d: memory ends at %.2f, want %.2f", slot, x, want)
		}
	}
}

// No picture has more than half a megabyte, whatever it is of, and it says what it
// leaves out.
func TestGanttIsNeverLarge(t *testing.T) {
	make := func(rows, each int, length, apart int64, state func(i int) string) (out []gantt.Interval) {
		for slot := range rows {
			for i := range each {
				from := 1e15 + apart*int64(i)
				out = append(out, gantt.Interval{SM: slot / 64, Slot: slot % 64, Block: 1e9 + int64(i), Warp: i % 32, FromCycle: from, ToCycle: from + length, State: state(i)})
			}
		}
		return out
	}
	mixed := func(i int) string {
		if i%2 == 0 {
			return gantt.Issuing
		}
		return sim.BranchUnresolved.String()
	}
	for name, c := range map[string]struct {
		intervals []gantt.Interval
		o         GanttOptions
		says      []string
	}{
		"tooltips":  {make(100, 30, 7, 13, mixed), GanttOptions{}, nil},
		"many":      {make(128, 2000, 7, 13, mixed), GanttOptions{}, []string{">in pieces of 128 cycles,"}},
		"a million": {make(4, 250_000, 1, 2, mixed), GanttOptions{}, []string{">in pieces of 64 cycles,"}},
		"wide":      {make(32, 1000, 1000, 1000, mixed), GanttOptions{WidthPx: 1 << 30}, []string{">in pieces of"}},
		"rows":      {make(50_000, 1, 9, 9, mixed), GanttOptions{Hidden: 3}, []string{"more warp slots not shown<"}},
		"coarse":    {make(3000, 40, 64, 64, mixed), GanttOptions{Quantum: 64}, []string{">in pieces of 4,096 cycles,"}},
		"texts":     {make(9, 9, 9, 9, mixed), GanttOptions{Title: strings.Repeat("<&", 1e6), Notes: []string{strings.Repeat("\"", 1e6), strings.Repeat("word ", 1e6)}, Hidden: 7}, []string{">...<", ">7 more warp slots not shown<"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.FromCycle = 1e15
			text := drawn(t, c.intervals, c.o)
			if len(text) >= MostGanttBytes || len(text) < 1000 {
				t.Errorf("%d bytes", len(text))
			}
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("no %s in\n%.2000s", want, text)
				}
			}
		})
	}
}

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high, most int64
		want            string
	}{
		{0, 1, 10, "[0 1]"}, {0, 10, 10, "[0 1 2 3 4 5 6 7 8 9 10]"}, {0, 11, 10, "[0 2 4 6 8 10]"},
		{1003, 1999, 10, "[1100 1200 1300 1400 1500 1600 1700 1800 1900]"}, {0, 5367, 10, "[0 500 1000 1500 2000 2500 3000 3500 4000 4500 5000]"}, {7, 7, 10, "[7]"},
		{0, 24000, 5, "[0 5000 10000 15000 20000]"},
	} {
		if got := fmt.Sprint(roundTicks(c.low, c.high, c.most)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Long texts are cut into lines, and what cannot be is squeezed.
func TestTextFits(t *testing.T) {
	long := strings.Repeat("word ", 60)
	text := drawn(t, nil, GanttOptions{Title: strings.Repeat("x", 300), Notes: []string{long}, WidthPx: 400})
	if n := strings.Count(text, ">word word"); n < 4 {
		t.Errorf("%d lines in\n%s", n, text)
	}
	if !strings.Contains(text, `textLength="400" lengthAdjust="spacingAndGlyphs" font-size="13">xxx`) {
		t.Errorf("the title is wider than the picture:\n%s", text)
	}
	var all []gantt.Interval
	for r := range sim.NumReasons {
		all = append(all, gantt.Interval{FromCycle: int64(r), ToCycle: int64(r) + 1, State: r.String()})
	}
	if text := drawn(t, all, GanttOptions{WidthPx: 400}); strings.Count(text, `<rect x="110" y="`) < 3 {
		t.Errorf("a legend on one line:\n%s", text)
	}
}

// Every state the simulator can report has a colour of its own.
func TestGanttColours(t *testing.T) {
	used := map[string]string{}
	for r := range sim.NumReasons {
		if r == sim.Idle {
			continue // not a state of a warp
		}
		c := ganttColor(r.String())
		if other, ok := used[c]; ok || c == "#000000" {
			t.Errorf("%s has colour %s, like %q", r, c, other)
		}
		used[c] = r.String()
	}
}

func TestGanttIsEmptyWithoutIntervals(t *testing.T) {
	var b bytes.Buffer
	if err := WriteGantt(&b, nil, GanttOptions{}); err != nil || !strings.HasSuffix(b.String(), "</svg>\n") {
		t.Errorf("%v: %s", err, b.String())
	}
}
