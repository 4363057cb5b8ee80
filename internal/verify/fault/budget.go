package fault

// The planted edits of internal/premtime/budget.
const (
	BudgetTagsFree ID = iota + 1<<21
	BudgetMSHRsFree
	BudgetListsFree
	BudgetVictimsFree
	BudgetWaysOfLoadsFree
	BudgetSlicesFree
	BudgetBusFree
	BudgetRowsFree
	BudgetWayInFree
	BudgetRefreshesFree
	BudgetWaitingFree
	BudgetWriteBacksFree
	BudgetOtherSMsFree
	BudgetRowsOfWriteBacksFree
	BudgetLoadsShort
	BudgetStoresShort
	BudgetAtomicsShort
	BudgetLinesStay
	BudgetStoresRemoveNothing
	BudgetSharedLinesStay
	BudgetFirstSMOnly
	BudgetFirstTeamOnly
	BudgetFirstSectionOnly
	BudgetHandOverFree

	endBudget
)

var budgets = []Description{
	{BudgetTagsFree, "budget-tags-free", "requests pass the tags and the way out in no time"},
	{BudgetMSHRsFree, "budget-mshrs-free", "nobody waits for an MSHR"},
	{BudgetListsFree, "budget-lists-free", "nobody waits for room in a list of those who wait"},
	{BudgetVictimsFree, "budget-victims-free", "nobody waits for a victim on its way"},
	{BudgetWaysOfLoadsFree, "budget-ways-of-loads-free", "what leaves the SM is back at once where loads are bounded as hits"},
	{BudgetSlicesFree, "budget-slices-free", "slices of the L2 are never occupied"},
	{BudgetBusFree, "budget-bus-free", "transfers of the DRAM take no time"},
	{BudgetRowsFree, "budget-rows-free", "rows are open"},
	{BudgetWayInFree, "budget-way-in-free", "answers take the way into the SM in no time"},
	{BudgetRefreshesFree, "budget-refreshes-free", "the DRAM is not refreshed"},
	{BudgetWaitingFree, "budget-waiting-free", "teams that wait do nothing"},
	{BudgetWriteBacksFree, "budget-write-backs-free", "the L2 writes nothing back"},
	{BudgetOtherSMsFree, "budget-other-sms-free", "other SMs send nothing"},
	{BudgetRowsOfWriteBacksFree, "budget-rows-of-write-backs-free", "lines written back lie in open rows"},
	{BudgetLoadsShort, "budget-loads-short", "a load does not wait for the latency of the DRAM"},
	{BudgetStoresShort, "budget-stores-short", "a store is over when it leaves the SM"},
	{BudgetAtomicsShort, "budget-atomics-short", "an atomic takes what a store takes"},
	{BudgetLinesStay, "budget-lines-stay", "no line is lost from an L1D"},
	{BudgetStoresRemoveNothing, "budget-stores-remove-nothing", "no store removes a line from an L1D"},
	{BudgetSharedLinesStay, "budget-shared-lines-stay", "no line is lost from the L2"},
	{BudgetFirstSMOnly, "budget-first-sm-only", "the first SM counts for all"},
	{BudgetFirstTeamOnly, "budget-first-team-only", "of the teams of an SM one counts"},
	{BudgetFirstSectionOnly, "budget-first-section-only", "a plain barrier ends a phase"},
	{BudgetHandOverFree, "budget-hand-over-free", "a hand-over drives no lines out of the L2"},
}

// Budget lists the faults of internal/premtime/budget. The caller owns the slice.
func Budget() []Description { return append([]Description(nil), budgets...) }
