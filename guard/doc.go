// Package guard is the memory token between CPU and GPU: the protocol by which
// the two take turns in shared memory, phase by phase, and the CPU's side of it
// as a library.
//
//	Word            what either side writes: a sequence number and a Kind
//	Device          the GPU's transitions: Attach, Enter, Poll, Leave
//	Host            the CPU's transitions: Step over events and integer time
//	Budgets         E_memory, E_compute and the launch's, in nanoseconds
//	Token           the words in shared memory, atomic; MapToken shares a file
//	Guard           a Host on a thread, with timer, throttle threads and Stats
//	Throttler       what holds the cores; ThreadConfig asks for Linux threads
//	Clock           the guard's time
//
// Source: Forsberg2021, section 3.3 (GPUguard): the flag in shared memory, the
// timer per phase, the throttle threads, and the synchronisation around the
// offload. Its numbers for a TX1: a synchronisation takes 5.8 us, the timer
// responds within 10.7 us in 95 % of the cases (section 4.2.1).
//
// # The protocol
//
// The offloading task begins: the throttle threads take their cores, then the
// CPU grants a phase of kind launch. The GPU asks for the next phase when it has
// ended the one before, and spins until that is granted. The CPU arms a timer
// with the budget of a phase when it grants it, and looks at the request when
// the timer fires, not before: a phase that ends early does not shorten the
// schedule. To grant a memory phase, the cores are held first; to grant a
// compute phase, they are released after. After its last phase the GPU asks for
// join and does not wait; the CPU holds the cores, grants join, and releases
// them when the offloading task ends the offload. [Host.Step] has the table.
//
// A miss is a phase whose timer fires before the GPU has asked for the next.
// It is counted, once, and nothing changes hands: the token stays where it is,
// so in a memory phase the CPU stays throttled, and in a compute phase it keeps
// memory. The timer is armed again with the retry, and the first look that
// finds the request hands over, late. No memory access of one side ever meets
// the other's, missed or not; what a miss costs is time, of the CPU's tasks or
// of the GPU, and Stats say how much. (Forsberg2021 finds the budgets this way:
// they are raised until no hand-over fails.) The other policy, to take the
// token away at the deadline, is not offered: a GPU cannot be stopped there.
//
// Each word has one writer, and numbers are never reused within 2^29 phases: no
// request can be lost by being cleared, and no word of an earlier phase or
// kernel is taken for a new one.
//
// The tests explore every interleaving of timer, throttle threads, CPU tasks,
// device and offloading task, with any delay of each, over kernels of up to six
// phases that are shorter than, as long as and longer than their budgets, with
// and without a close at any moment: exclusion, cores held whenever the token
// says so, misses and hand-overs counted exactly, and an end reachable from
// everywhere. Planted mistakes are found by the invariant named for each.
//
// The model takes the shared words to be sequentially consistent, a throttle
// thread that holds its core to keep every task off it at once, and an access
// begun by a preempted task to be over by then.
//
// # The device's side
//
// Offsets are in 32-bit words from the start of the token: request at 32, grant
// at 64. One thread of the kernel speaks for all blocks, which meet at a
// barrier of their own before and after. In CUDA C++:
//
//	__device__ void enter(volatile unsigned *token, unsigned *seq, unsigned kind) {
//	    unsigned want = ((*seq + 1) << 3) | kind;  // 2 memory, 3 compute
//	    __threadfence_system();                    // the phase's accesses are done
//	    token[32] = want;
//	    unsigned grant;
//	    while ((grant = token[64]) != want)
//	        if ((grant & 7) == 5) __trap();        // 5 abort
//	    __threadfence_system();
//	    *seq = want >> 3;
//	}
//
// At its start the kernel sets seq to token[64] >> 3; after its last phase it
// writes ((seq + 1) << 3) | 4 (join) behind a fence and returns. Spinning reads
// one word of memory again and again, also while the CPU owns it: that is the
// one access that the token does not cover.
//
// Kernels that package ptxgen or emit generates run several blocks without a
// barrier of their own: their teams meet at a third word, the arrival word at 96,
// which belongs to the device's side and lies beyond [TokenWords]. Its upper half
// counts the teams that have not left, its lower half those that have arrived; the
// last to arrive, or to leave, writes the request. The host sets the upper half to
// the number of teams before the launch. A token for such kernels therefore needs
// memory up to word 96 and the rest of its cache line.
//
// # What it is not
//
// It runs in user space. A timer interrupt in the kernel, as the source has it,
// responds sooner; LongestResponseNanos says what this machine does. Throttle
// threads need Linux and, to be enforced, the right to real-time priorities. Even
// then Linux takes 5 % of each second from real-time threads unless
// kernel.sched_rt_runtime_us is -1, the Go scheduler may interrupt a throttle
// thread once it has run for 10 ms, and interrupts and cores without a throttle
// thread stay free to access memory. Leave one core without a thread: where all
// are held, a goroutine that the scheduler has set aside may find no thread to
// go on with, and the cores then stay held until MaxHold gives them back and
// ends the guard with [ErrHeldTooLong]. Those are limits of
// the enforcement on the CPU, not of the protocol: use it to measure and to
// develop, and a kernel module under the same Host where isolation must hold.
//
// It does not compute budgets, and no bound of this module rests on it.
package guard
