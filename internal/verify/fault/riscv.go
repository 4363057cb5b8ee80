package fault

// The planted edits of the taint machine of internal/simt/rvexec. Those of the rules that
// it shares with the one for PTX are in the list of that.
const (
	RiscvFreshRegistersKnown ID = iota + 1<<30
	RiscvFreshMemoryKnown
	RiscvFreshLocalKnown
	RiscvUnknownBuffersKnown
	RiscvCountersKnown
	RiscvActiveWarpsKnown
	RiscvInactiveLanesCleared
	RiscvSecondOperandKnown
	RiscvThirdOperandKnown
	RiscvFlagsKnown
	RiscvFlagsCleared
	RiscvModesKnown
	RiscvSetClears
	RiscvScratchKnown
	RiscvScratchReadersForgotten
	RiscvBranchesFirstOperand
	RiscvJumpTargetsKnown
	RiscvMasksKnown
	RiscvMaskOfFirstLane
	RiscvSplitsKnown
	RiscvPredicatesKnown
	RiscvAddressesKnown
	RiscvUnknownLoadsKnown
	RiscvUnknownStoresNowhere
	RiscvUnknownStoreSparesLocal
	RiscvUnknownStoreSparesMemory
	RiscvStoredValuesKnown
	RiscvSameAddressLastLane
	RiscvPartialStoreClears
	RiscvBytesApart
	RiscvPairsMeetAll
	RiscvSpawnsOrder

	endRiscv
)

var riscv = []Description{
	{RiscvFreshRegistersKnown, "riscv-fresh-registers-known", "registers are zero at first"},
	{RiscvFreshMemoryKnown, "riscv-fresh-memory-known", "memory is zero at first, stacks included"},
	{RiscvFreshLocalKnown, "riscv-fresh-local-known", "local memory is zero at first"},
	{RiscvUnknownBuffersKnown, "riscv-unknown-buffers-known", "buffers are known whatever the launch says"},
	{RiscvCountersKnown, "riscv-counters-known", "counters, and registers that tell machines apart, show what they show here"},
	{RiscvActiveWarpsKnown, "riscv-active-warps-known", "which warps are active is known while they come and go"},
	{RiscvInactiveLanesCleared, "riscv-inactive-lanes-cleared", "a result is known in lanes that did not compute it"},
	{RiscvSecondOperandKnown, "riscv-second-operand-known", "a result depends on the first operand only"},
	{RiscvThirdOperandKnown, "riscv-third-operand-known", "a fused product and sum does not depend on the third operand"},
	{RiscvFlagsKnown, "riscv-flags-known", "the exceptions of unknown numbers are those raised here"},
	{RiscvFlagsCleared, "riscv-flags-cleared", "the exceptions of known numbers take the place of earlier ones"},
	{RiscvModesKnown, "riscv-modes-known", "an unknown rounding mode is the one here"},
	{RiscvSetClears, "riscv-set-clears", "setting some bits of a register makes the others known"},
	{RiscvScratchKnown, "riscv-scratch-known", "mscratch holds what it holds here"},
	{RiscvScratchReadersForgotten, "riscv-scratch-readers-forgotten", "warps that relied on mscratch are forgotten"},
	{RiscvBranchesFirstOperand, "riscv-branches-first-operand", "a branch depends on its first operand only"},
	{RiscvJumpTargetsKnown, "riscv-jump-targets-known", "an unknown target of a jump is not recorded"},
	{RiscvMasksKnown, "riscv-masks-known", "an unknown thread mask is not recorded"},
	{RiscvMaskOfFirstLane, "riscv-mask-of-first-lane", "the operand of a warp is that of its first thread"},
	{RiscvSplitsKnown, "riscv-splits-known", "an unknown predicate of a split is not recorded"},
	{RiscvPredicatesKnown, "riscv-predicates-known", "an unknown predicate of a pred is not recorded"},
	{RiscvAddressesKnown, "riscv-addresses-known", "an unknown address is not recorded"},
	{RiscvUnknownLoadsKnown, "riscv-unknown-loads-known", "what is loaded from an unknown address is known"},
	{RiscvUnknownStoresNowhere, "riscv-unknown-stores-nowhere", "a store to an unknown address changes nothing"},
	{RiscvUnknownStoreSparesLocal, "riscv-unknown-store-spares-local", "a store to an unknown address leaves local memory as it is"},
	{RiscvUnknownStoreSparesMemory, "riscv-unknown-store-spares-memory", "a store to an unknown address leaves all but local memory as it is"},
	{RiscvStoredValuesKnown, "riscv-stored-values-known", "memory is known whatever is stored"},
	{RiscvSameAddressLastLane, "riscv-same-address-last-lane", "of the values that threads store at one address the last thread's stays"},
	{RiscvPartialStoreClears, "riscv-partial-store-clears", "a known store of a byte makes the word known"},
	{RiscvBytesApart, "riscv-bytes-apart", "a load of several bytes depends on the first only"},
	{RiscvPairsMeetAll, "riscv-pairs-meet-all", "a barrier of some warps orders what all do"},
	{RiscvSpawnsOrder, "riscv-spawns-order", "a spawn that does not wait orders what the warps do"},
}

