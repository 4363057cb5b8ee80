package fault

// The planted edits of the checker of certificates, internal/certify.
const (
	CertifyUnitFree ID = iota + 1<<28
	CertifyLatencyFree
	CertifySourcesFree
	CertifyEndOfLast
	CertifyIssueNeverWaits
	CertifyRunUncompared
	CertifyEndUncompared
	CertifyReadyUncompared
	CertifyBeforeUncompared
	CertifyNodeUncompared
	CertifyOneFirstPart
	CertifyConcatUncompared
	CertifyAnyOneOrder
	CertifyAnyUncompared
	CertifyAnyStart
	CertifyOptionalTaken
	CertifyIterationsUncounted
	CertifyEvenOnce
	CertifyLastUncompared
	CertifyLastEarly
	CertifyRoundUncompared
	CertifyChargeUncompared
	CertifyChargeOneSide
	CertifyChargeOnce
	CertifyNeighboursAny
	CertifyBarriersInside
	CertifyBeginsAnywhere
	CertifyEndsAnywhere
	CertifyTimingUncompared
	CertifyResultUncompared
	CertifyHashUncompared
	CertifyWawForgotten
	CertifyOthersFewer
	CertifyForeignFree
	CertifyReorderedFree
	CertifyDelaysFree
	CertifyRoundsFewer
	CertifyOccupancyAny
	CertifyWarpsUncounted
	CertifyBlocksUncounted
	CertifyGuardsUnread
	CertifyStoresUnread
	CertifyScopesOne
	CertifyTransactionsFree
	CertifyPricesNegative
	CertifyPricesMixed
	CertifyPricesUnpaid
	CertifyLimitsUnstated
	CertifyCaseMissing
	CertifyCasesAlike
	CertifyDifferenceOfParts
	CertifyTotalOfWarp
	CertifyAllGoBack
	CertifyFactorsUnsigned
	CertifyStagesOnce
	CertifyStagesApart
	CertifyResumedAnywhere

	endCertify
)

