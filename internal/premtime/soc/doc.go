// Package soc plays the CPU's side of the memory token (package guard) beside a
// simulated GPU: the handler of the timer interrupt and the throttle threads of
// Forsberg2021, section 3.3, as an agent of package sim.
//
//	Guard     the agent: a guard.Host driven by cycles, that holds and releases
//	          the cores which send traffic to the DRAM of the GPU
//	Config    budgets, the response of the timer, the cost of a synchronisation
//	Stats     misses, hand-overs, the lengths of phases, and how long the GPU idled
//	Phase     one phase, from its grant to the next one
//
// # Time
//
// All times are cycles of the GPU; guard.Budgets hold cycles here. A phase granted
// in cycle g with budget E ends at its timer, in cycle g + E. The handler runs
// ResponseCycles later and looks at the request, once:
//
//	no request       a miss: the timer is armed again with the retry
//	request          the next phase is granted SyncCycles later; where cores have to
//	                 be held first, they are at once, and the grant waits until
//	                 their last access is over, too
//
// So R_timer of Forsberg2021, section 4.2.1, which contains the synchronisation, is
// ResponseCycles + SyncCycles, and an interval takes E_memory + E_compute + 2 R_timer
// if nothing is missed and nothing drains for longer.
//
// The GPU needs time to see a grant, and after a phase for the fences and atomics
// before its request. A budget that is a bound on the phase alone (package budget)
// does not hold it: nothing is missed for certain only if ResponseCycles does, or if
// it is added to the budget.
//
// # What it is not
//
// The simulator runs one launch. It begins under the grant of the launch, whose
// budget counts from cycle 0, and it is over when the last block has ended; the
// hand-over of the join after that is not simulated. Words change hands in a cycle:
// what a write of the CPU takes to reach memory is part of SyncCycles, and what the
// GPU takes to look is simulated, since it polls. Tasks of the CPU are their traffic
// and nothing else.
package soc