// RISCV lists the faults of the taint machine for RISC-V programs. The caller owns the
// slice.
func RISCV() []Description { return append([]Description(nil), riscv...) }

// The planted edits of covering executions of RISC-V programs.
const (
	VortexCoverLooseStoresKnown ID = iota + 1<<31
	VortexCoverSidesInOrder
	VortexCoverLoadsBeforeStores
	VortexCoverStoresAnywhere
	VortexCoverRegistersJoinedKnown
	VortexCoverRegistersOfSecond
	VortexCoverTaintOfFirstForgotten
	VortexCoverThreadsOneSide
	VortexCoverNumbersAreFlags
	VortexCoverFlagsOfOneSide
	VortexCoverTransactionsObserved
	VortexCoverExceptionsKnown
	VortexCoverMasksRead
	VortexCoverPredsOfLoose
	VortexCoverMasksAtJoin
	VortexCoverBranchesKnown
	VortexCoverModesInSides
	VortexCoverLeaversForgotten
	VortexCoverLeaversOfFirst
	VortexCoverRoundsCertain
	VortexCoverRoundsApart
	VortexCoverRoundsOfLoose
	VortexCoverGoersCertain
	VortexCoverPredsOfNumbers
	VortexCoverOthersComeBack
	VortexCoverWaysOfLoose
	VortexCoverWaysJoinedKnown
	VortexCoverWaysStore
	VortexCoverTurnsCertain
	VortexCoverEqualOnTheOtherWay
	VortexCoverSettledByUnknown
	VortexCoverExceptionsInOrder
	VortexCoverTripsOneFewer
	VortexCoverTripsByMaximum
	VortexCoverTotalsByMaximum
	VortexCoverTripsNotReset
	VortexCoverTripsFromOutside
	VortexCoverBackOfSome
	VortexCoverMostOfFirst
	VortexCoverOrdersTrusted

	endVortexCover
)

