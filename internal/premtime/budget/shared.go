package budget

import "github.com/warpbound/warpbound/bound"

// bankRow is a row of a bank of a channel.
type bankRow struct {
	channel, bank int
	row           int64
}

// l2Set is a set of a slice.
type l2Set struct{ slice, set int }

// l2 bounds what the requests of all SMs occupy of the places that they share,
// whatever their order and whatever the L2 holds at the start (docs/soundness/phases.md,
// theorem 35 (what a phase loses)).
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
	inSet, inSetRequests := map[l2Set]int{}, map[l2Set]int64{}
	token := 0
	if c.waiting != nil {
		token = tokenLines
	}
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
		inSetRequests[set] += requests
		s.busiest = max(s.busiest, inSetRequests[set])
		if s.writeBacks > 0 || inSet[set]+token > c.holds2 {
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
		s.openings += t.openings
		s.transfers += t.fetches + t.writeBacks
	}
}

// parts adds what is occupied of the places that requests of an SM wait at.
func (s *sharedTraffic) parts(c *cached, own *smTraffic, sum *total, part func(bound.PartID, int64)) {
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
	part(bound.SlicesOfL2, sum.mul(requests, c.sectors()*l2.AccessCycles))
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
	part(bound.TransfersOfDRAM, (bus+999)/1000)
	part(bound.RowsOpened, sum.mul(openings, dram.RowMissCycles))
	part(bound.WayIn, sum.mul(own.fetches+own.atomics, l2.ResponseCycles)+own.stores)
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

// refreshes bounds what refreshes take of a number of cycles. One may be under way at
// the start, and at most T / interval + 1 begin. Before each of these there may be no
// time to open a row, and rows opened before it are lost; after it every bank in use
// opens its row again, for a transfer that would not have opened one otherwise.
func (c *cached) refreshes(cycles int64, sum *total) int64 {
	dram, s := c.d.DRAM, &c.shared
	if dram.RefreshIntervalCycles == 0 {
		return 0
	}
	banks := s.banks
	if c.waiting != nil || s.writeBacks > 0 {
		banks = int64(dram.Banks) * int64(dram.Channels)
	}
	n := cycles/dram.RefreshIntervalCycles + 1
	again := min(sum.mul(n, banks), s.transfers-s.openings)
	took := sum.mul(n, dram.RefreshCycles+int64(dram.Channels+1)*dram.RowMissCycles)
	return took + sum.mul(again, dram.RowMissCycles) + dram.RefreshCycles
}

// tokenFetches bounds how often lines of the guard's token come from the DRAM: each
// once, and again when so many other lines of its set have been used that it may be
// lost. Two of those may be of the token.
func (c *cached) tokenFetches(requests int64) int64 {
	others := int64(c.holds2) - (tokenLines - 1)
	if others < 1 {
		return requests
	}
	return min(requests, tokenLines*(1+(c.shared.busiest+c.shared.writeBacks)/others))
}

// tokenCost is what such a fetch occupies: the bus, with the line that it drives
// out, and the rows of both, and of the transfers behind them.
func (c *cached) tokenCost() int64 {
	bus := c.transfer(int64(c.unit)) + c.transfer(int64(c.d.L2.LineBytes))
	return (bus+999)/1000 + 4*c.d.DRAM.RowMissCycles
}
