package multiphase

import (
	"context"
	"encoding/binary"
)

// member is a class of warps in one section of a block, on one sub-core.
type member struct {
	sec   *section
	count int64
	class int
}

// charge is the bound of one section: the time of the warp that may finish last,
// what others add, and the term of theorem 7 (reordered warps).
type charge struct {
	own, others, extra int64
	class              int
	mask               int // of groups of units, where that is what the bound is over
}

func (c charge) total() int64 { return c.own + c.others + c.extra }

// sectionBound computes one method for the warps of a section on one sub-core.
// foreign are the warps of the block on the other sub-cores.
func (a *Analyzer) sectionBound(ctx context.Context, method string, members, foreign []member) (charge, error) {
	var best charge
	var err error
	switch method {
	case PATH, REF:
		best, err = a.pathBound(ctx, method, members)
	default:
		best, err = a.isolatedBound(ctx, method, members, foreign)
	}
	return best, err
}

// isolatedBound is max over warps w of the isolated time of w plus what the
// method charges for every other warp.
func (a *Analyzer) isolatedBound(ctx context.Context, method string, members, foreign []member) (charge, error) {
	kind := a.hw.matched()
	if method == GUB {
		kind = isoQueued
	}
	var best charge
	totals := map[unitSet]int64{}
	for i, w := range members {
		iso, err := a.isolated(ctx, w.sec, kind)
		if err != nil {
			return best, err
		}
		others, ok := totals[w.sec.used]
		if !ok {
			if others, err = a.chargeAll(ctx, method, members, w.sec.used); err != nil {
				return best, err
			}
			if others, err = a.addForeign(others, method, foreign, w.sec.used); err != nil {
				return best, err
			}
			totals[w.sec.used] = others
		}
		self, err := a.chargeOne(ctx, method, w.sec, w.sec.used)
		if err != nil {
			return best, err
		}
		c := charge{own: iso.end, others: others - self, class: w.class}
		if err := a.finish(&c, method, w.sec); err != nil {
			return best, err
		}
		if c.total() > best.total() || i == 0 {
			best = c
		}
	}
	return best, nil
}

// finish adds the term of theorem 7 where a unit may reorder the warp's instructions
// and checks the size.
func (a *Analyzer) finish(c *charge, method string, sec *section) error {
	if method != GUB && !a.hw.keepsOrder() {
		c.extra = sec.sum
	}
	var sum calc
	sum.add(c.own, c.others, c.extra)
	return sum.err()
}

// chargeAll sums a method's charge over all warps, for a delayed warp that uses
// the given units.
func (a *Analyzer) chargeAll(ctx context.Context, method string, members []member, used unitSet) (int64, error) {
	var c calc
	total := int64(0)
	for _, v := range members {
		one, err := a.chargeOne(ctx, method, v.sec, used)
		if err != nil {
			return 0, err
		}
		total = c.add(total, c.mul(v.count, one))
	}
	return total, c.err()
}

// addForeign adds what warps of other sub-cores start on shared units: on those
// that the delayed warp uses, or for SUM on any (theorem 8 (shared units)).
func (a *Analyzer) addForeign(total int64, method string, foreign []member, used unitSet) (int64, error) {
	shared := a.hw.shared()
	if method == GUB || shared == 0 {
		return total, nil
	}
	if method == FUA {
		shared &= used
	}
	var c calc
	for _, v := range foreign {
		for _, u := range shared.list() {
			total = c.add(total, c.mul(v.count, v.sec.loads[u]))
		}
	}
	return total, c.err()
}

// chargeOne is what one warp's section can delay a warp that uses the given
// units, by the method.
func (a *Analyzer) chargeOne(ctx context.Context, method string, v *section, used unitSet) (int64, error) {
	switch method {
	case GUB:
		iso, err := a.isolated(ctx, v, isoQueued)
		if err != nil {
			return 0, err
		}
		return iso.exec, nil
	case SUM:
		return v.sum, nil
	case FUA:
		if v.ways != nil {
			return v.fuaWays(used)
		}
		return v.fua(used), nil
	default:
		return a.walk(ctx, v, used)
	}
}

// fua is Σ (init on the units of the delayed warp, 1 elsewhere).
func (sec *section) fua(used unitSet) int64 {
	total := int64(0)
	for u := range sec.loads {
		if used.has(u) {
			total += sec.loads[u]
		} else {
			total += sec.insts[u]
		}
	}
	return total
}

// pathBound is max over warps w and sets S of units of the longest path of w over
// exactly S plus the walks of all other warps over S; REF with refunds.
func (a *Analyzer) pathBound(ctx context.Context, method string, members []member) (charge, error) {
	var used unitSet
	for _, m := range members {
		used |= m.sec.used
	}
	g := newGroups(used, a.opt.MaxPathUnits)
	var ref *refunds
	var key string
	if method == REF {
		ref = a.refundFacts(members)
		key = ref.key()
	}
	walk := func(sec *section, mask int) (int64, error) {
		if ref != nil {
			return a.refWalk(ctx, sec, g.units(mask), ref, key)
		}
		return a.walk(ctx, sec, g.units(mask))
	}
	totals := make([]int64, 1<<len(g.sets))
	var c calc
	for mask := 1; mask < len(totals); mask++ {
		for _, v := range members {
			one, err := walk(v.sec, mask)
			if err != nil {
				return charge{}, err
			}
			totals[mask] = c.add(totals[mask], c.mul(v.count, one))
		}
	}
	if err := c.err(); err != nil {
		return charge{}, err
	}
	var best charge
	for _, w := range members {
		paths, err := a.pathsOf(ctx, w.sec, &g)
		if err != nil {
			return best, err
		}
		for mask, length := range paths {
			if mask == 0 || length == never {
				continue
			}
			self, err := walk(w.sec, mask)
			if err != nil {
				return best, err
			}
			one := charge{own: length, others: totals[mask] - self, class: w.class}
			if err := a.finish(&one, method, w.sec); err != nil {
				return best, err
			}
			one.mask = mask
			if one.total() > best.total() {
				best = one
			}
		}
	}
	return best, nil
}

// refundFacts gathers the smallest initiation + latency per unit among the warps
// of the section, and the units that never queue.
func (a *Analyzer) refundFacts(members []member) *refunds {
	r := &refunds{leastLambda: make([]int64, a.hw.NumUnits)}
	for u := range r.leastLambda {
		if a.hw.unitMaxInit(u) == 1 {
			r.prompt |= 1 << u
		}
		r.leastLambda[u] = maxTime
	}
	for _, m := range members {
		for i := range m.sec.low.insts {
			in := &m.sec.low.insts[i]
			r.leastLambda[in.unit] = min(r.leastLambda[in.unit], in.lambda)
		}
	}
	return r
}

// key identifies the facts, for caches.
func (r *refunds) key() string {
	b := binary.LittleEndian.AppendUint64(nil, uint64(r.prompt))
	for _, l := range r.leastLambda {
		b = binary.LittleEndian.AppendUint64(b, uint64(l))
	}
	return string(b)
}
