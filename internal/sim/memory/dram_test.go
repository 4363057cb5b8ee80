package memory

import (
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"pgregory.net/rapid"
)

// dramRequest is a request of the references below. They know one channel.
type dramRequest struct {
	at    int64
	bank  int
	row   int64
	bytes int64

	begin  int64 // of the transfer, in thousandths of a cycle
	opened bool
}

// dramModel is a channel by its rules, in the plainest form.
type dramModel struct {
	miss, bytesPerKilocycle int64
	interval, refresh       int64 // 0 for none
	entries                 int
	cap                     int64
}

func (d *dramModel) epoch(t int64) int64 {
	if d.interval == 0 {
		return 0
	}
	return t / d.interval
}

func (d *dramModel) refreshing(t int64) bool {
	return d.interval > 0 && t >= d.interval && t%d.interval < d.refresh
}

func (d *dramModel) took(bytes int64) int64 {
	return (bytes*1_000_000 + d.bytesPerKilocycle - 1) / d.bytesPerKilocycle
}

type modelBank struct {
	row, epoch, free, hits int64
}

// inOrder serves requests in the order of arrival: each tries cycle after cycle to
// begin with the bank, until row and transfer fit between two refreshes.
func (d *dramModel) inOrder(requests []dramRequest, banks int) {
	bank := make([]modelBank, banks)
	for i := range bank {
		bank[i].row = -1
	}
	bus := int64(0)
	for i := range requests {
		x := &requests[i]
		b := &bank[x.bank]
		for u := max(x.at, b.free); ; u++ {
			if d.refreshing(u) {
				continue
			}
			open := b.row == x.row && b.epoch == d.epoch(u)
			ready := u
			if !open {
				ready = u + d.miss
			}
			begin := max(1000*ready, bus)
			if d.epoch(ready) != d.epoch(u) || d.epoch(begin/1000) != d.epoch(u) {
				continue
			}
			x.begin, x.opened = begin, !open
			b.row, b.epoch, b.free = x.row, d.epoch(u), ready
			bus = begin + d.took(x.bytes)
			break
		}
	}
}

// openFirst serves requests cycle by cycle, preferring rows that are open.
func (d *dramModel) openFirst(requests []dramRequest, banks int) {
	bank := make([]modelBank, banks)
	for i := range bank {
		bank[i].row = -1
	}
	var queue []*dramRequest
	next, bus := 0, int64(0)
	for t := int64(0); next < len(requests) || len(queue) > 0; t++ {
		if d.refreshing(t) {
			continue
		}
		for again := true; again; {
			again = false
			for len(queue) < d.entries && next < len(requests) && requests[next].at <= t {
				queue = append(queue, &requests[next])
				next++
			}
			for i := range bank {
				b := &bank[i]
				var oldest *dramRequest
				keep := false
				for _, x := range queue {
					if x.bank != i {
						continue
					}
					if oldest == nil {
						oldest = x
					}
					if x.row == b.row && b.epoch == d.epoch(t) && (x == oldest || b.hits < d.cap) {
						keep = true
					}
				}
				if oldest == nil || keep || b.free > t || d.epoch(t+d.miss) != d.epoch(t) {
					continue
				}
				oldest.opened = true
				*b = modelBank{row: oldest.row, epoch: d.epoch(t), free: t + d.miss}
			}
			if bus >= 1000*(t+1) {
				break
			}
			for i, x := range queue {
				b := &bank[x.bank]
				if b.row != x.row || b.epoch != d.epoch(t) || b.free > t {
					continue
				}
				passes := false // an older request for another row
				for _, o := range queue[:i] {
					if o.bank == x.bank {
						passes = o.row != x.row
						break
					}
				}
				if passes && b.hits >= d.cap {
					continue
				}
				if passes {
					b.hits++
				}
				x.begin = max(1000*t, bus)
				bus = x.begin + d.took(x.bytes)
				queue = append(queue[:i:i], queue[i+1:]...)
				again = true
				break
			}
		}
	}
}

