package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/plot"
)

func instanceOf(t *testing.T, text string, warps int64) *makespan.Instance {
	t.Helper()
	in, err := makespan.New(text, []makespan.Unit{{Letter: 'L', Count: 32}, {Letter: 'C', Count: 32}}, 32, warps)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func studyOf(t *testing.T, in *makespan.Instance, c study.Config) *study.Study {
	t.Helper()
	s, err := study.Run(context.Background(), in, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// inTurn is the schedule in which each warp executes all after the one before.
func inTurn(in *makespan.Instance) *makespan.Schedule {
	s := &makespan.Schedule{}
	for w := range int(in.Warps) {
		row := make([]int32, len(in.Code))
		for i := range row {
			row[i] = int32(w*len(row) + i + 1)
		}
		s.Cycle = append(s.Cycle, row)
	}
	return s
}

func TestScheduleText(t *testing.T) {
	// Berezovskyi2012, Fig. 2: while some warps wait for L, the others execute C.
	in := instanceOf(t, "LLC", 3)
	s := &makespan.Schedule{Cycle: [][]int32{{1, 2, 3}, {3, 4, 5}, {5, 6, 7}}}
	if err := s.Check(in); err != nil {
		t.Fatal(err)
	}
	want := "cycle   1\nwarp 1  LLC\nwarp 2  ..LLC\nwarp 3  ....LLC\n"
	if got := ScheduleText(in, s); got != want {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
}

// Wide schedules are wrapped, with a ruler over each block, and very large ones
// cut with a note.
func TestLargeSchedules(t *testing.T) {
	in := instanceOf(t, "L", 123)
	lines := strings.Split(ScheduleText(in, inTurn(in)), "\n")
	if lines[0] != "cycle     1       10        20        30        40        50        60        70        80        90       100" {
		t.Errorf("ruler %q", lines[0])
	}
	if got := lines[124]; got != "" {
		t.Errorf("between blocks %q", got)
	}
	if got := lines[125]; got != "cycle     101    110       120" {
		t.Errorf("second ruler %q", got)
	}
	if lines[126] != "warp 1" || lines[248] != "warp 123  ......................L" {
		t.Errorf("%q, %q", lines[126], lines[248])
	}
	in = instanceOf(t, "L", 2500)
	text := ScheduleText(in, inTurn(in))
	if !strings.HasSuffix(text, "2,372 more warps not shown\n500 more cycles not shown\n") || strings.Contains(text, "warp 129") {
		t.Errorf("ends in %q", text[len(text)-80:])
	}
}

func TestWriteScheduleGantt(t *testing.T) {
	for _, in := range []*makespan.Instance{instanceOf(t, "LLC", 3), instanceOf(t, "L2000", 20)} {
		var b bytes.Buffer
		if err := WriteScheduleGantt(&b, "a < b", in, inTurn(in)); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		rectangles := 0
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("not well-formed: %v", err)
			}
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "rect" {
				rectangles++
			}
		}
		switch {
		case in.Warps == 3 && (rectangles != 1+2+9 || !strings.Contains(text, `<rect x="242.00" y="67" width="22.00" height="12" fill="#e69f00"><title>warp 2, instruction 4`) &&
			!strings.Contains(text, `<title>warp 2, instruction 3 (C), cycle 6</title>`)):
			t.Errorf("%d rectangles in\n%s", rectangles, text)
		case in.Warps == 20 && (rectangles != 1+1 || strings.Count(text, "h0.25") != 2*2000+800 || strings.Count(text, "<path") != 3 || !strings.Contains(text, ">a &lt; b (10 more warps not shown) (35,200 more cycles not shown)<")):
			t.Errorf("%d rectangles in\n%s", rectangles, text[:500])
		}
	}
}

// However long a schedule is, its pictures stay small.
func TestPicturesOfLongSchedules(t *testing.T) {
	in := instanceOf(t, "L", 100_000)
	s := inTurn(in)
	var b bytes.Buffer
	if err := WriteScheduleGantt(&b, "long", in, s); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, ` width="1330" `) || !strings.Contains(text, "(95,200 more cycles not shown)") || len(text) > 1<<17 {
		t.Errorf("%d bytes: %s", len(text), text[:200])
	}
	// As many instructions as are drawn by themselves, and of many kinds.
	for _, of := range []struct {
		code  string
		warps int
	}{{strings.Repeat("LC", 6), 250}, {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", 500}, {strings.Repeat("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 3), 256}} {
		var units []makespan.Unit
		for letter := byte('A'); letter <= 'Z'; letter++ {
			units = append(units, makespan.Unit{Letter: letter, Count: 32})
		}
		some, err := makespan.New(of.code, units, 32, int64(of.warps))
		if err != nil {
			t.Fatal(err)
		}
		together := &makespan.Schedule{}
		for range of.warps {
			row := make([]int32, len(some.Code))
			for i := range row {
				row[i] = int32(i + 1)
			}
			together.Cycle = append(together.Cycle, row)
		}
		b.Reset()
		if err := WriteScheduleGantt(&b, strings.Repeat("&", 1e6), some, together); err != nil || b.Len() >= MostGanttBytes || b.Len() < 50_000 {
			t.Errorf("%d bytes of %d warps of %s: %v", b.Len(), of.warps, of.code, err)
		}
		wellFormed(t, b.String())
	}
	// One warp ends where the other has not begun.
	two := instanceOf(t, "L50000", 2)
	rows, cycles := scheduleRows(two, inTurn(two))
	if cycles != 100_000 || len(rows) != 2 || cap(rows[0]) > 2*scheduleCycles || cap(rows[1]) > 2*scheduleCycles {
		t.Errorf("%d cycles, rows of %d and %d bytes for %d shown", cycles, cap(rows[0]), cap(rows[1]), scheduleCycles)
	}
}

