package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// MakespanText writes a study as tables: the instance, what the methods say, the
// curve and the witness where they were asked for.
func MakespanText(d *MakespanDocument) string {
	var b strings.Builder
	if d.Launch != nil {
		b.WriteString(d.launchText())
		b.WriteString("\n")
	}
	if d.Instance != nil {
		b.WriteString(instanceText(d.Instance))
		b.WriteString("\n")
		b.WriteString(makespanRows(d.Rows))
	} else {
		b.WriteString(d.sectionsText())
	}
	b.WriteString("\n")
	b.WriteString(d.answer())
	if d.curve != nil {
		b.WriteString("\n")
		b.WriteString(d.curveText())
	}
	if d.scheduled {
		b.WriteString("\n")
		if why := d.unscheduled(); why != nil {
			b.WriteString(why.Error() + "\n")
		} else {
			b.WriteString(ScheduleText(d.study.Instance, d.study.Exact.Schedule))
		}
	}
	if d.Instance == nil {
		b.WriteString(d.sectionSchedules())
	}
	return b.String()
}

// instanceText says what is executed on what.
func instanceText(in *MakespanInstance) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of %s\n", abbreviated(in.Source), plural(in.Warps, "warp"), plural(in.WarpSize, "thread"))
	for _, k := range in.Kinds {
		fmt.Fprintf(&b, "%s: %s, ", k.Letter, plural(k.Units, "unit"))
		switch {
		case k.Repeat == 2:
			fmt.Fprintf(&b, "half a warp a cycle: each %s becomes %s, σ = 1", k.Letter, strings.Repeat(k.Letter, 2))
		case k.Repeat > 2:
			fmt.Fprintf(&b, "1/%d of a warp a cycle: each %s becomes %d of them, σ = 1", k.Repeat, k.Letter, k.Repeat)
		default:
			fmt.Fprintf(&b, "%s a cycle, σ = %d", plural(k.Capacity, "warp"), k.Capacity)
		}
		if k.Idle > 0 {
			fmt.Fprintf(&b, "; %s idle, since a warp has %d threads", plural(k.Idle, "unit"), in.WarpSize)
		}
		b.WriteString("\n")
	}
	if in.DefaultUnits {
		b.WriteString("units not stated: those of Berezovskyi2012 (Fermi)\n")
	}
	switch {
	case in.Length > makespan.MaxCode:
		fmt.Fprintf(&b, "executed by each warp: %s instructions, too many to be scheduled: closed forms only\n", Count(in.Length))
	case in.Code == "":
		fmt.Fprintf(&b, "executed by each warp: %s instructions\n", Count(in.Length))
	default:
		fmt.Fprintf(&b, "executed by each warp: %s, %s\n", abbreviated(in.Code), plural(in.Length, "instruction"))
	}
	return b.String()
}

// abbreviated cuts a long string in the middle.
func abbreviated(s string) string {
	const most, ends = 72, 32
	if len(s) <= most {
		return s
	}
	return s[:ends] + "..." + s[len(s)-ends:]
}

func makespanRows(rows []MakespanRow) string {
	t := Table{Header: []string{"method", "cycles", "kind", "where", "work"}, Left: []int{2, 3, 4}}
	times := len(rows) > 0 && rows[0].Seconds != nil
	if times {
		t.Header = append(t.Header, "seconds")
	}
	var notes strings.Builder
	for _, r := range rows {
		cycles := "-"
		if r.Cycles != nil {
			cycles = Count(*r.Cycles)
		}
		cells := []any{r.Method, cycles, r.Kind, r.Theorem, work(r)}
		if times {
			cells = append(cells, fmt.Sprintf("%.6f", *r.Seconds))
		}
		t.Add(cells...)
		for _, note := range []string{r.Unfinished, r.Note} {
			if note != "" {
				fmt.Fprintf(&notes, "%s: %s\n", r.Method, note)
			}
		}
	}
	return t.Render(Text) + notes.String()
}

// work is how much a method did, such as 12 states.
func work(r MakespanRow) string {
	if r.WorkUnit == "" {
		return ""
	}
	return plural(r.Work, r.WorkUnit)
}

// answer is the figure to take home.
func (d *MakespanDocument) answer() string {
	s := fmt.Sprintf("worst case of %s: ", plural(d.warps(), "warp"))
	if d.Launch != nil && len(d.Launch.Ignored) > 0 {
		s = "in the model, not of the kernel: " + s
	}
	if d.Launch != nil && !d.Launch.HoldsForAllInputs {
		s = thisInput + ", " + s
	}
	if d.Best.Exact {
		return s + fmt.Sprintf("exactly %s (%s)\n", plural(d.Best.Cycles, "cycle"), d.Best.Method)
	}
	s += fmt.Sprintf("at most %s (%s)", plural(d.Best.Cycles, "cycle"), d.Best.Method)
	if !d.Complete {
		s += "; not complete: the best safe bound so far (--method all and a longer --timeout may find more)"
	}
	return s + "\n"
}

