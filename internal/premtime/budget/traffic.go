package budget

import (
	"errors"
	"fmt"
	"math"
)

var errOverflow = errors.New("the bound does not fit 62 bits")

// most is the largest sum.
const most = int64(1) << 62

// total is a sum that remembers whether it was too large.
type total struct {
	cycles int64
	over   bool
}

func (t *total) add(n int64) {
	if n > most-t.cycles {
		t.over = true
		return
	}
	t.cycles += n
}

// mul is a product; what is too large marks the sum.
func (t *total) mul(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/4/b {
		t.over = true
		return 0
	}
	return a * b
}

// smTraffic is what an SM asks of its L1D and of the memory in a phase, at most.
type smTraffic struct {
	uses map[uint64]use // by L1D sector
	sent map[uint64]use // by unit; loads are those that leave the SM

	requests    int64 // that reach the tags
	fetches     int64 // loads that leave the SM
	stores      int64 // and stores
	atomics     int64
	writeBacks  int64 // sectors of the L1D written back
	mergeWaits  int64
	victimWaits int64
}

// sharedTraffic is what the SMs together ask of the memory in a phase.
type sharedTraffic struct {
	slice      []int64 // requests, by slice
	channel    []channelTraffic
	writeBacks int64 // sectors written back by L1Ds, of which nothing else is known
	banks      int64 // in use, of all channels
	openings   int64 // of rows, of all channels
	transfers  int64
	busiest    int64 // requests to a set of the L2, at most
}

type channelTraffic struct {
	fetches, writeBacks int64
	openings            int64
	banks               int64 // that may open a row
}

// load reads what the teams do in phase k, by SM.
func (c *cached) load(k int, onSM [][]span) (Requests, error) {
	var all Requests
	c.sms = make([]smTraffic, len(onSM))
	for sm, spans := range onSM {
		t := &c.sms[sm]
		t.uses, t.sent = map[uint64]use{}, map[uint64]use{}
		for _, x := range spans {
			if err := decode(c.b.rec.teams[x.block].traffic[k], t.uses); err != nil {
				return all, fmt.Errorf("recorded accesses of block %d: %w", x.block, err)
			}
		}
		c.l1(t, &all)
	}
	c.silent = all == Requests{}
	c.l2()
	return all, nil
}

// l1 bounds what leaves an SM and what its tags wait for.
func (c *cached) l1(t *smTraffic, all *Requests) {
	l1 := c.d.L1D
	shift := log2(l1.LineBytes) - log2(l1.SectorBytes)
	type lineUse struct{ loads, stores bool }
	lines := map[uint64]lineUse{}
	inSet, runs := map[int]int{}, map[int]int64{}
	for sector, u := range t.uses {
		t.requests += u.loads + u.stores + u.atomics
		all.Loads += u.loads
		all.Stores += u.stores
		all.Atomics += u.atomics
		if u.loads+u.stores == 0 {
			continue // atomics pass the tags
		}
		line := sector >> shift
		x, seen := lines[line]
		set := c.tags.Set(line)
		if !seen {
			inSet[set]++
		}
		lines[line] = lineUse{x.loads || u.loads > 0, x.stores || u.stores > 0}
		runs[set] += u.runs
	}
	for set, n := range runs {
		crowded := inSet[set] > c.holds1
		if crowded {
			t.victimWaits += n / c.span
		}
		if l1.Write == "back" {
			lost := int64(inSet[set])
			if crowded {
				lost = n
			}
			t.writeBacks += lost << shift
		}
	}
	ratio := c.unit / uint64(l1.SectorBytes)
	for sector, u := range t.uses {
		line := sector >> shift
		out := use{loads: u.loads, stores: u.stores, atomics: u.atomics}
		stays := inSet[c.tags.Set(line)] <= c.holds1 && (l1.Write != "evict" || !lines[line].stores)
		if stays {
			out.loads = min(out.loads, 1)
		}
		// Of those that wait for one fetch, one can find its list full.
		t.mergeWaits += min(max(u.loads-1, 0)/int64(l1.MSHRMerges), out.loads)
		t.fetches += out.loads
		t.stores += out.stores
		t.atomics += out.atomics
		sum := t.sent[sector/ratio]
		sum.add(out)
		t.sent[sector/ratio] = sum
	}
}
