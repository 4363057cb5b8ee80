package budget

import "fmt"

// bankRow is a row of a bank of a channel.
type bankRow struct {
	channel, bank int
	row           int64
}

// l2Set is a set of a slice.
type l2Set struct{ slice, set int }

// l2 bounds what the requests of all SMs occupy of the places that they share,
// whatever their order and whatever the L2 holds at the start (docs/soundness.md,
// theorem 35).
func (c *cached) l2() {
	s := &c.shared
	*s = sharedTraffic{slice: make([]int64, c.d.L2.Slices), channel: make([]channelTraffic, c.d.DRAM.Channels)}
	all := map[uint64]use{}
	for i := range c.sms {
		s.writeBacks += c.sms[i].writeBacks
		for unit, u := range c.sms[i].sent {
			sum := all[unit]
			sum.add(u)
			all[unit] = sum
		}
	}
	lines := map[uint64]bool{}
	inSet := map[l2Set]int{}
	for unit := range all {
		line, set, slice := c.line(unit)
		if !lines[line] {
			lines[line] = true
			inSet[set]++
			s.channel[c.places.Channel(slice)].writeBacks++
		}
	}
	rows := map[bankRow]int64{}
	for unit, u := range all {
		_, set, slice := c.line(unit)
		channel := &s.channel[c.places.Channel(slice)]
		requests, fetches := u.loads+u.stores+u.atomics, u.loads+u.atomics
		s.slice[slice] += requests
		if s.writeBacks > 0 || inSet[set] > c.holds2 {
			// Every request may bring its line in, and another one out.
			channel.writeBacks += requests
		} else {
			fetches = min(fetches, 1)
		}
		channel.fetches += fetches
		_, local := c.places.Slice(unit * c.unit)
		bank, row := c.places.Row(slice, local)
		rows[bankRow{c.places.Channel(slice), bank, row}] += fetches
	}
	c.openings(rows)
}

// line is the L2 line of a unit, its set and its slice.
func (c *cached) line(unit uint64) (uint64, l2Set, int) {
	addr := unit * c.unit
	slice, local := c.places.Slice(addr)
	return addr / uint64(c.d.L2.LineBytes), l2Set{slice, c.places.Set(local)}, slice
}

// openings bounds how many rows are opened. A bank opens one only for a transfer
// of another row than the last: of n transfers, m of them of one row, at most
// 2 (n - m) + 1 do. A line written back lies in a row that is not known: it opens
// one, and so does the transfer behind it.
func (c *cached) openings(rows map[bankRow]int64) {
	type bank struct{ channel, bank int }
	sum, largest := map[bank]int64{}, map[bank]int64{}
	for r, n := range rows {
		b := bank{r.channel, r.bank}
		sum[b] += n
		largest[b] = max(largest[b], n)
	}
	s := &c.shared
	for b, n := range sum {
		t := &s.channel[b.channel]
		t.openings += min(n, 2*(n-largest[b])+1)
		if n > 0 {
			t.banks++
		}
	}
	for i := range s.channel {
		t := &s.channel[i]
		t.openings = min(t.openings+2*t.writeBacks, t.fetches+t.writeBacks)
		if t.writeBacks > 0 || s.writeBacks > 0 {
			t.banks = int64(c.d.DRAM.Banks)
		}
		s.banks += t.banks
	}
}

// parts adds what is occupied of the places that requests of an SM wait at.
func (s *sharedTraffic) parts(c *cached, own *smTraffic, sum *total, part func(string, int64)) {
	l2, dram := c.d.L2, c.d.DRAM
	visited := make([]bool, len(s.slice))
	for unit := range own.sent {
		_, _, slice := c.line(unit)
		visited[slice] = true
	}
	requests := s.writeBacks
	for i, n := range s.slice {
		if visited[i] {
			requests += n
		}
	}
	part("slices of the L2", sum.mul(requests, c.sectors()*l2.AccessCycles))
	// A line that an L1D writes back may drive another one out of the L2.
	bus := sum.mul(s.writeBacks, c.transfer(int64(l2.LineBytes)))
	openings := 2 * s.writeBacks
	for i := range s.channel {
		t := &s.channel[i]
		openings += t.openings
		bus += sum.mul(t.fetches, c.transfer(int64(c.unit)))
		bus += sum.mul(t.writeBacks, c.transfer(int64(l2.LineBytes)))
		if bus > most {
			sum.over = true
			return
		}
	}
	part("transfers of the DRAM", (bus+999)/1000)
	part("rows opened", sum.mul(openings, dram.RowMissCycles))
	part("way in", sum.mul(own.fetches+own.atomics, l2.ResponseCycles)+own.stores)
}

// transfer is for how many thousandths of a cycle a transfer occupies the bus.
func (c *cached) transfer(bytes int64) int64 {
	took := (bytes*1_000_000 + c.d.DRAM.BytesPerKilocycle - 1) / c.d.DRAM.BytesPerKilocycle
	if c.d.L2.RoundRobin() {
		// A channel that serves SMs in turn begins with the next request at a cycle.
		took = (took + 999) / 1000 * 1000
	}
	return took
}

// refreshes bounds what refreshes take of a phase of so many cycles without them.
// In T cycles at most T / interval + 2 refreshes are under way. Before each there
// may be no time to open a row, and after it every bank opens its row again.
func (c *cached) refreshes(cycles int64) (int64, error) {
	dram := c.d.DRAM
	if dram.RefreshIntervalCycles == 0 {
		return 0, nil
	}
	each := dram.RefreshCycles + dram.RowMissCycles*(1+c.shared.banks)
	if each >= dram.RefreshIntervalCycles {
		return 0, fmt.Errorf("refreshes and what they close take up to %d of every %d cycles: no bound", each, dram.RefreshIntervalCycles)
	}
	more := int64(0)
	for {
		var sum total
		next := sum.mul((cycles+more)/dram.RefreshIntervalCycles+2, each)
		if sum.add(cycles); next > most-cycles || sum.over {
			return 0, errOverflow
		}
		if next == more {
			return more, nil
		}
		more = next
	}
}
