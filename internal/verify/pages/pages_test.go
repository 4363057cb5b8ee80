package pages

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/analysis"
)

const root = "../../.."

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// statement is the bold start of one on a page.
var statement = regexp.MustCompile(`(?m)^\*\*(Theorem|Corollary of theorem|Corollary|Lemma) ([0-9.]+|[A-Z][0-9]?)(?: \(([^)]*)\))?(, [a-z ]+)?\.\*\*`)

// TestIndexIsWhatThePagesSay: every statement of the index is on its page, in its
// section, under its name, and there are no others.
func TestIndexIsWhatThePagesSay(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "docs", "soundness", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	heading := regexp.MustCompile(`^## (\d+)\. `)
	var found []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		section, open := "", ""
		for line := range strings.Lines(string(text)) {
			if m := heading.FindStringSubmatch(line); m != nil {
				section = m[1]
			}
			if strings.HasPrefix(line, "#") && open != "" {
				t.Errorf("%s: %s has no proof", file, open)
				open = ""
			}
			if m := statement.FindStringSubmatch(line); m != nil {
				if open != "" {
					t.Errorf("%s: %s has no proof", file, open)
				}
				kind, _, _ := strings.Cut(m[1], " ")
				title := fmt.Sprintf("%s %s (%s) %s %s", strings.ToLower(kind), m[2], m[3], strings.TrimSuffix(filepath.Base(file), ".md"), section)
				if m[4] == "" { // "on the machine" is the same theorem once more
					found = append(found, title)
				}
				if kind != "Corollary" { // some follow at once
					open = title
				}
			}
			if strings.Contains(line, "*Proof") {
				open = ""
			}
		}
		if open != "" {
			t.Errorf("%s: %s has no proof", file, open)
		}
	}
	var want []string
	for _, s := range Statements() {
		want = append(want, fmt.Sprintf("%s %s (%s) %s %d", s.Kind, s.ID, s.Name, s.Page, s.Section))
	}
	slices.Sort(found)
	slices.Sort(want)
	for _, x := range want {
		if !slices.Contains(found, x) {
			t.Errorf("in the index and not on its page: %s", x)
		}
	}
	for _, x := range found {
		if !slices.Contains(want, x) {
			t.Errorf("on a page and not in the index: %s", x)
		}
	}
	if len(slices.Compact(slices.Clone(want))) != len(want) {
		t.Error("a statement is in the index twice")
	}
}

// TestNumbersAreComplete: every number up to the largest is a theorem's or said to
// be unused.
func TestNumbersAreComplete(t *testing.T) {
	n := 0
	for _, s := range Statements() {
		if s.Kind == Theorem {
			n++
			if s.Sentence == "" || s.Needs == "" || s.Name == "" || len(s.Code) == 0 || len(s.Tests) == 0 {
				t.Errorf("%s says too little", s.Title())
			}
		}
	}
	for i := 1; i <= n+len(Unused); i++ {
		number := fmt.Sprint(i)
		if (Find(number) != nil) == slices.Contains(Unused, number) {
			t.Errorf("theorem %d is missing, or used and said to be unused", i)
		}
	}
}

// symbols are the functions and methods that a package declares, with their files.
type symbols map[string]map[string]string

var fset = token.NewFileSet()

// file is where a package declares a function: "dir Func" or "dir Type.method".
func (s symbols) file(reference string) (string, error) {
	dir, name, ok := strings.Cut(reference, " ")
	if !ok {
		return "", fmt.Errorf("%q: expected a package and a function", reference)
	}
	if s[dir] == nil {
		s[dir] = map[string]string{}
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			tree, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				return "", err
			}
			for _, d := range tree.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					s[dir][receiver(f)+f.Name.Name] = dir + "/" + filepath.Base(file)
				}
			}
		}
	}
	file := s[dir][name]
	if file == "" {
		return "", fmt.Errorf("%s: package %s has no %s", reference, dir, name)
	}
	return file, nil
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	x := f.Recv.List[0].Type
	for {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.Ident:
			return y.Name + "."
		default:
			return ""
		}
	}
}

