package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/report/page"
)

const examples = "../../../examples/"

// assessed is an assessment of several kinds: with choices by data, on a GPU with caches, over
// its budget, of a kernel that fails, and of a launch that is not there.
func assessed(t *testing.T) *warpbound.Assessment {
	t.Helper()
	dir := t.TempDir()
	fails := filepath.Join(dir, "fails.toml")
	for name, text := range map[string]string{
		"fails.toml": "kernel = \"fails.ptx\"\ngrid = [1]\nblock = [32]\n",
		"fails.ptx":  ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry fails()\n{\ntrap;\nret;\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := warpbound.NewProject([]string{
		examples + "basic/saxpy/saxpy.toml", examples + "inputs/kernels/nearest/nearest.toml", fails, filepath.Join(dir, "none.toml"),
	}, warpbound.ProjectGPU{Name: "ecrts2025-200"}, warpbound.ProjectGPU{Name: "gtx480"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Assess(context.Background(), warpbound.AssessOptions{MaxCycles: 20_000})
	if a == nil || len(warpbound.FileErrors(err)) > 0 {
		t.Fatal(err)
	}
	return a
}

func render(t *testing.T, a *warpbound.Assessment, form string) []byte {
	t.Helper()
	out, err := a.Render(form)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func parse(t *testing.T, text []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// walk visits the elements of a page in their order.
func walk(n *html.Node, visit func(*html.Node)) {
	if n.Type == html.ElementNode {
		visit(n)
	}
	for c := range n.ChildNodes() {
		walk(c, visit)
	}
}

func attribute(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		b.WriteString(textOf(c))
	}
	return b.String()
}

// unclosed are the elements that HTML has no end of.
var unclosed = []string{"meta", "wbr", "br", "hr", "img", "input", "link"}

// problems lists what is wrong with a page: with its nesting, its headings and ids, its
// tables and pictures, and what it refers to outside itself.
func problems(t *testing.T, text []byte) []string {
	t.Helper()
	var out []string
	wrong := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	// A parser mends what is not nested; its tokens say what was written.
	var open []string
	z := html.NewTokenizer(bytes.NewReader(text))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		switch x := z.Token(); kind {
		case html.StartTagToken:
			if !slices.Contains(unclosed, x.Data) {
				open = append(open, x.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != x.Data {
				wrong("</%s> ends %v", x.Data, open)
				return out
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		wrong("%v have no end", open)
	}
	ids, refs, level := map[string]bool{}, []string{}, 0
	walk(parse(t, text), func(n *html.Node) {
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				if ids[a.Val] {
					wrong("two elements have the id %q", a.Val)
				}
				ids[a.Val] = true
			case "href", "src", "action", "data", "poster", "xlink:href", "srcset", "formaction":
				if fragment, ok := strings.CutPrefix(a.Val, "#"); ok {
					refs = append(refs, fragment)
				} else if !strings.HasPrefix(a.Val, "data:") {
					wrong("%s=%q leads outside the page", a.Key, a.Val)
				}
			case "aria-labelledby", "aria-describedby":
				refs = append(refs, strings.Fields(a.Val)...)
			}
			if strings.HasPrefix(a.Key, "on") {
				wrong("<%s> has a handler %s", n.Data, a.Key)
			}
		}
		switch n.Data {
		case "h1", "h2", "h3", "h4", "h5", "h6":
			if at := int(n.Data[1] - '0'); at > level+1 {
				wrong("heading %q of level %d comes behind one of level %d", textOf(n), at, level)
				level = at
			} else {
				level = at
			}
		case "th":
			if scope, _ := attribute(n, "scope"); scope != "col" && scope != "row" {
				wrong("heading %q of a table has no scope", textOf(n))
			}
		case "table":
			if n.FirstChild == nil || !slices.ContainsFunc(slices.Collect(n.ChildNodes()), func(c *html.Node) bool { return c.Data == "caption" && textOf(c) != "" }) {
				wrong("a table has no caption")
			}
		case "svg":
			role, _ := attribute(n, "role")
			if label, _ := attribute(n, "aria-labelledby"); role != "img" || len(strings.Fields(label)) != 2 {
				wrong("a picture has role %q and the labels %q", role, label)
			}
		case "link", "iframe", "object", "embed", "base", "form", "img":
			wrong("<%s> in a page that is to be by itself", n.Data)
		case "style":
			if text := textOf(n); strings.Contains(text, "url(") || strings.Contains(text, "@import") {
				wrong("the style refers to a file")
			}
		case "script":
			for _, name := range []string{"fetch", "XMLHttpRequest", "import", "http:", "https:", "WebSocket"} {
				if strings.Contains(textOf(n), name) {
					wrong("the script has %s", name)
				}
			}
		}
	})
	for _, r := range refs {
		if !ids[r] {
			wrong("nothing has the id %q", r)
		}
	}
	return out
}

// The page is well formed, by itself, and can be read by those who do not see it.
func TestPageIsSound(t *testing.T) {
	text := render(t, assessed(t), warpbound.FormHTML)
	for _, p := range problems(t, text) {
		t.Error(p)
	}
	for _, want := range []string{"BOUND for all inputs", "What has to be promised", "Where the cycles go", "The source, with the cycles of each line", "A worst path", "Timeline of the slowest block",
		"Memory, simulated with the caches", "Hits and misses", "Files of the launch", "Commands that give this again", "Provenance", "approved by", "GPU gtx480", "WRONG INPUT", "kernel-failed", "OVER the budget", "@media print", "prefers-color-scheme: dark"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// The check of pages finds what it looks for.
func TestProblemsAreFound(t *testing.T) {
	good := string(render(t, assessed(t), warpbound.FormHTML))
	for what, change := range map[string][2]string{
		"leads outside":        {`href="#summary"`, `href="https://example.org"`},
		"nothing has the id":   {`href="#summary"`, `href="#nowhere"`},
		"two elements have":    {`id="contents"`, `id="content"`},
		"comes behind one":     {`<h2 id="summary">Summary</h2>`, `<h3 id="summary">Summary</h3>`},
		"has no scope":         {`<th scope="col">launch</th>`, `<th>launch</th>`},
		"a picture has role":   {`role="img"`, `role="none"`},
		"has a handler":        {`<table`, `<table onclick="x()"`},
		"the style refers":     {`@page`, `@import "x"; @page`},
		"the script has fetch": {`"use strict";`, `fetch("x");`},
		"in a page that is":    {`<header>`, `<iframe></iframe><header>`},
		"ends [":               {`</nav>`, `</ol>`},
		"has no caption":       {`<caption>Summary</caption>`, ``},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%s: the page has no %s", what, change[0])
		}
		if found := problems(t, []byte(bad)); !slices.ContainsFunc(found, func(p string) bool { return strings.Contains(p, what) }) {
			t.Errorf("%s was not found, but %v", what, found)
		}
	}
}

// numbers are all numbers of a JSON document.
func numbers(v any, into map[float64]bool) {
	switch x := v.(type) {
	case float64:
		into[x] = true
	case []any:
		for _, y := range x {
			numbers(y, into)
		}
	case map[string]any:
		for _, y := range x {
			numbers(y, into)
		}
	}
}

// at is a value of a JSON document by its path, with dots and indices.
func at(v any, path string) any {
	for _, name := range strings.Split(path, ".") {
		switch x := v.(type) {
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(x) {
				return nil
			}
			v = x[i]
		case map[string]any:
			v = x[name]
		default:
			return nil
		}
	}
	return v
}

// mismatches compares the numbers of the tables with those of the JSON form, and counts
// them: those of a table that says where it is with the value there, others with any, but
// for shares, which some sheets compute.
func mismatches(t *testing.T, text, document []byte) (bad []string, compared int) {
	t.Helper()
	var tree any
	if err := json.Unmarshal(document, &tree); err != nil {
		t.Fatal(err)
	}
	known := map[float64]bool{}
	numbers(tree, known)
	walk(parse(t, text), func(table *html.Node) {
		if table.Data != "table" {
			return
		}
		path, placed := attribute(table, "data-json")
		var fields []string
		row := -1
		walk(table, func(n *html.Node) {
			switch n.Data {
			case "th":
				if scope, _ := attribute(n, "scope"); scope == "col" {
					field, _ := attribute(n, "data-field")
					fields = append(fields, field)
				}
			case "tr":
				row++
			case "td":
				shown, ok := attribute(n, "data-value")
				if !ok {
					return
				}
				column := 0
				for s := n.PrevSibling; s != nil; s = s.PrevSibling {
					column++
				}
				got, err := strconv.ParseFloat(shown, 64)
				if err != nil {
					bad = append(bad, fmt.Sprintf("%q is no number", shown))
					return
				}
				compared++
				if placed && fields[column] != "" {
					want := at(tree, fmt.Sprintf("%s.%d.%s", path, row-1, fields[column]))
					if want != nil && want != got || want == nil && fields[column] != "share" {
						bad = append(bad, fmt.Sprintf("%s, row %d, %s: %v in the page, %v in JSON", path, row-1, fields[column], got, want))
					}
				} else if got >= 2 && got == float64(int64(got)) && !known[got] {
					bad = append(bad, fmt.Sprintf("%v (%s) is nowhere in JSON", got, textOf(n)))
				}
				if c := plain(textOf(n)); c != "" && got >= 1 && !strings.Contains(textOf(n), "%") && !strings.Contains(textOf(n), "µs") && c != strconv.FormatFloat(got, 'f', -1, 64) {
					bad = append(bad, fmt.Sprintf("%q is shown for %v", textOf(n), got))
				}
			}
		})
	})
	return bad, compared
}

// plain is a whole number as it is shown, without what separates thousands; "" for others.
func plain(s string) string {
	s = strings.TrimLeft(strings.ReplaceAll(s, ",", ""), "*!")
	if strings.Contains(s, ".") {
		return ""
	}
	return s
}

// Every number of the tables is that of the JSON form.
func TestPageAgreesWithJSON(t *testing.T) {
	a := assessed(t)
	text, document := render(t, a, warpbound.FormHTML), render(t, a, warpbound.FormJSON)
	bad, compared := mismatches(t, text, document)
	for _, b := range bad {
		t.Error(b)
	}
	if compared < 500 {
		t.Errorf("only %d numbers compared", compared)
	}
	other := bytes.Replace(document, []byte(`"cycles": 5670,`), []byte(`"cycles": 5671,`), -1)
	if bad, _ := mismatches(t, text, other); len(bad) == 0 {
		t.Error("a number that differs is not found")
	}
}

// Names and texts of files are text in the page, whatever is in them.
func TestHostileNames(t *testing.T) {
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)> {{.}} ]]> ' javascript:x` + "\x1b[2J\x00\xff\u202e"
	sheet := &report.Sheet{Columns: []report.Column{{ID: "name", Heading: hostile}, {ID: "n", Heading: "n", Unit: "cycles", Type: report.Amount}}, Rows: [][]any{{hostile, int64(3)}}}
	d := &report.Document{Kind: "report", Title: hostile, Page: []report.Section{
		{ID: "one", Title: hostile, Level: 2, Lead: hostile + "\n", Notes: hostile, Sheet: sheet, At: hostile},
		{ID: "one", Title: "again", Level: 3, Lead: hostile, Listing: true, Figure: &report.Figure{Title: hostile, Description: hostile, SVG: []byte("<svg width=\"1\"></svg>")}},
	}}
	text, err := page.Write(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems(t, text) {
		t.Error(p)
	}
	scripts, pictures := 0, 0
	walk(parse(t, text), func(n *html.Node) {
		switch n.Data {
		case "script":
			scripts++
		case "img":
			pictures++
		}
	})
	if scripts != 1 || pictures != 0 {
		t.Errorf("%d scripts, %d pictures", scripts, pictures)
	}
	if bytes.ContainsAny(text, "\x1b\x00") || !bytes.Contains(text, []byte("&lt;script&gt;")) {
		t.Error("control characters, or a text that is left out")
	}
	if _, err := page.Write(&report.Document{Page: []report.Section{{Figure: &report.Figure{SVG: []byte("<?xml?>")}}}}); err == nil {
		t.Error("a picture that is none was taken")
	}
}

// A document without headings has a page, too.
func TestPageOfAnyDocument(t *testing.T) {
	doc, err := warpbound.PresetsReport()
	if err != nil {
		t.Fatal(err)
	}
	text, err := doc.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems(t, text) {
		t.Error(p)
	}
	if !bytes.Contains(text, []byte("gtx480")) {
		t.Error("the page has no rows")
	}
}
