package sim

import (
	"testing"

	"pgregory.net/rapid"
)

// The wheel wakes every warp exactly at its cycle, whatever lies in between.
func TestWheelWakesInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const warps = 6
		w := newWheel(warps)
		asleep := map[int32]int64{}
		now := int64(-1)
		for range rapid.IntRange(1, 60).Draw(t, "rounds") {
			now = min(w.nextEvent(), now+rapid.SampledFrom([]int64{1, 1, 3, 700, 5000, 3_000_000}).Draw(t, "jump"))
			for i := w.advance(now); i >= 0; {
				following := w.next[i]
				if at, ok := asleep[i]; !ok || at != now {
					t.Fatalf("cycle %d wakes warp %d, due %d", now, i, at)
				}
				delete(asleep, i)
				i = following
			}
			for i, at := range asleep {
				if at <= now {
					t.Fatalf("cycle %d: warp %d slept over %d", now, i, at)
				}
			}
			i := int32(rapid.IntRange(0, warps-1).Draw(t, "warp"))
			if _, ok := asleep[i]; !ok {
				asleep[i] = now + rapid.SampledFrom([]int64{1, 2, 63, 64, 1023, 1024, 1025, 40_000, 1_048_576, 2_500_000}).Draw(t, "sleep")
				w.add(i, asleep[i])
			}
			if w.count != len(asleep) {
				t.Fatalf("%d warps in the wheel, %d asleep", w.count, len(asleep))
			}
		}
	})
}
