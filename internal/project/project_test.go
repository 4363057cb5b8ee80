package project

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/conf"
)

// folder has launch files, which nothing here opens.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"kernels/a.toml", "kernels/b.toml", "kernels/c.toml", "one.toml"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const whole = `
name = "controller"
gpus = ["ecrts2025-200", { gpu = "my.toml", set = ["sm.count=2"] }]
policies = ["lrr"]
max_instructions = 1000
[[launches]]
files = ["kernels/*.toml"]
budget = 20_000
[[launches]]
files = ["kernels/b.toml", "one.toml"]
gpus = ["ecrts2025-200"]
budget = "15.5 us"
require_all_inputs = false
policies = ["gto"]
[[accepted]]
assumption = "memory-interference-free"
reason = "one bus master"
launches = ["kernels/*"]
[[accepted]]
assumption = "A3"
reason = "no cache"
`

// Patterns, exceptions from them, both kinds of budgets, and what is accepted for which
// launches.
func TestParse(t *testing.T) {
	dir := folder(t)
	f, err := Parse(filepath.Join(dir, "warpbound.toml"), []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range f.Cases {
		c := &f.Cases[i]
		name, err := filepath.Rel(dir, c.Launch.Text)
		if err != nil {
			t.Fatal(err)
		}
		line := strings.Join([]string{filepath.ToSlash(name), c.GPU.Name, strings.Join(c.GPU.Settings, ","), c.Budget.Stated}, " ")
		if c.AllInputs {
			line += " all"
		}
		for _, p := range c.Policies {
			line += " " + p.Text
		}
		got = append(got, line)
	}
	want := []string{
		"kernels/a.toml ecrts2025-200  20000 cycles all", "kernels/a.toml my.toml sm.count=2 20000 cycles all",
		"kernels/b.toml ecrts2025-200  15.5 us gto", "kernels/b.toml my.toml sm.count=2 20000 cycles all",
		"kernels/c.toml ecrts2025-200  20000 cycles all", "kernels/c.toml my.toml sm.count=2 20000 cycles all",
		"one.toml ecrts2025-200  15.5 us gto",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if f.Name != "controller" || f.MaxInstructions != 1000 || len(f.Policies) != 1 || !f.Judged {
		t.Errorf("%+v", f)
	}
	if f.Accepted[0].ID != bound.InterferenceFree || f.Accepted[1].ID != bound.NoDataCache {
		t.Errorf("%+v", f.Accepted)
	}
	a, one := filepath.Join(dir, "kernels", "a.toml"), filepath.Join(dir, "one.toml")
	if !f.Accepted[0].Covers(f, a) || f.Accepted[0].Covers(f, one) || !f.Accepted[1].Covers(f, one) {
		t.Error("an acceptance is not for the launches that it names")
	}
}

// A budget of time is the whole cycles that fit it: what takes one more takes longer.
func TestBudgetCycles(t *testing.T) {
	for text, want := range map[string]int64{
		`"15.5 us"`: 17546, `"1 ns"`: 1, `"0.5 ns"`: 0, `"1ms"`: 1_132_000, `"2 s"`: 2_264_000_000, `"1 µs"`: 1132, `"12 cycles"`: 12, `7`: 7,
		`"99999999999999999999 s"`: 1<<63 - 1,
	} {
		root, err := conf.Parse("f", []byte("b = "+text))
		if err != nil {
			t.Fatal(err)
		}
		var errs conf.ErrorList
		r := reader{errs: &errs}
		b := r.budget("b", root.Get("b"))
		if b == nil || b.Cycles(1_132_000) != want || b.Stated == "" {
			t.Errorf("%s: %+v, %v, expected %d cycles", text, b, errs.Err(), want)
		}
	}
	if b := CyclesOf(12); b.Stated != "12 cycles" || b.Cycles(1) != 12 {
		t.Errorf("%+v", b)
	}
}

// What is wrong is said with its place, all of it at once.
func TestErrors(t *testing.T) {
	dir := folder(t)
	path := filepath.Join(dir, "warpbound.toml")
	const ok = "[[launches]]\nfiles = [\"one.toml\"]\n"
	for text, want := range map[string]string{
		"":                                            `:1:1: no key "launches", expected an array of tables`,
		"launches = []":                               ":1:1: launches has no entry, expected at least one",
		"[[launches]]\nfiles = []":                    ":1:3: launches.0.files is empty, expected launch files",
		"[[launches]]\nfiles = [3]":                   ":2:10: launches.0.files.0 is an integer, expected a string",
		"[[launches]]\nfiles = ['n*']":                `:2:10: launches.0.files: no file matches "n*", expected launch files relative to the project file`,
		"[[launches]]\nfiles = ['[a*']":               `:2:10: launches.0.files: "[a*" is no pattern, expected *, ? and sets in [] that end`,
		"[[launches]]\nfile = ['a']":                  `:2:1: unknown key "file" in launches.0, did you mean files?`,
		"budgets = 3\n" + ok:                          `:1:1: unknown key "budgets", expected one of name, gpus, policies, require_all_inputs, max_instructions, launches or accepted`,
		"gpus = []\n" + ok:                            ":1:1: gpus is empty, expected GPUs",
		ok + "gpus = []":                              ":3:1: launches.0.gpus is empty, expected GPUs",
		ok + "budget = 0":                             ":3:10: launches.0.budget is 0, expected 1 cycle or more",
		ok + "budget = 1.5":                           `:3:10: launches.0.budget is 1.5, expected a number of cycles, or a time above 0 such as "15.5 us" (ns, us, ms or s)`,
		ok + `budget = "15 parsecs"`:                  `:3:10: launches.0.budget is "15 parsecs", expected a number of cycles, or a time above 0`,
		ok + `budget = "0 us"`:                        ":3:10: launches.0.budget is \"0 us\"",
		ok + `budget = "1.5 cycles"`:                  ":3:10: launches.0.budget is \"1.5 cycles\"",
		ok + "gpus = [true]":                          ":3:9: launches.0.gpus.0 is a boolean, expected a string",
		ok + "gpus = [{ set = [] }]":                  `:3:9: no key "gpu" in launches.0.gpus.0, expected a string`,
		ok + ok:                                       ":4:10: " + filepath.Join(dir, "one.toml") + " is there twice on the same GPU, first at 2:10: expected it once",
		"[[launches]]\nfiles = ['*.toml', 'o*.toml']": ":2:20: " + filepath.Join(dir, "one.toml") + " is there twice",
		ok + "[[accepted]]\nassumption = 'A99'\nreason = 'r'":                  `:4:14: accepted.0.assumption: no assumption "A99"`,
		ok + "[[accepted]]\nassumption = 'no-data-cash'\nreason = 'r'":         `:4:14: accepted.0.assumption: no assumption "no-data-cash", did you mean no-data-cache?`,
		ok + "[[accepted]]\nassumption = 'A2'":                                 `:3:3: no key "reason" in accepted.0, expected a string`,
		ok + "[[accepted]]\nassumption = 'A2'\nreason = ' '":                   ":5:10: accepted.0.reason is empty, expected a string",
		ok + "[[accepted]]\nassumption = 2\nreason = 'r'":                      ":4:14: accepted.0.assumption is an integer",
		ok + "[[accepted]]\nassumption = 'A2'\nreason = 'r'\nlaunches = ['[']": `:4:14: accepted.0.launches: "[" is no pattern`,
		ok + "budget = 0\n[[accepted]]\nassumption = 'A99'\nreason = 'r'":      ":5:14: accepted.0.assumption",
		"name = 3\n" + ok: ":1:8: name is an integer, expected a string",
	} {
		_, err := Parse(path, []byte(text))
		var one *conf.Error
		if err == nil || !strings.Contains(err.Error(), path+want) || !errors.As(err, &one) {
			t.Errorf("%q:\n%v\nexpected\n%s", text, err, want)
		}
	}
	if _, err := Load(filepath.Join(dir, "none.toml")); err == nil || !strings.Contains(err.Error(), "project file: open") {
		t.Errorf("%v", err)
	}
}

// The directory of a project is no pattern, whatever its name: read as one, that of the
// project in d[1] matches the launches of d1.
func TestDirectoryIsNoPattern(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"d[1]/a.toml", "d1/a.toml", "d1/b.toml"} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Parse(filepath.Join(dir, "d[1]", "warpbound.toml"), []byte("[[launches]]\nfiles = [\"*.toml\", \"../d1/b*.toml\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range f.Cases {
		got = append(got, f.Cases[i].Launch.Text)
	}
	if want := []string{filepath.Join(dir, "d[1]", "a.toml"), filepath.Join(dir, "d1", "b.toml")}; !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
	for text, want := range map[string]string{`/a/b`: `/a/b`, `/[*?]`: `/[[][*][?]]`} {
		if got := literal(filepath.FromSlash(text)); got != filepath.FromSlash(want) {
			t.Errorf("literal of %s is %s, expected %s", text, got, want)
		}
	}
}

// A launch is the same by each of its paths, and on the usual GPU whether that is named or
// not: a budget that one entry states is not beside another.
func TestSameLaunch(t *testing.T) {
	dir := folder(t)
	parse := func(text string) (*File, error) { return Parse(filepath.Join(dir, "warpbound.toml"), []byte(text)) }
	t.Chdir(dir)
	for _, other := range []string{
		`files = ["one.toml"]` + "\n" + `gpus = ["` + DefaultGPU + `"]`,
		`files = ["kernels/../one.toml"]`,
	} {
		_, err := parse("[[launches]]\nfiles = [\"one.toml\"]\nbudget = 5\n[[launches]]\nbudget = 9\n" + other + "\n")
		if err == nil || !strings.Contains(err.Error(), "is there twice on the same GPU") {
			t.Errorf("%s: %v", other, err)
		}
	}
	abs := filepath.ToSlash(filepath.Join(dir, "one.toml"))
	_, err := Parse("warpbound.toml", []byte("[[launches]]\nfiles = [\"one.toml\", \""+abs+"\"]\n"))
	if err == nil || !strings.Contains(err.Error(), "is there twice on the same GPU") {
		t.Errorf("%s: %v", abs, err)
	}
	f, err := parse("[[launches]]\nfiles = [\"kernels/*.toml\"]\nbudget = 5\n[[launches]]\nfiles = [\"kernels/b.toml\"]\ngpus = [\"" + DefaultGPU + "\"]\nbudget = 9\n")
	if err != nil || len(f.Cases) != 3 || f.Cases[1].Budget.Cycles(1) != 9 {
		t.Errorf("%+v, %v", f, err)
	}
}
