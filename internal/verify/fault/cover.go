package fault

// The planted edits of executions that cover every input: internal/simt/ptxexec where it
// forks, and path. Each makes what is covered too little.
const (
	CoverRegistersJoinedKnown ID = iota + 1<<25
	CoverRegistersSecondSide
	CoverPredicatesJoinedKnown
	CoverPredicatesSecondSide
	CoverUniformWithoutTaint
	CoverLooseStoresCertain
	CoverSidesCertain
	CoverOneSidedExits
	CoverGuardedExits
	CoverPartsCertain
	CoverDroppedNeverEnded
	CoverUnknownAddressesTogether
	CoverUnsureStoresSkipped
	CoverUnsureLoadsSkipped
	CoverSecondSideBehindFirst
	CoverSecondPredicatesBehindFirst
	CoverLooseVotesCertain
	CoverAtomicResultsKnown
	CoverLateOnce
	CoverLateLoadsKnown
	CoverLateStores
	CoverLateBesideOthers
	CoverRestsCertain
	CoverRestsOfFunctionsCertain
	CoverRestsOfEndsCertain
	CoverReductionsOfLoose
	CoverArrivalsOfLoose
	CoverBarriersInForks
	CoverResultsInMemory
	CoverDistrustForgotten
	CoverTripsOneFewer
	CoverTripsByMaximum
	CoverTripsNotReset
	CoverTripsOfCallsMixed
	CoverTripsFromOutside
	CoverOneOfSides
	CoverFirstSideOnly
	CoverLateForgotten
	CoverClassesOfFirstWarps
	CoverSpansDecide
	CoverSpansOfSecondSide
	CoverSpansOfOthersForgotten
	CoverSpansWithoutWrap
	CoverSpansOfUnsureKept
	CoverSpreadOneShort
	CoverFetchOneTexel
	CoverFetchTogether
	CoverFetchPoints
	CoverFetchNarrow
	CoverFetchSeveralSizes
	CoverFetchKnownPlaces
	CoverFetchUnsureSkipped
	CoverFetchContentsKnown
	CoverFetchUnsureKnown

	endCover
)

