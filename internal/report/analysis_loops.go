package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// LoopDocument is what is known of a loop.
type LoopDocument struct {
	Loop      string   `json:"loop"`
	PC        int32    `json:"pc"`
	Label     string   `json:"label"`
	Position  string   `json:"position"`
	Source    string   `json:"source"`
	Function  string   `json:"function"`
	Depth     int      `json:"depth"`
	Bound     *int64   `json:"bound"`
	Origin    string   `json:"origin"`
	AllInputs bool     `json:"holds_for_all_inputs"`
	Entered   bool     `json:"entered"`
	Seen      *int64   `json:"seen"`
	Total     *int64   `json:"seen_thread_total"`
	WarpTotal *int64   `json:"seen_warp_total"`
	Facts     []string `json:"facts"`
	Decides   string   `json:"decided_by"`
}

// MissingDocument is a loop that needs a bound before there is one on the launch.
type MissingDocument struct {
	Loop     string `json:"loop"`
	PC       int32  `json:"pc"`
	Position string `json:"position"`
	Source   string `json:"source"`
	Decides  string `json:"decided_by"`
	Fact     string `json:"fact"`
}

// addMissing adds the loops whose bounds are missing.
func (d *AnalysisDocument) addMissing(r *analysis.Report) {
	if r.Missing == nil {
		return
	}
	for _, l := range r.Missing.Loops {
		in := &r.Program.Instructions[l.Loop]
		doc := MissingDocument{Loop: facts.PlaceName(r.Program, l.Loop), PC: l.Loop, Position: in.Pos.String(), Decides: l.Decides, Fact: l.Fact}
		if in.Source.Line > 0 {
			doc.Source = in.Source.String()
		}
		d.MissingBounds = append(d.MissingBounds, doc)
	}
}

// AddLoops adds the loops of the kernel to the document.
func (d *AnalysisDocument) AddLoops(r *analysis.Report, loops []analysis.LoopBound) {
	if !r.Question.Loops {
		return
	}
	d.Loops = &[]LoopDocument{}
	for i := range loops {
		l := &loops[i]
		in := &r.Program.Instructions[l.Head]
		doc := LoopDocument{
			Loop: facts.PlaceName(r.Program, l.Head), PC: l.Head, Label: facts.Label(r.Program, l.Head), Position: in.Pos.String(), Function: r.Program.Functions[l.Function].Name, Depth: l.Depth,
			Bound: l.Most, Origin: string(l.Origin), AllInputs: l.AllInputs, Entered: l.Seen.Entered,
			Facts: slices.Concat([]string{}, l.Facts), Decides: l.Decides,
		}
		if r.Unrecorded == "" && !r.Question.NoInput {
			doc.Seen, doc.Total, doc.WarpTotal = &l.Seen.PerEntry.Most, &l.Seen.PerThread.Most, &l.Seen.PerWarp.Most
		}
		if in.Source.Line > 0 {
			doc.Source = in.Source.String()
		}
		*d.Loops = append(*d.Loops, doc)
	}
}

// loopSheet is the loops, a row each.
func (d *AnalysisDocument) loopSheet() *Sheet {
	return NewSheet("loops[]", *d.Loops, []Of[LoopDocument]{
		{Column{ID: "loop", Heading: "loop"}, func(l *LoopDocument) any { return l.Loop }},
		{Column{ID: "position", Heading: "at"}, func(l *LoopDocument) any { return l.Position }},
		{Column{ID: "source", Heading: "source"}, func(l *LoopDocument) any {
			if l.Source == "" {
				return nil
			}
			return l.Source
		}},
		{Column{ID: "bound", Heading: "bound", Unit: "ways back", Type: Amount}, func(l *LoopDocument) any { return maybe(l.Bound) }},
		{Column{ID: "origin", Heading: "from"}, func(l *LoopDocument) any { return l.Origin }},
		{Column{ID: "holds_for_all_inputs", Heading: "all inputs", Type: Flag, In: InCSV}, func(l *LoopDocument) any { return l.AllInputs }},
		{Column{ID: "seen", Heading: "here", Unit: "ways back", Type: Amount}, func(l *LoopDocument) any { return maybe(l.Seen) }},
		{Column{ID: "seen_thread_total", Heading: "in all", Unit: "ways back", Type: Amount}, func(l *LoopDocument) any { return maybe(l.Total) }},
		{Column{ID: "seen_warp_total", Heading: "by a warp", Unit: "ways back", Type: Amount}, func(l *LoopDocument) any { return maybe(l.WarpTotal) }},
	})
}

// loopSection says what is known of each loop.
func (d *AnalysisDocument) loopSection() Section {
	if len(*d.Loops) == 0 {
		return Section{ID: "loops", Lead: "the kernel has no loops\n"}
	}
	var b strings.Builder
	b.WriteString("bound: the most ways back to the head for one entry, of any thread; here, in all, by a warp: what this input does\n")
	for i := range *d.Loops {
		l := &(*d.Loops)[i]
		if len(l.Facts) > 0 {
			fmt.Fprintf(&b, "%s: assumed: %s\n", l.Loop, strings.Join(l.Facts, ", "))
		}
		switch {
		case l.Origin == string(analysis.LoopUnbounded):
			needed, needs := int64(100), ""
			if l.Seen != nil {
				needed, needs = *l.Seen, ", which this input needs"
			}
			fmt.Fprintf(&b, "%s: data alone end it, through %s: expected a bound under [loops], such as %q = %d%s\n", l.Loop, l.Decides, l.Loop, needed, needs)
		case l.Decides != "":
			fmt.Fprintf(&b, "%s: data decide whether it goes on, through %s\n", l.Loop, l.Decides)
		}
	}
	return Section{ID: "loops", Sheet: d.loopSheet(), Notes: b.String()}
}
