package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/terminal"
)

// What a schedule in text shows at most: the rest is counted in a note.
const (
	scheduleColumns = 100  // cycles of a block of lines
	scheduleCycles  = 2000 // cycles
	scheduleWarps   = 128
)

// ScheduleText writes a schedule in the form of Berezovskyi2012, Fig. 2: a row a
// warp, a column a cycle, the letter of the instruction executed, a dot while the
// warp waits. Schedules of more cycles than fit a line are wrapped, very wide or
// high ones cut, with a note.
func ScheduleText(in *makespan.Instance, s *makespan.Schedule) string {
	rows, cycles := scheduleRows(in, s)
	var b strings.Builder
	label := len(fmt.Sprintf("warp %d", len(rows)))
	shown := min(cycles, scheduleCycles)
	columns := scheduleColumns
	if w := terminal.Width(); w > 0 {
		columns = min(columns, max(w-label-2, 10)/10*10)
	}
	for from := 0; from < shown; from += columns {
		to := min(from+columns, shown)
		if from > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%-*s  %s\n", label, "cycle", scheduleRuler(from, to))
		for w, row := range rows {
			part := ""
			if from < len(row) {
				part = string(row[from:min(to, len(row))])
			}
			b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s  %s", label, fmt.Sprintf("warp %d", w+1), part), " ") + "\n")
		}
	}
	if n := len(s.Cycle) - len(rows); n > 0 {
		fmt.Fprintf(&b, "%s not shown\n", plural(int64(n), "more warp"))
	}
	if n := cycles - shown; n > 0 {
		fmt.Fprintf(&b, "%s not shown\n", plural(int64(n), "more cycle"))
	}
	return b.String()
}

// scheduleRows are the letters of the first warps in the first cycles, and the
// makespan.
func scheduleRows(in *makespan.Instance, s *makespan.Schedule) ([][]byte, int) {
	var rows [][]byte
	for _, cycles := range s.Cycle[:min(scheduleWarps, len(s.Cycle))] {
		row := bytes.Repeat([]byte{'.'}, min(int(cycles[len(cycles)-1]), scheduleCycles))
		for i, t := range cycles {
			if int(t) > len(row) {
				break
			}
			row[t-1] = in.Kinds[in.Code[i]].Letter
		}
		rows = append(rows, row)
	}
	return rows, int(s.MakespanCycles())
}

// scheduleRuler marks every tenth of the cycles from+1 to to, and the first.
func scheduleRuler(from, to int) string {
	line := bytes.Repeat([]byte{' '}, to-from)
	end := 0 // of the last number
	for t := from + 1; t <= to; t++ {
		if t != from+1 && t%10 != 0 {
			continue
		}
		// A number ends above its cycle, except the first, which begins there.
		text := fmt.Sprint(t)
		at := t - from - len(text)
		if t == from+1 {
			at = 0
		}
		if at < end || at+len(text) > len(line) {
			continue
		}
		copy(line[at:], text)
		end = at + len(text) + 1
	}
	return strings.TrimRight(string(line), " ")
}

// scheduleColors are those of the kinds, in the order of their letters.
var scheduleColors = []string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"}

const (
	cellPx     = 22   // most, of a cycle
	chartPx    = 1200 // most
	chartRows  = 256
	chartCells = 20000 // instructions drawn at most
	// chartCycles of a quarter of a pixel each fill the chart.
	chartCycles = 4 * chartPx
)

// WriteScheduleGantt draws a schedule as an SVG picture: a row a warp, a rectangle
// an instruction, the kind as colour, letter and tooltip. Warps and cycles beyond
// the most drawn are counted in the title. The picture has less than MostGanttBytes.
func WriteScheduleGantt(w io.Writer, title string, in *makespan.Instance, s *makespan.Schedule) error {
	rows := min(len(s.Cycle), chartRows, max(1, chartCells/max(1, len(in.Code))))
	tips := 0
	for _, c := range s.Cycle[:rows] {
		tips += len(c)
	}
	for single := tips <= ganttTips; ; single = false {
		var picture bytes.Buffer
		if err := drawSchedule(&picture, ganttText(title), in, s, rows, single); err != nil {
			return err
		}
		if picture.Len() < MostGanttBytes {
			_, err := w.Write(picture.Bytes())
			return err
		}
		if !single {
			rows /= 2
		}
	}
}

