package path

import (
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/simt"
)

// An access whose addresses are shifted by any multiple of a step, made by any of its
// lanes that are aligned, makes no more transactions than are told.
func TestShiftedAccessesMakeNoMore(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	mem := gpu.Memory{SegmentBytes: 128, SharedBanks: 32, BankWordBytes: 4}
	r := &coverRecorder{recorder: recorder{mem: mem}}
	tight := 0
	for range 3000 {
		timing := &gpu.Timing{Transactions: gpu.Segments}
		if rng.IntN(2) == 0 {
			timing.Transactions = gpu.Banks
		}
		width := int32(1) << rng.IntN(5)
		s := &simt.Step{Exec: simt.Mask(rng.Uint32() | rng.Uint32()<<rng.IntN(32)), WidthBytes: width}
		stride, odd := uint64(rng.IntN(5))*uint64(width)<<rng.IntN(6), rng.IntN(3) == 0
		for i := range s.Addresses {
			s.Addresses[i] = 1<<20 + stride*uint64(i) + uint64(width)*uint64(rng.IntN(2)*rng.IntN(40))
			if odd && rng.IntN(4) == 0 {
				s.Addresses[i] += uint64(rng.IntN(int(width)))
			}
		}
		step := uint64(1) << rng.IntN(9)
		most := r.shifted(s, step, r.unit(timing), timing)
		reached := false
		for by := uint64(0); by < 4*128; by += step {
			moved := *s
			moved.Exec = 0
			for i := range moved.Addresses {
				moved.Addresses[i] += by
				if s.Exec>>i&1 != 0 && moved.Addresses[i]%uint64(width) == 0 {
					moved.Exec |= 1 << i
				}
			}
			n := Transactions(&moved, timing, &mem)
			if n > most {
				t.Fatalf("%d transactions where at most %d are told: %d bytes at %v, lanes %#x, shifted by %d, a multiple of %d", n, most, width, moved.Addresses, moved.Exec, by, step)
			}
			reached = reached || n == most
		}
		if reached {
			tight++
		}
	}
	if tight < 1500 {
		t.Errorf("of 3000 accesses %d make as many transactions as told", tight)
	}
}
