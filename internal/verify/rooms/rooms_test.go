package rooms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../../.."
	page   = root + "/docs/architecture.md"
	module = "github.com/warpbound/warpbound"
)

// room is a row of the table.
type room struct {
	name string
	// patterns are packages without the module's path, "." for its root; one that ends
	// in /... stands for all packages below, too.
	patterns []string
	// tests says that only tests, and other rooms for tests, import it.
	tests bool
}

// pkg is what go list says of a package.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

var code = regexp.MustCompile("`([^`]+)`")

// rowsOf reads the rows of the table between the markers of a name.
func rowsOf(text, name string) ([][]string, error) {
	begin, end := "<!-- "+name+":begin -->", "<!-- "+name+":end -->"
	_, table, begun := strings.Cut(text, begin+"\n")
	table, _, ended := strings.Cut(table, end)
	if !begun || !ended {
		return nil, fmt.Errorf("no table between %s and %s", begin, end)
	}
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) < 3 {
		return nil, fmt.Errorf("the table %s has no rows", name)
	}
	var rows [][]string
	for _, line := range lines[2:] {
		rows = append(rows, strings.Split(strings.Trim(line, "| "), " | "))
	}
	return rows, nil
}

// parse reads the rooms of the page.
func parse(text string) ([]room, error) {
	rows, err := rowsOf(text, "rooms")
	if err != nil {
		return nil, err
	}
	var rooms []room
	for _, cells := range rows {
		row := strings.Join(cells, " | ")
		if len(cells) < 3 {
			return nil, fmt.Errorf("row %q: expected a room, its packages and what it holds", row)
		}
		r := room{name: cells[0], tests: strings.HasSuffix(cells[0], "(tests only)")}
		for _, m := range code.FindAllStringSubmatch(cells[1], -1) {
			r.patterns = append(r.patterns, m[1])
		}
		if len(r.patterns) == 0 {
			return nil, fmt.Errorf("row %q names no package", row)
		}
		rooms = append(rooms, r)
	}
	return rooms, nil
}

// short is an import path as the table writes it, "" for packages of other modules.
func short(path string) string {
	if path == module {
		return "."
	}
	if s, ours := strings.CutPrefix(path, module+"/"); ours {
		return s
	}
	return ""
}

// of returns the row of a package: that of the longest pattern that fits, -1 where none does.
func of(rooms []room, name string) (row int, pattern string) {
	row = -1
	for i, r := range rooms {
		for _, p := range r.patterns {
			folder, below := strings.CutSuffix(p, "/...")
			if (name == folder || below && strings.HasPrefix(name, folder+"/")) && len(p) > len(pattern) {
				row, pattern = i, p
			}
		}
	}
	return row, pattern
}

// check lists what is wrong: packages without a room, arrows that go up, rows that hold
// nothing, rooms for tests that are imported by other code.
func check(rooms []room, packages []pkg) []string {
	var wrong []string
	used := map[string]bool{}
	for _, p := range packages {
		name := short(p.ImportPath)
		at, pattern := of(rooms, name)
		if at < 0 {
			wrong = append(wrong, fmt.Sprintf("%s has no room: add it to the table", name))
			continue
		}
		used[pattern] = true
		for _, path := range p.Imports {
			other := short(path)
			if other == "" {
				continue
			}
			to, _ := of(rooms, other)
			switch {
			case to < 0: // said where it is listed itself
			case rooms[to].tests && !rooms[at].tests:
				wrong = append(wrong, fmt.Sprintf("%s imports %s, which is for tests only", name, other))
			case to > at:
				wrong = append(wrong, fmt.Sprintf("%s (%s) imports %s (%s), which is below it in the table", name, rooms[at].name, other, rooms[to].name))
			}
		}
		for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
			if other := short(path); strings.HasPrefix(other, "cmd/") || strings.HasPrefix(other, "evaluation/") && !strings.HasPrefix(name, "evaluation") {
				wrong = append(wrong, fmt.Sprintf("the tests of %s import %s: commands and evaluations are at the end of the road", name, other))
			}
		}
	}
	seen := map[string]bool{}
	for _, r := range rooms {
		for _, p := range r.patterns {
			switch {
			case seen[p]:
				wrong = append(wrong, fmt.Sprintf("%s is in the table twice", p))
			case !used[p]:
				wrong = append(wrong, fmt.Sprintf("%s: no package of the table's room %q is there", p, r.name))
			}
			seen[p] = true
		}
	}
	return wrong
}

func TestImportsGoOneWay(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rooms, err := parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", page, err)
	}
	packages := list(t)
	if len(packages) < 50 {
		t.Fatalf("go list knows %d packages", len(packages))
	}
	for _, w := range check(rooms, packages) {
		t.Error(w)
	}
}

