package sim

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Requests come out at their cycles, those of one cycle as they went in, also
// where they lie beyond the span of the ring.
func TestMemQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newMemQueue()
		var reqs []request
		type due struct {
			at int64
			r  int32
		}
		var want, got []due
		now := int64(-1)
		take := func(to int64) {
			for q.next <= to {
				now = q.next
				for r := q.take(now); r >= 0; {
					q.count--
					following := reqs[r].next
					if reqs[r].at > now {
						q.add(reqs, r, reqs[r].at)
					} else {
						got = append(got, due{now, r})
					}
					r = following
				}
			}
			q.take(to)
			now = to
		}
		far := false
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "add") {
				delay := rapid.OneOf(rapid.Int64Range(1, 4), rapid.Int64Range(1, 3*queueSlots)).Draw(t, "delay")
				far = far || delay >= queueSlots
				r := int32(len(reqs))
				reqs = append(reqs, request{})
				q.add(reqs, r, now+delay)
				want = append(want, due{now + delay, r})
				continue
			}
			take(now + rapid.OneOf(rapid.Int64Range(1, 4), rapid.Int64Range(1, 5000)).Draw(t, "advance"))
		}
		take(now + 4*queueSlots)
		slices.SortStableFunc(want, func(a, b due) int { return int(a.at - b.at) })
		if far { // those put in again come after others of their cycle
			slices.SortStableFunc(got, func(a, b due) int {
				if a.at != b.at {
					return int(a.at - b.at)
				}
				return int(a.r - b.r)
			})
		}
		if !slices.Equal(got, want) || q.count != 0 || q.next != never {
			t.Fatalf("%v, want %v; %d left", got, want, q.count)
		}
	})
}

func TestSectorTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := newSectorTable(1)
		want := map[uint64]int32{}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			key := rapid.Uint64Range(0, 40).Draw(t, "key") * rapid.SampledFrom([]uint64{1, 1 << 20, 1 << 40}).Draw(t, "spread")
			switch rapid.IntRange(0, 2).Draw(t, "operation") {
			case 0:
				table.remove(key)
				delete(want, key)
			default:
				val := rapid.Int32Range(0, 9).Draw(t, "value")
				table.set(key, val)
				want[key] = val
			}
			for k, v := range want {
				if got := table.find(k); got != v {
					t.Fatalf("key %d: %d, want %d", k, got, v)
				}
			}
			if _, in := want[key]; !in && table.find(key) != -1 || table.n != len(want) {
				t.Fatalf("key %d: %d of %d entries", key, table.n, len(want))
			}
		}
	})
}
