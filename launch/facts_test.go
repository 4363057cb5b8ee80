package launch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/launch"
)

func texts(list []launch.Fact) string {
	var out []string
	for i := range list {
		out = append(out, list[i].String())
	}
	return strings.Join(out, "; ")
}

func TestFactFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"k.facts", "[loops]\n\"L\" = 3\n\"M\" = { total = 4, max = 2 }\n", `loops."L" = 3; loops."M" = 2; loops."M".total = 4`},
		{"k.facts", "[facts]\nuniform = [\"A\", \"k.cu:3\"]\nexclusive = [[\"A\", \"B\"]]\n[[facts.counts]]\nmost = 0\nplaces = { B = -1, A = 2 }\n",
			`facts.uniform "A"; facts.uniform "k.cu:3"; facts.exclusive "A" and "B"; facts.counts 2 x "A" - "B" <= 0`},
		{"k.ff", "loop \"L\" 3;", `loops."L" = 3`},
		{"k.FF", "# one\n// two\n/* three\n*/ checksum \"k\" 0x1;\n loop \"k.cu\":12 max 0x10 total 100 ;loop \"M\" total 7;", `loops."k.cu:12" = 16; loops."k.cu:12".total = 100; loops."M".total = 7`},
	} {
		got, err := launch.ParseFacts(c.name, []byte(c.text))
		if err != nil || texts(got) != c.want {
			t.Errorf("%s: %q: %s %v, want %s", c.name, c.text, texts(got), err, c.want)
		}
	}
}

func TestBadFactFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"k.facts", "", "k.facts:1:1: no fact, expected a table [loops] or [facts]"},
		{"k.facts", "loops = 3\n", "k.facts:1:9: loops is an integer, expected a table"},
		{"k.facts", "[loops]\n\"L\" = 1.5\n", `k.facts:2:7: loops."L" is a float, expected an integer, or a table with max, total or warp_total`},
		{"k.facts", "[loops]\n\"L\" = { any_order = true }\n", `loops."L" has none of max, total and warp_total`},
		{"k.facts", "[loops]\n\"L\" = { total = -1 }\n", `k.facts:2:17: loops."L".total is -1, expected an integer from 0`},
		{"k.facts", "[loops]\n\"L\" = 1\n[facts]\nfile = \"k.ff\"\n", "k.facts:4:8: facts.file is set, expected it in a launch file only"},
		{"k.facts", "[facts]\nuniform = [\"\"]\n", "facts.uniform has a place without a name"},
		{"k.facts", "[facts]\nexclusive = [[\"A\", \"A\"]]\n", "facts.exclusive.0 has 1 places, expected two different ones"},
		{"k.facts", "[[facts.counts]]\nplaces = { A = 1 }\n", `no key "most" in facts.counts.0`},
		{"k.facts", "[[facts.counts]]\nmost = 1\nplaces = {}\n", "facts.counts.0 has no places, expected at least one"},
		{"k.facts", "[[facts.counts]]\nmost = 1\nplaces = { A = 0 }\n", `facts.counts.0 counts "A" 0 times, expected another factor`},
		{"k.facts", "kernel = \"k.ptx\"\n", `k.facts:1:1: unknown key "kernel"`},
		{"k.ff", "", `k.ff:1:1: no loop, expected one such as: loop "label" 64;`},
		{"k.ff", "loop \"L\" 3", "k.ff:1:1: loop without an end, expected a semicolon"},
		{"k.ff", "loop 0x40 3;", "k.ff:1:1: a loop without a name, expected a label in quotation marks: PTX has no addresses"},
		{"k.ff", "loop \"L\";", "k.ff:1:1: a loop without a bound, expected a number, max or total"},
		{"k.ff", "loop \"L\" max x;", `k.ff:1:14: "x", expected a number of iterations`},
		{"k.ff", "loop \"L\" 3 in \"f\" / \"g\";", `k.ff:1:12: "in", expected a number, max or total: offsets and calling contexts`},
		{"k.ff", "\nmultibranch \"a\" to \"b\";", `k.ff:2:1: "multibranch", expected loop or checksum`},
		{"k.ff", "loop \"L 3;\n", "k.ff:1:6: a string without an end"},
		{"k.ff", "/* loop \"L\" 3;", "k.ff:1:1: a comment without an end, expected */"},
	} {
		_, err := launch.ParseFacts(c.name, []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q: %v, want %s", c.name, c.text, err, c.want)
		}
	}
}

// What is written of bounds on loops reads as the same, and the rest is counted.
func TestWriteFF(t *testing.T) {
	list, err := launch.ParseFacts("k.facts", []byte("[loops]\n\"L\" = { max = 3, total = 9 }\n\"dir/k.cu:12\" = 4\n\"M\" = { warp_total = 5 }\n[facts]\nuniform = [\"A\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	left, err := launch.WriteFF(&out, list)
	if err != nil || left != 2 || out.String() != "loop \"L\" max 3 total 9;\nloop \"dir/k.cu\":12 max 4;\n" {
		t.Errorf("%d left, %v, %q", left, err, out.String())
	}
	again, err := launch.ParseFacts("k.ff", []byte(out.String()))
	if want := `loops."L" = 3; loops."L".total = 9; loops."dir/k.cu:12" = 4`; err != nil || texts(again) != want {
		t.Errorf("%s %v, want %s", texts(again), err, want)
	}
}

// A launch has the facts of its file and of the one that it names, and names it among its
// files.
func TestFactsOfAFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"k.ptx": ".version 7.0\n", "k.facts": "[loops]\n\"L\" = 3\n\"M\" = 2\n", "k.toml": head + "[loops]\n\"L\" = 5\n[facts]\nfile = \"k.facts\"\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := launch.Load(filepath.Join(dir, "k.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if want := `loops."L" = 5; loops."L" = 3; loops."M" = 2`; texts(l.Facts) != want || l.Loops["L"] != 3 || l.Loops["M"] != 2 {
		t.Errorf("%s, %v, want %s", texts(l.Facts), l.Loops, want)
	}
	if files := strings.Join(l.Files(), " "); !strings.Contains(files, filepath.Join(dir, "k.facts")) {
		t.Errorf("files: %s", files)
	}
}

func FuzzFacts(f *testing.F) {
	f.Add("k.ff", "loop \"L\" max 3 total 4; // x\nchecksum \"a\" 1;")
	f.Add("k.facts", "[loops]\nL = { max = 3 }\n[facts]\nuniform = [\"A\"]\nexclusive = [[\"A\", \"B\"]]\n[[facts.counts]]\nmost = 3\nplaces = { A = 1 }\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		list, err := launch.ParseFacts(name, []byte(text))
		if err == nil && len(list) == 0 {
			t.Error("no fact and no error")
		}
	})
}
