package l1d

import "fmt"

// Residency says how the blocks of a launch share the SMs.
type Residency struct {
	Blocks      int64 // of the grid
	SMs         int
	BlocksPerSM int // resident at the same time
}

// Check says what is wrong with r.
func (r Residency) Check() error {
	if r.Blocks < 1 || r.SMs < 1 || r.BlocksPerSM < 1 {
		return fmt.Errorf("l1d: %d blocks, %d SMs, %d blocks an SM: expected at least 1 of each", r.Blocks, r.SMs, r.BlocksPerSM)
	}
	return nil
}

// Rounds is the number of batches of SM 0, which has the most.
func (r Residency) Rounds() int64 {
	per := int64(r.SMs) * int64(r.BlocksPerSM)
	return (r.Blocks + per - 1) / per
}

// Batch appends the blocks of batch k of an SM, ascending; none once the SM has
// no more. In batches an SM takes new blocks when all its blocks have retired,
// and block i always goes to SM i modulo their number: that is where the
// breadth-first dispatcher puts the blocks of the first batch, and with the same
// for the others no batch depends on which SM was done first.
func (r Residency) Batch(blocks []int64, sm int, k int64) []int64 {
	first := k*int64(r.SMs)*int64(r.BlocksPerSM) + int64(sm)
	for j := range int64(r.BlocksPerSM) {
		b := first + j*int64(r.SMs)
		if b >= r.Blocks {
			break
		}
		blocks = append(blocks, b)
	}
	return blocks
}
