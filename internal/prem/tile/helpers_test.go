package tile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// parse reads C text, or fails the test.
func parse(t testing.TB, name, text string, defines map[string]string) *loop.Unit {
	t.Helper()
	p, err := cfront.Parse(name, text, defines)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func example(t testing.TB, name string, defines map[string]string) *loop.Unit {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "prem", "programs", name+".c"))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, name+".c", string(text), defines)
}

// sizes defines every extent of the examples as n.
func sizes(n string) map[string]string {
	m := make(map[string]string)
	for _, v := range []string{"N", "NI", "NJ", "NK", "NL", "NM", "NN", "NX", "NY", "NP", "NQ", "NR"} {
		m[v] = n
	}
	return m
}

// plan makes the plan of kernel n of the program's function.
func plan(t testing.TB, p *loop.Unit, n int, opt tile.Options) *tile.Plan {
	t.Helper()
	f := p.Funcs[0]
	pl, err := tile.Make(p, f, f.Kernels()[n], opt)
	if err != nil {
		t.Fatal(err)
	}
	return pl
}

// form writes a linear form as its terms in order of the variables: i_tile-1.
func form(l loop.Linear) string { return tile.FormString(l) }

func forms(list []loop.Linear) string {
	var out []string
	for _, l := range list {
		out = append(out, form(l))
	}
	return strings.Join(out, ", ")
}
