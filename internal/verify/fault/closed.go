package fault

// The planted edits of closed covering executions: internal/simt/ptxexec where one block
// and one iteration stand for all, and path. Each makes what is covered too little.
const (
	ClosedValuesWrap ID = iota + 1<<29
	ClosedValuesUnsigned
	ClosedValuesProducts
	ClosedValuesQuotients
	ClosedValuesRemainders
	ClosedValuesMasks
	ClosedValuesDisjunctions
	ClosedValuesConversions
	ClosedValuesSelected
	ClosedValuesZeros
	ClosedValuesOfBarriers
	ClosedValuesOfCalls
	ClosedValuesLowMask
	ClosedValuesLowOfOthers
	ClosedValuesLowRounded
	ClosedConditionsFirstSide
	ClosedConditionsStrict
	ClosedConditionsFavourable
	ClosedConditionsKept
	ClosedConditionsOtherSide
	ClosedConditionsOfOthers
	ClosedConditionsEither
	ClosedConditionsDecided
	ClosedCountOneFewer
	ClosedCountWraps
	ClosedCountWrapsDown
	ClosedCountFavourable
	ClosedCountInexact
	ClosedCountEqual
	ClosedCountChanging
	ClosedCountBeside
	ClosedCountLanes
	ClosedCountOtherSide
	ClosedProgressOneFewer
	ClosedProgressFavourable
	ClosedProgressBefore
	ClosedProgressRounding
	ClosedProgressSign
	ClosedProgressWraps
	ClosedProgressWhole
	ClosedProgressEnds
	ClosedProgressIncluded
	ClosedProgressOther
	ClosedCallsRestored
	ClosedCallsResults
	ClosedCallsOverlaps
	ClosedCallsAnywhere
	ClosedCallsLoops
	ClosedCallsSides
	ClosedCallsGuards
	ClosedUniformLoads
	ClosedUniformWritten
	ClosedUniformResults
	ClosedUniformOffsets
	ClosedUniformBranches
	ClosedOpenUnasked
	ClosedOpenOperands
	ClosedOpenNames
	ClosedUniformBehindExits
	ClosedUniformExits
	ClosedUniformJoined
	ClosedJoinedFirst
	ClosedJoinedRange
	ClosedJoinedPredicates
	ClosedRangesElements
	ClosedRangesSameElement
	ClosedRangesArguments
	ClosedRangesBlocks
	ClosedLoopsUnconfirmed
	ClosedLoopsPredicates
	ClosedLoopsDistances
	ClosedLoopsRanges
	ClosedLoopsOwnRanges
	ClosedLoopsInside
	ClosedLoopsTogether
	ClosedLoopsMemory
	ClosedLoopsLastIteration
	ClosedLoopsLanesStay
	ClosedLoopsCertain
	ClosedLoopsAwaited
	ClosedLoopsMeetInside
	ClosedLoopsComeBack
	ClosedStoresShort
	ClosedStoresElsewhere
	ClosedTailsForgotten
	ClosedTailsOfSides
	ClosedTailsOnce
	ClosedMostOneFewer
	ClosedLastForgotten
	ClosedShiftNone
	ClosedShiftFirst
	ClosedTogetherAnyGuard
	ClosedTogetherLoads
	ClosedTogetherResults
	ClosedTogetherIterations
	ClosedTogetherReductions
	ClosedTogetherEnded
	ClosedTogetherStrayed
	ClosedTogetherLost
	ClosedTogetherMoments
	ClosedTogetherPlain
	ClosedTogetherSeam
	ClosedTogetherFewer
	ClosedTogetherBefore
	ClosedTogetherFirstSide
	ClosedTogetherUncounted
	ClosedTogetherBackAlone
	ClosedTogetherReduced
	ClosedTogetherParted

	endClosed
)

