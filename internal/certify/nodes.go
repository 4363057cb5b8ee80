package certify

import (
	"slices"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// heaviest is of each node the largest sum of weights along any path.
func heaviest(nodes []cert.Node, weight func(symbol int64) int64) []int64 {
	best := make([]int64, len(nodes))
	sum := func(of []int64, value func(x int64) int64) (total int64) {
		for _, x := range of {
			total = add(total, value(x))
		}
		return total
	}
	for i := range nodes {
		switch x := &nodes[i]; x.Kind {
		case "run":
			best[i] = sum(x.Run, weight)
		case "concat":
			best[i] = sum(x.Parts, func(p int64) int64 { return best[p] })
		case "any":
			best[i] = sum(x.Parts, func(p int64) int64 { return max(0, best[p]) })
		case "one":
			best[i] = best[x.Parts[0]]
			for _, p := range x.Parts {
				best[i] = max(best[i], best[p])
			}
		case "repeat":
			best[i] = mul(x.Count, best[x.Body])
		default:
			best[i] = mul(x.Count, max(0, best[x.Body]))
		}
	}
	return best
}

// ends are the instructions with which the paths of a node begin and end; one may be empty.
type ends struct {
	first, last []int
	empty       bool
}

// then is b behind a; meet is told what comes behind what.
func (a ends) then(b ends, meet func(from, to []int)) ends {
	meet(a.last, b.first)
	out := ends{a.first, b.last, a.empty && b.empty}
	if a.empty {
		out.first = merge(a.first, b.first)
	}
	if b.empty {
		out.last = merge(a.last, b.last)
	}
	return out
}

// endsOf are those of each node, of which it checks the form; meet is told what comes
// behind what.
func endsOf(list string, nodes []cert.Node, symbol func(s int64) ends, meet func(where string, from, to []int)) []ends {
	var out []ends // an index beyond those before is malformed
	for i := range nodes {
		x, e := &nodes[i], ends{empty: true}
		least, known := map[string]int{"run": 0, "concat": 1, "one": 1, "any": 1, "repeat": 0, "at-most": 0}[x.Kind]
		loop := x.Kind == "repeat" || x.Kind == "at-most"
		need(known && len(x.Parts) >= least && (!loop || x.Count >= 1), at(list, i), "kind %q with %d parts, %d times", x.Kind, len(x.Parts), x.Count)
		behind := func(from, to []int) { meet(at(list, i), from, to) }
		switch x.Kind {
		case "run":
			for _, s := range x.Run {
				e = e.then(symbol(s), behind)
			}
		case "concat":
			for _, p := range x.Parts {
				e = e.then(out[p], behind)
			}
		case "one", "any":
			e.empty = x.Kind == "any"
			for j, p := range x.Parts {
				for l, q := range x.Parts {
					if x.Kind == "any" && j != l {
						behind(out[p].last, out[q].first)
					}
				}
				e = ends{merge(e.first, out[p].first), merge(e.last, out[p].last), e.empty || out[p].empty}
			}
		case "repeat", "at-most":
			e = out[x.Body]
			if x.Count > 1 {
				behind(e.last, e.first)
			}
			e.empty = e.empty || x.Kind == "at-most"
		}
		out = append(out, e)
	}
	return out
}

// merge joins two sets, in ascending order.
func merge(a, b []int) []int {
	if len(a) == 0 {
		return b
	}
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// stages is the expression over the sections of a block, behind its parts: the one stated,
// or each section once.
func (k *checker) stages(b *cert.BlockClass) []cert.Node {
	if b.Stages != nil {
		index("stages", *b.Stages, len(k.Stages))
		return k.Stages[:*b.Stages+1]
	}
	once := cert.Node{Kind: "run"}
	for _, g := range b.Groups {
		for len(once.Run) < len(k.Warps[g.Warp].Sections) {
			once.Run = append(once.Run, int64(len(once.Run)))
		}
	}
	return []cert.Node{once}
}

// neighbours holds every two instructions that a path has one behind the other against
// the control flow of the kernel.
func (k *checker) neighbours() {
	f := newFlow(k.k, func(c class) bool { return !k.m.rule(c).NotIssued })
	// Barriers end sections, but where they make no warp wait: of a block of one.
	alone := k.Block[0]*k.Block[1]*k.Block[2] <= k.m.sm["warp_size"] && !k.m.Barrier.Draining && k.m.Barrier.DelayCycles == 0
	inside := true // of a section
	// Stages may have a section of one side of a branch behind one of the other: behind some
	// barrier.
	resumed := map[int]bool{}
	meet := func(where string, from, to []int) {
		for _, a := range from {
			x := &k.k.code[a]
			need(alone || len(to) == 0 || x.barrier != inside, where, "%s at %d:%d: a section ends with a barrier, and nowhere else", x.opcode, x.line, x.column)
			for _, b := range to {
				if y := &k.k.code[b]; !k.pairs[[2]int{a, b}] && !resumed[b] {
					need(f.follows(a, b), where, "%s at %d:%d does not follow %s at %d:%d", y.opcode, y.line, y.column, x.opcode, x.line, x.column)
					k.pairs[[2]int{a, b}] = true
				}
			}
		}
	}
	nodes := endsOf("nodes", k.Nodes, func(s int64) ends {
		pc := []int{k.code[k.Symbols[s].Instruction]}
		return ends{first: pc, last: pc}
	}, meet)
	begin := map[int]bool{}
	f.from([]int{k.k.funcs[0].first}, begin)
	inside = false
	for i := range k.Blocks {
		b, where := &k.Blocks[i], at("blocks", i)
		clear(resumed)
		for pc := range k.k.code {
			if b.Stages != nil && k.k.code[pc].barrier {
				f.from(slices.Clone(f.next[pc]), resumed)
			}
		}
		for _, g := range b.Groups {
			index(where+".warp", g.Warp, len(k.Warps))
			sections := k.Warps[g.Warp].Sections
			whole := endsOf(where+", stages", k.stages(b), func(s int64) ends {
				if int(s) >= len(sections) || k.Sections[sections[s]].Node < 0 {
					return ends{empty: true}
				}
				return nodes[k.Sections[sections[s]].Node]
			}, meet)
			end := whole[len(whole)-1]
			for _, pc := range end.first {
				need(begin[pc], where, "warp %d begins at %d:%d, which is not where the kernel begins", g.Warp, k.k.code[pc].line, k.k.code[pc].column)
			}
			for _, pc := range end.last {
				need(f.follows(pc, len(k.k.code)), where, "warp %d ends behind %d:%d, where the kernel does not end", g.Warp, k.k.code[pc].line, k.k.code[pc].column)
			}
		}
	}
}
