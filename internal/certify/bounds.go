package certify

import (
	"math/bits"
	"slices"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// add and mul refuse what is beyond maxTime.
func add(values ...int64) int64 {
	total := int64(0)
	for _, v := range values {
		need(max(v, -v) >= 0 && max(v, -v) <= maxTime && max(total+v, -total-v) <= maxTime, "result", "cycles beyond %d", maxTime)
		total += v
	}
	return total
}

func mul(a, b int64) int64 {
	high, low := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	need(high == 0 && low <= uint64(maxTime), "result", "cycles beyond %d", maxTime)
	return a * b
}

// part is a section of a group of warps of a block.
type part struct {
	iso, charge int64
	shared      int64 // charged on units that several schedulers share
	count       int64
	scheduler   int64
}

// sections finds the figures of each section; whole says that it is all that its warps
// execute.
func (k *checker) sections() []part {
	out := make([]part, len(k.Sections))
	over := []int{-1} // in all, and units that schedulers share
	for i, unit := range k.m.Units {
		if unit.Shared && k.m.sm["schedulers"] > 1 {
			over = append(over, i)
		}
	}
	for i, s := range k.Sections {
		where, p := at("sections", i), &out[i]
		if s.Node < 0 {
			need(len(s.Uses) == 0, where, "%d uses of nothing", len(s.Uses))
			continue
		}
		index(where, s.Node, len(k.Nodes))
		whole := true
		for _, b := range k.Blocks {
			for _, g := range b.Groups {
				list := k.Warps[g.Warp].Sections
				whole = whole && (!slices.Contains(list, int64(i)) || len(list) == 1 && b.Stages == nil)
			}
		}
		var ends [][2]int64
		for _, id := range s.Uses {
			index(where+".use", id, len(k.Uses))
			u := &k.Uses[id]
			need(u.Node == s.Node && u.Before == 0, where, "use %d is of node %d from vector %d, expected of node %d from vector 0", id, u.Node, u.Before, s.Node)
			ends = append(ends, [2]int64{u.Prices, u.Weight + k.vector[u.Behind][end]})
		}
		p.iso = k.largest(where, whole, ends)
		need(len(s.Charges) == len(over), where, "%d charges, expected %d", len(s.Charges), len(over))
		for j, unit := range over {
			for _, c := range s.Charges[j] {
				least := heaviest(k.Nodes, func(s int64) int64 {
					if o := &k.ops[s]; unit < 0 || o.unit == units+unit {
						return o.init - k.priced[c[0]].of[s]
					}
					return -k.priced[c[0]].of[s]
				})[s.Node]
				need(c[1] >= least, where, "charge of %d cycles on unit %d (-1: in all) < %d of a path", c[1], unit, least)
			}
			if charge := k.largest(where, whole, s.Charges[j]); unit < 0 {
				p.charge = charge
			} else {
				p.shared = add(p.shared, charge)
			}
		}
	}
	return out
}

// conclude recomputes the theorems for blocks and launches from potentials and charges.
func (k *checker) conclude() cert.Result {
	threads, blocks := int64(1), int64(1)
	for d := range 3 {
		need(k.Grid[d] >= 1 && k.Grid[d] <= maxCycles && k.Block[d] >= 1 && k.Block[d] <= 1<<20, "grid", "%v blocks of %v threads", k.Grid, k.Block)
		threads, blocks = mul(threads, k.Block[d]), mul(blocks, k.Grid[d])
	}
	fit := k.m.occupancy(threads, &k.Occupancy)
	need(k.Occupancy.BlocksPerSM >= 1 && k.Occupancy.BlocksPerSM <= fit, "occupancy.blocks_per_sm", "%d, expected 1 to %d", k.Occupancy.BlocksPerSM, fit)
	found := int64(0)
	var alone []int64
	figures := k.sections()
	out := cert.Result{Blocks: []cert.BlockResult{}, Theorems: k.Result.Theorems}
	for i := range k.Blocks {
		b := &k.Blocks[i]
		need(b.Count >= 1, at("blocks", i), "count %d, expected at least 1", b.Count)
		found = add(found, b.Count)
		sections := k.parts(at("blocks", i), b, figures, (threads+k.m.sm["warp_size"]-1)/k.m.sm["warp_size"])
		out.Blocks = append(out.Blocks, k.block(b, sections, true))
		several := k.along(b, func(int64) int64 { return 1 }) > 1
		alone = append(alone, k.block(b, sections, several && !k.m.additive()).Bound)
		out.Block = max(out.Block, alone[i])
	}
	need(found == blocks, "blocks", "%d blocks in all, but the grid has %d", found, blocks)
	out.Launch = k.launched(out.Blocks, blocks, alone)
	return out
}

// along is the largest sum of weights of sections along any path of the stages of a block.
func (k *checker) along(b *cert.BlockClass, weight func(section int64) int64) int64 {
	sums := heaviest(k.stages(b), weight)
	return sums[len(sums)-1]
}

// parts lists the sections of a block, and checks that its warps are those of the block
// and lie where the GPU has them.
func (k *checker) parts(where string, b *cert.BlockClass, figures []part, warps int64) [][]part {
	var out [][]part
	n := k.m.sm["schedulers"]
	on := make([]int64, n)
	for _, g := range b.Groups {
		index(where+".scheduler", g.Scheduler, int(n))
		need(g.Count >= 1 && g.Count <= warps, where, "a group of %d warps, expected 1 to %d", g.Count, warps)
		on[g.Scheduler] += g.Count
		for j, id := range k.Warps[g.Warp].Sections {
			if j == len(out) {
				out = append(out, nil)
			}
			if p := figures[id]; k.Sections[id].Node >= 0 {
				p.count, p.scheduler = g.Count, g.Scheduler
				out[j] = append(out[j], p)
			}
		}
	}
	for i, found := range on {
		want := (warps + n - 1 - int64(i)) / n
		need(found == want, where, "%d warps on scheduler %d, but %d warps in turn make %d", found, i, warps, want)
	}
	return out
}

// block is the bound of a block by theorems 2 (one block), 3 (barriers), 6 (queues that
// fill), 7 (reordered warps) and 8 (shared units): in each section the slowest warp and
// what the others of its scheduler charge, and those of others on shared units; with
// stages, along the path of sections where these come to most (theorem 41 (every path)).
// Flat takes all schedulers together, as theorems 4 (one SM) and 5 (grid) do.
func (k *checker) block(b *cert.BlockClass, sections [][]part, flat bool) cert.BlockResult {
	longest, worst, charge := make([]int64, len(sections)), make([]int64, len(sections)), make([]int64, len(sections))
	for i, parts := range sections {
		for _, w := range parts {
			others := int64(0)
			for _, v := range parts {
				if flat || v.scheduler == w.scheduler {
					others = add(others, mul(v.count, v.charge))
				} else {
					others = add(others, mul(v.count, v.shared))
				}
			}
			if k.m.keepsOrder() { // else the warp's own initiations count once more (theorem 7)
				others -= w.charge
			}
			longest[i], worst[i] = max(longest[i], w.iso), max(worst[i], add(w.iso, others))
			charge[i] = add(charge[i], mul(w.count, w.charge))
		}
	}
	// A barrier lies between two sections.
	delayed := func(of []int64) int64 {
		delay := k.m.Barrier.DelayCycles
		sum := k.along(b, func(s int64) int64 { return add(of[s], delay) })
		return add(max(0, sum-delay), k.m.Dispatch.StartDelayCycles)
	}
	return cert.BlockResult{Isolated: delayed(longest), Charge: k.along(b, func(s int64) int64 { return charge[s] }), Bound: delayed(worst)}
}

// launched is the bound of the launch: of a single block; with one slot an SM by theorem 9
// (one slot); else by theorem 4 on one SM and theorem 5 on several, of which there are as
// many as blocks where theorem 11 (even placement) holds.
func (k *checker) launched(classes []cert.BlockResult, n int64, alone []int64) int64 {
	sms, slots := k.m.sm["count"], k.Occupancy.BlocksPerSM
	if share := (n + sms - 1) / sms; k.m.Dispatch.Placement == "breadth-first" && sms > 1 && share <= slots {
		sms, slots = n, share
	}
	var iso, charge, own, all, single, last int64
	for i, b := range classes {
		count := k.Blocks[i].Count
		iso, charge, own = max(iso, b.Isolated), max(charge, b.Charge), max(own, b.Bound)
		all, single = add(all, mul(count, b.Charge)), add(single, mul(count, alone[i]))
	}
	for _, b := range classes {
		last = max(last, add(all-b.Charge, b.Bound))
	}
	switch before := (n - 1) / sms; {
	case n == 1:
		return alone[0]
	case slots == 1 && sms > 1:
		return mul(before+1, slices.Max(alone))
	case slots == 1:
		return single
	case sms > 1:
		return add(mul(before/slots, iso), mul(add(before, min(slots-1, n-1)), charge), own)
	default:
		return add(mul(before/slots, iso), last)
	}
}
