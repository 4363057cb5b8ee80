package fault

// The planted edits of the taint machine of internal/simt/ptxexec, each state and each
// transition once: what it forgets, a claim that a path holds for all inputs says
// too much.
const (
	TaintReadBehindWarpStore ID = iota + 1<<23
	TaintWarpReadersForgotten
	TaintStoreBehindWarpRead
	TaintWarpStoresLast
	TaintBlockReadersForgotten
	TaintBlockReadersHidden
	TaintReadBehindBlockStore
	TaintStoreBehindBlockRead
	TaintBlockStoresLast
	TaintUnknownStoreSparesBlocks
	TaintUnknownStoreSparesWarps
	TaintUnknownStoreSparesKnown
	TaintUnknownStoreSparesShared
	TaintUnknownStoreSparesLocal
	TaintUnknownStoreSparesParameters
	TaintUnknownStoreBeforeKnown
	TaintCopyDoneAtOnce
	TaintCopyLatestGroupWaited
	TaintCopyUncommittedWaited
	TaintCopyOverwrittenWins
	TaintCopySourceStays
	TaintCallKeepsRegisters
	TaintCallKeepsPredicates
	TaintSameAddressLastLane
	TaintSameAddressTaintedLane
	TaintPlacesKnown
	TaintSizesKnown
	TaintApproximationsKnown
	TaintZeroDivisorsKnown
	TaintLeadersKnown
	TaintShuffleAbsentLanes
	TaintShuffleGuardedLanes
	TaintPartialStoreClears
	TaintGuardOfResults
	TaintGuardOfStores
	TaintAtomicResultsKnown
	TaintAtomicsLeaveKnown
	TaintFreshLocalKnown
	TaintFreshSharedKnown
	TaintFreshRegistersKnown
	TaintWarpOperationsByLane
	TaintReductionsKnown
	TaintPrefetchesUnseen
	TaintMatrixProductsByLane
	TaintMatrixSumsKnown
	TaintMatrixLoadsByLane
	TaintMatrixLoadsKnown
	TaintMatrixRowsOfOthers
	TaintFragmentLayoutKnown
	TaintFragmentLoadsKnown
	TaintFragmentStoresKnown
	TaintFragmentRowsInOrder
	TaintFragmentAnywhereSpares
	TaintBarrierObjectsKnown
	TaintBarrierResultsKnown
	TaintBarrierAnywhereSpares
	TaintBarrierWaitsForCopies
	TaintTexturesKnown
	TaintCoordinatesSpareTexels
	TaintTexelAddressesUnseen
	TaintTexelsExact
	TaintChannelsKnown
	TaintCalleesKnown
	TaintPairsFirstOperand
	TaintVideoKeepsKnown

	endTaint
)

