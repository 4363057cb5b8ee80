package certify

import (
	"slices"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// nodes checks the form of expressions and what they charge.
func (k *checker) nodes() {
	k.empty = make([]bool, len(k.Nodes))
	for i := range k.Nodes {
		x := &k.Nodes[i]
		where := at("nodes", i)
		for _, p := range x.Parts {
			index(where+".parts", p, i)
		}
		for _, s := range x.Run {
			index(where+".run", s, len(k.Symbols))
		}
		if x.Kind == "repeat" || x.Kind == "at-most" {
			index(where+".body", x.Body, i)
			need(x.Count >= 1, where, "count %d, expected at least 1", x.Count)
		}
		isEmpty := func(p int64) bool { return k.empty[p] }
		switch n := len(x.Parts); {
		case x.Kind == "run":
			k.empty[i] = len(x.Run) == 0
		case x.Kind == "concat" && n > 0:
			k.empty[i] = !slices.ContainsFunc(x.Parts, func(p int64) bool { return !isEmpty(p) })
		case x.Kind == "one" && n > 0:
			k.empty[i] = slices.ContainsFunc(x.Parts, isEmpty)
		case x.Kind == "any" && n > 1 || x.Kind == "at-most":
			k.empty[i] = true
		case x.Kind == "repeat":
			k.empty[i] = isEmpty(x.Body)
		default:
			refuse(where, "kind %q with %d parts", x.Kind, n)
		}
		for u := -1; u < len(k.m.Units); u++ {
			stated, least := k.charge(int64(i), u), k.leastCharge(x, u)
			if stated < least || stated > maxTime {
				refuse(where, "charge of %d cycles on unit %d (-1: in all) < %d of a path", stated, u, least)
			}
		}
	}
}

// leastCharge is what a node charges on a unit at least, or with -1 in all, by what its
// parts state.
func (k *checker) leastCharge(x *cert.Node, u int) (least int64) {
	switch x.Kind {
	case "run":
		for _, s := range x.Run {
			if o := &k.ops[s]; u < 0 || o.unit == units+u {
				least = add(least, o.init)
			}
		}
	case "concat", "any":
		for _, p := range x.Parts {
			least = add(least, k.charge(p, u))
		}
	case "one":
		for _, p := range x.Parts {
			least = max(least, k.charge(p, u))
		}
	default:
		least = mul(x.Count, k.charge(x.Body, u))
	}
	return least
}

// charge is what a node states for a unit, or with -1 in all.
func (k *checker) charge(node int64, unit int) int64 {
	if unit < 0 {
		return k.Nodes[node].Charge
	}
	for _, p := range k.Nodes[node].Units {
		if p[0] == int64(unit) {
			return p[1]
		}
	}
	return 0
}

// neighbours holds every two instructions that a path has one behind the other against
// the control flow of the kernel.
func (k *checker) neighbours() {
	f := newFlow(k.k, func(c class) bool { return !k.m.rule(c).NotIssued })
	// Barriers end sections, but where they make no warp wait: of a block of one.
	alone := k.Block[0]*k.Block[1]*k.Block[2] <= k.m.SM.WarpSize && !k.m.Barrier.Draining && k.m.Barrier.DelayCycles == 0
	inside := true // of a section
	check := func(where string, from, to []int) {
		for _, a := range from {
			x := &k.k.code[a]
			need(alone || x.barrier != inside, where, "%s at %d:%d: a section ends with a barrier, and nowhere else", x.opcode, x.line, x.column)
			for _, b := range to {
				if k.pairs[[2]int{a, b}] {
					continue
				}
				k.pairs[[2]int{a, b}] = true
				y := &k.k.code[b]
				need(f.follows(a, b), where, "%s at %d:%d does not follow %s at %d:%d", y.opcode, y.line, y.column, x.opcode, x.line, x.column)
			}
		}
	}
	k.first, k.last = make([][]int, len(k.Nodes)), make([][]int, len(k.Nodes))
	for i := range k.Nodes {
		k.ends(at("nodes", i), i, check)
	}
	begin := map[int]bool{}
	inside = false
	f.from([]int{k.k.funcs[0].first}, begin)
	for i, w := range k.Warps {
		where, started := at("warps", i), false
		var last []int
		for _, id := range w.Sections {
			index(where, id, len(k.Sections))
			s := k.Sections[id]
			if s.Node < 0 {
				continue
			}
			index(at("sections", int(id)), s.Node, len(k.Nodes))
			for _, pc := range k.first[s.Node] {
				need(started || begin[pc], where, "begins at %d:%d, which is not where the kernel begins", k.k.code[pc].line, k.k.code[pc].column)
			}
			check(where, last, k.first[s.Node])
			if !k.empty[s.Node] {
				started, last = true, nil
			}
			last = merge(last, k.last[s.Node])
		}
		for _, pc := range last {
			need(f.follows(pc, len(k.k.code)), where, "ends behind %d:%d, where the kernel does not end", k.k.code[pc].line, k.k.code[pc].column)
		}
	}
}

// ends finds how the paths of a node begin and end, and checks where its parts meet.
func (k *checker) ends(where string, i int, check func(where string, from, to []int)) {
	x := &k.Nodes[i]
	first, last := &k.first[i], &k.last[i]
	switch x.Kind {
	case "run":
		for _, s := range x.Run {
			pc := []int{k.code[k.Symbols[s].Instruction]}
			check(where, *last, pc)
			if *last = pc; *first == nil {
				*first = pc
			}
		}
	case "concat":
		begun := false
		for _, p := range x.Parts {
			check(where, *last, k.first[p])
			if !begun {
				*first = merge(*first, k.first[p])
			}
			if !k.empty[p] {
				begun, *last = true, nil
			}
			*last = merge(*last, k.last[p])
		}
	case "one", "any":
		for j, p := range x.Parts {
			for l, q := range x.Parts {
				if x.Kind == "any" && j != l {
					check(where, k.last[p], k.first[q])
				}
			}
			*first, *last = merge(*first, k.first[p]), merge(*last, k.last[p])
		}
	default:
		if x.Count > 1 {
			check(where, k.last[x.Body], k.first[x.Body])
		}
		*first, *last = k.first[x.Body], k.last[x.Body]
	}
}

// merge joins two sets, in ascending order.
func merge(a, b []int) []int {
	if len(a) == 0 {
		return b
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
