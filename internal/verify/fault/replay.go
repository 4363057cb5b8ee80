package fault

// The planted edits of internal/method/replay.
const (
	ReplayResolvesEarly ID = iota + 1<<20
	ReplayFetchesEarly
	ReplayFIFOCache
	ReplayPointerStays
	ReplaySelectsSuspended
	ReplayMissesAlone
	ReplayRepeatsMiss
	ReplayGreedOutlivesWarp
	ReplayBarrierResolves
	ReplayOnePlaceMore
	ReplayStartsTogether
	ReplayOldestBySlot
	ReplayLeadCountsNOPs
	ReplayJumpsTooFar
	ReplayJumpsOverCache
	ReplayJumpsOverOperands

	AnyPolicyQueueNOPsFree
	AnyPolicyStartNOPsFree
	AnyPolicyLinesFree
	AnyPolicyActivationFree
	AnyPolicyResolutionFree
	AnyPolicyJumpsNoControl

	endReplay
)

var replays = []Description{
	{ReplayResolvesEarly, "replay-resolves-early", "control instructions resolve one cycle early"},
	{ReplayFetchesEarly, "replay-fetches-early", "an instruction can issue one cycle early"},
	{ReplayFIFOCache, "replay-fifo-cache", "a hit in the instruction cache makes no line younger"},
	{ReplayPointerStays, "replay-pointer-stays", "a strict policy does not move on from a warp that is not ready"},
	{ReplaySelectsSuspended, "replay-selects-suspended", "a strict policy selects warps that wait for a line"},
	{ReplayMissesAlone, "replay-misses-alone", "a line that is on its way is requested again, and the later arrival counts"},
	{ReplayRepeatsMiss, "replay-repeats-miss", "the repeated request misses where the line has been replaced"},
	{ReplayGreedOutlivesWarp, "replay-greed-outlives-warp", "whoever takes the slot of a warp stays selected in its place"},
	{ReplayBarrierResolves, "replay-barrier-resolves", "a barrier opens when the last arrival is resolved"},
	{ReplayOnePlaceMore, "replay-one-place-more", "queues have one place more"},
	{ReplayStartsTogether, "replay-starts-together", "the warps of a block start together"},
	{ReplayOldestBySlot, "replay-oldest-by-slot", "the lowest slot counts as the oldest"},
	{ReplayLeadCountsNOPs, "replay-lead-counts-nops", "adaptive policies count NOPs"},
	{ReplayJumpsTooFar, "replay-jumps-too-far", "a jump leaves out one period more"},
	{ReplayJumpsOverCache, "replay-jumps-over-cache", "states with other lines in the instruction cache agree"},
	{ReplayJumpsOverOperands, "replay-jumps-over-operands", "states with other registers pending agree"},
	{AnyPolicyQueueNOPsFree, "any-policy-queue-nops-free", "what queues hold when a branch is taken takes no issue slots"},
	{AnyPolicyStartNOPsFree, "any-policy-start-nops-free", "what queues hold at activation takes no issue slots"},
	{AnyPolicyLinesFree, "any-policy-lines-free", "nobody waits for lines of the instruction cache"},
	{AnyPolicyActivationFree, "any-policy-activation-free", "the warps of a block are active together"},
	{AnyPolicyResolutionFree, "any-policy-resolution-free", "nothing waits for the resolution of a control instruction"},
	{AnyPolicyJumpsNoControl, "any-policy-jumps-no-control", "iterations do not end with a step to another place"},
}

// Replay lists the faults of internal/method/replay. The caller owns the slice.
func Replay() []Description { return append([]Description(nil), replays...) }