var vortexCover = []Description{
	{VortexCoverLooseStoresKnown, "vortex-cover-loose-stores-known", "what threads store that may not be there is there"},
	{VortexCoverSidesInOrder, "vortex-cover-sides-in-order", "the second side of a split finds what the first has stored"},
	{VortexCoverLoadsBeforeStores, "vortex-cover-loads-before-stores", "the first side of a split loads before the second stores"},
	{VortexCoverStoresAnywhere, "vortex-cover-stores-anywhere", "a store to an unknown address on the second side hits nothing that the first has loaded"},
	{VortexCoverRegistersJoinedKnown, "vortex-cover-registers-joined-known", "behind two sides a register holds what it holds behind the second"},
	{VortexCoverRegistersOfSecond, "vortex-cover-registers-of-second", "threads of the first side alone have the registers of the second"},
	{VortexCoverTaintOfFirstForgotten, "vortex-cover-taint-of-first-forgotten", "behind two sides a register is as known as behind the second"},
	{VortexCoverThreadsOneSide, "vortex-cover-threads-one-side", "threads whose predicate is not known take the first side"},
	{VortexCoverNumbersAreFlags, "vortex-cover-numbers-are-flags", "every predicate is 0 or 1"},
	{VortexCoverFlagsOfOneSide, "vortex-cover-flags-of-one-side", "behind two sides a register is 0 or 1 if it is behind one"},
	{VortexCoverTransactionsObserved, "vortex-cover-transactions-observed", "accesses at unknown addresses make the transactions made here"},
	{VortexCoverExceptionsKnown, "vortex-cover-exceptions-known", "threads that may not be there raise the exceptions raised here"},
	{VortexCoverMasksRead, "vortex-cover-masks-read", "the thread mask is the one here"},
	{VortexCoverPredsOfLoose, "vortex-cover-preds-of-loose", "a pred turns threads off although others may not be there"},
	{VortexCoverMasksAtJoin, "vortex-cover-masks-at-join", "a join turns on the threads of its split whichever way they went"},
	{VortexCoverBranchesKnown, "vortex-cover-branches-known", "a branch on unknown data goes where it goes here"},
	{VortexCoverModesInSides, "vortex-cover-modes-in-sides", "a side that may not be executed changes registers of the warp"},
	{VortexCoverLeaversForgotten, "vortex-cover-leavers-forgotten", "behind a loop that threads leave by data all have the registers of the last iteration"},
	{VortexCoverLeaversOfFirst, "vortex-cover-leavers-of-first", "a thread that may leave a loop in several iterations has the registers of the first"},
	{VortexCoverRoundsCertain, "vortex-cover-rounds-certain", "iterations of a loop that data may end are executed for certain"},
	{VortexCoverRoundsApart, "vortex-cover-rounds-apart", "an iteration in which all threads go on is executed, whether the one before it is or not"},
	{VortexCoverRoundsOfLoose, "vortex-cover-rounds-of-loose", "a loop goes on if a thread goes on that may not be there"},
	{VortexCoverGoersCertain, "vortex-cover-goers-certain", "threads that may go on in a loop are there in the next iteration"},
	{VortexCoverPredsOfNumbers, "vortex-cover-preds-of-numbers", "every predicate of a pred is 0 or 1"},
	{VortexCoverOthersComeBack, "vortex-cover-others-come-back", "a pred turns on threads that were not there before"},
	{VortexCoverWaysOfLoose, "vortex-cover-ways-of-loose", "a thread that may not be there decides which way all take"},
	{VortexCoverWaysJoinedKnown, "vortex-cover-ways-joined-known", "where the ways of a branch meet a register holds what it holds behind the first"},
	{VortexCoverWaysStore, "vortex-cover-ways-store", "what threads store on one way of a branch is there"},
	{VortexCoverTurnsCertain, "vortex-cover-turns-certain", "iterations of a loop that a branch on data ends are executed for certain"},
	{VortexCoverEqualOnTheOtherWay, "vortex-cover-equal-on-the-other-way", "registers are equal where a branch says that they are not"},
	{VortexCoverSettledByUnknown, "vortex-cover-settled-by-unknown", "an operand that is not known settles a result"},
	{VortexCoverExceptionsInOrder, "vortex-cover-exceptions-in-order", "the first side of a split reads no exceptions of the second"},
	{VortexCoverTripsOneFewer, "vortex-cover-trips-one-fewer", "a thread goes back one time fewer than the bound of its loop says"},
	{VortexCoverTripsByMaximum, "vortex-cover-trips-by-maximum", "a thread has gone back as often as on the side where it did more often"},
	{VortexCoverTotalsByMaximum, "vortex-cover-totals-by-maximum", "a thread has gone back in all as often as on the side where it did more often"},
	{VortexCoverTripsNotReset, "vortex-cover-trips-not-reset", "a loop that is entered again goes on counting"},
	{VortexCoverTripsFromOutside, "vortex-cover-trips-from-outside", "a thread that may come from outside counts as going back"},
	{VortexCoverBackOfSome, "vortex-cover-back-of-some", "a warp goes back to the head if any of its threads may"},
	{VortexCoverMostOfFirst, "vortex-cover-most-of-first", "a thread has gone back at most as often as on the second side"},
	{VortexCoverOrdersTrusted, "vortex-cover-orders-trusted", "what warps change for one another in some order is known"},
}

// RISCVCovers lists the faults of covering executions of RISC-V programs. The caller owns
// the slice.
func RISCVCovers() []Description { return append([]Description(nil), vortexCover...) }
