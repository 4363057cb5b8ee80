package fault

// The planted edits of what bounds sets of paths: internal/method/multiphase, and the
// weights of internal/choice.
const (
	WaysJoinKeepsLast ID = iota + 1<<24
	WaysJoinForgetsReady
	WaysJoinForgetsIssue
	WaysJoinForgetsEnd
	WaysJoinForgetsWrites
	WaysOneFirstPart
	WaysAnyOneOrder
	WaysAnySingle
	WaysAnyAll
	WaysShortOnce
	WaysRoundsTwoFewer
	WaysOptionalTaken
	WaysAtMostOnce
	WaysLiftSlow
	WaysLiftOneFewer
	WaysQueuedForAll
	WaysWeightFirst
	WaysWeightLargest
	WaysWeightOnce
	WaysFuaIssueOnly
	WaysUsedOfFirst
	WaysLoadsDropped
	WaysStagesFirst
	WaysStagesOnce

	endWays
)

var ways = []Description{
	{WaysJoinKeepsLast, "ways-join-keeps-last", "where paths join, the one followed last stands for all"},
	{WaysJoinForgetsReady, "ways-join-forgets-ready", "where paths join, units and registers are free as early as on the path followed last"},
	{WaysJoinForgetsIssue, "ways-join-forgets-issue", "where paths join, issue goes on when that of the path followed last does"},
	{WaysJoinForgetsEnd, "ways-join-forgets-end", "where paths join, the latest completion is that of the path followed last"},
	{WaysJoinForgetsWrites, "ways-join-forgets-writes", "registers that only a part writes are not joined"},
	{WaysOneFirstPart, "ways-one-first-part", "of the alternatives of a branch only the first is followed"},
	{WaysAnyOneOrder, "ways-any-one-order", "the sides of a branch follow one another in one order only"},
	{WaysAnySingle, "ways-any-single", "only one side of a branch is taken"},
	{WaysAnyAll, "ways-any-all", "every side of a branch is taken"},
	{WaysShortOnce, "ways-short-once", "the shorter side of a branch comes before the longer one only"},
	{WaysRoundsTwoFewer, "ways-rounds-two-fewer", "two sides of a branch of many are never taken together with all others"},
	{WaysOptionalTaken, "ways-optional-taken", "what may be left out is not"},
	{WaysAtMostOnce, "ways-at-most-once", "a loop of at most n iterations has at most one"},
	{WaysLiftSlow, "ways-lift-slow", "a loop that is not followed to its end grows as its slowest variable"},
	{WaysLiftOneFewer, "ways-lift-one-fewer", "a loop that is not followed to its end lacks a group of iterations"},
	{WaysQueuedForAll, "ways-queued-for-all", "issue never waits for the unit"},
	{WaysWeightFirst, "ways-weight-first", "the charge of alternatives is that of the first one"},
	{WaysWeightLargest, "ways-weight-largest", "the charge of the sides of a branch is that of the heaviest one"},
	{WaysWeightOnce, "ways-weight-once", "initiations of a loop body are charged once"},
	{WaysFuaIssueOnly, "ways-fua-issue-only", "FUA charges one cycle an instruction on every unit"},
	{WaysUsedOfFirst, "ways-used-of-first", "a warp uses the unit of its first instruction only"},
	{WaysLoadsDropped, "ways-loads-dropped", "what warps of other sub-cores start on shared units is not charged where they have several paths"},
	{WaysStagesFirst, "ways-stages-first", "of stages that a block may take the first are counted"},
	{WaysStagesOnce, "ways-stages-once", "sections that come in any number come once"},
}

// Ways lists the faults of what bounds sets of paths. The caller owns the slice.
func Ways() []Description { return append([]Description(nil), ways...) }
