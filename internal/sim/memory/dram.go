package memory

import (
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/clock"
)

// dramBank is a bank of a channel, with at most one row open.
type dramBank struct {
	row    int64 // that is open or being opened, -1 none
	epoch  int64 // refreshes begun when it was opened; a later one has closed it
	freeAt int64 // when it is open, and the bank can open another
	hits   int64 // transfers from it since it was opened while an older request waited for another row (openrows.go)
}

// refresh is when the banks are refreshed: in every multiple of interval, but for
// 0, for some cycles. interval is 0 where they never are.
type refresh struct{ interval, cycles int64 }

func newRefresh(d *gpu.DRAM) refresh {
	if d.RefreshCycles == 0 {
		return refresh{}
	}
	return refresh{d.RefreshIntervalCycles, d.RefreshCycles}
}

// begun is how many refreshes have begun by cycle t.
func (f refresh) begun(t int64) int64 {
	if f.interval == 0 {
		return 0
	}
	return t / f.interval
}

// next is the cycle in which the refresh after n others begins.
func (f refresh) next(n int64) int64 {
	if f.interval == 0 {
		return clock.Never
	}
	return (n + 1) * f.interval
}

// after is the first cycle from t on that is not of a refresh.
func (f refresh) after(t int64) int64 {
	if n := f.begun(t); n > 0 {
		return max(t, n*f.interval+f.cycles)
	}
	return t
}

// place is the channel, bank and row of an address.
func (m *System) place(addr uint64) (channel, bank int, row int64) {
	n, local := m.places.Slice(addr)
	bank, row = m.places.Row(n, local)
	return m.places.Channel(n), bank, row
}

// transfer serves a request at its channel. The bus serves in the order of
// arrival; a request that needs another row than its bank has open takes the
// bank, but not the bus, until the row is open. Where a refresh comes between,
// the row is opened again after it.
func (m *System) transfer(r int32, t int64) {
	x := &m.requests[r]
	at, bank, row := m.place(x.addr)
	c := &m.channels[at]
	b := &c.banks[bank]
	start, opened := m.refresh.after(max(t, b.freeAt)), false
	for {
		n := m.refresh.begun(start)
		if b.row != row || b.epoch != n {
			opened = true
			if start += m.dram.RowMissCycles; m.refresh.begun(start) != n {
				start = m.refresh.after(m.refresh.next(n))
				continue
			}
			b.row, b.epoch = row, n
		}
		begin := max(1000*start, c.busFree) / 1000
		if n == m.refresh.begun(begin) {
			break
		}
		start = m.refresh.after(m.refresh.next(m.refresh.begun(begin) - 1))
	}
	b.freeAt = start
	m.moved(r, c, at, max(1000*start, c.busFree), opened)
}

// moved lets channel number at transfer request r from begin on, in thousandths
// of a cycle.
func (m *System) moved(r int32, c *channel, at int, begin int64, opened bool) {
	x := &m.requests[r]
	took := (x.missing*1_000_000 + m.dram.BytesPerKilocycle - 1) / m.dram.BytesPerKilocycle
	c.busFree = begin + took
	write := x.kind == WriteBack || x.kind == cpuWrite
	use, of := &m.use.DRAM, &m.use.GPU
	if x.kind.ofCPU() {
		of = &m.of[x.sm].use
	}
	use.BusyMillicycles += took
	use.Bytes += x.missing
	of.Bytes += x.missing
	if opened {
		use.RowMisses++
		of.RowMisses++
	}
	if write {
		use.Writes++
		of.Writes++
	} else {
		use.Reads++
		of.Reads++
	}
	wait := begin/1000 - x.arrived
	of.WaitCycles += wait
	of.MostWaitCycles = max(of.MostWaitCycles, wait)
	if len(m.watchers) > 0 {
		_, bank, row := m.place(x.addr)
		e := Transfer{Core: -1, Channel: at, Bank: bank, Row: row, Address: x.addr, Bytes: x.missing, Write: write, RowMiss: opened, ArriveCycle: x.arrived, BeginMillicycle: begin, EndMillicycle: c.busFree}
		if x.kind.ofCPU() {
			e.Core = int(x.sm)
		}
		for _, o := range m.watchers {
			o.DRAM(e)
		}
	}
	end := (c.busFree + 999) / 1000
	switch {
	case x.kind.ofCPU():
		x.stage = toCore
		m.queue.add(m.requests, r, end+m.dram.LatencyCycles+m.of[x.sm].responseCycles)
	case write:
		m.drop(r)
	default:
		x.stage = fetched
		m.queue.add(m.requests, r, end+m.dram.LatencyCycles)
	}
}

// checkDRAM verifies that every byte was moved for somebody.
func (m *System) checkDRAM() error {
	sum := m.use.GPU
	for i := range m.of {
		u := &m.of[i].use
		sum.Bytes += u.Bytes
		sum.Reads += u.Reads
		sum.Writes += u.Writes
		sum.RowMisses += u.RowMisses
	}
	if u := &m.use.DRAM; sum.Bytes != u.Bytes || sum.Reads != u.Reads || sum.Writes != u.Writes || sum.RowMisses != u.RowMisses {
		return fmt.Errorf("the DRAM moved %+v, for all requesters %+v", *u, sum)
	}
	return nil
}

// Transfer is a transfer of the DRAM, reported when its time is known.
type Transfer struct {
	Core            int // number of the core that asked for it, -1 for the GPU
	Channel, Bank   int
	Row             int64
	Address         uint64
	Bytes           int64
	Write           bool
	RowMiss         bool // a row was opened for it
	ArriveCycle     int64
	BeginMillicycle int64 // thousandths of a cycle
	EndMillicycle   int64
}

// Observer sees the transfers of the DRAM, channel by channel in the order of time.
type Observer interface{ DRAM(Transfer) }

// Watch lets an observer see all transfers.
func (m *System) Watch(o Observer) { m.watchers = append(m.watchers, o) }

// Lookup is a sector looked up in a slice of the L2.
type Lookup struct {
	Cycle   int64 // in which the slice took the request
	Slice   int
	SM      int // -1 for what the slice itself writes back
	Address uint64
	Write   bool
	Hit     bool
}

// L2Observer sees what slices look up, in the order of time.
type L2Observer interface{ L2(Lookup) }

// WatchL2 lets an observer see all lookups.
func (m *System) WatchL2(o L2Observer) { m.lookups = append(m.lookups, o) }
