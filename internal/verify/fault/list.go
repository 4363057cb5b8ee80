package fault

import "slices"

// ID names one planted edit.
type ID int64

// The planted edits of the bounds themselves, in the order of Bounds.
const (
	None ID = iota

	IsoIssueCycleDropped
	IsoInitDropped
	IsoLatencyDropped
	IsoLatencyOffByOne
	IsoLastSourceDropped
	IsoUnitWaitDropped
	IsoUnitHeldOneShort
	IsoEndOfLastInstruction
	IsoIssuesWithoutWaiting
	IsoIdleDropped
	IsoBlockingAsQueued
	IsoSerialAsBlocking

	LowerLoopCarriedDropped
	LowerBurstNeedsAllSources
	LowerRedefinitionStaysConsumed
	LowerBurstsNeverStart

	FoldGapsIgnored
	FoldAdvanceIgnored
	FoldBranchesIgnored
	FoldJumpShort
	FoldJumpPastFlip
	FoldInnerJumpUnlogged
	FoldCountsBodyOnce

	WalkIssueFree
	WalkInitOneShort
	WalkNeverReturns
	WalkUnitDropped
	WalkRefundAnyLatency
	WalkRefundAnyUnit
	WalkRefundLargest
	WalkRefundOneMore
	WalkRefundFirstSource
	WalkLambdaOfLargest

	PathUnitEdgeDropped
	PathLatencyDropped
	PathSourceEdgeDropped
	PathFullSetOnly
	PathIssueEdgeFree

	SumOneWarpFewer
	SumOwnClassForgotten
	SumChargesIssueOnly
	FuaChargesIssueOnly
	FuaUnitsOfOthersOnly
	BlockFirstClassOnly
	BlockLongestSectionOnly
	BlockLastSectionMissing
	BlockSmallestSubCore
	BlockBarrierDelayDropped
	BlockStartDelayDropped
	BlockOrderTermDropped
	BlockForeignDropped

	OfferSectionsAnyOrder
	OfferBurstOnFiniteQueue
	OfferRefWithoutOrder
	OfferGubAlwaysSafe

	SlotRoundsOneFewer
	SlotOthersOneFewer
	SlotLastBlockIsolated
	SlotLargestBlockIgnored
	GridBlocksOneFewer
	GridNeighboursDropped
	GridRoundsDropped

	ChainDrainsNothing
	ChainDelayDropped

	VolumeOwnClassForgotten
	VolumeFirstClassOnly
	VolumeWidthIgnored
	VolumeLeftoversDropped
	VolumeForeignDropped

	end
)

// Description says in words what the edit of a fault is.
type Description struct {
	ID   ID
	Name string
	Edit string
}