var certify = []Description{
	{CertifyUnitFree, "certify-unit-free", "an instruction starts although its unit is initiating"},
	{CertifyLatencyFree, "certify-latency-free", "an instruction completes when its initiation ends"},
	{CertifySourcesFree, "certify-sources-free", "no instruction waits for a register"},
	{CertifyEndOfLast, "certify-end-of-last", "the end is the completion of the last instruction, not of the latest"},
	{CertifyIssueNeverWaits, "certify-issue-never-waits", "issue never waits for the unit"},
	{CertifyRunUncompared, "certify-run-uncompared", "what a run leads to is not compared with what is stated"},
	{CertifyEndUncompared, "certify-end-uncompared", "completions are not compared from part to part"},
	{CertifyReadyUncompared, "certify-ready-uncompared", "units and registers are not compared from part to part"},
	{CertifyBeforeUncompared, "certify-before-uncompared", "a part may begin with other times than those at which it stands, as late as these or not"},
	{CertifyNodeUncompared, "certify-node-uncompared", "a part may be shown by a use of another expression"},
	{CertifyOneFirstPart, "certify-one-first-part", "of the alternatives of a branch only the first is compared"},
	{CertifyConcatUncompared, "certify-concat-uncompared", "what a sequence leads to is not compared with what is stated"},
	{CertifyAnyOneOrder, "certify-any-one-order", "the sides of a branch follow one another in one order only"},
	{CertifyAnyUncompared, "certify-any-uncompared", "that sides of a branch may be left out is not"},
	{CertifyAnyStart, "certify-any-start", "of many sides of a branch any one comes, and no other"},
	{CertifyOptionalTaken, "certify-optional-taken", "an iteration that may be left out is not"},
	{CertifyIterationsUncounted, "certify-iterations-uncounted", "a loop may have any number of iterations"},
	{CertifyEvenOnce, "certify-even-once", "groups of iterations that repeat count once"},
	{CertifyLastUncompared, "certify-last-uncompared", "the last group of iterations is not compared with where it is to end"},
	{CertifyLastEarly, "certify-last-early", "the last group of iterations begins with the times of the first"},
	{CertifyRoundUncompared, "certify-round-uncompared", "groups of iterations lead to where the last one begins"},
	{CertifyChargeUncompared, "certify-charge-uncompared", "charges are not compared with those of paths"},
	{CertifyChargeOneSide, "certify-charge-one-side", "the charge of the sides of a branch is that of the heaviest one"},
	{CertifyChargeOnce, "certify-charge-once", "initiations of a loop body are charged once"},
	{CertifyNeighboursAny, "certify-neighbours-any", "any instruction may follow any other"},
	{CertifyBarriersInside, "certify-barriers-inside", "a section may have barriers inside"},
	{CertifyBeginsAnywhere, "certify-begins-anywhere", "paths may begin anywhere"},
	{CertifyEndsAnywhere, "certify-ends-anywhere", "paths may end anywhere"},
	{CertifyTimingUncompared, "certify-timing-uncompared", "initiation and latency are those of the certificate"},
	{CertifyResultUncompared, "certify-result-uncompared", "the result of the certificate is believed"},
	{CertifyHashUncompared, "certify-hash-uncompared", "files are not compared with their hashes"},
	{CertifyWawForgotten, "certify-waw-forgotten", "no instruction waits for earlier writers of its destinations"},
	{CertifyOthersFewer, "certify-others-fewer", "one warp of those beside a warp is not charged"},
	{CertifyForeignFree, "certify-foreign-free", "what other schedulers start on shared units is not charged"},
	{CertifyReorderedFree, "certify-reordered-free", "a warp whose instructions a unit may reorder is not charged its own"},
	{CertifyDelaysFree, "certify-delays-free", "barriers and starts of blocks take no time"},
	{CertifyRoundsFewer, "certify-rounds-fewer", "blocks wait for one round fewer"},
	{CertifyOccupancyAny, "certify-occupancy-any", "any number of blocks is resident"},
	{CertifyWarpsUncounted, "certify-warps-uncounted", "a block may have any number of warps"},
	{CertifyBlocksUncounted, "certify-blocks-uncounted", "a grid may have any number of blocks"},
	{CertifyGuardsUnread, "certify-guards-unread", "an instruction does not wait for its guard"},
	{CertifyStoresUnread, "certify-stores-unread", "a store waits for its address only"},
	{CertifyScopesOne, "certify-scopes-one", "registers of one name are one, whatever their scope"},
	{CertifyTransactionsFree, "certify-transactions-free", "an access takes as long as one transaction"},
	{CertifyPricesNegative, "certify-prices-negative", "a price may be negative"},
	{CertifyPricesMixed, "certify-prices-mixed", "a part may be shown under other prices"},
	{CertifyPricesUnpaid, "certify-prices-unpaid", "what limits give back for prices is not added"},
	{CertifyLimitsUnstated, "certify-limits-unstated", "limits are not compared with the facts of the launch"},
	{CertifyCaseMissing, "certify-case-missing", "paths without one place of an exclusive pair are enough"},
	{CertifyCasesAlike, "certify-cases-alike", "both cases of an exclusive pair may be without the same place"},
	{CertifyDifferenceOfParts, "certify-difference-of-parts", "what holds of a difference along a whole path holds between barriers"},
	{CertifyTotalOfWarp, "certify-total-of-warp", "a warp goes back to a head as often as one of its threads may"},
	{CertifyAllGoBack, "certify-all-go-back", "every execution of a head goes back to it"},
	{CertifyFactorsUnsigned, "certify-factors-unsigned", "negative factors of a sum count as positive ones"},
	{CertifyStagesOnce, "certify-stages-once", "sections of stages come once each"},
	{CertifyStagesApart, "certify-stages-apart", "no barrier lies between the sections of stages"},
	{CertifyResumedAnywhere, "certify-resumed-anywhere", "with stages a section may begin anywhere"},
}

// Certify lists the faults of the checker of certificates. The caller owns the slice.
func Certify() []Description { return append([]Description(nil), certify...) }
