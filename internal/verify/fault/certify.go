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
	CertifyRegistersCounted
	CertifyRegistersMixed
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
	{CertifyBeforeUncompared, "certify-before-uncompared", "a part may begin with other times than those at which it stands"},
	{CertifyNodeUncompared, "certify-node-uncompared", "a part may be shown by a use of another expression"},
	{CertifyOneFirstPart, "certify-one-first-part", "of the alternatives of a branch only the first is compared"},
	{CertifyConcatUncompared, "certify-concat-uncompared", "what a sequence leads to is not compared with what is stated"},
	{CertifyAnyOneOrder, "certify-any-one-order", "the sides of a branch follow one another in one order only"},
	{CertifyAnyUncompared, "certify-any-uncompared", "what a selection of sides leads to is not compared with what is stated"},
	{CertifyAnyStart, "certify-any-start", "the sides of a branch may begin with any times"},
	{CertifyOptionalTaken, "certify-optional-taken", "an iteration that may be left out is not"},
	{CertifyIterationsUncounted, "certify-iterations-uncounted", "a loop may have any number of iterations"},
	{CertifyEvenOnce, "certify-even-once", "groups of iterations that repeat count once"},
	{CertifyLastUncompared, "certify-last-uncompared", "the last group of iterations is not compared with where it is to end"},
	{CertifyLastEarly, "certify-last-early", "the last group of iterations may begin with earlier times"},
	{CertifyRoundUncompared, "certify-round-uncompared", "what groups of iterations lead to is not compared with what is stated"},
	{CertifyChargeUncompared, "certify-charge-uncompared", "charges are not compared with those of parts"},
	{CertifyChargeOneSide, "certify-charge-one-side", "the charge of the sides of a branch is that of the heaviest one"},
	{CertifyChargeOnce, "certify-charge-once", "initiations of a loop body are charged once"},
	{CertifyNeighboursAny, "certify-neighbours-any", "any instruction may follow any other"},
	{CertifyBarriersInside, "certify-barriers-inside", "a section may have barriers inside"},
	{CertifyBeginsAnywhere, "certify-begins-anywhere", "paths may begin anywhere"},
	{CertifyEndsAnywhere, "certify-ends-anywhere", "paths may end anywhere"},
	{CertifyTimingUncompared, "certify-timing-uncompared", "initiation and latency are those of the certificate"},
	{CertifyRegistersCounted, "certify-registers-counted", "registers are counted, and not compared with the kernel"},
	{CertifyRegistersMixed, "certify-registers-mixed", "two registers of the kernel may be one of the certificate"},
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
}

// Certify lists the faults of the checker of certificates. The caller owns the slice.
func Certify() []Description { return append([]Description(nil), certify...) }
