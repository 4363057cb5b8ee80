package pages

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/testkit/golden"
)

// TestIndexIsUpToDate compares the index of docs/soundness.md with the data.
func TestIndexIsUpToDate(t *testing.T) {
	s := symbols{}
	table := report.Table{Header: []string{"no.", "name", "what it says", "holds for", "computed by", "held by", "status"}, Left: []int{1, 2, 3, 4, 5, 6}}
	lemmas := report.Table{Header: []string{"lemma", "section", "what it says", "used by", "held by"}, Left: []int{1, 2, 3, 4}}
	for _, x := range Statements() {
		page := fmt.Sprintf("soundness/%s.md#%s", x.Page, under(t, &x))
		code, tests := links(t, s, x.Code, "../"), links(t, s, x.Tests, "../")
		if x.Kind == Lemma {
			lemmas.Add(strings.TrimPrefix(x.Title(), "lemma "), fmt.Sprintf("[%d](%s)", x.Section, page), x.Sentence, dash(code), dash(tests))
			continue
		}
		id := x.ID
		if x.Kind == Corollary {
			id += ", corollary"
		}
		for _, unused := range Unused {
			if id > unused && len(id) == len(unused) && !slices.ContainsFunc(table.Rows, func(r []string) bool { return r[0] == unused }) {
				table.Add(unused, "not used", "", "", "", "", "")
			}
		}
		table.Add(id, fmt.Sprintf("[%s](%s)", x.Name, page), x.Sentence, x.Needs, code, tests, status(&x))
	}
	page := read(t, "docs/soundness.md")
	page = golden.Part(t, page, "theorems", table.Render(report.Markdown))
	page = golden.Part(t, page, "lemmas", lemmas.Render(report.Markdown))
	golden.File(t, filepath.Join(root, "docs/soundness.md"), page)
}

// TestTraceIsUpToDate compares the trace tables with the data.
func TestTraceIsUpToDate(t *testing.T) {
	s := symbols{}
	const up = "../../"
	assumptions := report.Table{Header: []string{"id", "assumption", "where it is enforced or checked", "code", "tests", "planted faults"}, Left: []int{1, 2, 3, 4, 5}}
	for i, e := range bound.Catalogue() {
		g := &Grounds[i]
		assumptions.Add(string(e.ID), "*"+e.Name+"*: "+e.Text, g.How, links(t, s, g.Code, up), links(t, s, g.Tests, up), planted(g.Faults))
	}
	theorems := report.Table{Header: []string{"theorem", "page", "code", "tests", "planted faults"}, Left: []int{1, 2, 3, 4}}
	for _, x := range Statements() {
		if x.Kind == Lemma && len(x.Code) == 0 {
			continue
		}
		theorems.Add(x.Title(), fmt.Sprintf("[%s](%s.md#%s), section %d", x.Page, x.Page, under(t, &x), x.Section), links(t, s, x.Code, up), links(t, s, x.Tests, up), planted(x.Faults))
	}
	requirements := report.Table{Header: []string{"the README says", "tests"}, Left: []int{1}}
	for _, x := range Requirements {
		requirements.Add("\u201c"+x.Words+"\u201d", links(t, s, x.Tests, up))
	}
	page := read(t, "docs/soundness/trace.md")
	page = golden.Part(t, page, "assumptions", assumptions.Render(report.Markdown))
	page = golden.Part(t, page, "theorems", theorems.Render(report.Markdown))
	page = golden.Part(t, page, "requirements", requirements.Render(report.Markdown))
	golden.File(t, filepath.Join(root, "docs/soundness/trace.md"), page)
}

// under is the anchor of the heading that a statement stands under.
func under(t *testing.T, x *Statement) string {
	t.Helper()
	title := x.Title()
	start := "**" + strings.ToUpper(title[:1]) + title[1:]
	heading := ""
	for line := range strings.Lines(read(t, "docs/soundness/"+x.Page+".md")) {
		if strings.HasPrefix(line, "#") {
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
		if strings.HasPrefix(line, start+".") || strings.HasPrefix(line, start+",") {
			return anchor(heading)
		}
	}
	t.Errorf("docs/soundness/%s.md has no %s", x.Page, title)
	return ""
}

// links names functions and leads to their files.
func links(t *testing.T, s symbols, references []string, up string) string {
	t.Helper()
	var out []string
	for _, x := range references {
		file, err := s.file(x)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(x, " ")
		out = append(out, fmt.Sprintf("[%s](%s%s)", name, up, file))
	}
	return strings.Join(out, ", ")
}

// status is what speaks for a statement.
func status(s *Statement) string {
	if n := len(PlantedBy(s.Faults)); n > 0 {
		return fmt.Sprintf("proved; %d planted faults", n)
	}
	if s.Instead != "" {
		return "proved; computed by its test only: " + s.Instead
	}
	return "proved"
}

// planted names planted faults, and how many a prefix stands for; those that no
// test notices are named.
func planted(patterns []string) string {
	var out []string
	for _, p := range patterns {
		names := PlantedBy([]string{p})
		text := p
		if strings.HasSuffix(p, "-") {
			text = fmt.Sprintf("%s* (%d)", p, len(names))
		}
		for _, name := range names {
			if why := Survivors[name]; why != "" {
				text += fmt.Sprintf(", but %s is not caught: %s", name, why)
			}
		}
		out = append(out, text)
	}
	return dash(strings.Join(out, "; "))
}

func dash(text string) string {
	if text == "" {
		return "\u2013"
	}
	return text
}

// TestMethodsPage compares docs/methods.md with the table of methods.
func TestMethodsPage(t *testing.T) {
	table, err := Methods(true)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join(root, "docs/methods.md"), golden.Part(t, read(t, "docs/methods.md"), "methods", table))
}
