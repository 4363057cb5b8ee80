package report

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// Document gives the study its forms: the instance, what the methods say, the curve
// and the witness where they were asked for.
func (d *MakespanDocument) Document() *Document {
	doc := &Document{Kind: "makespan", Provenance: Written(d.Warpbound, nil), JSON: d}
	add := func(s ...Section) { doc.Sections = append(doc.Sections, s...) }
	if d.Launch != nil {
		doc.Inputs = []string{d.Launch.Launch}
		add(d.launchSection())
	}
	if d.Instance != nil {
		doc.Values = d.sheet()
		add(Section{ID: "instance", Lead: instanceText(d.Instance)}, Section{ID: "rows", Sheet: doc.Values, Notes: d.notes()})
	} else {
		doc.Values = d.sectionSheet()
		add(d.stringsSection())
	}
	add(Section{ID: "best", Lead: d.answer()})
	if d.curve != nil {
		doc.Values = d.curveSheet()
		add(d.curveSection())
		doc.Plot = func(format string) ([]byte, error) { return MakespanPlot(d, format) }
	}
	if d.scheduled {
		add(Section{ID: "schedule", Write: func(p *Printer) {
			if why := d.unscheduled(); why != nil {
				p.WriteString(why.Error() + "\n")
			} else {
				p.WriteString(ScheduleText(d.study.Instance, d.study.Exact.Schedule))
			}
		}})
	}
	if d.Instance == nil {
		add(d.sectionSchedules()...)
	}
	return doc
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

// notes are what methods add to their figures.
func (d *MakespanDocument) notes() string {
	var notes strings.Builder
	for _, r := range d.Rows {
		for _, note := range []string{r.Unfinished, r.Note} {
			if note != "" {
				fmt.Fprintf(&notes, "%s: %s\n", r.Method, note)
			}
		}
	}
	return notes.String()
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

// curveSection is the curve as a table.
func (d *MakespanDocument) curveSection() Section {
	s := Section{ID: "curve", Lead: fmt.Sprintf("published estimate for %s from x of them; NOT a bound\n", plural(d.Instance.Warps, "warp")), Sheet: d.curveSheet()}
	for _, p := range d.curve.Points {
		for _, t := range p.Times {
			if t.Unfinished != "" {
				s.Notes += fmt.Sprintf("%s, %s: %s\n", t.Method, plural(p.X, "warp"), t.Unfinished)
			}
		}
	}
	if d.curve.Stopped != "" {
		s.Notes += "the curve ends here: " + d.curve.Stopped + "\n"
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

// CurveStopped says why the curve is shorter than asked for, "" where it is not.
func (d *MakespanDocument) CurveStopped() string {
	if d.curve == nil {
		return ""
	}
	return d.curve.Stopped
}