// What a budget or an interruption leaves is told, and nothing is drawn from it.
func TestUnfinishedMakespan(t *testing.T) {
	in := instanceOf(t, "LLCLL", 900)
	s := studyOf(t, in, study.Config{Methods: []string{study.DP}, MemoryBytes: 4096})
	d := Makespan(s, &study.Curve{Stopped: "dp, 3 warps: out of time"}, MakespanOptions{Schedule: true, DefaultUnits: true})
	text := d.Document().Text()
	for _, want := range []string{
		"units not stated: those of Berezovskyi2012", "\ndp       4,500  safe bound ", "\ndp: out of memory: ",
		"worst case of 900 warps: at most 4,500 cycles (safe); not complete", "the curve ends here: dp, 3 warps: out of time\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if d.Complete || d.Exact != nil || d.Estimate != nil || d.Best.Exact || d.Potential != nil {
		t.Errorf("%+v", d)
	}
	if _, err := MakespanGantt(d); err == nil {
		t.Error("a picture without a schedule")
	}
	if _, err := MakespanPlot(d, plot.SVG); err == nil {
		t.Error("a curve without points")
	}
}

// Times are shown where they are asked for, and nowhere else.
func TestMakespanTimes(t *testing.T) {
	in := instanceOf(t, "LLC", 4)
	s := studyOf(t, in, study.Config{Methods: []string{study.DP}})
	c := &study.Curve{Points: []study.CurvePoint{
		{Estimate: makespan.Estimate{X: 1, Exact: 3, Raw: 12, Least: 12}, Method: study.DP, Times: []study.MethodTime{
			{Method: study.DP, Elapsed: 1500 * time.Microsecond}, {Method: study.ILPShort, Elapsed: time.Second}}},
		{Estimate: makespan.Estimate{X: 2, Exact: 5, Raw: 10, Least: 10}, Method: study.DP, Times: []study.MethodTime{
			{Method: study.DP, Elapsed: 2 * time.Millisecond}, {Method: study.ILPShort, Elapsed: time.Minute, Unfinished: "out of time"}}},
	}}
	plain, timed := Makespan(s, c, MakespanOptions{}), Makespan(s, c, MakespanOptions{Times: true})
	if text := plain.Document().Text(); strings.Contains(text, "seconds") || strings.Contains(text, " s\n") {
		t.Errorf("times in\n%s", text)
	}
	text := timed.Document().Text()
	for _, want := range []string{"  seconds\n", "x  T(x)  T^(W,x)  least  method      dp s  ilp-short s\n", "0.001500     1.000000\n", "0.002000            -\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if csv := timed.Document().CSV(); csv != "x,exact_cycles,raw_cycles,least_cycles,method,dp_seconds,ilp-short_seconds\n1,3,12,12,dp,0.001500,1.000000\n2,5,10,10,dp,0.002000,\n" {
		t.Errorf("%s", csv)
	}
	if csv := plain.Document().CSV(); csv != "x,exact_cycles,raw_cycles,least_cycles,method\n1,3,12,12,dp\n2,5,10,10,dp\n" {
		t.Errorf("%s", csv)
	}
	for _, d := range []*MakespanDocument{plain, timed} {
		picture, err := MakespanPlot(d, plot.SVG)
		if err != nil || bytes.Contains(picture, []byte("computation time")) != (d == timed) || !bytes.Contains(picture, []byte(">published pessimistic figure<")) {
			t.Errorf("%v: %s", err, picture)
		}
	}
}

