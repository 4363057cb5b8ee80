package sim

// Placement is which SM gets the next block.
type Placement uint8

// The placements.
const (
	MostFree  Placement = iota // the SM with most free slots, the lowest of equals
	FillFirst                  // the lowest SM with a free slot
	// InBatches gives an SM its next blocks only when all its resident blocks have
	// ended, and deals blocks to SMs beforehand (Batch), so that which blocks are
	// resident together does not depend on time.
	InBatches
)

// Batched is InBatches, or else MostFree.
func Batched(yes bool) Placement {
	if yes {
		return InBatches
	}
	return MostFree
}

// Batch lists the blocks of batch k, counted from 0, of an SM with
// Placement InBatches, as positions in the dispatch order of total blocks: round k
// deals the next sms x blocksPerSM blocks, one to each SM in turn. sms is the
// number of SMs that get blocks at all, at most total. The list is empty after
// an SM's last batch.
func Batch(total int64, sms, blocksPerSM, sm int, k int64) []int64 {
	var blocks []int64
	for i := range int64(blocksPerSM) {
		if b := batchBlock(sms, blocksPerSM, sm, k*int64(blocksPerSM)+i); b < total {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// batchBlock is the position of the n-th block of an SM.
func batchBlock(sms, blocksPerSM, sm int, n int64) int64 {
	per := int64(blocksPerSM)
	return (n/per*per+n%per)*int64(sms) + int64(sm)
}
