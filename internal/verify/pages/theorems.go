package pages

// Packages that many entries name.
const (
	multiphase = "internal/method/multiphase"
	volume     = "internal/method/makespan"
	potential  = "internal/method/makespan/potential"
	ordered    = "internal/method/ordered"
	segment    = "internal/method/segment"
	replay     = "internal/method/replay"
	budget     = "internal/premtime/budget"
	static     = "internal/cache/static"
	l1d        = "internal/cache/l1d"
	campaign   = "internal/verify/soundness"
	kernels    = "internal/verify/soundness/kernels"
	runner     = "internal/analysis"
	recording  = "internal/path"
)

// launches are theorems 1 to 13, of a block, of several, and of other hardware.
var launches = []Statement{
	{Kind: Theorem, ID: "1", Name: "published bound", Page: "blocks", Section: 2,
		Sentence: "The published bound GUB is safe where every other warp's execution cycles cover what it can be charged.",
		Needs:    "the hardware of theorem 2; for instance every initiation is one cycle, or there is one unit",
		Code:     []string{multiphase + " Analyzer.judgeGUB"},
		Tests:    []string{multiphase + " TestGUBJudged", campaign + " TestAttackRediscoversGUB"},
		Faults:   []string{"offer-gub-always-safe"}},
	{Kind: Theorem, ID: "2", Name: "one block", Page: "blocks", Section: 5,
		Sentence: "SUM, FUA, BURST, PATH and REF each bound the completion of every instruction of a warp of a block without barriers.",
		Needs:    "unbounded queues, work-conserving issue, units that keep each warp's order",
		Code:     []string{multiphase + " Analyzer.sectionBound", multiphase + " Analyzer.pathBound", multiphase + " Analyzer.walkCost", multiphase + " Analyzer.isolatedTime"},
		Tests:    []string{multiphase + " TestBoundsEqualTheirDefinitions", multiphase + " TestFixtures", campaign + " TestCampaign", campaign + " TestSmallScope"},
		Faults:   []string{"iso-", "lower-", "walk-", "path-", "sum-", "fua-", "block-first-class-only"}},
	{Kind: Theorem, ID: "3", Name: "barriers", Page: "blocks", Section: 6,
		Sentence: "The bounds of the sections between barriers, and the barriers' delays, add up.",
		Needs:    "FIFO dispatch, or draining barriers, or no queues",
		Code:     []string{multiphase + " hardware.additive", multiphase + " Analyzer.blockParts"},
		Tests:    []string{multiphase + " TestSectionsAndDelays", multiphase + " TestH6BarrierAnyOrder", campaign + " TestCampaign"},
		Faults:   []string{"block-longest-section-only", "block-last-section-missing", "block-smallest-sub-core", "block-barrier-delay-dropped", "block-start-delay-dropped", "offer-sections-any-order"}},
	{Kind: Theorem, ID: "4", Name: "one SM", Page: "launches", Section: 6,
		Sentence: "Blocks that share the slots of an SM take at most one isolated time for each round, plus the charges of all other blocks, plus the last block's bound.",
		Needs:    "SUM charges; any dispatch order; greedy dispatch of blocks",
		Code:     []string{multiphase + " Analyzer.theorem4"},
		Tests:    []string{multiphase + " TestTheorems4And5", campaign + " TestCampaign", "internal/sim TestBoundsCoverSimulations"},
		Faults:   []string{"slot-"}},
	{Kind: Theorem, ID: "5", Name: "grid", Page: "launches", Section: 6,
		Sentence: "A grid on several SMs takes at most the rounds and charges before the last block starts, plus the charges of its neighbours, plus its bound.",
		Needs:    "as theorem 4",
		Code:     []string{multiphase + " Analyzer.theorem5"},
		Tests:    []string{multiphase + " TestTheorems4And5", campaign + " TestCampaign", "internal/sim TestBoundsCoverSimulations"},
		Faults:   []string{"grid-"}},
	{Kind: Theorem, ID: "6", Name: "queues that fill", Page: "hardware", Section: 7,
		Sentence: "SUM and FUA hold over the isolated time without queues where queues are finite or absent; SUM over the serial one where places are pooled.",
		Needs:    "an instruction kept from issue has its unit (pooled: some unit) initiating",
		Code:     []string{multiphase + " hardware.matched", multiphase + " hardware.refuseMethod"},
		Tests:    []string{multiphase + " TestH1ZeroSlot", multiphase + " TestH3OneSlot", multiphase + " TestPooledChargesEverything", campaign + " TestCampaign"},
		Faults:   []string{"iso-blocking-as-queued", "iso-serial-as-blocking", "offer-burst-on-finite-queue"}},
	{Kind: Theorem, ID: "7", Name: "reordered warps", Page: "hardware", Section: 7,
		Sentence: "Where units may serve one warp's instructions out of order, SUM to PATH hold with the warp's own initiations added.",
		Needs:    "draining barriers or none; not REF",
		Code:     []string{multiphase + " Analyzer.finish", multiphase + " hardware.keepsOrder"},
		Tests:    []string{multiphase + " TestH4OrderNotKept", campaign + " TestCampaign"},
		Faults:   []string{"block-order-term-dropped", "offer-ref-without-order"}},
	{Kind: Theorem, ID: "8", Name: "shared units", Page: "hardware", Section: 7,
		Sentence: "Where sub-cores share units, SUM and FUA hold if warps of other sub-cores are charged what they start there.",
		Needs:    "one block, or SUM of theorems 4 and 5",
		Code:     []string{multiphase + " Analyzer.addForeign", multiphase + " hardware.shared"},
		Tests:    []string{multiphase + " TestSharedUnits", campaign + " TestCampaign"},
		Faults:   []string{"block-foreign-dropped"}},
	{Kind: Theorem, ID: "9", Name: "one slot", Page: "launches", Section: 6,
		Sentence: "Blocks that never share an SM take at most the sum of their bounds; on several SMs, the largest bound times the largest number of blocks that one SM executes.",
		Needs:    "one slot an SM",
		Code:     []string{multiphase + " Analyzer.oneSlot", "internal/method/volume volumes.oneSlot"},
		Tests:    []string{multiphase + " TestTheorems4And5", runner + " TestMakespanOfLaunches"},
		Faults:   []string{"slot-largest-block-ignored"}},
	{Kind: Theorem, ID: "10", Name: "nothing overlaps", Page: "hardware", Section: 7,
		Sentence: "If in every cycle something is in progress, the time is at most the sum of all instructions' times and all delays.",
		Needs:    "some ready warp issues when nothing else is in progress; barriers do not deadlock",
		Code:     []string{"internal/method/serial Bound"},
		Tests:    []string{"internal/method/serial TestBoundAddsEverything", runner + " TestSerial", kernels + " TestSafeBoundsHoldOnRandomKernels"},
		Faults:   []string{"road-serial-barriers-dropped"}},
	{Kind: Theorem, ID: "11", Name: "even placement", Page: "launches", Section: 6,
		Sentence: "If all blocks start at once and are spread evenly, only the blocks of one SM count.",
		Needs:    "breadth-first placement, a slot for every block",
		Code:     []string{"internal/method Facts.Spread", "internal/method/volume volumes.launch"},
		Tests:    []string{"internal/method TestSpread", runner + " TestMakespanOfLaunches"},
		Faults:   []string{"road-slots-and-sms-swapped"}},
	{Kind: Theorem, ID: "12", Name: "identical units", Page: "hardware", Section: 7,
		Sentence: "A unit of several servers behind one queue is bounded as if it had one.",
		Needs:    "a free server takes what waits",
		Code:     []string{"internal/method HardwareOf"},
		Tests:    []string{campaign + " TestWideSmallScope", "internal/sim TestBoundsCoverSimulations"}},
	{Kind: Theorem, ID: "13", Name: "CHAIN", Page: "hardware", Section: 7,
		Sentence: "CHAIN carries work that is pending at a barrier into the next sections instead of waiting for it.",
		Needs:    "barriers that do not drain, SUM charges, units that keep each warp's order, one block",
		Code:     []string{multiphase + " Analyzer.chainBound", multiphase + " hardware.refuseChain"},
		Tests:    []string{multiphase + " TestChainHolds", multiphase + " TestChainHoldsOnSubCores", multiphase + " TestChainEqualsItsDefinition", campaign + " TestAttackOnChain"},
		Faults:   []string{"chain-"}},
}