// drawSchedule draws some rows of a schedule, each instruction by itself or not.
func drawSchedule(w io.Writer, title string, in *makespan.Instance, s *makespan.Schedule, rows int, single bool) error {
	all := s.MakespanCycles()
	cycles := min(all, chartCycles)
	for _, cut := range []struct {
		hidden int64
		what   string
	}{{int64(len(s.Cycle) - rows), "more warp"}, {all - cycles, "more cycle"}} {
		if cut.hidden > 0 {
			title += fmt.Sprintf(" (%s not shown)", plural(cut.hidden, cut.what))
		}
	}
	// Positions are in hundredths of a pixel, in integers, so that the picture is the
	// same on every machine.
	cell := min(cellPx*100, chartPx*100/max(1, cycles))
	width, height := ganttLeft+(cycles*cell+99)/100+20, ganttTop+rows*ganttRow+ganttBottom
	out := bufio.NewWriter(w)
	svgHead(out, int(width), height)
	svgText(out, ganttLeft, 16, 13, "start", title, int(width)-ganttLeft-10)
	for i, k := range in.Kinds {
		x := ganttLeft + 40*i
		fmt.Fprintf(out, "<rect x=\"%d\" y=\"26\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"35\">%c</text>\n", x, scheduleColor(i), x+14, k.Letter)
	}
	for row := range rows {
		y := ganttTop + row*ganttRow
		fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">warp %d</text>\n", ganttLeft-6, y+10, row+1)
		if !single {
			scheduleLines(out, in, s.Cycle[row], cycles, cell, y+ganttRow/2)
			continue
		}
		for i, t := range s.Cycle[row] {
			if int64(t) > cycles {
				break
			}
			kind := int(in.Code[i])
			x := ganttLeft*100 + int64(t-1)*cell
			fmt.Fprintf(out, "<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"%s\"><title>warp %d, instruction %d (%c), cycle %d</title></rect>\n",
				hundredths(x), y+1, hundredths(cell), ganttRow-2, scheduleColor(kind), row+1, i+1, in.Kinds[kind].Letter, t)
			if cell >= 1000 {
				fmt.Fprintf(out, "<text x=\"%s\" y=\"%d\" text-anchor=\"middle\" fill=\"#ffffff\">%c</text>\n", hundredths(x+cell/2), y+11, in.Kinds[kind].Letter)
			}
		}
	}
	axis := ganttTop + rows*ganttRow + 14
	for _, t := range roundTicks(1, cycles, 2*ganttTicks) {
		fmt.Fprintf(out, "<text x=\"%s\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", hundredths(ganttLeft*100+(t-1)*cell+cell/2), axis, t)
	}
	fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">cycle</text>\n", ganttLeft-6, axis)
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// scheduleLines draws a row as one path a kind, for rows of too many instructions for
// rectangles of their own; cell is a cycle in hundredths of a pixel.
func scheduleLines(out io.Writer, in *makespan.Instance, row []int32, cycles, cell int64, y int) {
	for kind := range in.Kinds {
		pen := int64(-1)
		for i, t := range row {
			if int64(t) > cycles {
				break
			}
			if int(in.Code[i]) != kind {
				continue
			}
			x := int64(t-1) * cell
			if pen < 0 {
				fmt.Fprintf(out, "<path stroke=\"%s\" stroke-width=\"%d\" d=\"M%s %d", scheduleColor(kind), ganttRow-2, hundredths(ganttLeft*100+x), y)
			} else {
				fmt.Fprintf(out, "m%s 0", hundredths(x-pen))
			}
			fmt.Fprintf(out, "h%s", hundredths(cell))
			pen = x + cell
		}
		if pen >= 0 {
			fmt.Fprint(out, "\"/>\n")
		}
	}
}

func scheduleColor(kind int) string { return scheduleColors[kind%len(scheduleColors)] }

// MakespanGantt draws the witness of the exact makespan as WriteScheduleGantt does.
// The error says why there is none.
func MakespanGantt(d *MakespanDocument) ([]byte, error) {
	if why := d.unscheduled(); why != nil {
		return nil, why
	}
	var picture bytes.Buffer
	title := fmt.Sprintf("%s: %s", makespanTitle(d.Instance), plural(d.Exact.Cycles, "cycle"))
	if d.Launch != nil {
		title += "; " + d.Launch.Launch + " on " + d.Launch.GPU
	}
	title += "; warpbound " + d.Warpbound.Version
	err := WriteScheduleGantt(&picture, title, d.study.Instance, d.study.Exact.Schedule)
	return picture.Bytes(), err
}

// unscheduled says why there is no schedule to show, nil where there is one.
func (d *MakespanDocument) unscheduled() error {
	switch {
	case d.Exact == nil:
		return errors.New("no schedule: the exact makespan is not known")
	case d.study.Exact.Schedule == nil:
		return fmt.Errorf("no schedule: %s gives none", d.Exact.Method)
	}
	return nil
}