var closedEdits = []Description{
	{ClosedValuesWrap, "closed-values-wrap", "a range that wraps around is read as integers"},
	{ClosedValuesUnsigned, "closed-values-unsigned", "a negative 64-bit integer is read as a number without sign"},
	{ClosedValuesProducts, "closed-values-products", "factors of wide products are patterns"},
	{ClosedValuesQuotients, "closed-values-quotients", "quotients by what does not divide the factors are affine"},
	{ClosedValuesRemainders, "closed-values-remainders", "remainders by what does not divide the factors are known"},
	{ClosedValuesMasks, "closed-values-masks", "low bits are known whatever the factors"},
	{ClosedValuesDisjunctions, "closed-values-disjunctions", "a disjunction is a sum"},
	{ClosedValuesConversions, "closed-values-conversions", "what is converted fits"},
	{ClosedValuesSelected, "closed-values-selected", "what is chosen by a predicate that is not known is the first"},
	{ClosedValuesZeros, "closed-values-zeros", "unknowns have one low bit more that is 0"},
	{ClosedValuesOfBarriers, "closed-values-of-barriers", "what was known of a predicate that a barrier gives stays"},
	{ClosedValuesOfCalls, "closed-values-of-calls", "what an earlier call knew of a function's registers is known when it is called again"},
	{ClosedValuesLowMask, "closed-values-low-mask", "a mask with holes takes low bits away"},
	{ClosedValuesLowOfOthers, "closed-values-low-of-others", "any number less the low bits of some is a multiple"},
	{ClosedValuesLowRounded, "closed-values-low-rounded", "what a division leaves is taken from the quotient"},
	{ClosedConditionsFirstSide, "closed-conditions-first-side", "what the second side supposes stays of unknowns made on the first"},
	{ClosedConditionsStrict, "closed-conditions-strict", "a strict comparison excludes one number more"},
	{ClosedConditionsFavourable, "closed-conditions-favourable", "the most favourable lane bounds an unknown"},
	{ClosedConditionsKept, "closed-conditions-kept", "ranges of one side stay behind it"},
	{ClosedConditionsOtherSide, "closed-conditions-other-side", "ranges of the first side are those of the second"},
	{ClosedConditionsOfOthers, "closed-conditions-of-others", "what goes on alone narrows although others wait"},
	{ClosedConditionsEither, "closed-conditions-either", "of a disjunction that holds both parts do"},
	{ClosedConditionsDecided, "closed-conditions-decided", "a difference that may be 0 is above it"},
	{ClosedCountOneFewer, "closed-count-one-fewer", "a lane stays once less"},
	{ClosedCountWraps, "closed-count-wraps", "a counter passes its limit without wrapping around"},
	{ClosedCountWrapsDown, "closed-count-wraps-down", "a counter passes its limit downwards without wrapping around"},
	{ClosedCountFavourable, "closed-count-favourable", "the number of iterations is that of the most favourable numbers"},
	{ClosedCountInexact, "closed-count-inexact", "a counter meets what it is not to be equal to"},
	{ClosedCountEqual, "closed-count-equal", "what a number is equal to is the same in all iterations"},
	{ClosedCountChanging, "closed-count-changing", "where a counter begins is the same in all iterations"},
	{ClosedCountBeside, "closed-count-beside", "a test that some iterations pass by counts"},
	{ClosedCountLanes, "closed-count-lanes", "the lane that stays shortest bounds all"},
	{ClosedCountOtherSide, "closed-count-other-side", "a lane stays while the condition does not hold"},
	{ClosedProgressOneFewer, "closed-progress-one-fewer", "a progression lets a lane stay once less"},
	{ClosedProgressFavourable, "closed-progress-favourable", "a progression begins at the least number"},
	{ClosedProgressBefore, "closed-progress-before", "what is done to a number before the test does not matter"},
	{ClosedProgressRounding, "closed-progress-rounding", "shifts to the right round towards 0"},
	{ClosedProgressSign, "closed-progress-sign", "a number is the same with a sign and without"},
	{ClosedProgressWraps, "closed-progress-wraps", "products do not wrap around"},
	{ClosedProgressWhole, "closed-progress-whole", "a number of which nothing is known is no more than half of the greatest"},
	{ClosedProgressEnds, "closed-progress-ends", "a progression that stays where it is ends"},
	{ClosedProgressIncluded, "closed-progress-included", "a number that may be equal to the limit is above it"},
	{ClosedProgressOther, "closed-progress-other", "a number that stays where it is is equal to what may be another one"},
	{ClosedCallsRestored, "closed-calls-restored", "of a function that calls itself is known what the inner call knew"},
	{ClosedCallsResults, "closed-calls-results", "a result leaves what was known of its register"},
	{ClosedCallsOverlaps, "closed-calls-overlaps", "a store changes what begins at its address, and no more"},
	{ClosedCallsAnywhere, "closed-calls-anywhere", "a store somewhere in local memory changes nothing"},
	{ClosedCallsLoops, "closed-calls-loops", "local memory holds in each iteration what it held before the loop"},
	{ClosedCallsSides, "closed-calls-sides", "local memory holds behind two sides what it holds behind the second"},
	{ClosedCallsGuards, "closed-calls-guards", "a store that may not happen does not"},
	{ClosedUniformLoads, "closed-uniform-loads", "what lanes load is the same, wherever"},
	{ClosedUniformWritten, "closed-uniform-written", "loads from memory that somebody writes are the same"},
	{ClosedUniformResults, "closed-uniform-results", "results are the same whatever the operands"},
	{ClosedUniformOffsets, "closed-uniform-offsets", "values with other offsets are the same"},
	{ClosedUniformBranches, "closed-uniform-branches", "all lanes take every branch alike"},
	{ClosedOpenUnasked, "closed-open-unasked", "open results are functions of their operands, whatever is assumed"},
	{ClosedOpenOperands, "closed-open-operands", "an open result of known operands is the same in all lanes"},
	{ClosedOpenNames, "closed-open-names", "warps find the same open result, whatever its operands"},
	{ClosedUniformBehindExits, "closed-uniform-behind-exits", "what is the same in an iteration is the same behind the loop"},
	{ClosedUniformExits, "closed-uniform-exits", "lanes leave loops in one iteration"},
	{ClosedUniformJoined, "closed-uniform-joined", "what is the same on each of two sides is the same behind them"},
	{ClosedJoinedFirst, "closed-joined-first", "a value that differs behind two sides is the first one's"},
	{ClosedJoinedRange, "closed-joined-range", "behind two sides an unknown is in the range of the first"},
	{ClosedJoinedPredicates, "closed-joined-predicates", "what is known of a predicate behind two sides is what is behind the second"},
	{ClosedRangesElements, "closed-ranges-elements", "a step between elements is one less at most"},
	{ClosedRangesSameElement, "closed-ranges-same-element", "elements at any distance are equal"},
	{ClosedRangesArguments, "closed-ranges-arguments", "an argument is never the greatest of its range"},
	{ClosedRangesBlocks, "closed-ranges-blocks", "no block is the last of its row"},
	{ClosedLoopsUnconfirmed, "closed-loops-unconfirmed", "an iteration confirms whatever is supposed"},
	{ClosedLoopsPredicates, "closed-loops-predicates", "predicates are at the head what they were"},
	{ClosedLoopsDistances, "closed-loops-distances", "a register moves by the distance of the first iteration"},
	{ClosedLoopsRanges, "closed-loops-ranges", "an unknown stays in its range"},
	{ClosedLoopsOwnRanges, "closed-loops-own-ranges", "an unknown of each lane stays in its range"},
	{ClosedLoopsInside, "closed-loops-inside", "registers at the head are in the ranges that an iteration leaves"},
	{ClosedLoopsTogether, "closed-loops-together", "what moves by another distance in each lane moves in all together"},
	{ClosedLoopsMemory, "closed-loops-memory", "what an iteration changes in memory does not matter to the next"},
	{ClosedLoopsLastIteration, "closed-loops-last-iteration", "the last iteration is not one of those that count"},
	{ClosedLoopsLanesStay, "closed-loops-lanes-stay", "lanes that go on store for certain"},
	{ClosedLoopsCertain, "closed-loops-certain", "a loop is executed for certain"},
	{ClosedLoopsAwaited, "closed-loops-awaited", "lanes that come back are not waited for"},
	{ClosedLoopsMeetInside, "closed-loops-meet-inside", "lanes that come back to a loop meet nobody inside"},
	{ClosedLoopsComeBack, "closed-loops-come-back", "lanes that come back to a loop that they have left go on in it"},
	{ClosedStoresShort, "closed-stores-short", "a store at an unknown address hits one granule less"},
	{ClosedStoresElsewhere, "closed-stores-elsewhere", "a store in a range of addresses hits the buffer where the range begins"},
	{ClosedTailsForgotten, "closed-tails-forgotten", "nothing comes behind the iterations of a loop"},
	{ClosedTailsOfSides, "closed-tails-of-sides", "the other side of a branch by which lanes come back comes before"},
	{ClosedTailsOnce, "closed-tails-once", "what comes behind the iterations comes once"},
	{ClosedMostOneFewer, "closed-most-one-fewer", "a loop has one iteration less"},
	{ClosedLastForgotten, "closed-last-forgotten", "the iteration that leaves is one of those that go on"},
	{ClosedShiftNone, "closed-shift-none", "an access lies where the unknown part is 0"},
	{ClosedShiftFirst, "closed-shift-first", "the first lane of an access is there"},
	{ClosedTogetherAnyGuard, "closed-together-any-guard", "what decides has the same name in all warps"},
	{ClosedTogetherLoads, "closed-together-loads", "what warps load from different addresses has the same name"},
	{ClosedTogetherResults, "closed-together-results", "results of one instruction have the same name whatever the operands"},
	{ClosedTogetherIterations, "closed-together-iterations", "numbers of iterations of all loops have the same name"},
	{ClosedTogetherReductions, "closed-together-reductions", "all reductions give the same"},
	{ClosedTogetherEnded, "closed-together-ended", "lanes that may have ended arrive"},
	{ClosedTogetherStrayed, "closed-together-strayed", "lanes of a side that the block does not take together arrive"},
	{ClosedTogetherLost, "closed-together-lost", "lanes that the block may have ended together do not end otherwise"},
	{ClosedTogetherMoments, "closed-together-moments", "a barrier in a loop orders what one iteration and the next do"},
	{ClosedTogetherPlain, "closed-together-plain", "the last iteration is never the first"},
	{ClosedTogetherSeam, "closed-together-seam", "the section from one iteration to the next is the end of the first"},
	{ClosedTogetherFewer, "closed-together-fewer", "an iteration between the first and the last is missing"},
	{ClosedTogetherBefore, "closed-together-before", "what comes before a loop or fork is not in its first section"},
	{ClosedTogetherFirstSide, "closed-together-first-side", "the first side of a fork with barriers is taken"},
	{ClosedTogetherUncounted, "closed-together-uncounted", "a barrier at which no lane arrives is passed"},
	{ClosedTogetherBackAlone, "closed-together-back-alone", "a warp that may end in an iteration comes back with the others"},
	{ClosedTogetherReduced, "closed-together-reduced", "lanes that ended take part in the reductions of later iterations"},
	{ClosedTogetherParted, "closed-together-parted", "the block has not ended on the first side of a branch"},
}

// Closed lists the faults of closed covering executions. The caller owns the slice.
func Closed() []Description { return append([]Description(nil), closedEdits...) }
