package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/gantt"
)

// GanttOptions choose what a Gantt chart shows. Zero values mean the defaults.
type GanttOptions struct {
	Title     string
	Notes     []string // lines below the title
	FromCycle int64
	ToCycle   int64 // 0: to the last interval
	WidthPx   int   // of the time axis; default 1200
	Hidden    int   // warp slots that were not recorded, told in the picture
	Quantum   int64 // cycles of a piece of time; above 1 told in the picture
	// Plain leaves out tooltips: a tenth of the bytes, for a picture in a page.
	Plain bool
}

// ganttColors are the states in the order of the legend. The palette is told
// apart by people with the common forms of colour blindness; what a scheduler
// could have avoided is warm, waiting for data cool, waiting for others grey.
var ganttColors = []struct{ state, color, means string }{
	{gantt.Issuing, "#1b7837", "an instruction is issued"},
	{sim.Selected.String(), "#fdb863", "ready; another warp was issued, or the unit accepts nothing"},
	{sim.Withheld.String(), "#e66101", "ready; the policy holds the turn for another warp"},
	{sim.UnitBusy.String(), "#b35806", "no unit or queue accepts what would be issued"},
	{sim.DataRAW.String(), "#92c5de", "waits for a result of a unit"},
	{sim.MemoryRAW.String(), "#2166ac", "waits for a result from memory"},
	{sim.AtBarrier.String(), "#8073ac", "at a barrier of the block"},
	{sim.AtFence.String(), "#542788", "at a memory fence"},
	{sim.Fetching.String(), "#f4a6c0", "the instruction buffer is empty"},
	{sim.Refetch.String(), "#c51b7d", "a taken branch or a return emptied the instruction buffer"},
	{sim.AwaitsTurn.String(), "#01665e", "waits for memory, and for its turn at the reordering unit"},
	{sim.ChannelFull.String(), "#8c510a", "the channel has no entry for the access"},
	{sim.ICacheMiss.String(), "#b2182b", "the line of the next instruction is on its way"},
	{sim.BranchUnresolved.String(), "#80cdc1", "the control instruction before is not resolved"},
	{sim.Inactive.String(), "#f0f0f0", "not started, or ended and not started again"},
	{sim.Starting.String(), "#d9d9d9", "the block has its slot and may not issue yet"},
	{sim.Draining.String(), "#bdbdbd", "all is issued, and not all complete"},
}

const (
	ganttLeft   = 110 // px, labels
	ganttRight  = 30  // px, half a label of the axis
	ganttTop    = 52  // px, title and legend of a schedule
	ganttBottom = 28  // px, axis
	ganttRow    = 14  // px
	ganttLine   = 14  // px, of text
	ganttTicks  = 10
	// ganttTips is how many intervals have rectangles of their own, with tooltips;
	// more of them are drawn as one line a warp and state, a tenth of the bytes.
	ganttTips = 3000
	// ganttMost is how many intervals are drawn, as many as a gantt.Recorder keeps: of
	// more, those too short to be seen would be left out.
	ganttMost = 32_000
)

// ganttSlot is a row of the chart.
type ganttSlot struct {
	label     string
	intervals []gantt.Interval
}

// MostGanttBytes is more than a picture of WriteGantt ever has.
const MostGanttBytes = 500_000

// ganttNotes is how many lines the notes of a picture have at most.
const ganttNotes = 20

// WriteGantt draws warps over time as an SVG picture: a row a warp slot of an SM,
// the states as colours, with tooltips where there are few. Intervals are those of
// a gantt.Recorder, by SM, slot and time; they are cut at the cycles shown.
//
// A picture has less than MostGanttBytes, whatever the intervals: tooltips are left out
// first, then time is cut into longer pieces, then rows are left out, and the picture
// tells so.
func WriteGantt(w io.Writer, intervals []gantt.Interval, o GanttOptions) error {
	if o.WidthPx <= 0 {
		o.WidthPx = 1200
	}
	o.Title = ganttText(o.Title)
	o.Quantum = max(o.Quantum, 1)
	for tips := len(intervals) <= ganttTips && !o.Plain; ; tips = false {
		if len(intervals) > ganttMost {
			intervals, o = lessGantt(intervals, o)
			continue
		}
		var picture bytes.Buffer
		if err := drawGantt(&picture, intervals, o, tips); err != nil {
			return err
		}
		if picture.Len() < MostGanttBytes {
			_, err := w.Write(picture.Bytes())
			return err
		}
		if !tips {
			intervals, o = lessGantt(intervals, o)
		}
	}
}

