package budget

// requestStores are the stores of request words in a hand-over: the last team to
// arrive asks for all, and one that leaves may do so for those that have arrived.
const requestStores = 2

// handOver bounds what the lines occupy that the teams' own requests for a phase have
// driven out of the L2 by its start, and that may still have to be written: at the
// slices what an L1D has written back, then the bus and the rows
// (docs/soundness/phases.md, theorem 36 (teams that wait)). Nothing else of a hand-over
// is under way when all teams are released. polled is how many fetches of the token's
// lines are counted in the phase.
func (c *cached) handOver(own, others, polled int64, sum *total) int64 {
	dropped := c.droppedByStores()
	took := sum.mul(c.drivenOut(own, others, polled, dropped), c.writeBackCost())
	if dropped > 0 {
		took += sum.mul(dropped, c.sectors()*c.d.L2.AccessCycles) + c.readWay
	}
	return took
}

// droppedByStores are the sectors that an L1D may write back for the stores of a
// hand-over.
func (c *cached) droppedByStores() int64 {
	if c.d.L1D.Write != "back" {
		return 0
	}
	return requestStores * int64(c.d.L1D.LineBytes/c.d.L1D.SectorBytes)
}

// drivenOut bounds the lines that the L2 writes back for a hand-over. Where lines stay,
// each line of the token comes in once, and again when so many others have; what polls
// inside the phase may bring in is counted there. Otherwise a line that is written back
// has been dirty before, in a set with a line of the token, or the hand-over has made
// it so.
func (c *cached) drivenOut(own, others, polled, dropped int64) int64 {
	stay := int64(c.holds2) - (tokenLines - 1)
	// Teams released before the others have begun with the phase.
	begun, begunWriteBacks := int64(0), int64(0)
	if own+others > 0 {
		begun, begunWriteBacks = c.shared.busiest, c.shared.writeBacks
	}
	if stay < 1 {
		before := int64(tokenLines * c.d.L2.Ways)
		since := (own+others+1)*(protocolAtomics+protocolStores) + tokenLines*begun + begunWriteBacks
		return before + since + dropped
	}
	times := tokenLines * (1 + (begun+begunWriteBacks+dropped)/stay)
	return max(0, times-polled) + dropped
}

// writeBackCost is what a line written back occupies: the bus, and the opening of its
// row and of that of the transfer behind it.
func (c *cached) writeBackCost() int64 {
	return (c.transfer(int64(c.d.L2.LineBytes))+999)/1000 + 2*c.d.DRAM.RowMissCycles
}
