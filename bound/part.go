package bound

// PartID is the permanent name of a summand of bounds: ids are added, never
// renamed.
type PartID string

// The summands. A bound has each at most once.
const (
	// Parts of bounds on warps, blocks and launches that overlap (multiphase).
	Isolated        PartID = "isolated"
	LongestPath     PartID = "longest-path"
	LongestChain    PartID = "longest-chain"
	OtherWarps      PartID = "other-warps"
	OutOfOrder      PartID = "out-of-order"
	BarrierDelays   PartID = "barrier-delays"
	BlockStartDelay PartID = "block-start-delay"

	// Several blocks on an SM, and several SMs.
	EarlierBlocksOfSlot PartID = "earlier-blocks-of-slot"
	OtherBlocks         PartID = "other-blocks"
	EarlierBlocksOfSM   PartID = "earlier-blocks-of-sm"
	BlocksBesideLast    PartID = "blocks-beside-last"
	LastBlock           PartID = "last-block"
	BlocksInSequence    PartID = "blocks-in-sequence"

	// Everything one after the other, and warps that take turns.
	AllInstructions PartID = "all-instructions"
	AllInitiations  PartID = "all-initiations"
	LatencyChains   PartID = "latency-chains"
	SegmentIssue    PartID = "segment-issue"
	AfterLastIssue  PartID = "after-last-issue"
	FixedSequence   PartID = "fixed-sequence"

	// Accesses in an enforced order, with caches.
	AllAccesses        PartID = "all-instructions-and-tags"
	LongestWait        PartID = "longest-wait"
	InitiationsCharged PartID = "initiations-charged"
	Fills              PartID = "fills"
	MemoryOwnSM        PartID = "memory-own-sm"
	MemoryOtherSMs     PartID = "memory-other-sms"

	// Warps that share units (volume).
	LastWarp       PartID = "last-warp"
	OthersInTheWay PartID = "others-in-the-way"

	// Front ends: a replay, and what is added for them.
	InstructionsIssued PartID = "instructions-issued"
	NOPsIssued         PartID = "nops-issued"
	NothingIssued      PartID = "nothing-issued"
	NOPs               PartID = "nops"
	LinesOnTheirWay    PartID = "lines-on-their-way"
	Activation         PartID = "activation"

	// Memory phases, with caches (premtime).
	TagsAndWaysOut  PartID = "tags-and-ways-out"
	MSHRsTaken      PartID = "mshrs-taken"
	FullMergeLists  PartID = "full-merge-lists"
	Victims         PartID = "victims"
	WaysOfLoads     PartID = "ways-of-loads"
	SlicesOfL2      PartID = "l2-slices"
	TransfersOfDRAM PartID = "dram-transfers"
	RowsOpened      PartID = "dram-rows"
	WayIn           PartID = "way-in"
	TeamsThatWait   PartID = "waiting-teams"
	HandOver        PartID = "hand-over"
	Refreshes       PartID = "dram-refreshes"
)

// PartEntry describes a summand, whatever the bound.
type PartEntry struct {
	ID   PartID
	Name string // as reports write it
}

// partTable is in the order of the constants.
var partTable = []PartEntry{
	{Isolated, "longest isolated time"},
	{LongestPath, "longest path"},
	{LongestChain, "longest chain of one warp a section"},
	{OtherWarps, "other warps"},
	{OutOfOrder, "own instructions out of order"},
	{BarrierDelays, "barrier delays"},
	{BlockStartDelay, "block start delay"},
	{EarlierBlocksOfSlot, "earlier blocks of the slot, alone"},
	{OtherBlocks, "initiations of other blocks"},
	{EarlierBlocksOfSM, "initiations of earlier blocks of the SM"},
	{BlocksBesideLast, "initiations of blocks beside the last"},
	{LastBlock, "last block"},
	{BlocksInSequence, "blocks one after the other"},
	{AllInstructions, "initiation and latency of everything"},
	{AllInitiations, "initiation of everything"},
	{LatencyChains, "longest chains of latencies"},
	{SegmentIssue, "issue of all segments"},
	{AfterLastIssue, "execution behind the last issue"},
	{FixedSequence, "fixed sequence"},
	{AllAccesses, "initiation, tags and latency of everything"},
	{LongestWait, "longest wait"},
	{InitiationsCharged, "initiations charged"},
	{Fills, "fills"},
	{MemoryOwnSM, "memory serves the SM"},
	{MemoryOtherSMs, "memory serves other SMs"},
	{LastWarp, "instructions of the last warp"},
	{OthersInTheWay, "instructions of others in its way"},
	{InstructionsIssued, "instructions issued"},
	{NOPsIssued, "NOPs issued"},
	{NothingIssued, "nothing issued"},
	{NOPs, "NOPs"},
	{LinesOnTheirWay, "lines on their way"},
	{Activation, "activation"},
	{TagsAndWaysOut, "tags and ways out"},
	{MSHRsTaken, "MSHRs taken"},
	{FullMergeLists, "full merge lists"},
	{Victims, "victims on their way"},
	{WaysOfLoads, "ways of loads"},
	{SlicesOfL2, "slices of the L2"},
	{TransfersOfDRAM, "transfers of the DRAM"},
	{RowsOpened, "rows opened"},
	{WayIn, "way in"},
	{TeamsThatWait, "teams that wait"},
	{HandOver, "lines that the hand-over drives out"},
	{Refreshes, "refreshes"},
}

// Parts lists every summand there is. The caller owns the slice.
func Parts() []PartEntry { return append([]PartEntry(nil), partTable...) }

// Component is one summand of a bound; Part makes one.
type Component struct {
	ID     PartID `json:"id"`
	Name   string `json:"name"` // as Parts has it
	Cycles int64  `json:"cycles"`
}

// Part makes a summand with the name that the table has for the id.
func Part(id PartID, cycles int64) Component {
	for _, e := range partTable {
		if e.ID == id {
			return Component{ID: id, Name: e.Name, Cycles: cycles}
		}
	}
	return Component{ID: id, Name: "unknown part", Cycles: cycles}
}
