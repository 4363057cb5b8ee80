package certify

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/certificate"
)

// The kernel of launches within facts: sides of a branch in a loop, and a barrier behind
// it where it has one.
const factKernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 list) {
	.reg .pred %%p<3>; .reg .b32 %%r<4>; .reg .f32 %%f<3>; .reg .b64 %%d<2>;
	ld.param.u64 %%d0, [list];
	mov.f32 %%f1, 0f40000000;
L:
	ld.global.u32 %%r1, [%%d0];
	add.u64 %%d0, %%d0, 4;
	setp.eq.u32 %%p1, %%r1, 3;
	@%%p1 bra B;
A:
	div.rn.f32 %%f1, %%f1, %%f1;
	div.rn.f32 %%f1, %%f1, %%f1;
	bra N;
B:
	sin.approx.f32 %%f2, %%f1;
	sin.approx.f32 %%f1, %%f2;
	sin.approx.f32 %%f1, %%f1;
N:
	setp.ne.u32 %%p0, %%r1, 0;
	@%%p0 bra L;
	%s
	ret;
}
`

// within are facts of such a launch, with the kinds of limits that show its figures.
var within = []struct {
	name, behind, facts string
	kinds               []string
}{
	{name: "counts", facts: "[loops]\nL = 9\n[[facts.counts]]\nmost = 4\nplaces = { A = 1 }\n", kinds: []string{"counts"}},
	{name: "two counts", facts: "[loops]\nL = 9\n[[facts.counts]]\nmost = 4\nplaces = { A = 1 }\n[[facts.counts]]\nmost = 9\nplaces = { A = 1, B = 2 }\n", kinds: []string{"counts"}},
	{name: "a difference", facts: "[loops]\nL = 9\n[[facts.counts]]\nmost = 2\nplaces = { A = 2, B = -1 }\n", kinds: []string{"counts"}},
	{name: "a line", facts: "[loops]\nL = 9\n[[facts.counts]]\nmost = 3\nplaces = { \"k.ptx:14\" = 1 }\n", kinds: []string{"counts"}},
	{name: "exclusive", facts: "[loops]\nL = 9\n[facts]\nexclusive = [[\"A\", \"B\"]]\n", kinds: []string{"exclusive"}},
	{name: "exclusive and counts", facts: "[loops]\nL = 9\n[facts]\nexclusive = [[\"B\", \"A\"]]\n[[facts.counts]]\nmost = 7\nplaces = { N = 1 }\n", kinds: []string{"counts", "exclusive"}},
	{name: "warp_total", facts: "[loops]\nL = { max = 9, warp_total = 6 }\n", kinds: []string{"warp_total"}},
	{name: "total", facts: "[loops]\nL = { max = 9, total = 3 }\n"},
	{name: "behind a barrier", behind: "bar.sync 0; add.u32 %r2, %r1, 1;", facts: "[loops]\nL = 9\n[facts]\nexclusive = [[\"A\", \"B\"]]\n[[facts.counts]]\nmost = 7\nplaces = { N = 1 }\n[[facts.counts]]\nmost = 2\nplaces = { A = 2, B = -1 }\n", kinds: []string{"counts", "exclusive"}},
}

// factLaunch writes a launch of so many threads within facts.
func factLaunch(t testing.TB, behind, facts string, threads int) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k.ptx":  fmt.Sprintf(factKernel, behind),
		"k.toml": fmt.Sprintf("kernel = \"k.ptx\"\ngrid = [3]\nblock = [%d]\n[[args]]\nname = \"list\"\ntype = \"s32\"\ncount = 64\ninit = { zero = true }\n%s", threads, facts),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "k.toml")
}

// factMachines are machines for launches within facts.
var factMachines = [][]string{{}, {"queue.kind=none"}, {"sm.schedulers=2", "units.SFU.shared=true", "units.MEM.shared=true", "queue.order=any"}, {"sm.count=2"}}

// dearer says which launch within facts has another figure than the analysis, or one that
// is no smaller than without what limits it.
func dearer(t testing.TB) string {
	for _, set := range factMachines {
		m := preset(t, "ecrts2025-200", set...)
		without := made(t, factLaunch(t, "", "[loops]\nL = 9\n", 96), m)
		for _, w := range within {
			c := made(t, factLaunch(t, w.behind, w.facts, 96), m)
			switch {
			case c == nil:
				return fmt.Sprintf("%s with %v: no bound", w.name, set)
			case c.Result.Launch != c.sum.Cycles || c.Result.Block != c.block:
				return fmt.Sprintf("%s with %v: the certificate has %d cycles, %d for a block, the analysis %d and %d", w.name, set, c.Result.Launch, c.Result.Block, c.sum.Cycles, c.block)
			case w.behind == "" && w.kinds != nil && c.Result.Launch >= without.Result.Launch:
				return fmt.Sprintf("%s with %v: %d cycles, %d without facts", w.name, set, c.Result.Launch, without.Result.Launch)
			}
			var kinds []string
			for _, l := range c.Limits {
				kinds = append(kinds, l.Kind)
			}
			slices.Sort(kinds)
			if kinds = slices.Compact(kinds); !slices.Equal(kinds, w.kinds) {
				return fmt.Sprintf("%s with %v: limits %v, expected %v", w.name, set, kinds, w.kinds)
			}
		}
	}
	return ""
}

// Certificates of launches within facts have the figures of the analysis.
func TestFactsCertify(t *testing.T) {
	if wrong := dearer(t); wrong != "" {
		t.Error(wrong)
	}
}

// withinFacts is a launch within facts, by name.
func withinFacts(t testing.TB, name string) string {
	t.Helper()
	for _, w := range within {
		if w.name == name {
			return factLaunch(t, w.behind, w.facts, 96)
		}
	}
	t.Fatalf("no facts %q", name)
	return ""
}

// factRefusals are changes of certificates of launches within facts, or with stages where
// no facts are named, each with what its refusal says.
var factRefusals = []struct {
	within, what string
	change       func(c *certified)
}{
	{"counts", "limits[0]: {Kind:counts Places:[A] Factors:[1] Most:3} is not among the facts of the launch: [{Kind:counts Places:[A] Factors:[1] Most:4}]", func(c *certified) { c.Limits[0].Most-- }},
	{"counts", " is not among the facts of the launch: ", func(c *certified) { c.Limits[0].Factors[0]++ }},
	{"counts", " is not among the facts of the launch: ", func(c *certified) { c.Limits[0].Places[0] = "N" }},
	{"warp_total", " is not among the facts of the launch: ", func(c *certified) { c.Limits[0].Most-- }},
	{"total", " is not among the facts of the launch: ", func(c *certified) {
		c.Limits = []certificate.Limit{{Kind: "warp_total", Places: []string{"L"}, Most: 3}}
	}},
	{"counts", "limits[0]: 0 instructions at X in the kernel, expected one", func(c *certified) { c.Launch, c.Limits[0].Places[0] = nil, "X" }},
	{"counts", `limits[0]: kind "sum", expected counts`, func(c *certified) { c.Launch, c.Limits[0].Kind = nil, "sum" }},
	{"counts", "limits[0]: 1 places with 2 factors", func(c *certified) { c.Launch, c.Limits[0].Factors = nil, []int64{1, 1} }},
	{"counts", "prices[1]: a price of -1, expected at least 0", func(c *certified) { c.Prices[1][0][1] = -1 }},
	{"counts", "prices: the first are some", func(c *certified) { c.Prices = c.Prices[1:] }},
	{"counts", " under prices 0, expected of node ", func(c *certified) { c.Uses[pricedPart(c)].Prices = 0 }},
	{"counts", "next issue: ", func(c *certified) { c.Uses[pricedPart(c)].Weight-- }},
	{"counts", "charge of ", func(c *certified) { c.Sections[0].Charges[0][0][1]-- }},
	{"exclusive", "1 cases with 1 sides of exclusive pairs", func(c *certified) { c.Sections[0].Uses = c.Sections[0].Uses[:1] }},
	{"exclusive", "2 cases with 2 sides of exclusive pairs", func(c *certified) { c.Sections[0].Uses[1] = c.Sections[0].Uses[0] }},
	{"exclusive", "1 cases with 1 sides of exclusive pairs", func(c *certified) { c.Sections[0].Charges[0] = c.Sections[0].Charges[0][1:] }},
	{"exclusive", "expected two places and none", func(c *certified) { c.Launch, c.Limits[0].Most = nil, 1 }},
	{"behind a barrier", "are of a difference, which holds of paths without barriers", func(c *certified) {
		c.Limits = append(c.Limits, certificate.Limit{Kind: "counts", Places: []string{"A", "B"}, Factors: []int64{2, -1}, Most: 2})
		c.Prices = append(c.Prices, certificate.Prices{{int64(len(c.Limits) - 1), 1}})
		c.Sections[0].Charges[0] = [][2]int64{{int64(len(c.Prices) - 1), 1 << 40}}
	}},
	{"", " does not follow ", func(c *certified) { // a section that begins elsewhere
		for i := range c.Nodes {
			if n := &c.Nodes[i]; n.Kind == "run" && len(n.Run) > 1 && c.Instructions[c.Symbols[n.Run[0]].Instruction].Opcode == "add.u32" {
				n.Run = n.Run[1:]
			}
		}
	}},
}

// pricedPart is a use under prices that another one relies on.
func pricedPart(c *certified) int64 {
	for i := range c.Uses {
		if u := &c.Uses[i]; u.Prices > 0 && len(u.Parts) > 0 {
			return u.Parts[0]
		}
	}
	return 0
}

// factRefused says which change is not refused as it should be.
func factRefused(t testing.TB) string {
	m := preset(t, "ecrts2025-200")
	for _, x := range factRefusals {
		file := smallStaged(t, 4)
		if x.within != "" {
			file = withinFacts(t, x.within)
		}
		c := made(t, file, m)
		x.change(c)
		if _, err := Check(c.Certificate, c.files); err == nil || !strings.Contains(err.Error(), x.what) {
			return fmt.Sprintf("%s: expected a refusal with %q, found %v", x.within, x.what, err)
		}
	}
	return ""
}

// Facts that the launch does not state, prices that show nothing, and cases that not every
// path is of are refused.
func TestFactsAreRefused(t *testing.T) {
	if wrong := factRefused(t); wrong != "" {
		t.Error(wrong)
	}
}

// miscounted says which limit counts other symbols than those of its places, or has
// another sum.
func miscounted(t testing.TB) string {
	m := preset(t, "ecrts2025-200")
	for _, w := range []struct {
		within string
		limit  certificate.Limit
		most   int64
		of     func(line int64, back bool) int64
	}{
		{"warp_total", certificate.Limit{Kind: "warp_total", Places: []string{"L"}, Most: 6}, 6, func(line int64, back bool) int64 { return at01(line == 9 && back) }},
		{"total", certificate.Limit{Kind: "total", Places: []string{"L"}, Most: 3}, 96, func(line int64, back bool) int64 { return at01(line == 9 && back) }},
		{"counts", certificate.Limit{Kind: "counts", Places: []string{"A"}, Factors: []int64{1}, Most: 4}, 4, func(line int64, _ bool) int64 { return at01(line == 14) }},
		{"a difference", certificate.Limit{Kind: "counts", Places: []string{"A", "B"}, Factors: []int64{2, -1}, Most: 2}, 2, func(line int64, _ bool) int64 { return 2*at01(line == 14) - at01(line == 18) }},
		{"exclusive", certificate.Limit{Kind: "exclusive", Places: []string{"B", "A"}}, 0, func(line int64, _ bool) int64 { return at01(line == 18) }},
	} {
		c := made(t, withinFacts(t, w.within), m)
		c.Limits = append(c.Limits, w.limit)
		k, _, err := followed(c)
		if err != nil {
			return fmt.Sprintf("%s: %v", w.within, err)
		}
		got := k.limit[len(k.limit)-1]
		if got.all != w.most {
			return fmt.Sprintf("%s: at most %d, expected %d", w.within, got.all, w.most)
		}
		counted := false
		for i, s := range c.Symbols {
			want := w.of(c.Instructions[s.Instruction].Line, s.Back)
			if got.of[i] != want {
				return fmt.Sprintf("%s: symbol %d counts %d times, expected %d", w.within, i, got.of[i], want)
			}
			counted = counted || want != 0
		}
		if !counted {
			return fmt.Sprintf("%s: no symbol counts", w.within)
		}
	}
	return ""
}

func at01(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}

func followed(c *certified) (k *checker, result certificate.Result, err error) {
	defer caught(&err)
	k, result = follow(c.Certificate, c.files)
	return k, result, nil
}

// Limits count the symbols at their places.
func TestLimitsCount(t *testing.T) {
	if wrong := miscounted(t); wrong != "" {
		t.Error(wrong)
	}
}

// Limits that no file states are among what is trusted.
func TestUnstatedLimitsAreTrusted(t *testing.T) {
	c := made(t, withinFacts(t, "counts"), preset(t, "ecrts2025-200"))
	const says = "limits, which no file states: [{Kind:counts Places:[A] Factors:[1] Most:4}]"
	for _, stated := range []bool{true, false} {
		if !stated {
			c.Launch = nil
		}
		r, err := Check(c.Certificate, c.files)
		if err != nil || slices.Contains(r.Trusted, says) == stated {
			t.Errorf("stated %t: %+v, %v", stated, r, err)
		}
	}
}
