package enforced

import (
	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
)

// traffic counts the requests that SMs send, by unit: what a request looks up in
// the L2 and fetches together, an L1D sector or an L2 sector, whichever is
// larger. Either the whole unit is in the L2, or on its way there, or nothing of
// it.
type traffic map[uint64]requests

func (t traffic) add(unit uint64, n requests) {
	sum := t[unit]
	sum.add(n)
	t[unit] = sum
}

func (t traffic) merge(x traffic) {
	for unit, n := range x {
		t.add(unit, n)
	}
}

// bankRow is a row of DRAM.
type bankRow struct {
	channel, bank int
	row           int64
}

// l2Set is a set of a slice.
type l2Set struct{ slice, set int }

// occupation is for how many thousandths of a cycle requests occupy the places
// that SMs share.
type occupation struct {
	slice, channel []int64
	waits          []bool // by channel: whether something waits for it
}

// sharedMemory is the memory behind the L1Ds and what a launch sends to it.
type sharedMemory struct {
	costs    *memoryCosts
	places   gpu.MemoryMap
	d        *gpu.Description
	all      traffic
	crowded  map[l2Set]bool // sets for which the launch has more lines than ways
	occupied occupation
}

func newSharedMemory(d *gpu.Description, costs *memoryCosts, all traffic) (*sharedMemory, error) {
	m := &sharedMemory{costs: costs, places: d.MemoryMap(), d: d, all: all, crowded: map[l2Set]bool{}}
	lines, seen := map[l2Set]int{}, map[uint64]bool{}
	for unit := range all {
		addr := unit * costs.unitBytes
		if line := addr / uint64(d.L2.LineBytes); !seen[line] {
			seen[line] = true
			slice, local := m.places.Slice(addr)
			set := l2Set{slice, m.places.Set(local)}
			if lines[set]++; lines[set] > d.L2.Ways {
				m.crowded[set] = true
			}
		}
	}
	var err error
	m.occupied, err = m.occupation(all)
	return m, err
}

// mostOccupied bounds sums of thousandths of cycles.
const mostOccupied = int64(1) << 59

// times is n cost, or more than mostOccupied if it is.
func times(n, cost int64) int64 {
	if cost > 0 && n > mostOccupied/cost {
		return mostOccupied + 1
	}
	return n * cost
}

// ways is for how many thousandths of a cycle requests occupy the ways of their
// own SM.
func (c *memoryCosts) ways(own traffic) (int64, error) {
	sum := int64(0)
	for _, n := range own {
		sum += times(n.reads, c.readWays) + times(n.writes+n.atomics, c.otherWays)
		if sum > mostOccupied {
			return 0, bound.ErrOverflow
		}
	}
	return sum, nil
}

// charge is for how many cycles places are occupied that requests of an SM wait
// for: by its own requests, and by those of the others.
func (m *sharedMemory) charge(own traffic) (mine, others int64, err error) {
	mine, err = m.costs.ways(own)
	if err != nil {
		return 0, 0, err
	}
	o, err := m.occupation(own)
	if err != nil {
		return 0, 0, err
	}
	all := mine
	count := func(of, by int64) {
		mine = min(mine+of, mostOccupied+1)
		all = min(all+by, mostOccupied+1)
	}
	for i, occupied := range o.slice {
		if occupied > 0 {
			count(occupied, m.occupied.slice[i])
		}
	}
	for i, waits := range o.waits {
		if waits {
			count(o.channel[i], m.occupied.channel[i])
		}
	}
	if all > mostOccupied {
		return 0, 0, bound.ErrOverflow
	}
	mine, all = (mine+999)/1000, (all+999)/1000
	return mine, all - mine, nil
}

// occupation counts what some of the launch's requests occupy, whatever their
// order (docs/soundness/order.md, theorem 28 (occupation)). In a set with room for all
// lines of the launch nothing is replaced: every unit that is loaded is fetched once at
// most, and nothing is written back. In others every load fetches, and every store
// writes back.
func (m *sharedMemory) occupation(t traffic) (occupation, error) {
	o := occupation{slice: make([]int64, m.d.L2.Slices), channel: make([]int64, m.d.DRAM.Channels), waits: make([]bool, m.d.DRAM.Channels)}
	rows := map[bankRow]int64{}
	for unit, n := range t {
		slice, local := m.places.Slice(unit * m.costs.unitBytes)
		channel := m.places.Channel(slice)
		fetches, dirty := n.reads+n.atomics, n.writes+n.atomics
		o.waits[channel] = o.waits[channel] || fetches > 0
		if m.crowded[l2Set{slice, m.places.Set(local)}] {
			// The line lies in the row of the unit, since no piece lies in two rows.
			o.channel[channel] += times(dirty, m.costs.lineBus)
		} else {
			fetches, dirty = min(fetches, 1), 0
		}
		bank, row := m.places.Row(slice, local)
		rows[bankRow{channel, bank, row}] += fetches + dirty
		o.channel[channel] += times(fetches, m.costs.unitBus)
		o.slice[slice] += times(n.reads+n.writes+n.atomics, m.costs.slice)
		if o.slice[slice] > mostOccupied || o.channel[channel] > mostOccupied {
			return o, bound.ErrOverflow
		}
	}
	m.openings(&o, rows)
	return o, nil
}

// openings adds what banks take to open rows. A bank opens a row only for a
// transfer of another one than the last: of n transfers, m of them of one row,
// at most 2 (n - m) + 1 do.
func (m *sharedMemory) openings(o *occupation, rows map[bankRow]int64) {
	type bank struct{ channel, bank int }
	sum, most := map[bank]int64{}, map[bank]int64{}
	for r, n := range rows {
		b := bank{r.channel, r.bank}
		sum[b] += n
		most[b] = max(most[b], n)
	}
	for b, n := range sum {
		o.channel[b.channel] += times(min(n, 2*(n-most[b])+1), m.costs.opening)
	}
}