// ganttText is a text that is not longer than a line can be.
func ganttText(s string) string {
	const most = 400
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}

// lessGantt makes pieces of time twice as long, or leaves out half of the rows where a
// piece is as long as all.
func lessGantt(intervals []gantt.Interval, o GanttOptions) ([]gantt.Interval, GanttOptions) {
	from, to := int64(math.MaxInt64), int64(0)
	for i := range intervals {
		from, to = min(from, intervals[i].FromCycle), max(to, intervals[i].ToCycle)
	}
	if o.Quantum < to-from {
		o.Quantum *= 2
		return gantt.Coarsen(intervals, o.Quantum), o
	}
	rows := ganttRows(intervals)
	half := len(rows) / 2
	o.Hidden += len(rows) - half
	n := 0
	for _, r := range rows[:half] {
		n += len(r.intervals)
	}
	return intervals[:n], o
}

// drawGantt draws one picture, of whatever size.
func drawGantt(w io.Writer, intervals []gantt.Interval, o GanttOptions, tips bool) error {
	rows := ganttRows(intervals)
	from, to := o.FromCycle, o.ToCycle
	if to <= from {
		to = from + 1
		for _, i := range intervals {
			to = max(to, i.ToCycle)
		}
	}
	notes := o.Notes
	if o.Quantum > 1 {
		notes = append(notes[:len(notes):len(notes)], fmt.Sprintf("in pieces of %s cycles, each in the colour of one thing done in it; over a row every colour has its share of the time", Count(o.Quantum)))
	}
	if o.Hidden > 0 {
		notes = append(notes[:len(notes):len(notes)], fmt.Sprintf("%s not shown", plural(int64(o.Hidden), "more warp slot")))
	}
	var lines []string
	for _, n := range notes {
		for _, line := range svgLines(n, 10, o.WidthPx) {
			lines = append(lines, ganttText(line))
		}
	}
	if len(lines) > ganttNotes { // the last ones say what is left out
		lines = append(append(lines[:ganttNotes-4:ganttNotes-4], "..."), lines[len(lines)-3:]...)
	}
	notes = lines
	legend, legendLines := ganttLegend(intervals, o.WidthPx)
	top := 24 + ganttLine*(len(notes)+legendLines)
	height := top + len(rows)*ganttRow + ganttBottom
	width := ganttLeft + o.WidthPx + ganttRight
	out := bufio.NewWriter(w)
	svgHead(out, width, height)
	svgText(out, ganttLeft, 16, 13, "start", o.Title, o.WidthPx)
	for i, n := range notes {
		svgText(out, ganttLeft, 16+ganttLine*(i+1), 10, "start", n, o.WidthPx)
	}
	fmt.Fprintf(out, "<g transform=\"translate(0,%d)\">\n%s</g>\n", 22+ganttLine*len(notes), legend)
	// Positions are in tenths and hundredths of a pixel, in integers, so that the
	// picture is the same on every machine.
	scale := func(cycle, unit int64) int64 {
		high, low := bits.Mul64(uint64(min(max(cycle, from), to)-from), uint64(int64(o.WidthPx)*unit))
		at, _ := bits.Div64(high, low, uint64(to-from))
		return int64(at)
	}
	for i, r := range rows {
		y := top + i*ganttRow
		svgText(out, ganttLeft-6, y+10, 10, "end", r.label, ganttLeft-10)
		if !tips {
			ganttLines(out, r.intervals, y+ganttRow/2, func(cycle int64) int64 { return scale(cycle, 10) })
			continue
		}
		for _, v := range r.intervals {
			if v.FromCycle >= to || v.ToCycle <= from {
				continue
			}
			x := scale(v.FromCycle, 100)
			fmt.Fprintf(out, "<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"%s\"><title>%s %d-%d (block %d, warp %d)</title></rect>\n",
				hundredths(ganttLeft*100+x), y+1, hundredths(max(scale(v.ToCycle, 100)-x, 1)), ganttRow-2, ganttColor(v.State), v.State, v.FromCycle, v.ToCycle, v.Block, v.Warp)
		}
	}
	axis := top + len(rows)*ganttRow
	for _, cycle := range roundTicks(from, to, ganttTicks) {
		x := hundredths(ganttLeft*100 + scale(cycle, 100))
		fmt.Fprintf(out, "<line x1=\"%s\" y1=\"%d\" x2=\"%s\" y2=\"%d\" stroke=\"#000000\"/><text x=\"%s\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x, axis, x, axis+4, x, axis+15, Count(cycle))
	}
	svgText(out, ganttLeft-50, axis+15, 10, "end", "cycle", ganttLeft-50)
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// ganttLines draws the intervals of a row as one path a state; at is the place of a
// cycle in tenths of a pixel from the left of the chart.
func ganttLines(out io.Writer, intervals []gantt.Interval, y int, at func(int64) int64) {
	for _, c := range ganttColors {
		pen := int64(-1)
		for _, v := range intervals {
			if v.State != c.state {
				continue
			}
			x, x2 := at(v.FromCycle), at(v.ToCycle)
			if x >= x2 {
				continue // less than a tenth of a pixel
			}
			if pen < 0 {
				fmt.Fprintf(out, "<path stroke=\"%s\" stroke-width=\"%d\" d=\"M%s %d", c.color, ganttRow-2, tenths(ganttLeft*10+x), y)
			} else {
				fmt.Fprintf(out, "m%s 0", tenths(x-pen))
			}
			fmt.Fprintf(out, "h%s", tenths(x2-x))
			pen = x2
		}
		if pen >= 0 {
			fmt.Fprint(out, "\"/>\n")
		}
	}
}

// ganttRows are the slots, named by their warp where they had but one.
func ganttRows(intervals []gantt.Interval) []ganttSlot {
	var rows []ganttSlot
	for i := 0; i < len(intervals); {
		first, one, j := &intervals[i], true, i
		for ; j < len(intervals) && intervals[j].SM == first.SM && intervals[j].Slot == first.Slot; j++ {
			one = one && intervals[j].Block == first.Block && intervals[j].Warp == first.Warp
		}
		label := fmt.Sprintf("SM %d, %d.%d", first.SM, first.Block, first.Warp)
		if !one {
			label = fmt.Sprintf("SM %d, slot %d", first.SM, first.Slot)
		}
		rows = append(rows, ganttSlot{label, intervals[i:j]})
		i = j
	}
	return rows
}

// ganttLegend names the states that occur, on as many lines as they need.
func ganttLegend(intervals []gantt.Interval, widthPx int) (text string, lines int) {
	seen := map[string]bool{}
	for _, i := range intervals {
		seen[i.State] = true
	}
	var b strings.Builder
	x, y := 0, 0
	for _, c := range ganttColors {
		if !seen[c.state] {
			continue
		}
		need := 26 + textWidth(c.state, 10)
		if x > 0 && x+need > widthPx {
			x, y = 0, y+ganttLine
		}
		fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", ganttLeft+x, y, c.color, ganttLeft+x+14, y+9, c.state)
		x += need
	}
	return b.String(), y/ganttLine + 1
}

func ganttColor(state string) string {
	for _, c := range ganttColors {
		if c.state == state {
			return c.color
		}
	}
	return "#000000"
}

// Issuing is the state of a warp that issues.
const Issuing = gantt.Issuing

// State is what a warp can do, and the colour of it in every picture.
type State struct {
	Name  string `json:"name"`
	Color string `json:"color"`
	Means string `json:"means"`
}

// States lists what warps can do, in the order of legends.
func States() []State {
	var out []State
	for _, c := range ganttColors {
		out = append(out, State{c.state, c.color, c.means})
	}
	return out
}