// transferLog collects transfers by the address of their request.
type transferLog struct {
	events []Transfer
}

func (l *transferLog) DRAM(e Transfer) { l.events = append(l.events, e) }

// dramAlone is a memory of one slice, whose channel gets requests by hand.
func dramAlone(t gpus.T, d dramModel, banks int, rowBytes int64) (*System, *transferLog) {
	t.Helper()
	desc := *gpus.Open(t, "gtx480", "l2.slices=1", "dram.channels=1", fmt.Sprintf("dram.banks=%d", banks), fmt.Sprintf("dram.row_bytes=%d", rowBytes)).Desc
	dram := *desc.DRAM
	dram.RowMissCycles, dram.BytesPerKilocycle, dram.RefreshIntervalCycles, dram.RefreshCycles = d.miss, d.bytesPerKilocycle, d.interval, d.refresh
	if d.entries > 0 {
		dram.Scheduling, dram.QueueEntries, dram.RowHitCap = "fr-fcfs", d.entries, d.cap
	}
	desc.DRAM = &dram
	if err := Check(&desc); err != nil {
		t.Fatal(err)
	}
	m, err := New(&desc, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := &transferLog{}
	m.Watch(l)
	return m, l
}

func (m *System) toChannel(t, bytes int64, addr uint64) {
	m.add(request{addr: addr, missing: bytes, kind: WriteBack, stage: toChannel, sm: -1, waiting: -1, leader: -1}, t)
}

const testRowBytes = 4096

// Streams of requests against the references: every transfer begins in the same
// thousandth of a cycle, in both ways of scheduling, with and without refreshes.
func TestDRAMAgainstReference(t *testing.T) {
	reordered, refreshed, full := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		banks := rapid.IntRange(1, 4).Draw(t, "banks")
		d := dramModel{miss: rapid.Int64Range(0, 40).Draw(t, "row miss"), bytesPerKilocycle: rapid.Int64Range(2000, 70000).Draw(t, "bandwidth")}
		if rapid.Bool().Draw(t, "refreshes") {
			d.refresh = rapid.Int64Range(1, 60).Draw(t, "refresh")
			d.interval = d.refresh + d.miss + rapid.Int64Range(1, 200).Draw(t, "between")
		}
		if rapid.Bool().Draw(t, "open rows first") {
			d.entries, d.cap = rapid.IntRange(1, 12).Draw(t, "entries"), rapid.Int64Range(1, 6).Draw(t, "cap")
		}
		var requests []dramRequest
		m, l := dramAlone(t, d, banks, testRowBytes)
		at := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			at += rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 12), rapid.Int64Range(0, 300)).Draw(t, "after")
			row := rapid.SampledFrom([]int64{0, 0, 1, 2}).Draw(t, "row")*int64(banks) + rapid.Int64Range(0, int64(banks)-1).Draw(t, "bank")
			x := dramRequest{at: at, bank: int(row % int64(banks)), row: row, bytes: rapid.SampledFrom([]int64{32, 64, 128}).Draw(t, "bytes")}
			requests = append(requests, x)
			m.toChannel(at, x.bytes, uint64(row*testRowBytes)+uint64(len(requests)))
		}
		m.Advance(1 << 30)
		if err := m.Check(); err != nil || len(l.events) != len(requests) {
			t.Fatalf("%d of %d transfers, %v", len(l.events), len(requests), err)
		}
		if d.entries > 0 {
			d.openFirst(requests, banks)
		} else {
			d.inOrder(requests, banks)
		}
		waits, misses := int64(0), int64(0)
		for i, e := range l.events {
			n := int(e.Address%testRowBytes) - 1
			x := &requests[n]
			if e.BeginMillicycle != x.begin || e.EndMillicycle != x.begin+d.took(x.bytes) || e.ArriveCycle != x.at || e.RowMiss != x.opened {
				t.Fatalf("request %d: %+v, want %+v", n, e, *x)
			}
			if n != i {
				reordered++
			}
			waits += x.begin/1000 - x.at
			if e.RowMiss {
				misses++
			}
		}
		if u := m.use.GPU; u.WaitCycles != waits || u.RowMisses != misses || m.use.DRAM.RowMisses != misses {
			t.Fatalf("%+v, want %d cycles of waiting and %d rows opened", u, waits, misses)
		}
		if d.interval > 0 {
			refreshed++
		}
		if d.entries > 0 && d.entries < len(requests) {
			full++
		}
	})
	if reordered == 0 || refreshed == 0 || full == 0 {
		t.Errorf("%d transfers out of order, %d cases with refreshes, %d with more requests than the queue has entries: expected some of all", reordered, refreshed, full)
	}
}

