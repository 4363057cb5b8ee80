package method

import (
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/simt"
)

// The longest initiation of a unit counts every transaction a warp can make.
func TestLongestInitiation(t *testing.T) {
	d := &gpu.Description{Timing: []gpu.Rule{
		{Unit: "A", InitiationCycles: 3, TransactionCycles: 100},
		{Unit: "B", InitiationCycles: 50},
		{Unit: "A", InitiationCycles: 2, Transactions: "segments", TransactionCycles: 4},
		{Unit: "A", InitiationCycles: 9, Transactions: "none", TransactionCycles: 100},
	}}
	for unit, want := range map[string]int64{"A": 2 + (simt.MaxTransactions-1)*4, "B": 50, "C": 0} {
		if got := longestInitiation(d, unit); got != want {
			t.Errorf("%s: %d, want %d", unit, got, want)
		}
	}
}