// The rows of all sections are values; those of a launch have warps that differ, and
// then no method but the volume bound.
func TestSectionsAsCSV(t *testing.T) {
	cycles, took := int64(5), 0.25
	d := &MakespanDocument{Launch: &MakespanLaunch{}, Sections: []MakespanSection{
		{First: 0, Count: 2, Warps: 4, Rows: []MakespanRow{
			{Method: study.Safe, Kind: study.SafeBound, Cycles: &cycles, Theorem: "theorem, 14"},
			{Method: study.Potential, Kind: study.NoAnswer, Unfinished: "out of states"}}},
		{First: 2, Count: 1, Warps: 3, Rows: []MakespanRow{{Method: Volume, Kind: study.SafeBound, Cycles: &cycles}}},
	}}
	want := `section,times,warps,method,cycles,kind,theorem,work,work_unit,unfinished,note
0,2,4,safe,5,safe bound,"theorem, 14",0,,,
0,2,4,potential,,no answer,,0,,out of states,
2,1,3,volume,5,safe bound,,0,,,
`
	if got := d.Document().CSV(); got != want {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
	d.Sections[0].Rows[0].Seconds = &took
	got := d.Document().CSV()
	for _, want := range []string{",note,seconds\n", `14",0,,,,0.250000` + "\n", "0,2,4,potential,,no answer,,0,,out of states,,\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// What the model leaves out is said beside every figure to take home.
func TestAnswersOfTheModel(t *testing.T) {
	d := &MakespanDocument{Launch: &MakespanLaunch{Warps: 4, HoldsForAllInputs: true}, Complete: true, Best: MakespanBest{Cycles: 9, Method: study.DP, Exact: true}}
	if got := d.answer(); got != "worst case of 4 warps: exactly 9 cycles (dp)\n" {
		t.Errorf("%q", got)
	}
	if got := d.launchSection().Notes; !strings.Contains(got, "leaves nothing out of this kernel on this GPU: the figures are of the kernel\n") {
		t.Errorf("%q", got)
	}
	d.Launch.Ignored = []string{"latencies"}
	if got := d.answer(); got != "in the model, not of the kernel: worst case of 4 warps: exactly 9 cycles (dp)\n" {
		t.Errorf("%q", got)
	}
	d.Best.Exact = false
	if got := d.answer(); got != "in the model, not of the kernel: worst case of 4 warps: at most 9 cycles (dp)\n" {
		t.Errorf("%q", got)
	}
	if got := d.launchSection().Notes; !strings.Contains(got, "the figures are of the model, not of the kernel (") {
		t.Errorf("%q", got)
	}
	d.Launch.HoldsForAllInputs = false
	if got := d.answer(); got != "THIS INPUT, in the model, not of the kernel: worst case of 4 warps: at most 9 cycles (dp)\n" {
		t.Errorf("%q", got)
	}
}

// Sections add up; what one of them lacks, or what leaves int64, is null.
func TestSumsOfSections(t *testing.T) {
	cycles := func(n int64) *int64 { return &n }
	d := &MakespanDocument{Sections: []MakespanSection{
		{Count: 2, Rows: []MakespanRow{{Method: study.Paper, Cycles: cycles(4)}, {Method: study.Safe, Cycles: cycles(5)}, {Method: study.Potential}}, Exact: &MakespanExact{Cycles: 5, Method: study.DP}, Best: MakespanBest{5, study.DP, true}},
		{Count: 1, Rows: []MakespanRow{{Method: study.Paper, Cycles: cycles(7)}, {Method: study.Safe, Cycles: cycles(7)}}, Exact: &MakespanExact{Cycles: 6, Method: study.DP}, Best: MakespanBest{6, study.DP, true}},
	}}
	d.total()
	if *d.Pessimistic != 15 || *d.Safe != 17 || d.Potential != nil || d.Exact.Cycles != 16 || d.Best != (MakespanBest{16, study.DP, true}) {
		t.Errorf("%+v", d)
	}
	d.Sections = append(d.Sections, MakespanSection{Count: 3, Rows: []MakespanRow{{Method: Volume, Cycles: cycles(10)}}, Best: MakespanBest{10, Volume, false}})
	d.Exact = nil
	d.total()
	if d.Pessimistic != nil || *d.Safe != 47 || d.Exact != nil || d.Best != (MakespanBest{46, "several", false}) {
		t.Errorf("%+v", d)
	}
	d.Sections[0].Rows[0].Cycles, d.Sections[2].Rows = cycles(math.MaxInt64/2+1), []MakespanRow{{Method: study.Paper, Cycles: cycles(1)}}
	d.total()
	if d.Pessimistic != nil {
		t.Errorf("%d beyond int64", *d.Pessimistic)
	}
}
