package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/internal/version"
)

// SuggestionDocument is the JSON form of facts that were observed (docs/json.md).
type SuggestionDocument struct {
	Warpbound version.Info     `json:"warpbound"`
	Kernel    string           `json:"kernel"`
	Launches  []SuggestionOf   `json:"launches"`
	Loops     []SuggestionLoop `json:"loops"`
}

// SuggestionOf is a launch that was executed.
type SuggestionOf struct {
	Launch string `json:"launch"`
	// NotCovered says why it is not bounded for all inputs within the facts.
	NotCovered string `json:"not_covered"`
}

// SuggestionLoop is a loop that needs a bound.
type SuggestionLoop struct {
	Loop     string `json:"loop"`
	Position string `json:"position"`
	Source   string `json:"source"`
	Max      int64  `json:"max"`
	// MaxIn, MaxBlock and MaxThread say who did it.
	MaxIn     string `json:"max_launch"`
	MaxBlock  int64  `json:"max_block"`
	MaxThread int    `json:"max_thread"`
	// WarpTotal is null where it says no more than Max does.
	WarpTotal *int64 `json:"warp_total"`
	AnyOrder  bool   `json:"any_order"`
	Decides   string `json:"decided_by"`
}

// Suggestion reports facts that were observed of launches.
func Suggestion(launches []string, s *analysis.Suggestion) *Document {
	d := &SuggestionDocument{Warpbound: version.Get(), Kernel: s.Program.Name, Launches: []SuggestionOf{}, Loops: []SuggestionLoop{}}
	for i, l := range launches {
		d.Launches = append(d.Launches, SuggestionOf{l, s.NotCovered[i]})
	}
	for i := range s.Loops {
		l := &s.Loops[i]
		in := &s.Program.Instructions[l.Head]
		doc := SuggestionLoop{
			Loop: facts.PlaceName(s.Program, l.Head), Position: in.Pos.String(), Max: l.Entry.Most, MaxIn: launches[l.EntryIn],
			MaxBlock: l.Entry.Block, MaxThread: l.Entry.Thread, AnyOrder: l.AnyOrder, Decides: l.Decides,
		}
		if in.Source.Line > 0 {
			doc.Source = in.Source.String()
		}
		if l.UseWarp {
			doc.WarpTotal = &l.Warp.Most
		}
		d.Loops = append(d.Loops, doc)
	}
	sheet := NewSheet("loops[]", d.Loops, []Of[SuggestionLoop]{
		{Column{ID: "loop", Heading: "loop"}, func(l *SuggestionLoop) any { return l.Loop }},
		{Column{ID: "position", Heading: "at"}, func(l *SuggestionLoop) any { return l.Position }},
		{Column{ID: "source", Heading: "source"}, func(l *SuggestionLoop) any {
			if l.Source == "" {
				return nil
			}
			return l.Source
		}},
		{Column{ID: "max", Heading: "max", Unit: "ways back", Type: Integer}, func(l *SuggestionLoop) any { return l.Max }},
		{Column{ID: "warp_total", Heading: "warp_total", Unit: "ways back", Type: Integer}, func(l *SuggestionLoop) any { return maybe(l.WarpTotal) }},
		{Column{ID: "any_order", Heading: "any_order", Type: Flag}, func(l *SuggestionLoop) any { return l.AnyOrder }},
		{Column{ID: "max_launch", Heading: "launch"}, func(l *SuggestionLoop) any { return l.MaxIn }},
		{Column{ID: "max_block", Heading: "block", Unit: "blocks", Type: Integer}, func(l *SuggestionLoop) any { return l.MaxBlock }},
		{Column{ID: "max_thread", Heading: "thread", Unit: "threads", Type: Integer}, func(l *SuggestionLoop) any { return int64(l.MaxThread) }},
	})
	// The text is a file of facts, in which lines stay as long as they are.
	text := d.toml()
	return &Document{
		Kind: "suggest-facts", Provenance: Written(d.Warpbound, slices.Clone(launches)), JSON: d, Values: sheet,
		Sections: []Section{{ID: "facts", Listing: true, Lead: text}},
	}
}

// toml is the facts as a file has them.
func (d *SuggestionDocument) toml() string {
	var b strings.Builder
	launches := "1 launch"
	if n := len(d.Launches); n != 1 {
		launches = fmt.Sprintf("%d launches", n)
	}
	fmt.Fprintf(&b, "# Observed in %s of %s, and proved by nobody: another input may do more.\n", launches, d.Kernel)
	for _, l := range d.Launches {
		fmt.Fprintf(&b, "#   %s", inComment(l.Launch))
		if l.NotCovered != "" {
			fmt.Fprintf(&b, ": no bound for all inputs all the same: %s", inComment(l.NotCovered))
		}
		b.WriteString("\n")
	}
	if len(d.Loops) == 0 {
		b.WriteString("# No loop needs a bound.\n")
		return b.String()
	}
	b.WriteString("[loops]\n")
	for i := range d.Loops {
		l := &d.Loops[i]
		fmt.Fprintf(&b, "# %s", inComment(l.Position))
		if l.Source != "" {
			fmt.Fprintf(&b, ", source %s", inComment(l.Source))
		}
		fmt.Fprintf(&b, ": most in %s, block %d, thread %d", inComment(l.MaxIn), l.MaxBlock, l.MaxThread)
		if l.Decides != "" {
			fmt.Fprintf(&b, "; data decide through %s", inComment(l.Decides))
		}
		if l.AnyOrder {
			b.WriteString("; in the order executed, and any_order says it of every order")
		}
		fmt.Fprintf(&b, "\n%q = ", l.Loop)
		switch {
		case l.WarpTotal == nil && !l.AnyOrder:
			fmt.Fprintf(&b, "%d\n", l.Max)
		default:
			fmt.Fprintf(&b, "{ max = %d", l.Max)
			if l.WarpTotal != nil {
				fmt.Fprintf(&b, ", warp_total = %d", *l.WarpTotal)
			}
			if l.AnyOrder {
				b.WriteString(", any_order = true")
			}
			b.WriteString(" }\n")
		}
	}
	return b.String()
}

// inComment is a text without what would end a comment.
func inComment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, text)
}