// A stream of hits to an open row without end keeps a request for another row
// of the bank waiting only as long as the cap says.
func TestOpenRowsStarveNothing(t *testing.T) {
	for _, entries := range []int{2, 8, 64} {
		for _, most := range []int64{1, 4, 32} {
			d := dramModel{miss: 20, bytesPerKilocycle: 32000, entries: entries, cap: most}
			m, l := dramAlone(t, d, 2, testRowBytes)
			victims := 0
			for i := range int64(4000) {
				m.toChannel(i, 64, uint64(i%64)) // twice what the bus can do
				if i%200 == 100 {
					m.toChannel(i, 64, 2*testRowBytes)
					victims++
				}
			}
			m.Advance(1 << 20)
			// In the queue, a victim is passed by at most cap transfers, and the row is
			// opened after the one that is under way; outside, requests wait in order.
			passed, served := int64(0), 0
			for _, e := range l.events {
				if e.Address == 2*testRowBytes {
					served++
				}
			}
			for i, e := range l.events {
				if e.Address != 2*testRowBytes {
					continue
				}
				n := int64(0)
				for _, o := range l.events[:i] {
					if o.ArriveCycle > e.ArriveCycle {
						n++
					}
				}
				passed = max(passed, n)
			}
			if served != victims || passed > most || entries > int(most)+1 && passed != most {
				t.Errorf("queue of %d, cap %d: %d of %d served, passed by %d", entries, most, served, victims, passed)
			}
		}
	}
}

// Refreshes take their share of the bandwidth, and close every row: of a stream
// that the bus is busy with all the time, each refresh costs its cycles and one
// row.
func TestRefreshAccounting(t *testing.T) {
	for _, scheduling := range []int{0, 16} {
		d := dramModel{miss: 20, bytesPerKilocycle: 64000, interval: 1000, refresh: 100, entries: scheduling, cap: 4}
		m, l := dramAlone(t, d, 2, 1<<20)
		for i := range int64(9000) {
			m.toChannel(0, 64, uint64(i)) // a cycle each, one row
		}
		m.Advance(1 << 20)
		// 20 cycles for the first row, 980 transfers; then 880 in each interval.
		n := int64(9000 - 980)
		want := 1000 + n/880*1000 + 120 + n%880
		if end := l.events[len(l.events)-1].EndMillicycle / 1000; end != want || m.use.DRAM.RowMisses != 1+n/880+1 {
			t.Errorf("queue of %d: %d transfers end at %d with %d rows opened, want %d and %d", scheduling, len(l.events), end, m.use.DRAM.RowMisses, want, n/880+2)
		}
		u := m.Use(want)
		if u.DRAM.Refreshes != want/1000 {
			t.Errorf("%d refreshes in %d cycles", u.DRAM.Refreshes, want)
		}
		for _, e := range l.events {
			if at := e.BeginMillicycle / 1000; at >= 1000 && at%1000 < 100 {
				t.Fatalf("a transfer begins in cycle %d", at)
			}
		}
	}
}