// TestCodeAndTestsExist: what the index, the grounds and the requirements name is
// there, and tests are tests.
func TestCodeAndTestsExist(t *testing.T) {
	s := symbols{}
	check := func(owner string, code, tests []string) {
		for _, x := range code {
			if file, err := s.file(x); err != nil || strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s: code %s: %v", owner, x, err)
			}
		}
		for _, x := range tests {
			_, name, _ := strings.Cut(x, " ")
			if file, err := s.file(x); err != nil || !strings.HasPrefix(name, "Test") || !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s: test %s: %v", owner, x, err)
			}
		}
	}
	for _, x := range Statements() {
		check(x.Title(), x.Code, x.Tests)
	}
	for _, x := range Grounds {
		check(string(x.ID), x.Code, x.Tests)
	}
	readme := read(t, "README.md")
	for _, x := range Requirements {
		check(x.Words, nil, x.Tests)
		if !strings.Contains(readme, x.Words) {
			t.Errorf("the README does not say %q", x.Words)
		}
	}
}

// TestGroundsAreThoseOfTheCatalogue: every assumption has a ground, and pages that
// repeat an assumption say what the catalogue says.
func TestGroundsAreThoseOfTheCatalogue(t *testing.T) {
	catalogue := bound.Catalogue()
	if len(catalogue) != len(Grounds) {
		t.Fatalf("%d assumptions, %d grounds", len(catalogue), len(Grounds))
	}
	texts := map[string]string{}
	for i, e := range catalogue {
		texts[string(e.ID)] = e.Name + ": " + e.Text
		if g := &Grounds[i]; g.ID != e.ID || g.How == "" || len(g.Code) == 0 || len(g.Tests) == 0 {
			t.Errorf("assumption %s: ground %s says too little", e.ID, g.ID)
		}
	}
	repeated := regexp.MustCompile(`(?m)^\*{0,2}(A\d+)\*{0,2} ([a-z0-9-]+: .*)$`)
	n := 0
	for _, file := range markdown(t) {
		for _, m := range repeated.FindAllStringSubmatch(read(t, file), -1) {
			n++
			if !strings.HasPrefix(m[2], texts[m[1]]) {
				t.Errorf("%s: %s is not as in the catalogue:\n%s\n%s", file, m[1], m[2], texts[m[1]])
			}
		}
	}
	if n == 0 {
		t.Error("no page states an assumption: has their form changed?")
	}
}

// TestFaultsHaveOwners: every planted fault tests a statement or the ground of an
// assumption, and every pattern names faults.
func TestFaultsHaveOwners(t *testing.T) {
	owned := map[string]bool{}
	own := func(owner string, patterns []string) {
		for _, p := range patterns {
			names := PlantedBy([]string{p})
			if len(names) == 0 {
				t.Errorf("%s: no planted fault is called %s", owner, p)
			}
			for _, name := range names {
				owned[name] = true
			}
		}
	}
	for _, s := range Statements() {
		own(s.Title(), s.Faults)
	}
	for _, g := range Grounds {
		own(string(g.ID), g.Faults)
	}
	for _, name := range Planted() {
		if !owned[name] {
			t.Errorf("planted fault %s tests nothing that the index names", name)
		}
	}
	for name := range Survivors {
		if !slices.Contains(Planted(), name) {
			t.Errorf("no planted fault is called %s", name)
		}
	}
}

// TestMethodsRestOnTheorems: the table of methods names theorems that exist.
func TestMethodsRestOnTheorems(t *testing.T) {
	for _, m := range analysis.Table {
		for _, n := range m.Theorems {
			if Find(fmt.Sprint(n)) == nil {
				t.Errorf("method %s: there is no theorem %d", m.Name, n)
			}
		}
	}
}
