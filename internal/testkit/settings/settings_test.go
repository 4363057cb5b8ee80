package settings

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
		ok   bool
	}{{"", 7, true}, {"12", 12, true}, {"1", 1, true}, {"0", 0, false}, {"-3", 0, false}, {"many", 0, false}, {"1e3", 0, false}} {
		got, err := parse(CasesName, c.text, 7, 1)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%q: %d, %v, want %d", c.text, got, err, c.want)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, s := range All() {
		t.Setenv(s.Name, "")
	}
	machine, named := Machine("tx1")
	if Cases(t, 3) != 3 || Times(t) != 1 || Seed(t, 0) != 0 || Everything(t) || Updating(t) || named || machine[0] != "tx1" || Text(HardwareName, "x") != "x" || Child("q") != "" {
		t.Error("without settings the tests' own values do not hold")
	}
	for _, set := range []string{"WARPBOUND_CASES=20", "WARPBOUND_TIMES=60", "WARPBOUND_SEED=5", "WARPBOUND_ALL=1", "UPDATE_GOLDEN=1", "WARPBOUND_MACHINE=gtx480 sm.count=1", "WARPBOUND_HARDWARE=y", AskChild("q", "a:b")} {
		name, value, _ := strings.Cut(set, "=")
		t.Setenv(name, value)
	}
	machine, named = Machine("tx1")
	if Cases(t, 3) != 20 || Times(t) != 60 || Seed(t, 0) != 5 || !Everything(t) || !Updating(t) || !named || len(machine) != 2 || Text(HardwareName, "x") != "y" || Child("q") != "a:b" || Child("other") != "" {
		t.Error("settings do not hold")
	}
}

// TestPage holds the table of CONTRIBUTING.md against the list.
func TestPage(t *testing.T) {
	var want strings.Builder
	want.WriteString("| variable | value | what it does |\n| --- | --- | --- |\n")
	for _, s := range All() {
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", s.Name, s.Value, s.Doc)
	}
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), want.String()) {
		t.Errorf("CONTRIBUTING.md does not have the table\n%s", want.String())
	}
}

var (
	variable = regexp.MustCompile(`\b(?:WARPBOUND_[A-Z_]*[A-Z]|UPDATE_GOLDEN)\b`)
	reading  = regexp.MustCompile(`os\.(?:Getenv|LookupEnv)\(([^)]*)\)`)
)

// macros are names in C and CUDA that look like settings.
var macros = []string{"WARPBOUND_FAST_MATH", "WARPBOUND_PHASES", "WARPBOUND_GUARD", "WARPBOUND_GEOMETRY"}

// TestListIsComplete reads the repository: tests read the environment by way of this package
// and have no flags, and every setting that code, pages or scripts name is in the list. Nor
// do tests ask how long something took: that is a setting of the machine they run on.
func TestListIsComplete(t *testing.T) {
	var names []string
	for _, s := range All() {
		if slices.Contains(names, s.Name) {
			t.Errorf("%s is listed twice", s.Name)
		}
		names = append(names, s.Name)
	}
	used := map[string]bool{}
	tests := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, dir := d.Name(), filepath.Base(filepath.Dir(path))
		if d.IsDir() && (name == ".git" || name == "testdata" || name == "node_modules") {
			return fs.SkipDir
		}
		script := dir == ".ci" || dir == "scripts" || name == "Makefile"
		if d.IsDir() || !script && !slices.Contains([]string{".go", ".md", ".yml"}, filepath.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, v := range variable.FindAllString(string(text), -1) {
			switch {
			case dir == "settings":
			case slices.Contains(names, v):
				used[v] = true
			case !slices.Contains(macros, v):
				t.Errorf("%s: %s is not in the list of package settings", path, v)
			}
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		tests++
		// Those of the shell are no settings.
		for _, m := range reading.FindAllStringSubmatch(string(text), -1) {
			if m[1] != `"PATH"` && m[1] != `"COLUMNS"` && dir != "settings" {
				t.Errorf("%s: os.Getenv(%s) in a test: package settings reads the environment", path, m[1])
			}
		}
		if strings.Contains(string(text), "time.Since(") && dir != "settings" && dir != "fullsize" { // which writes a table of times
			t.Errorf("%s: time.Since in a test: count steps, and let deadlines guard against hangs only", path)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			if i.Path.Value == `"flag"` {
				t.Errorf("%s: a test has flags: settings of package settings suit all packages", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if tests < 100 || len(used) < 5 {
		t.Errorf("%d files of tests were read, which name %d settings", tests, len(used))
	}
}
