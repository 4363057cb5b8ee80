package certify

import (
	"slices"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// add and mul are of numbers of 0 to maxTime, and refuse what is larger.
func add(values ...int64) int64 {
	total := int64(0)
	for _, v := range values {
		need(v >= 0 && v <= maxTime && total <= maxTime-v, "result", "cycles beyond %d", maxTime)
		total += v
	}
	return total
}

func mul(a, b int64) int64 {
	p, ok := product(a, b)
	need(ok, "result", "cycles beyond %d", maxTime)
	return p
}

// part is a section of a group of warps of a block.
type part struct {
	iso, charge int64
	shared      int64 // charged on units that several schedulers share
	count       int64
	scheduler   int64
}

// conclude recomputes the theorems for blocks and launches from potentials and charges.
func (k *checker) conclude() cert.Result {
	for i, s := range k.Sections {
		if s.Node < 0 && s.Use < 0 {
			continue
		}
		index(at("sections", i)+".use", s.Use, len(k.Uses))
		u := &k.Uses[s.Use]
		need(u.Node == s.Node && u.Before == 0, at("sections", i), "use %d is of node %d from vector %d, expected of node %d from vector 0", s.Use, u.Node, u.Before, s.Node)
	}
	threads, blocks := int64(1), int64(1)
	for d := range 3 {
		need(k.Grid[d] >= 1 && k.Grid[d] <= maxCycles && k.Block[d] >= 1 && k.Block[d] <= 1<<20, "grid", "%v blocks of %v threads", k.Grid, k.Block)
		threads, blocks = mul(threads, k.Block[d]), mul(blocks, k.Grid[d])
	}
	fit := k.m.occupancy(threads, &k.Occupancy)
	need(k.Occupancy.BlocksPerSM >= 1 && k.Occupancy.BlocksPerSM <= fit, "occupancy.blocks_per_sm", "%d, expected 1 to %d", k.Occupancy.BlocksPerSM, fit)
	found := int64(0)
	var alone []int64
	out := cert.Result{Blocks: []cert.BlockResult{}, Theorems: k.Result.Theorems}
	for i := range k.Blocks {
		b := &k.Blocks[i]
		need(b.Count >= 1, at("blocks", i), "count %d, expected at least 1", b.Count)
		found = add(found, b.Count)
		sections := k.parts(at("blocks", i), b, (threads+k.m.SM.WarpSize-1)/k.m.SM.WarpSize)
		out.Blocks = append(out.Blocks, k.block(sections, true))
		alone = append(alone, k.block(sections, len(sections) > 1 && !k.m.additive()).Bound)
		out.Block = max(out.Block, alone[i])
	}
	need(found == blocks, "blocks", "%d blocks in all, but the grid has %d", found, blocks)
	out.Launch = k.launch(out.Blocks, blocks, alone)
	return out
}

// parts lists the sections of a block, and checks that its warps are those of the block
// and lie where the GPU has them.
func (k *checker) parts(where string, b *cert.BlockClass, warps int64) [][]part {
	var out [][]part
	n := k.m.SM.Schedulers
	on := make([]int64, n)
	for _, g := range b.Groups {
		index(where+".warp", g.Warp, len(k.Warps))
		index(where+".scheduler", g.Scheduler, int(n))
		need(g.Count >= 1 && g.Count <= warps, where, "a group of %d warps, expected 1 to %d", g.Count, warps)
		on[g.Scheduler] += g.Count
		for j, id := range k.Warps[g.Warp].Sections {
			if j == len(out) {
				out = append(out, nil)
			}
			s := k.Sections[id]
			if s.Node < 0 {
				continue
			}
			u := &k.Uses[s.Use]
			p := part{iso: u.Weight + k.vector[u.Behind][end], charge: k.Nodes[s.Node].Charge, count: g.Count, scheduler: g.Scheduler}
			for i, unit := range k.m.Units {
				if unit.Shared && n > 1 {
					p.shared = add(p.shared, k.charge(s.Node, i))
				}
			}
			out[j] = append(out[j], p)
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
// what the others of its scheduler charge, and those of others on shared units. Flat
// takes all schedulers together, as theorems 4 (one SM) and 5 (grid) do.
func (k *checker) block(sections [][]part, flat bool) cert.BlockResult {
	var out cert.BlockResult
	for _, parts := range sections {
		longest, worst := int64(0), int64(0)
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
			longest, worst = max(longest, w.iso), max(worst, add(w.iso, others))
			out.Charge = add(out.Charge, mul(w.count, w.charge))
		}
		out.Isolated, out.Bound = add(out.Isolated, longest), add(out.Bound, worst)
	}
	delays := add(mul(int64(max(len(sections)-1, 0)), k.m.Barrier.DelayCycles), k.m.Dispatch.StartDelayCycles)
	out.Isolated, out.Bound = add(out.Isolated, delays), add(out.Bound, delays)
	return out
}

// launch is the bound of the launch: of a single block; with one slot an SM by theorem 9
// (one slot); else by theorem 4 on one SM and theorem 5 on several, of which there are as
// many as blocks where theorem 11 (even placement) holds.
func (k *checker) launch(classes []cert.BlockResult, n int64, alone []int64) int64 {
	sms, slots := k.m.SM.Count, k.Occupancy.BlocksPerSM
	if share := (n + sms - 1) / sms; k.m.Dispatch.Placement == "breadth-first" && sms > 1 && share <= slots {
		sms, slots = n, share
	}
	before := (n - 1) / sms
	switch {
	case n == 1:
		return alone[0]
	case slots == 1 && sms > 1:
		return mul(before+1, slices.Max(alone))
	case slots == 1:
		total := int64(0)
		for i, b := range k.Blocks {
			total = add(total, mul(b.Count, alone[i]))
		}
		return total
	}
	var iso, charge, own, all, last int64
	for i, b := range classes {
		iso, charge, own = max(iso, b.Isolated), max(charge, b.Charge), max(own, b.Bound)
		all = add(all, mul(k.Blocks[i].Count, b.Charge))
	}
	if sms > 1 {
		return add(mul(before/slots, iso), mul(add(before, min(slots-1, n-1)), charge), own)
	}
	for _, b := range classes {
		last = max(last, add(all-b.Charge, b.Bound))
	}
	return add(mul(before/slots, iso), last)
}