var bounds = []Description{
	{IsoIssueCycleDropped, "iso-issue-cycle-dropped", "two instructions of a warp may issue in one cycle"},
	{IsoInitDropped, "iso-init-dropped", "completion is dispatch + latency, without the initiation"},
	{IsoLatencyDropped, "iso-latency-dropped", "completion is dispatch + initiation, without the latency"},
	{IsoLatencyOffByOne, "iso-latency-off-by-one", "a result is there one cycle early"},
	{IsoLastSourceDropped, "iso-last-source-dropped", "the last source of an instruction is not waited for"},
	{IsoUnitWaitDropped, "iso-unit-wait-dropped", "an instruction starts although its unit is initiating"},
	{IsoUnitHeldOneShort, "iso-unit-held-one-short", "a unit is free one cycle before its initiation ends"},
	{IsoEndOfLastInstruction, "iso-end-of-last-instruction", "the end is the completion of the last instruction, not of the latest"},
	{IsoIssuesWithoutWaiting, "iso-issues-without-waiting", "Algorithm 1 as printed: no wait for a source that arrives during an execution phase"},
	{IsoIdleDropped, "iso-idle-dropped", "the time jumps to the sources only at the first idle phase"},
	{IsoBlockingAsQueued, "iso-blocking-as-queued", "the isolated time of unbounded queues where issue waits for the unit"},
	{IsoSerialAsBlocking, "iso-serial-as-blocking", "the isolated time of private buffers where the buffer is pooled"},

	{LowerLoopCarriedDropped, "lower-loop-carried-dropped", "every iteration of a loop waits only for what the first one waits for"},
	{LowerBurstNeedsAllSources, "lower-burst-needs-all-sources", "a burst starts only where all sources are new, not where one is"},
	{LowerRedefinitionStaysConsumed, "lower-redefinition-stays-consumed", "a register once read starts no burst after being written again"},
	{LowerBurstsNeverStart, "lower-bursts-never-start", "the whole section is one burst"},

	{FoldGapsIgnored, "fold-gaps-ignored", "a loop is jumped although a comparison is about to turn"},
	{FoldAdvanceIgnored, "fold-advance-ignored", "a loop is jumped although two groups advance by different amounts"},
	{FoldBranchesIgnored, "fold-branches-ignored", "a loop is jumped although two groups branched differently"},
	{FoldJumpShort, "fold-jump-short", "a jump counts one group more than it adds"},
	{FoldJumpPastFlip, "fold-jump-past-flip", "a jump goes one group past the turn of a comparison"},
	{FoldInnerJumpUnlogged, "fold-inner-jump-unlogged", "an outer loop does not look at what an inner loop jumped"},
	{FoldCountsBodyOnce, "fold-counts-body-once", "initiations of a loop body are summed once"},

	{WalkIssueFree, "walk-issue-free", "an instruction of another warp costs nothing off the watched units"},
	{WalkInitOneShort, "walk-init-one-short", "initiations on watched units are charged one cycle short"},
	{WalkNeverReturns, "walk-never-returns", "a walk does not return to the issue state at a burst start"},
	{WalkUnitDropped, "walk-unit-dropped", "the first unit of the watched set is left out"},
	{WalkRefundAnyLatency, "walk-refund-any-latency", "a refund is given without comparing latencies"},
	{WalkRefundAnyUnit, "walk-refund-any-unit", "a refund is given although the source's unit may queue"},
	{WalkRefundLargest, "walk-refund-largest", "the largest refund over the sources instead of the smallest"},
	{WalkRefundOneMore, "walk-refund-one-more", "every refund is one cycle too large"},
	{WalkRefundFirstSource, "walk-refund-first-source", "only the first new source of an instruction limits its refund"},
	{WalkLambdaOfLargest, "walk-lambda-of-largest", "refunds compare with the largest latency on the unit, not the smallest"},

	{PathUnitEdgeDropped, "path-unit-edge-dropped", "paths do not wait for the unit"},
	{PathLatencyDropped, "path-latency-dropped", "a path ends without its last latency"},
	{PathSourceEdgeDropped, "path-source-edge-dropped", "paths skip the last source of an instruction"},
	{PathFullSetOnly, "path-full-set-only", "only paths over all units of the warp count"},
	{PathIssueEdgeFree, "path-issue-edge-free", "issue after issue costs a path nothing"},

	{SumOneWarpFewer, "sum-one-warp-fewer", "one warp too few is charged"},
	{SumOwnClassForgotten, "sum-own-class-forgotten", "warps with the same sequence do not delay one another"},
	{SumChargesIssueOnly, "sum-charges-issue-only", "SUM charges one cycle an instruction"},
	{FuaChargesIssueOnly, "fua-charges-issue-only", "FUA charges one cycle an instruction on every unit"},
	{FuaUnitsOfOthersOnly, "fua-units-of-others-only", "FUA leaves out the first unit of the delayed warp"},
	{BlockFirstClassOnly, "block-first-class-only", "only warps of the first class are taken as the last to finish"},
	{BlockLongestSectionOnly, "block-longest-section-only", "the largest section instead of the sum of sections"},
	{BlockLastSectionMissing, "block-last-section-missing", "what follows the last barrier is left out"},
	{BlockSmallestSubCore, "block-smallest-sub-core", "a section lasts as long as on its fastest sub-core"},
	{BlockBarrierDelayDropped, "block-barrier-delay-dropped", "barriers open without delay"},
	{BlockStartDelayDropped, "block-start-delay-dropped", "blocks start without delay"},
	{BlockOrderTermDropped, "block-order-term-dropped", "theorem 7's term is left out"},
	{BlockForeignDropped, "block-foreign-dropped", "what other sub-cores start on shared units is not charged"},

	{OfferSectionsAnyOrder, "offer-sections-any-order", "section bounds are added although dispatch in any order may cross barriers"},
	{OfferBurstOnFiniteQueue, "offer-burst-on-finite-queue", "BURST, PATH and REF are offered where issue can wait for the unit"},
	{OfferRefWithoutOrder, "offer-ref-without-order", "REF is offered where a unit may reorder one warp's instructions"},
	{OfferGubAlwaysSafe, "offer-gub-always-safe", "the published bound counts as safe"},

	{SlotRoundsOneFewer, "slot-rounds-one-fewer", "one isolated block too few in a slot"},
	{SlotOthersOneFewer, "slot-others-one-fewer", "one other block too few is charged"},
	{SlotLastBlockIsolated, "slot-last-block-isolated", "warps of the last block do not delay one another"},
	{SlotLargestBlockIgnored, "slot-largest-block-ignored", "the first class of blocks stands for all"},
	{GridBlocksOneFewer, "grid-blocks-one-fewer", "an SM runs one block fewer before the last start"},
	{GridNeighboursDropped, "grid-neighbours-dropped", "the neighbours of the last block are not charged"},
	{GridRoundsDropped, "grid-rounds-dropped", "isolated times before the last start are left out"},

	{ChainDrainsNothing, "chain-drains-nothing", "initiations pending at a barrier delay nobody behind it"},
	{ChainDelayDropped, "chain-delay-dropped", "barriers open without delay in the chain of sections"},

	{VolumeOwnClassForgotten, "volume-own-class-forgotten", "warps that execute the same do not keep one another waiting"},
	{VolumeFirstClassOnly, "volume-first-class-only", "only warps of the first class are taken as the last to end"},
	{VolumeWidthIgnored, "volume-width-ignored", "every warp can issue in every cycle"},
	{VolumeLeftoversDropped, "volume-leftovers-dropped", "instructions that do not fill a unit for a cycle block nobody, where they could fill the issue slots of one"},
	{VolumeForeignDropped, "volume-foreign-dropped", "what other sub-cores execute on shared units blocks nobody"},
}

// Bounds lists the faults of internal/method/multiphase and internal/method/makespan. The
// caller owns the slice.
func Bounds() []Description { return append([]Description(nil), bounds...) }

// All lists every fault. The caller owns the slice.
func All() []Description {
	return slices.Concat(bounds, road, classes, static, anyOrder, replays, budgets, taint, ways, costEdits, covers, closedEdits, formEdits, factEdits, certify, riscv, vortexCover)
}

// Name is the name of a fault, "none" for None.
func (id ID) Name() string {
	for _, d := range All() {
		if d.ID == id {
			return d.Name
		}
	}
	return "none"
}
