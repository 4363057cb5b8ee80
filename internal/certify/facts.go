package certify

import (
	"fmt"
	"path/filepath"
	"slices"
)

// terms are of a limit the factors of symbols and what they sum up to at most along any
// path, of an exclusive pair along any path of its case; of prices those of symbols and
// what limits give back for them on paths that respect them.
type terms struct {
	of  []int64 // by symbol
	all int64
}

// limits finds which symbols limits count.
func (k *checker) limits() {
	for i := range k.Limits {
		l, where := &k.Limits[i], at("limits", i)
		out := terms{of: make([]int64, len(k.Symbols)), all: l.Most}
		places, factors, back := l.Places, l.Factors, false
		switch l.Kind {
		case "counts":
		case "exclusive":
			need(len(places) == 2 && out.all == 0, where, "%v up to %d times, expected two places and none", places, out.all)
			places, factors = places[:1], []int64{1}
		case "total": // of each thread of a warp
			out.all = mul(out.all, min(k.Block[0]*k.Block[1]*k.Block[2], k.m.sm["warp_size"]))
			fallthrough
		case "warp_total":
			factors, back = []int64{1}, true
		default:
			refuse(where, "kind %q, expected counts, exclusive, total or warp_total", l.Kind)
		}
		need(len(places) == len(factors) && out.all >= 0, where, "%d places with %d factors, at most %d", len(places), len(factors), out.all)
		for j, place := range places {
			pc := k.place(where, place)
			need(factors[j] >= 0 || !k.m.rule(k.k.code[pc].class).NotIssued, where, "%s is not issued, so that it takes nothing from a sum", place)
			for s := range k.Symbols {
				if k.code[k.Symbols[s].Instruction] == pc && (k.Symbols[s].Back || !back) {
					out.of[s] = add(out.of[s], factors[j])
				}
			}
		}
		k.limit = append(k.limit, out)
	}
}

// place is the instruction at a label, or alone on a line of the kernel's file.
func (k *checker) place(where, name string) int {
	pcs := slices.Clone(k.k.labels[name])
	for i := range k.k.code {
		if name == fmt.Sprintf("%s:%d", filepath.Base(k.Kernel.File), k.k.code[i].line) {
			pcs = append(pcs, i)
		}
	}
	need(len(pcs) == 1, where, "%d instructions at %s in the kernel, expected one", len(pcs), name)
	return pcs[0]
}

func negative(f int64) bool { return f < 0 }

// price adds up what symbols cost.
func (k *checker) price() {
	need(len(k.Prices) > 0 && len(k.Prices[0]) == 0, "prices", "the first are some, expected none")
	for i, list := range k.Prices {
		out := terms{of: make([]int64, len(k.Symbols))}
		for _, x := range list {
			index(at("prices", i), x[0], len(k.limit))
			need(x[1] >= 0, at("prices", i), "a price of %d, expected at least 0", x[1])
			for s, f := range k.limit[x[0]].of {
				out.of[s] = add(out.of[s], mul(x[1], f))
			}
			out.all = add(out.all, mul(x[1], k.limit[x[0]].all))
		}
		k.priced = append(k.priced, out)
	}
}

// largest is the largest of a figure that the cases of a section have, each under its
// prices: with what limits give back. Every path has to be of one of the cases: of the only
// one, or without one place of an exclusive pair, or without the other. What symbols
// outweigh is known of whole paths only.
func (k *checker) largest(where string, whole bool, cases [][2]int64) int64 {
	figure := int64(0)
	var pairs [][]string
	for _, c := range cases {
		figure = max(figure, add(c[1], k.priced[c[0]].all))
		for _, x := range k.Prices[c[0]] {
			l := &k.Limits[x[0]]
			need(whole || !slices.ContainsFunc(k.limit[x[0]].of, negative), where, "prices %d are of a difference, which holds of paths without barriers", c[0])
			if l.Kind == "exclusive" {
				pairs = append(pairs, l.Places)
			}
		}
	}
	opposite := len(pairs) == 2 && len(cases) == 2 && slices.Equal(pairs[0], []string{pairs[1][1], pairs[1][0]})
	need(len(cases) == 1 && len(pairs) == 0 || opposite, where, "%d cases with %d sides of exclusive pairs, expected every path in one", len(cases), len(pairs))
	return figure
}
