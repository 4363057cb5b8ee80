package fault

// The planted edits of what says which instructions the cycles of a bound belong to, in
// internal/method/multiphase. None makes a bound unsafe.
const (
	CostIssueOfOrder ID = iota + 1<<33
	CostUnitWaitsForNobody
	CostEndKeepsLinks
	CostOfFirstInstruction
	CostCompletionAsInitiation
	CostLoopsUnlinked
	CostWalkReturnsFree
	CostWalkRefundsKept
	CostPathUnitForgotten
	CostPathOverAllUnits
	CostChainOpensAlone
	CostChainJumpsOneMore
	CostOwnClassTwice
	CostLoopBodiesOnce
	CostForeignDropped

	endCost
)

var costEdits = []Description{
	{CostIssueOfOrder, "cost-issue-of-order", "what an instruction waits for is the one issued before it, whatever its sources are"},
	{CostUnitWaitsForNobody, "cost-unit-waits-for-nobody", "behind an instruction that waited for its unit, the unit knows the wait for its sources only"},
	{CostEndKeepsLinks, "cost-end-keeps-links", "the latest completion belongs to the chain of an earlier one"},
	{CostOfFirstInstruction, "cost-of-first-instruction", "cycles belong to the first instruction of the table"},
	{CostCompletionAsInitiation, "cost-completion-as-initiation", "a result that is waited for counts as a unit that is"},
	{CostLoopsUnlinked, "cost-loops-unlinked", "iterations are jumped by their times alone"},
	{CostWalkReturnsFree, "cost-walk-returns-free", "a walk that returns to the issue state forgets where it came from"},
	{CostWalkRefundsKept, "cost-walk-refunds-kept", "a refund takes nothing from the instructions that it is for"},
	{CostPathUnitForgotten, "cost-path-unit-forgotten", "a path that waits for a unit forgets where it came from"},
	{CostPathOverAllUnits, "cost-path-over-all-units", "the longest path is that over all units"},
	{CostChainOpensAlone, "cost-chain-opens-alone", "what others are charged before a barrier opens is forgotten"},
	{CostChainJumpsOneMore, "cost-chain-jumps-one-more", "sections that are jumped count a group more"},
	{CostOwnClassTwice, "cost-own-class-twice", "the delayed warp is charged to itself"},
	{CostLoopBodiesOnce, "cost-loop-bodies-once", "instructions of a loop are charged once"},
	{CostForeignDropped, "cost-foreign-dropped", "what warps of other sub-cores start on shared units belongs to nobody"},
}

// Costs lists the faults of what says which instructions the cycles of a bound belong to. The
// caller owns the slice.
func Costs() []Description { return append([]Description(nil), costEdits...) }
