package memory

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"pgregory.net/rapid"
)

// SMs come in turn, the write-backs of no SM among them, and of one SM what it
// sent first.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sms := rapid.IntRange(1, 4).Draw(t, "SMs")
		p := newTurns(sms)
		var reqs []request
		waiting := make([][]int64, sms+1)
		last := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "add") {
				of := rapid.IntRange(0, sms).Draw(t, "SM")
				x := request{sm: int32(of), number: rapid.Int64Range(0, 9).Draw(t, "before")*1000 + int64(len(reqs))}
				if of == sms {
					x.sm = -1
				}
				reqs = append(reqs, x)
				p.add(reqs, int32(len(reqs)-1))
				waiting[of] = append(waiting[of], x.number)
				slices.Sort(waiting[of])
				continue
			}
			want := int64(-1)
			for i := range sms + 1 {
				if of := (last + 1 + i) % (sms + 1); len(waiting[of]) > 0 {
					want, waiting[of], last = waiting[of][0], waiting[of][1:], of
					break
				}
			}
			got := int64(-1)
			if r := p.next(); r >= 0 {
				got = reqs[r].number
			}
			if got != want {
				t.Fatalf("request %d, want %d", got, want)
			}
		}
	})
}

// memAlone is a memory with requests sent by hand, and when they were answered.
type memAlone struct {
	*System
	done map[int32]int64
}

func newMemAlone(t gpus.T, sms int, set ...string) *memAlone {
	t.Helper()
	mem, err := New(gpus.Open(t, "gtx480", set...).Desc, sms)
	if err != nil {
		t.Fatal(err)
	}
	m := &memAlone{mem, map[int32]int64{}}
	mem.Deliver = func(_ int32, t int64, token int32, _ Kind) { m.done[token] = t }
	return m
}

func (m *memAlone) load(sm int32, t int64, addr uint64, token int32) {
	m.Advance(t)
	m.Send(sm, t, Read, addr, 128, token)
}

// A late request of another SM is served behind the one that is being served, not
// behind all, and one that joins a fetch takes it along in its own turn. The first
// request reaches the channel in cycle 131, each takes 23 cycles there, and the
// late one comes in cycle 163, when the second is served.
func TestMemoryInTurn(t *testing.T) {
	set := []string{"l2.slices=1", "dram.channels=1", "dram.banks=1", "dram.row_bytes=256"}
	for _, test := range []struct {
		arbitration string
		late        uint64
		before      int // of the eight requests of SM 0 that are answered earlier
	}{
		{"fifo", 1 << 20, 8},
		{"round-robin", 1 << 20, 2},
		{"fifo", 7 * 256, 7}, // what request 7 fetches
		{"round-robin", 7 * 256, 2},
	} {
		m := newMemAlone(t, 2, append(set, fmt.Sprintf("l2.arbitration=%q", test.arbitration))...)
		for i := range int32(8) {
			m.load(0, 0, uint64(i)*256, i)
		}
		m.load(1, 32, test.late, 8) // the requests before wait for the channel
		m.Advance(1 << 20)
		if err := m.Check(); err != nil || len(m.done) != 9 {
			t.Fatalf("%v: %v", test, m.done)
		}
		before := 0
		for i := range int32(8) {
			if m.done[i] < m.done[8] {
				before++
			}
		}
		if before != test.before {
			t.Errorf("%v: %d are answered before the late one, at %v", test, before, m.done)
		}
	}
}

// A place that serves in turn keeps a request for at most a turn of every other
// SM and one of its own, and every request is answered.
func TestInTurnWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sms := rapid.IntRange(1, 4).Draw(t, "SMs")
		m := newMemAlone(t, sms, "l2.arbitration=round-robin", fmt.Sprintf("l2.ways=%d", rapid.IntRange(1, 8).Draw(t, "ways")), "l2.sets=1", "l2.slices=2", "dram.channels=1")
		d := gpus.Open(t, "gtx480").Desc
		// With the write-backs there are sms + 1 turns, and a younger request of the
		// same SM may be served.
		alone := int64(4+120+132+7+6+8) + 19 + 4
		most := alone + int64(sms+1)*4 + int64(sms+2)*(d.DRAM.RowMissCycles+4)
		now := int64(0)
		last := make([]int64, sms) // no SM has more than one request under way
		n := int32(0)
		var sent, limit []int64
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			now += rapid.Int64Range(0, 40).Draw(t, "after")
			sm := rapid.IntRange(0, sms-1).Draw(t, "SM")
			if last[sm] > now {
				continue
			}
			addr := 128 * rapid.Uint64Range(0, 40).Draw(t, "line")
			m.Advance(now)
			kind := rapid.SampledFrom([]Kind{Read, Atomic}).Draw(t, "kind")
			m.Send(int32(sm), now, kind, addr, 128, n)
			held := int64(0)
			if kind == Atomic {
				held = d.L1D.WriteLatencyCycles
			}
			last[sm] = now + most + held
			sent, limit = append(sent, now), append(limit, most+held)
			n++
		}
		m.Advance(1 << 40)
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if took := m.done[i] - sent[i]; took <= 0 || took > limit[i] {
				t.Errorf("request %d takes %d cycles, at most %d", i, took, limit[i])
			}
		}
	})
}
