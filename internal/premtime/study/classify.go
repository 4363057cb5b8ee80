package study

// Group is one of the groups of kernels of Forsberg2021, section 4.2.
type Group string

// The groups.
const (
	GroupA Group = "A" // memory and compute phases are both worth the synchronisation
	GroupB Group = "B" // at the synchronisation wall
	GroupC Group = "C" // memory bound
)

// memoryBound is from how many times T_comp on T_mem is much longer. Compatible
// intervals idle for half of the budgets under fair sharing; a kernel with T_mem of
// four T_comp still idles for three eighths of them, three quarters of that.
const memoryBound = 4

// Classify sorts a kernel by its phases under SoftDMA, by rules for what
// Forsberg2021 says of the groups:
//
//	B  more time goes to synchronisations and to waiting for the timer than to the
//	   phases ("the execution time of the phases T is dominated by synchronization")
//	C  not B, and T_mem is more than four times T_comp ("so memory bound that
//	   essentially no work is done in the Compute phase")
//	A  the others ("a good balance between memory and compute time")
//
// How fast the kernel is without phases does not matter. A kernel without
// intervals is in no group.
func Classify(p *Phases) Group {
	switch {
	case p.Intervals == 0:
		return ""
	case p.SyncNanos() > p.WorkNanos:
		return GroupB
	case p.MemNanos > memoryBound*p.CompNanos:
		return GroupC
	}
	return GroupA
}
