package patches

import (
	"strings"
	"testing"
	"testing/fstest"
)

const before = "package p\n\nfunc f(n int) int {\n\tn++\n\tif n > 2 {\n\t\treturn 1\n\t}\n\tn++\n\treturn n\n}\n"

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name, patches, want string
	}{
		{"a line changed", "@ p.go a\n-\tif n > 2 {\n+\tif n > 2 && !fault.On(fault.A) {\n",
			strings.Replace(before, "n > 2 {", "n > 2 && !fault.On(fault.A) {", 1)},
		{"lines added behind one", "@ p.go a\n func f(n int) int {\n+\tif fault.On(fault.A) {\n+\t\tn--\n+\t}\n",
			strings.Replace(before, "int {\n", "int {\n\tif fault.On(fault.A) {\n\t\tn--\n\t}\n", 1)},
		{"at one place, in order", "@ p.go a\n func f(n int) int {\n+\tone()\n\n@ p.go b\n func f(n int) int {\n+\ttwo()\n\n@ p.go c\n-func f(n int) int {\n+func g(n int) int {\n",
			strings.Replace(before, "func f(n int) int {\n", "func g(n int) int {\n\tone()\n\ttwo()\n", 1)},
		{"the second of two equal lines", "@ p.go a\n-\tn++\n+\tn--\n \treturn n\n",
			strings.Replace(before, "n++\n\treturn", "n--\n\treturn", 1)},
		{"two places", "@ p.go a\n-\tif n > 2 {\n+\tif n > 3 {\n \t\treturn 1\n-\t}\n+\t} // if\n",
			strings.Replace(strings.Replace(before, "2", "3", 1), "\t}\n", "\t} // if\n", 1)},
		{"a line less", "@ p.go a\n-\tn++\n \treturn n\n", strings.Replace(before, "\tn++\n\treturn", "\treturn", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			patches, err := parse("p.txt", "# About p.\npackage p\n\n"+c.patches)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Apply(before, patches)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestPatchesThatDoNotApply(t *testing.T) {
	for _, c := range []struct {
		name, patches, want string
	}{
		{"a line that is gone", "@ p.go a b\n-\tn += 2\n+\tn += 3\n",
			`p.txt:3: a, b: its lines marked ' ' and '-' are at 0 places of p/p.go, and expected at one; bring them up to date: the file has no line "\tn += 2"`},
		{"lines no longer together", "@ p.go a\n-\tn++\n-\treturn 1\n", "are at 0 places"},
		{"a line at two places", "@ p.go a\n-\tn++\n+\tn--\n", "p.txt:3: a: its lines marked ' ' and '-' are at 2 places of p/p.go, and expected at one; add lines marked ' ' around them"},
		{"nowhere", "@ p.go a\n+\tn++\n", "it says nowhere where it belongs"},
		{"nothing", "@ p.go a\n \treturn n\n", "it changes nothing"},
		{"one line by two patches", "@ p.go a\n-\treturn n\n+\treturn 0\n\n@ p.go b\n-\treturn n\n+\treturn 1\n",
			"p.txt:7: it changes line 9, as the patch at p.txt:3 does; make one patch of them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			patches, err := parse("p.txt", "package p\n\n"+c.patches)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Apply(before, patches); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q and error %v, and expected %s", got, err, c.want)
			}
		})
	}
}

func TestFilesOfPatchesThatAreWrong(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"no package", "# Comment.\n@ p.go a\n", folder + `/p.txt:2: "@ p.go a", and expected "package" and the package's folder`},
		{"no faults", "package p\n\n@ p.go\n+x\n", folder + `/p.txt:3: "@ p.go", and expected "@", a file and the names of faults`},
		{"no mark", "package p\n\n@ p.go a\n-x\ny\n", folder + `/p.txt:5: "y", and expected a line marked ' ', '-' or '+'`},
		{"no head", "package p\n\n-x\n", folder + `/p.txt:3: "-x" is outside of a patch`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(fstest.MapFS{"p.txt": {Data: []byte(c.text)}})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got error %v, and expected %s", err, c.want)
			}
		})
	}
}
