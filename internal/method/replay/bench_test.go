package replay

import (
	"context"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/seq"
)

// benchProgram is warps that go through a loop of 20 instructions, as many times
// as trips says.
func benchProgram(warps int, trips int64) *Input {
	in := &Input{Code: code(23, 21, 22), Order: []Stretch{{0, 1}}}
	var body []int32
	for pc := range int32(23) {
		o := op(pc, int64(pc)%4*4)
		if pc > 2 {
			o.Reads = []int32{pc - 3}
		}
		in.Ops = append(in.Ops, o)
		if pc > 0 && pc < 22 {
			body = append(body, pc)
		}
	}
	s := seq.Must(seq.Run(0), seq.Repeat(trips, seq.Must(seq.Run(body...))), seq.Run(22))
	b := Block{}
	for range warps {
		b.Warps = append(b.Warps, s)
	}
	in.Blocks = []Block{b}
	return in
}

func benchMachine(swas bool, p Policy) *Core {
	m := small(swas, 4, 9, p)
	m.Front.FetchCycles = 3
	m.Front.ICache = ICache{Sets: 16, Ways: 1, MissCycles: 40}
	return m
}

// BenchmarkReplay steps through every instruction, and leaves repetitions out. The
// metric is time an instruction of the program, stepped or not.
func BenchmarkReplay(b *testing.B) {
	for _, warps := range []int{4, 32} {
		for _, p := range []Policy{{}, {Oldest, Greedy, 0}, {Category: Strict}} {
			for _, unfolded := range []bool{true, false} {
				trips, how := int64(1000), "stepped"
				if !unfolded {
					trips, how = 1_000_000, "folded"
				}
				in, m := benchProgram(warps, trips), benchMachine(true, p)
				b.Run(fmt.Sprintf("%d-warps/%s/%s", warps, p, how), func(b *testing.B) {
					var res *Result
					for b.Loop() {
						var err error
						if res, err = Run(context.Background(), m, in, Options{Unfolded: unfolded}); err != nil {
							b.Fatal(err)
						}
					}
					ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
					b.ReportMetric(ns/float64(res.Stats.Instructions), "ns/inst")
					b.ReportMetric(float64(res.SteppedInstructions), "stepped/op")
				})
			}
		}
	}
}
