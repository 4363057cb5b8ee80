package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/sim"
)

func TestWriteGantt(t *testing.T) {
	intervals := []sim.Interval{
		{Block: 0, Warp: 1, FromCycle: 0, ToCycle: 10, State: "memory"},
		{Block: 0, Warp: 0, FromCycle: 0, ToCycle: 3, State: sim.Issuing},
		{Block: 0, Warp: 0, FromCycle: 3, ToCycle: 20, State: "data"},
		{Block: 1, Warp: 0, FromCycle: 5, ToCycle: 8, State: "fetch"},
	}
	var b bytes.Buffer
	if err := WriteGantt(&b, intervals, GanttOptions{Title: "a < b & c", WidthPx: 200, ToCycle: 10, MaxRows: 2, Dropped: 3}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
	}
	for _, want := range []string{
		"a &lt; b &amp; c (1 more warps not shown) (3 intervals not recorded)",
		// warp 0 is the first row although reported second, and is cut at cycle 10
		`<rect x="110.00" y="53" width="60.00" height="12" fill="#1b7837"><title>issue 0-3</title></rect>`,
		`<rect x="170.00" y="53" width="140.00" height="12" fill="#92c5de"><title>data 3-20</title></rect>`,
		`<rect x="110.00" y="67" width="200.00" height="12" fill="#2166ac"><title>memory 0-10</title></rect>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "fetch 5-8") {
		t.Error("the third warp is drawn although two rows are asked for")
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
