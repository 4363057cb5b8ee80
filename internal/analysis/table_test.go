package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// A bound of a method rests on theorems that the table names, of a scope that it
// names, and is unsafe only where the table says that it can be; it is the sum of parts
// of bound's table, each once.
func TestBoundsKeepToTheTable(t *testing.T) {
	swas := &method.FrontEnd{Variant: gpu.SWaS, IssuePolicy: "lrr"}
	seen := map[string]bool{}
	for _, file := range []string{"basic/reduce/reduce.toml", "basic/saxpy/saxpy.toml", "polybench/gemm/gemm.toml"} {
		l := open(t, "../../examples/"+file)
		for gpu, questions := range map[string][]method.Question{
			"ecrts2025-200":                          {{Methods: Names(method.Plain)}, {Policy: "srr"}, {Policy: "lrr"}},
			"rtx3070":                                {{}},
			"ecrts2025-5 sm.max_blocks=1 sm.count=2": {{Methods: []string{"graham"}}},
			"vortex-32x32":                           {{FrontEnd: swas}},
			"gtx480":                                 {{Reordered: true}, {Reordered: true, Policy: "segments"}},
		} {
			for _, q := range questions {
				r, err := Run(t.Context(), cacheLaunch(l), gpus.Preset(t, strings.Fields(gpu)[0], strings.Fields(gpu)[1:]...), q)
				if err != nil {
					t.Fatalf("%s on %s, %+v: %v", file, gpu, q, err)
				}
				for _, s := range r.Scopes {
					for i := range s.Bounds {
						seen[s.Bounds[i].Method] = true
						keeps(t, &s.Bounds[i], q.Machine())
					}
					for _, no := range s.Refused {
						if m := Lookup(no.Method); m == nil || !m.On(no.Scope) || no.Reason == "" || no.Assumption == "" {
							t.Errorf("refused: %+v", no)
						}
					}
				}
			}
		}
	}
	for _, m := range Table {
		if !seen[m.Name] {
			t.Errorf("no bound by %s", m.Name)
		}
	}
}

func keeps(t *testing.T, b *bound.Bound, on method.MachineKind) {
	t.Helper()
	m := Lookup(b.Method)
	if m == nil || !m.On(b.Scope) {
		t.Errorf("%s on a %s is not in the table", b.Method, b.Scope)
		return
	}
	if !b.Safe && !m.Unsafe && m.Machine == on {
		t.Errorf("%s is never unsafe by the table: %s", b.Method, b.UnsafeReason)
	}
	for i, c := range b.Breakdown {
		if c != bound.Part(c.ID, c.Cycles) || !slices.ContainsFunc(bound.Parts(), func(e bound.PartEntry) bool { return e.ID == c.ID }) {
			t.Errorf("%s on a %s: part %+v is not in the table", b.Method, b.Scope, c)
		}
		if slices.ContainsFunc(b.Breakdown[:i], func(d bound.Component) bool { return d.ID == c.ID }) {
			t.Errorf("%s on a %s: part %s twice", b.Method, b.Scope, c.ID)
		}
	}
	_, numbers, ok := strings.Cut(b.Theorem, "theorem")
	if !ok || !b.Safe {
		return
	}
	for _, word := range strings.FieldsFunc(numbers, func(r rune) bool { return r < '0' || r > '9' }) {
		if !slices.ContainsFunc(m.Theorems, func(n int) bool { return fmt.Sprint(n) == word }) {
			t.Errorf("%s on a %s rests on theorem %s, which the table does not name (%q)", b.Method, b.Scope, word, b.Theorem)
		}
	}
}

// A table that contradicts itself stops the program.
func TestTableIsChecked(t *testing.T) {
	good := *Table[0]
	for what, spoil := range map[string]func(*method.Method){
		"two are called gub":  func(*method.Method) {},
		"names no theorem":    func(m *method.Method) { m.Name, m.Theorems = "x", nil },
		"without a full stop": func(m *method.Method) { m.Name, m.Doc = "x", "Ends." },
		"expected a name":     func(m *method.Method) { m.Name = "X" },
		"bounds nothing":      func(m *method.Method) { m.Name, m.Scopes = "x", nil },
		"not recorded":        func(m *method.Method) { m.Name, m.Need = "x", method.Accesses },
	} {
		bad := good
		spoil(&bad)
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, what) {
					t.Errorf("%q, want %q", text, what)
				}
			}()
			check([]*method.Method{&good, &bad})
		}()
	}
}

// Combinations that mean nothing are refused in one place.
func TestQuestionsThatMeanNothing(t *testing.T) {
	for want, q := range map[string]method.Question{
		"expected one of them": {FrontEnd: &method.FrontEnd{}, Policy: "srr"},
		"one of them":          {FrontEnd: &method.FrontEnd{}, Reordered: true},
		`method "replay"`:      {Methods: []string{"replay"}},
	} {
		if _, err := choose(&q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", q, err, want)
		}
	}
}