// commands lists what is wrong with the imports of a command: packages that are not in
// the table of the page, and rows that nothing needs.
func commands(text string, command pkg) ([]string, error) {
	rows, err := rowsOf(text, "commands")
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{} // whether it is imported
	for _, cells := range rows {
		names := code.FindAllStringSubmatch(cells[0], -1)
		if len(cells) != 2 || cells[1] == "" || len(names) == 0 {
			return nil, fmt.Errorf("row %q: expected packages and what commands need them for", strings.Join(cells, " | "))
		}
		for _, m := range names {
			listed[m[1]] = false
		}
	}
	var wrong []string
	for _, path := range command.Imports {
		name := short(path)
		if _, ok := listed[name]; ok {
			listed[name] = true
		} else if name != "" {
			wrong = append(wrong, fmt.Sprintf("%s imports %s, which no command needs: ask package warpbound", short(command.ImportPath), name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if !listed[name] {
			wrong = append(wrong, fmt.Sprintf("%s is listed for commands, and %s does not import it", name, short(command.ImportPath)))
		}
	}
	return wrong, nil
}

func TestCommandsUseTheLibrary(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, p := range list(t) {
		if !strings.HasPrefix(short(p.ImportPath), "cmd/") {
			continue
		}
		found++
		wrong, err := commands(string(text), p)
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		for _, w := range wrong {
			t.Error(w)
		}
	}
	if found != 1 {
		t.Errorf("%d commands, expected cmd/warpbound", found)
	}
}

func TestCommandsThatDoMoreAreFound(t *testing.T) {
	const text = "<!-- commands:begin -->\n| packages | for |\n| --- | --- |\n| `.`, `a` | x |\n<!-- commands:end -->\n"
	of := func(names ...string) pkg {
		p := pkg{ImportPath: module + "/cmd/x", Imports: []string{"fmt", module}}
		for _, n := range names {
			p.Imports = append(p.Imports, module+"/"+n)
		}
		return p
	}
	for _, c := range []struct {
		imports []string
		want    string
	}{
		{[]string{"a"}, ""},
		{[]string{"a", "b"}, "cmd/x imports b, which no command needs: ask package warpbound"},
		{nil, "a is listed for commands, and cmd/x does not import it"},
	} {
		wrong, err := commands(text, of(c.imports...))
		if got := strings.Join(wrong, "\n"); err != nil || got != c.want {
			t.Errorf("%v: %q, %v, want %q", c.imports, got, err, c.want)
		}
	}
	for _, bad := range []string{"", strings.Replace(text, " | x |", " |", 1), strings.Replace(text, "`.`, `a`", "a", 1)} {
		if wrong, err := commands(bad, of()); err == nil {
			t.Errorf("%q gives %v", bad, wrong)
		}
	}
}

// list asks go list for all packages of the module.
func list(t *testing.T) []pkg {
	t.Helper()
	see(t)
	cmd := exec.Command("go", "list", "-tags", "warpbound_faults", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var packages []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// see looks at every Go file, so that a result of this test is kept only while none of
// them changes: what go list reads is unknown to go test.
func see(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".go":
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

const small = `
<!-- rooms:begin -->
| room | packages | what it holds |
| --- | --- | --- |
| low | ` + "`a`, `b/...`" + ` | x |
| high | ` + "`b/top/...`, `.`" + ` | y |
| kit (tests only) | ` + "`kit/...`" + ` | z |
<!-- rooms:end -->
`

func TestArrowsThatGoUpAreFound(t *testing.T) {
	rooms, err := parse(small)
	if err != nil {
		t.Fatal(err)
	}
	imports := func(name string, others ...string) pkg {
		p := pkg{ImportPath: module + "/" + name}
		if name == "." {
			p.ImportPath = module
		}
		for _, i := range others {
			p.Imports = append(p.Imports, module+"/"+i)
		}
		p.Imports = append(p.Imports, "fmt", module+"x/b/top")
		return p
	}
	whole := []pkg{imports("a"), imports("b", "a"), imports("b/c", "a", "b"), imports("b/top/x", "a", "b/c"), imports(".", "b/top/x"), imports("kit/k", "kit/l", "b/top/x")}
	if wrong := check(rooms, whole); wrong != nil {
		t.Errorf("one way only, and yet: %v", wrong)
	}
	tests := imports("a")
	tests.TestImports = []string{module + "/b/top/x", module + "/kit/k"}
	if wrong := check(rooms, append(slices.Clone(whole[1:]), tests)); wrong != nil {
		t.Errorf("tests may look up, and yet: %v", wrong)
	}
	tests.XTestImports = []string{module + "/cmd/x"}
	for _, c := range []struct {
		more pkg
		want string
	}{
		{imports("b/d", "b/top/x"), "b/d (low) imports b/top/x (high), which is below it in the table"},
		{pkg{ImportPath: module + "/b/d", Imports: []string{module}}, "b/d (low) imports . (high)"},
		{imports("new/x"), "new/x has no room"},
		{imports("b/d", "kit/k"), "b/d imports kit/k, which is for tests only"},
		{imports("bad"), "bad has no room"},
		{tests, "the tests of a import cmd/x"},
	} {
		got := strings.Join(check(rooms, append(slices.Clone(whole), c.more)), "\n")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.more.ImportPath, got, c.want)
		}
	}
	if got := strings.Join(check(rooms, whole[:4]), "\n"); !strings.Contains(got, `.: no package of the table's room "high"`) || !strings.Contains(got, "kit/...: no package") {
		t.Errorf("rows without packages: %q", got)
	}
}

func TestPagesWithoutTheTable(t *testing.T) {
	for _, text := range []string{"", "<!-- rooms:begin -->\n", "<!-- rooms:begin -->\n| a | b |\n<!-- rooms:end -->", strings.Replace(small, "`a`, `b/...`", "a", 1), strings.Replace(small, " | x |", " |", 1)} {
		if rooms, err := parse(text); err == nil {
			t.Errorf("%q gives %v", text, rooms)
		}
	}
}
