package schedule_test

import (
	"testing"

	"github.com/warpbound/warpbound/internal/premtime/schedule"
)

func BenchmarkWithShare(b *testing.B) {
	many := tiles(0, 0, 1)
	for i := range 1000 {
		many.Intervals = append(many.Intervals, schedule.Interval{
			Mem: schedule.Time(10_000 + i*37%1009), Comp: schedule.Time(9_000 + i*53%2003), Count: 3,
		})
	}
	for _, c := range []struct {
		name string
		in   schedule.Input
	}{{"intervals=1", tiles(100_000, 61_000, 1000)}, {"intervals=1001", many}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := schedule.WithShare(c.in, schedule.Share{Mem: 7, Comp: 3}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