var taint = []Description{
	{TaintReadBehindWarpStore, "taint-read-behind-warp-store", "a load behind another warp's store loads what that stored"},
	{TaintWarpReadersForgotten, "taint-warp-readers-forgotten", "warps that relied on a value are forgotten"},
	{TaintStoreBehindWarpRead, "taint-store-behind-warp-read", "a store behind another warp's load is not recorded"},
	{TaintWarpStoresLast, "taint-warp-stores-last", "of the stores of several warps the last one recorded stays"},
	{TaintBlockReadersForgotten, "taint-block-readers-forgotten", "blocks that relied on a value are forgotten"},
	{TaintBlockReadersHidden, "taint-block-readers-hidden", "blocks that relied on a value are forgotten once it is tainted"},
	{TaintReadBehindBlockStore, "taint-read-behind-block-store", "a load behind another block's store loads what that stored"},
	{TaintStoreBehindBlockRead, "taint-store-behind-block-read", "a store behind another block's load is not recorded"},
	{TaintBlockStoresLast, "taint-block-stores-last", "of the stores of several blocks the last one recorded stays"},
	{TaintUnknownStoreSparesBlocks, "taint-unknown-store-spares-blocks", "a store to an unknown address changes nothing another block relied on"},
	{TaintUnknownStoreSparesWarps, "taint-unknown-store-spares-warps", "a store to an unknown address changes nothing another warp relied on"},
	{TaintUnknownStoreSparesKnown, "taint-unknown-store-spares-known", "a store to an unknown address leaves known buffers as they are"},
	{TaintUnknownStoreSparesShared, "taint-unknown-store-spares-shared", "a store to an unknown address leaves shared memory as it is"},
	{TaintUnknownStoreSparesLocal, "taint-unknown-store-spares-local", "a store to an unknown address leaves local memory as it is"},
	{TaintUnknownStoreSparesParameters, "taint-unknown-store-spares-parameters", "a store to an unknown parameter address leaves the frame as it is"},
	{TaintUnknownStoreBeforeKnown, "taint-unknown-store-before-known", "of one store, lanes with unknown addresses go before the others"},
	{TaintCopyDoneAtOnce, "taint-copy-done-at-once", "an asynchronous copy is done when it is issued"},
	{TaintCopyLatestGroupWaited, "taint-copy-latest-group-waited", "a wait that leaves groups alone waits for one of them too"},
	{TaintCopyUncommittedWaited, "taint-copy-uncommitted-waited", "a wait for groups waits for copies that are in none"},
	{TaintCopyOverwrittenWins, "taint-copy-overwritten-wins", "a copy under way is done after the stores to its destination"},
	{TaintCopySourceStays, "taint-copy-source-stays", "a copy reads its source when it is issued"},
	{TaintCallKeepsRegisters, "taint-call-keeps-registers", "a function's registers start with what its last call left"},
	{TaintCallKeepsPredicates, "taint-call-keeps-predicates", "a function's predicates start with what its last call left"},
	{TaintSameAddressLastLane, "taint-same-address-last-lane", "of different values that lanes store at one address the last lane's stays"},
	{TaintSameAddressTaintedLane, "taint-same-address-tainted-lane", "a tainted value that a lane stores at an address of others counts in lane order"},
	{TaintPlacesKnown, "taint-places-known", "the number of a warp and of a processor is known"},
	{TaintSizesKnown, "taint-sizes-known", "sizes of shared memory are not rounded up"},
	{TaintApproximationsKnown, "taint-approximations-known", "approximate functions give what they give here"},
	{TaintZeroDivisorsKnown, "taint-zero-divisors-known", "a division by zero gives what it gives here"},
	{TaintLeadersKnown, "taint-leaders-known", "the leader that elect chooses is the one chosen here"},
	{TaintShuffleAbsentLanes, "taint-shuffle-absent-lanes", "a shuffle reads lanes that do not take part"},
	{TaintShuffleGuardedLanes, "taint-shuffle-guarded-lanes", "lanes take part in a shuffle whatever their guard"},
	{TaintPartialStoreClears, "taint-partial-store-clears", "a store of a part of a granule makes all of it known"},
	{TaintGuardOfResults, "taint-guard-of-results", "a tainted guard taints no result"},
	{TaintGuardOfStores, "taint-guard-of-stores", "a tainted guard taints nothing stored"},
	{TaintAtomicResultsKnown, "taint-atomic-results-known", "atomics return what they return here"},
	{TaintAtomicsLeaveKnown, "taint-atomics-leave-known", "atomics leave what they leave here"},
	{TaintFreshLocalKnown, "taint-fresh-local-known", "local memory is zero at first"},
	{TaintFreshSharedKnown, "taint-fresh-shared-known", "shared memory is zero at first"},
	{TaintFreshRegistersKnown, "taint-fresh-registers-known", "registers are zero at first"},
	{TaintWarpOperationsByLane, "taint-warp-operations-by-lane", "votes and reductions go lane by lane"},
	{TaintReductionsKnown, "taint-reductions-known", "a reduction at a barrier is known whatever is reduced"},
	{TaintPrefetchesUnseen, "taint-prefetches-unseen", "the address of a prefetch is not recorded"},
	{TaintMatrixProductsByLane, "taint-matrix-products-by-lane", "a product of matrices goes lane by lane"},
	{TaintMatrixSumsKnown, "taint-matrix-sums-known", "sums of products of floats are those computed here"},
	{TaintMatrixLoadsByLane, "taint-matrix-loads-by-lane", "what a lane gets of a matrix depends on its own row's address only"},
	{TaintMatrixLoadsKnown, "taint-matrix-loads-known", "what ldmatrix loads is known"},
	{TaintMatrixRowsOfOthers, "taint-matrix-rows-of-others", "an unknown address of a row taints nothing that is loaded"},
	{TaintFragmentLayoutKnown, "taint-fragment-layout-known", "the layout of fragments is the one chosen here"},
	{TaintFragmentLoadsKnown, "taint-fragment-loads-known", "a fragment is known whatever is loaded"},
	{TaintFragmentStoresKnown, "taint-fragment-stores-known", "a matrix is known whatever is stored"},
	{TaintFragmentRowsInOrder, "taint-fragment-rows-in-order", "of rows of a matrix that overlap the last one stays"},
	{TaintFragmentAnywhereSpares, "taint-fragment-anywhere-spares", "a matrix stored at an unknown address changes nothing else"},
	{TaintBarrierObjectsKnown, "taint-barrier-objects-known", "a memory barrier object holds what it holds here"},
	{TaintBarrierResultsKnown, "taint-barrier-results-known", "states and waits of memory barrier objects give what they give here"},
	{TaintBarrierAnywhereSpares, "taint-barrier-anywhere-spares", "a memory barrier object at an unknown address changes nothing else"},
	{TaintBarrierWaitsForCopies, "taint-barrier-waits-for-copies", "copies are done when a memory barrier object is to be told so"},
	{TaintTexturesKnown, "taint-textures-known", "textures are known"},
	{TaintCoordinatesSpareTexels, "taint-coordinates-spare-texels", "a texel of a known texture is known wherever it lies"},
	{TaintTexelAddressesUnseen, "taint-texel-addresses-unseen", "unknown coordinates are not recorded"},
	{TaintTexelsExact, "taint-texels-exact", "filters and inexact coordinates give what they give here"},
	{TaintChannelsKnown, "taint-channels-known", "channels that a texture has not are zero and one"},
	{TaintCalleesKnown, "taint-callees-known", "a call through an unknown address is not recorded"},
	{TaintPairsFirstOperand, "taint-pairs-first-operand", "a result of pairs depends on the first operand only"},
	{TaintVideoKeepsKnown, "taint-video-keeps-known", "what a SIMD video instruction adds up to, or leaves as it is, is known"},
}

// Taint lists the faults of the taint machine. The caller owns the slice.
func Taint() []Description { return append([]Description(nil), taint...) }
