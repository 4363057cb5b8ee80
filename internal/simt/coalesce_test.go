package simt

import (
	"testing"

	"pgregory.net/rapid"
)

// Every geometry that a description can have against counting bytes, with
// addresses of any alignment.
func TestTransactionsAgainstBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Step{
			Exec:       Mask(rapid.Uint32().Draw(t, "exec")),
			WidthBytes: int32(rapid.SampledFrom([]int{1, 2, 4, 8, 16, 32}).Draw(t, "width")),
		}
		base := rapid.Uint64Range(0, 1<<40).Draw(t, "base")
		stride := rapid.Uint64Range(0, 300).Draw(t, "stride")
		jitter := rapid.Uint64Range(0, 64).Draw(t, "jitter")
		for i := range s.Addresses {
			s.Addresses[i] = base + uint64(i)*stride + rapid.Uint64Range(0, jitter).Draw(t, "offset")
		}
		segment := int64(4) << rapid.IntRange(0, 10).Draw(t, "segment")
		banks := 1 << rapid.IntRange(0, 7).Draw(t, "banks")
		word := int64(4) << rapid.IntRange(0, 3).Draw(t, "word")

		segments := map[uint64]bool{}
		words := map[uint64]map[uint64]bool{}
		bytesOf(s, func(at uint64) {
			segments[at/uint64(segment)] = true
			w := at / uint64(word)
			bank := w % uint64(banks)
			if words[bank] == nil {
				words[bank] = map[uint64]bool{}
			}
			words[bank][w] = true
		})
		worst := 0
		for _, w := range words {
			worst = max(worst, len(w))
		}
		if got := s.Segments(segment); got != len(segments) && len(segments) <= MaxTransactions {
			t.Errorf("%d segments of %d bytes, want %d", got, segment, len(segments))
		}
		if got := s.BankConflicts(banks, word); got != worst && distinct(words) <= MaxTransactions {
			t.Errorf("%d conflicts in %d banks of %d bytes, want %d", got, banks, word, worst)
		}
	})
}

func distinct(words map[uint64]map[uint64]bool) int {
	n := 0
	for _, w := range words {
		n += len(w)
	}
	return n
}
