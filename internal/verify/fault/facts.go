package fault

// The planted edits of facts: of executions that rely on them, of what they mean for sets
// of paths, and of how executions are held to them.
const (
	FactTotalsByMaximum ID = iota + 1<<26
	FactTotalsOfEntries
	FactBackOfSome
	FactAlikeByLoose
	FactAlikeForOthers
	FactAlikeOthersStay
	FactThreadTotalsOfWarps
	FactLoopsEnteredAnew

	FactPricesNotPaid
	FactPricesTwice
	FactPricesJoinParts
	FactExclusionsOfOne
	FactExclusionsBind

	FactCheckTotalsPerEntry
	FactCheckEntriesGoOn
	FactCheckWarpsByThreads
	FactCheckRepeatsOnce
	FactCheckUniformByFew
	FactCheckSumsOfOne
	FactCheckFirstPlace
	FactCheckCallsMixed

	endFact
)

var factEdits = []Description{
	{FactTotalsByMaximum, "fact-totals-by-maximum", "a lane has gone back in all as often as on the side where it did more often"},
	{FactTotalsOfEntries, "fact-totals-of-entries", "a lane that comes to a loop goes back to its head"},
	{FactBackOfSome, "fact-back-of-some", "a warp goes back to a head where some lanes may, others for certain not"},
	{FactAlikeByLoose, "fact-alike-by-loose", "a lane that may not be there decides where all go"},
	{FactAlikeForOthers, "fact-alike-for-others", "whatever is told behind a uniform branch has one side only"},
	{FactAlikeOthersStay, "fact-alike-others-stay", "a branch is uniform, whatever the launch says"},
	{FactThreadTotalsOfWarps, "fact-thread-totals-of-warps", "what a thread does in all bounds what a warp does"},
	{FactLoopsEnteredAnew, "fact-loops-entered-anew", "a lane that perhaps comes from outside a loop does"},

	{FactPricesNotPaid, "fact-prices-not-paid", "what a limit allows is not given back"},
	{FactPricesTwice, "fact-prices-twice", "an instruction costs its price twice"},
	{FactPricesJoinParts, "fact-prices-join-parts", "where paths join, what only a price has moved is not joined"},
	{FactExclusionsOfOne, "fact-exclusions-of-one", "of two exclusive places the first is never executed"},
	{FactExclusionsBind, "fact-exclusions-bind", "two exclusive places are both never executed"},

	{FactCheckTotalsPerEntry, "fact-check-totals-per-entry", "what a thread does in all begins anew at every entry"},
	{FactCheckEntriesGoOn, "fact-check-entries-go-on", "an entry beside the head goes on counting"},
	{FactCheckWarpsByThreads, "fact-check-warps-by-threads", "a warp goes back as often as its threads together"},
	{FactCheckRepeatsOnce, "fact-check-repeats-once", "iterations that repeat one are not counted"},
	{FactCheckUniformByFew, "fact-check-uniform-by-few", "threads part where more than half of them go one way"},
	{FactCheckSumsOfOne, "fact-check-sums-of-one", "places of a sum count once, whatever their factor"},
	{FactCheckFirstPlace, "fact-check-first-place", "a warp that comes to the first of two exclusive places comes to both"},
	{FactCheckCallsMixed, "fact-check-calls-mixed", "a function that is called again counts trips together"},
}

// Facts lists the faults of facts. The caller owns the slice.
func Facts() []Description { return append([]Description(nil), factEdits...) }
