package fault

// The planted edits of bounds as formulas: of counts in internal/simt/ptxexec, of times and
// numbers of blocks in internal/method/multiphase, and of internal/formula.
const (
	FormCountOneFewer ID = iota + 1<<32
	FormCountFavourable
	FormCountLanes
	FormStridesFarthest
	FormStridesLate
	FormStridesFavourable
	FormStridesUnconfirmed
	FormPassedStrict
	FormPassedFavourable
	FormPassedAgain
	FormTimesUnsettled
	FormTimesGroups
	FormChargesOnce
	FormBlocksBefore
	FormBlocksRounds
	FormBlocksBeside
	FormBlocksShared
	FormBlocksPlaced
	FormSumsSmaller
	FormSumsFew
	FormSumsOrdered
	FormTotalsOneFewer
	FormTotalsRounds
	FormTotalsPositive
	FormTotalsLargest
	FormQuotientRounds
	FormQuotientDivisor
	FormQuotientLeast
	FormTableLast

	endForm
)

var formEdits = []Description{
	{FormCountOneFewer, "form-count-one-fewer", "a quotient is one less"},
	{FormCountFavourable, "form-count-favourable", "other unknowns are where a quotient is smallest"},
	{FormCountLanes, "form-count-lanes", "the lane that stays shortest gives the quotient"},
	{FormStridesFarthest, "form-strides-farthest", "a stride is the largest of its range"},
	{FormStridesLate, "form-strides-late", "a number that moves by a stride begins one stride further"},
	{FormStridesFavourable, "form-strides-favourable", "other unknowns are where what is divided by is largest"},
	{FormStridesUnconfirmed, "form-strides-unconfirmed", "an iteration moves by the stride that is supposed"},
	{FormPassedStrict, "form-passed-strict", "what lanes have passed excludes equality"},
	{FormPassedFavourable, "form-passed-favourable", "the most favourable lane bounds a sum of unknowns"},
	{FormPassedAgain, "form-passed-again", "what holds where lanes come to a test a first time holds of all that come to it"},
	{FormTimesUnsettled, "form-times-unsettled", "a loop is taken to settle at once"},
	{FormTimesGroups, "form-times-groups", "iterations take no form besides what their groups take"},
	{FormChargesOnce, "form-charges-once", "a loop whose count is a variable is charged once"},
	{FormBlocksBefore, "form-blocks-before", "one block fewer starts before the last one"},
	{FormBlocksRounds, "form-blocks-rounds", "no block of its slot is before the last one"},
	{FormBlocksBeside, "form-blocks-beside", "no block is beside the last one"},
	{FormBlocksShared, "form-blocks-shared", "the last of two blocks is alone on its SM"},
	{FormBlocksPlaced, "form-blocks-placed", "blocks are placed evenly on every GPU"},
	{FormSumsSmaller, "form-sums-smaller", "a sum is at most another whatever their constants"},
	{FormSumsFew, "form-sums-few", "the smallest coefficients stand for many sums"},
	{FormSumsOrdered, "form-sums-ordered", "what a sum has left over of a product makes up for any number of others"},
	{FormTotalsOneFewer, "form-totals-one-fewer", "a sum over iterations has the last one left out"},
	{FormTotalsRounds, "form-totals-rounds", "what is added in each iteration is not rounded up"},
	{FormTotalsPositive, "form-totals-positive", "iterations that add nothing take away from a sum"},
	{FormTotalsLargest, "form-totals-largest", "one sum is the largest in all iterations"},
	{FormQuotientRounds, "form-quotient-rounds", "quotients are rounded down"},
	{FormQuotientDivisor, "form-quotient-divisor", "a quotient divides by what may be 0"},
	{FormQuotientLeast, "form-quotient-least", "what is divided by is the largest where an argument may be any"},
	{FormTableLast, "form-table-last", "of several formulas that arguments choose the last counts"},
}

// Forms lists the faults of bounds as formulas. The caller owns the slice.
func Forms() []Description { return append([]Description(nil), formEdits...) }