var covers = []Description{
	{CoverRegistersJoinedKnown, "cover-registers-joined-known", "a register that differs behind two sides is the second one's"},
	{CoverRegistersSecondSide, "cover-registers-second-side", "a register behind two sides is as known as behind the second"},
	{CoverPredicatesJoinedKnown, "cover-predicates-joined-known", "a predicate that differs behind two sides is the second one's"},
	{CoverPredicatesSecondSide, "cover-predicates-second-side", "a predicate behind two sides is as known as behind the second"},
	{CoverUniformWithoutTaint, "cover-uniform-without-taint", "a register that all lanes have alike behind two sides is as known as behind the second"},
	{CoverLooseStoresCertain, "cover-loose-stores-certain", "lanes that may not be there store for certain"},
	{CoverSidesCertain, "cover-sides-certain", "lanes that take a side of an unknown branch are there for certain"},
	{CoverOneSidedExits, "cover-one-sided-exits", "a lane that ends on one of two sides goes on for certain"},
	{CoverGuardedExits, "cover-guarded-exits", "a lane whose guard of an exit is unknown goes on for certain"},
	{CoverPartsCertain, "cover-parts-certain", "a lane that may have taken a part that ends goes on for certain"},
	{CoverDroppedNeverEnded, "cover-dropped-never-ended", "a lane that a bound takes away has not ended before"},
	{CoverUnknownAddressesTogether, "cover-unknown-addresses-together", "lanes at unknown addresses access one word"},
	{CoverUnsureStoresSkipped, "cover-unsure-stores-skipped", "a store under an unknown guard is not made"},
	{CoverUnsureLoadsSkipped, "cover-unsure-loads-skipped", "a load under an unknown guard is not made"},
	{CoverSecondSideBehindFirst, "cover-second-side-behind-first", "the second side starts with the registers of the first"},
	{CoverSecondPredicatesBehindFirst, "cover-second-predicates-behind-first", "the second side starts with the predicates of the first"},
	{CoverLooseVotesCertain, "cover-loose-votes-certain", "lanes that may not be there take part in votes for certain"},
	{CoverAtomicResultsKnown, "cover-atomic-results-known", "atomics return what they return here"},
	{CoverLateOnce, "cover-late-once", "a part that may come late comes where its branch is"},
	{CoverLateLoadsKnown, "cover-late-loads-known", "a part that comes late loads what is there now"},
	{CoverLateStores, "cover-late-stores", "a part that comes late stores before what comes first"},
	{CoverLateBesideOthers, "cover-late-beside-others", "a part that comes late does so after lanes that wait for it"},
	{CoverRestsCertain, "cover-rests-certain", "what follows lanes that may be gone is executed for certain"},
	{CoverRestsOfFunctionsCertain, "cover-rests-of-functions-certain", "what follows lanes that have returned or were not called is executed for certain"},
	{CoverRestsOfEndsCertain, "cover-rests-of-ends-certain", "what follows lanes that may have ended is executed for certain"},
	{CoverReductionsOfLoose, "cover-reductions-of-loose", "lanes that may not be there take part in reductions at barriers"},
	{CoverArrivalsOfLoose, "cover-arrivals-of-loose", "a warp whose lanes may not be there arrives at barriers"},
	{CoverBarriersInForks, "cover-barriers-in-forks", "a warp arrives at a barrier on a side of an unknown branch"},
	{CoverResultsInMemory, "cover-results-in-memory", "a function's result in memory is there, whichever side called it"},
	{CoverDistrustForgotten, "cover-distrust-forgotten", "memory that somebody relied on too early stays known"},
	{CoverTripsOneFewer, "cover-trips-one-fewer", "a lane goes back one time fewer than the bound of its loop says"},
	{CoverTripsByMaximum, "cover-trips-by-maximum", "a lane has gone back as often as on the side where it did more often"},
	{CoverTripsNotReset, "cover-trips-not-reset", "a loop that is entered again goes on counting"},
	{CoverTripsOfCallsMixed, "cover-trips-of-calls-mixed", "a function that is called again counts trips together"},
	{CoverTripsFromOutside, "cover-trips-from-outside", "a lane that may come from outside counts as going back"},
	{CoverOneOfSides, "cover-one-of-sides", "a warp takes one of the sides of a fork"},
	{CoverFirstSideOnly, "cover-first-side-only", "a warp takes the first side of a fork, if both are long"},
	{CoverLateForgotten, "cover-late-forgotten", "a part that may come late does not"},
	{CoverClassesOfFirstWarps, "cover-classes-of-first-warps", "blocks are alike if their first warps are"},
	{CoverSpansDecide, "cover-spans-decide", "a comparison of operands of which one ends where the other begins is known"},
	{CoverSpansOfSecondSide, "cover-spans-of-second-side", "a register behind two sides lies where it does behind the second"},
	{CoverSpansOfOthersForgotten, "cover-spans-of-others-forgotten", "a register behind two sides lies where it does there in lanes that wait elsewhere, too"},
	{CoverSpansWithoutWrap, "cover-spans-without-wrap", "sums and differences do not wrap around"},
	{CoverSpansOfUnsureKept, "cover-spans-of-unsure-kept", "what a guard that is not known keeps lies where results do"},
	{CoverSpreadOneShort, "cover-spread-one-short", "addresses lie in one segment or row of banks fewer"},
	{CoverFetchOneTexel, "cover-fetch-one-texel", "a fetch at an unknown place, or from an unknown texture, reads one texel"},
	{CoverFetchTogether, "cover-fetch-together", "lanes that fetch at unknown places read one texel"},
	{CoverFetchPoints, "cover-fetch-points", "a texture of which nothing is known is not filtered"},
	{CoverFetchNarrow, "cover-fetch-narrow", "a texel of a texture of which nothing is known has four bytes"},
	{CoverFetchSeveralSizes, "cover-fetch-several-sizes", "lanes that fetch texels of several sizes fetch those of the first"},
	{CoverFetchKnownPlaces, "cover-fetch-known-places", "a lane with an unknown coordinate fetches where it does here"},
	{CoverFetchUnsureSkipped, "cover-fetch-unsure-skipped", "a fetch under an unknown guard is not made"},
	{CoverFetchContentsKnown, "cover-fetch-contents-known", "what is fetched from a texture of which nothing is known is known"},
	{CoverFetchUnsureKnown, "cover-fetch-unsure-known", "what a fetch under an unknown guard gives is known"},
}

// Covers lists the faults of executions that cover every input. The caller owns the slice.
func Covers() []Description { return append([]Description(nil), covers...) }