func (d *MakespanDocument) warps() int64 {
	if d.Launch != nil {
		return d.Launch.Warps
	}
	return d.Instance.Warps
}

// curveText is the curve as a table.
func (d *MakespanDocument) curveText() string {
	t := Table{Header: []string{"x", "T(x)", "T^(W,x)", "least", "method"}, Left: []int{4}}
	methods := d.timed()
	for _, m := range methods {
		t.Header = append(t.Header, m+" s")
	}
	for _, p := range d.Curve {
		cells := []any{Count(p.X), Count(p.Exact), Count(p.Raw), Count(p.Least), p.Method}
		for _, m := range methods {
			cells = append(cells, timeOf(p.Times, m))
		}
		t.Add(cells...)
	}
	s := fmt.Sprintf("published estimate for %s from x of them; NOT a bound\n", plural(d.Instance.Warps, "warp")) + t.Render(Text)
	for _, p := range d.curve.Points {
		for _, t := range p.Times {
			if t.Unfinished != "" {
				s += fmt.Sprintf("%s, %s: %s\n", t.Method, plural(p.X, "warp"), t.Unfinished)
			}
		}
	}
	if d.curve.Stopped != "" {
		s += "the curve ends here: " + d.curve.Stopped + "\n"
	}
	return s
}

// timed are the methods whose times the curve has, in the order of first use.
func (d *MakespanDocument) timed() []string {
	if len(d.Curve) == 0 {
		return nil
	}
	var out []string
	for _, t := range d.Curve[0].Times {
		out = append(out, t.Method)
	}
	return out
}

func timeOf(times []MakespanTime, method string) string {
	for _, t := range times {
		if t.Method == method && t.Unfinished == "" {
			return fmt.Sprintf("%.6f", t.Seconds)
		}
	}
	return "-"
}

// MakespanCSV writes the curve as comma-separated values, or without one the rows;
// those of a launch of several sections begin with the section, how many are equal
// to it, and its warps. What ended a curve early is no value: CurveStopped says it.
func MakespanCSV(d *MakespanDocument) string {
	if d.curve != nil {
		t := Table{Header: []string{"x", "exact_cycles", "raw_cycles", "least_cycles", "method"}}
		methods := d.timed()
		for _, m := range methods {
			t.Header = append(t.Header, m+"_seconds")
		}
		for _, p := range d.Curve {
			cells := []any{p.X, p.Exact, p.Raw, p.Least, p.Method}
			for _, m := range methods {
				cells = append(cells, strings.TrimPrefix(timeOf(p.Times, m), "-"))
			}
			t.Add(cells...)
		}
		return t.Render(CSV)
	}
	t := Table{Header: []string{"method", "cycles", "kind", "theorem", "work", "work_unit", "unfinished", "note"}}
	if d.hasTimes() {
		t.Header = append(t.Header, "seconds")
	}
	if d.Instance != nil {
		csvRows(&t, nil, d.Rows)
		return t.Render(CSV)
	}
	t.Header = append([]string{"section", "times", "warps"}, t.Header...)
	for i := range d.Sections {
		s := &d.Sections[i]
		csvRows(&t, []any{s.First, s.Count, s.Warps}, s.Rows)
	}
	return t.Render(CSV)
}

// hasTimes says whether rows have times: all have, or none.
func (d *MakespanDocument) hasTimes() bool {
	rows := d.Rows
	for i := range d.Sections {
		rows = append(rows[:len(rows):len(rows)], d.Sections[i].Rows...)
	}
	return slices.ContainsFunc(rows, func(r MakespanRow) bool { return r.Seconds != nil })
}

// csvRows adds rows behind the cells before. A time is the last cell, empty for a
// closed form that was not timed.
func csvRows(t *Table, before []any, rows []MakespanRow) {
	for _, r := range rows {
		cycles, took := "", ""
		if r.Cycles != nil {
			cycles = fmt.Sprint(*r.Cycles)
		}
		if r.Seconds != nil {
			took = fmt.Sprintf("%.6f", *r.Seconds)
		}
		cells := append(before[:len(before):len(before)], r.Method, cycles, r.Kind, r.Theorem, r.Work, r.WorkUnit, r.Unfinished, r.Note, took)
		t.Add(cells[:len(t.Header)]...)
	}
}

// CurveStopped says why the curve is shorter than asked for, "" where it is not.
func (d *MakespanDocument) CurveStopped() string {
	if d.curve == nil {
		return ""
	}
	return d.curve.Stopped
}
