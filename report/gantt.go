package report

import (
	"bufio"
	"fmt"
	"io"
	"sort"

	"github.com/warpbound/warpbound/sim"
)

// GanttOptions choose what a Gantt chart shows. Zero values mean the defaults.
type GanttOptions struct {
	Title     string
	FromCycle int64
	ToCycle   int64 // 0: to the last interval
	WidthPx   int   // of the time axis; default 1200
	MaxRows   int   // warps shown, in order of SM, block and warp; default 128
	Dropped   int64 // intervals that were not recorded, told in the picture
}

// ganttColors are the states in the order of the legend. The palette is told
// apart by people with the common forms of colour blindness; what a scheduler
// could have avoided is warm, waiting for data cool, waiting for others grey.
var ganttColors = []struct{ state, color string }{
	{sim.Issuing, "#1b7837"},
	{sim.Selected.String(), "#fdb863"},
	{sim.Withheld.String(), "#e66101"},
	{sim.UnitBusy.String(), "#b35806"},
	{sim.DataRAW.String(), "#92c5de"},
	{sim.MemoryRAW.String(), "#2166ac"},
	{sim.AtBarrier.String(), "#8073ac"},
	{sim.AtFence.String(), "#542788"},
	{sim.Fetching.String(), "#f4a6c0"},
	{sim.Refetch.String(), "#c51b7d"},
	{sim.AwaitsTurn.String(), "#01665e"},
	{sim.ChannelFull.String(), "#8c510a"},
	{sim.ICacheMiss.String(), "#b2182b"},
	{sim.BranchUnresolved.String(), "#80cdc1"},
	{sim.Inactive.String(), "#f0f0f0"},
	{sim.Starting.String(), "#d9d9d9"},
	{sim.Draining.String(), "#bdbdbd"},
}

const (
	ganttLeft   = 110 // px, labels
	ganttTop    = 52  // px, title and legend
	ganttBottom = 28  // px, axis
	ganttRow    = 14  // px
	ganttTicks  = 10
)

type ganttRowKey struct {
	sm    int
	block int64
	warp  int
}

// WriteGantt draws warps over time as an SVG picture: one row a warp, one
// rectangle an interval, the state as colour and as tooltip. Intervals outside
// the cycles shown are cut or left out; rows beyond the most shown are counted
// in a note.
func WriteGantt(w io.Writer, intervals []sim.Interval, o GanttOptions) error {
	if o.WidthPx <= 0 {
		o.WidthPx = 1200
	}
	if o.MaxRows <= 0 {
		o.MaxRows = 128
	}
	rows, shown := ganttRows(intervals, o.MaxRows)
	from, to := o.FromCycle, o.ToCycle
	if to <= from {
		to = from + 1
		for _, i := range intervals {
			to = max(to, i.ToCycle)
		}
	}
	out := bufio.NewWriter(w)
	height := ganttTop + len(shown)*ganttRow + ganttBottom
	width := ganttLeft + o.WidthPx + 20
	fmt.Fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"10\">\n", width, height, width, height)
	fmt.Fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height)
	title := o.Title
	if hidden := len(rows) - len(shown); hidden > 0 {
		title += fmt.Sprintf(" (%d more warps not shown)", hidden)
	}
	if o.Dropped > 0 {
		title += fmt.Sprintf(" (%d intervals not recorded)", o.Dropped)
	}
	fmt.Fprintf(out, "<text x=\"%d\" y=\"16\" font-size=\"13\">%s</text>\n", ganttLeft, escapeXML(title))
	ganttLegend(out, intervals)
	for i, r := range shown {
		fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">SM %d, %d.%d</text>\n", ganttLeft-6, ganttTop+i*ganttRow+10, r.sm, r.block, r.warp)
	}
	// Positions are in hundredths of a pixel, in integers, so that the picture
	// is the same on every machine.
	scale := func(cycle int64) int64 { return (cycle - from) * int64(o.WidthPx) * 100 / (to - from) }
	for _, i := range intervals {
		a, b := max(i.FromCycle, from), min(i.ToCycle, to)
		row, ok := rows[ganttRowKey{i.SM, i.Block, i.Warp}]
		if !ok || row >= len(shown) || a >= b {
			continue
		}
		x, x2 := scale(a), scale(b)
		fmt.Fprintf(out, "<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"%s\"><title>%s %d-%d</title></rect>\n",
			hundredths(ganttLeft*100+x), ganttTop+row*ganttRow+1, hundredths(max(x2-x, 1)), ganttRow-2, ganttColor(i.State), i.State, i.FromCycle, i.ToCycle)
	}
	axis := ganttTop + len(shown)*ganttRow + 14
	for k := int64(0); k <= ganttTicks; k++ {
		cycle := from + (to-from)*k/ganttTicks
		fmt.Fprintf(out, "<text x=\"%s\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", hundredths(ganttLeft*100+scale(cycle)), axis, cycle)
	}
	fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">cycle</text>\n", ganttLeft-6, axis)
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// ganttRows numbers the warps by SM, block and warp and returns the first most.
func ganttRows(intervals []sim.Interval, most int) (map[ganttRowKey]int, []ganttRowKey) {
	rows := map[ganttRowKey]int{}
	var keys []ganttRowKey
	for _, i := range intervals {
		key := ganttRowKey{i.SM, i.Block, i.Warp}
		if _, ok := rows[key]; !ok {
			rows[key] = 0
			keys = append(keys, key)
		}
	}
	sort.Slice(keys, func(a, b int) bool {
		x, y := keys[a], keys[b]
		if x.sm != y.sm {
			return x.sm < y.sm
		}
		if x.block != y.block {
			return x.block < y.block
		}
		return x.warp < y.warp
	})
	for i, key := range keys {
		rows[key] = i
	}
	return rows, keys[:min(most, len(keys))]
}

// ganttLegend names the states that occur.
func ganttLegend(out io.Writer, intervals []sim.Interval) {
	seen := map[string]bool{}
	for _, i := range intervals {
		seen[i.State] = true
	}
	x := ganttLeft
	for _, c := range ganttColors {
		if !seen[c.state] {
			continue
		}
		fmt.Fprintf(out, "<rect x=\"%d\" y=\"26\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"35\">%s</text>\n", x, c.color, x+14, c.state)
		x += 26 + 7*len(c.state)
	}
}

func ganttColor(state string) string {
	for _, c := range ganttColors {
		if c.state == state {
			return c.color
		}
	}
	return "#000000"
}

func hundredths(v int64) string { return fmt.Sprintf("%d.%02d", v/100, v%100) }

func escapeXML(s string) string {
	var b []rune
	for _, r := range s {
		switch r {
		case '&':
			b = append(b, []rune("&amp;")...)
		case '<':
			b = append(b, []rune("&lt;")...)
		case '>':
			b = append(b, []rune("&gt;")...)
		case '"':
			b = append(b, []rune("&quot;")...)
		default:
			if r >= ' ' {
				b = append(b, r)
			}
		}
	}
	return string(b)
}
