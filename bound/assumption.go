package bound

import "fmt"

// ID is the permanent name of an assumption: ids are added, never renumbered.
type ID string

// The assumptions a bound can rest on.
const (
	SingleIssue          ID = "A1"
	InterferenceFree     ID = "A2"
	NoDataCache          ID = "A3"
	BuffersNeverEmpty    ID = "A4"
	WorkConserving       ID = "A5"
	QueueKind            ID = "A6"
	WarpOrderPerUnit     ID = "A7"
	DispatchOrder        ID = "A8"
	BarrierKind          ID = "A9"
	Registers            ID = "A10"
	PathCovers           ID = "A11"
	PrivateDispatchPorts ID = "A12"
	PrivateUnits         ID = "A13"
	GreedyBlocks         ID = "A14"
	SlotRule             ID = "A15"
	WorstTimings         ID = "A16"
	UnitFacts            ID = "A17"
	AloneFromReset       ID = "A18"
	Delays               ID = "A19"
	EqualClocks          ID = "A20"
	SingleCycle          ID = "A21"
	IssueWidth           ID = "A22"
	UnitCapacity         ID = "A23"
	EnforcedAccessOrder  ID = "A24"
	AccessClassesExact   ID = "A25"
	MemoryResponse       ID = "A26"
	ChannelsDoNotBlock   ID = "A27"
	StrictTurns          ID = "A28"
	DeclaredPolicies     ID = "A29"
	ExactTimings         ID = "A30"
	FrontEndAsDescribed  ID = "A31"
	ICacheAtStart        ID = "A32"
	PhasesInStep         ID = "A33"
	MemoryForGPUAlone    ID = "A34"
	OpenResults          ID = "A35"
	OpenFunctions        ID = "A36"
)

// Status says why an assumption may be relied on.
type Status int

// The three grounds.
const (
	// Assumed: nobody checked; the user answers for it.
	Assumed Status = iota
	// Enforced by the hardware description: the described machine has the
	// property, so the bound holds for every machine that fits the description.
	Enforced
	// Proved for this kernel by an analysis of it.
	Proved
)

var statusNames = [...]string{"assumed", "enforced-by-hardware-description", "proved-for-this-kernel"}

// String is the name used in reports.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// MarshalText gives the status its name in JSON.
func (s Status) MarshalText() ([]byte, error) {
	if s < 0 || int(s) >= len(statusNames) {
		return nil, fmt.Errorf("no such status: %d", int(s))
	}
	return []byte(statusNames[s]), nil
}

// UnmarshalText reads what MarshalText wrote.
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if name == string(text) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("status %q: expected assumed, enforced-by-hardware-description or proved-for-this-kernel", text)
}

// Assumption is one entry of a bound's ledger.
type Assumption struct {
	ID     ID     `json:"id"`
	Name   string `json:"name"`
	Status Status `json:"status"`
	Note   string `json:"note,omitempty"` // what it amounts to for this bound
}

// Entry describes an assumption, whatever the bound.
type Entry struct {
	ID   ID     `json:"id"`
	Name string `json:"name"`
	Text string `json:"text"`
}

// catalogue is in the order of the ids.
var catalogue = []Entry{
	{SingleIssue, "single-issue", "At most one instruction is issued per cycle and sub-core, each warp in program order."},
	{InterferenceFree, "memory-interference-free", "The latency given for an instruction covers its memory access whatever else accesses memory at the time: accesses are pipelined and do not delay one another beyond the unit's initiation."},
	{NoDataCache, "no-data-cache", "No data cache is modelled. Where the hardware has one, the latency given covers a miss."},
	{BuffersNeverEmpty, "instruction-buffers-never-empty", "A warp that has not finished always has its next instruction decoded: fetch, decode and instruction cache delay nobody."},
	{WorkConserving, "work-conserving-issue", "In a cycle in which some warp is ready, the scheduler issues an instruction of some ready warp. Nothing else is assumed of its policy."},
	{QueueKind, "issue-queue-kind", "Where an issued instruction waits for its unit: in an unbounded queue of the unit, in a finite one, in one pooled by several units, or nowhere (issue waits for the unit). A unit that is free serves a waiting instruction at once; an instruction kept from issue by a full buffer has its unit (pooled: some unit) initiating in that cycle."},
	{WarpOrderPerUnit, "warp-order-kept-per-unit", "A unit serves the instructions of one warp in program order."},
	{DispatchOrder, "dispatch-order", "The order in which a unit serves the instructions of different warps: in issue order (FIFO) or in any order."},
	{BarrierKind, "barrier-kind", "When a barrier opens: once every warp of the block has issued everything before it, or once all of that has completed (draining); in either case at most the barrier delay later."},
	{Registers, "register-interlocks-are-sources", "Every wait of an instruction for an earlier one of its warp is among its sources, write-after-write interlocks included, and latencies run to the cycle in which a dependent instruction may issue."},
	{PathCovers, "path-covers-execution", "The instruction sequence of every warp is the one analysed, for all inputs or for the analysed input only: lanes that part reconverge at the immediate post-dominator, those that take the branch first."},
	{PrivateDispatchPorts, "no-shared-dispatch-port", "Units start instructions independently of one another: no port is shared by several units."},
	{PrivateUnits, "units-private-to-a-sub-core", "No unit is shared by two sub-cores."},
	{GreedyBlocks, "greedy-block-dispatch", "Blocks start in a fixed order, the next one as soon as any slot of any SM is free, on any such slot."},
	{SlotRule, "slot-held-to-completion", "A block holds its slot until all its instructions have completed, and frees it then; an SM has the stated number of slots whatever the block."},
	{WorstTimings, "declared-timings-are-worst-case", "No initiation and no latency is longer than declared. Each may be shorter, differently at every execution."},
	{UnitFacts, "unit-facts-cover-the-sm", "The largest initiation stated for a unit holds for everything that can run on the SM at the time, not only for the kernel analysed."},
	{AloneFromReset, "nothing-else-on-the-sm", "From the start of the scope, nothing but its own blocks occupies the SM's issue slots and units, and nothing is left over from earlier."},
	{Delays, "barrier-and-block-start-delays", "The delays given for barriers and block starts cover everything between the event and the first cycle in which an instruction may issue."},
	{EqualClocks, "one-clock", "All cycles are of one clock; units that run at another are described in cycles of this one, rounded up."},
	{SingleCycle, "single-cycle-instructions", "Every instruction completes in the cycle in which it is executed, so that the next one of its warp may issue in the next cycle. An instruction that occupies its unit for several cycles counts as so many instructions, and its result is there in the cycle after the last of them: there is no latency."},
	{IssueWidth, "issue-width", "At most the stated number of instructions is issued per cycle and sub-core, no more than one of each warp, in program order. A warp that is ready is passed over only in a cycle in which so many are issued."},
	{UnitCapacity, "unit-capacity", "A unit of several servers starts an instruction on every free one while instructions wait for it. An instruction kept from issue by its unit, or by a full buffer, has all servers of its unit (pooled: of some unit) occupied in that cycle."},
	{EnforcedAccessOrder, "enforced-access-order", "A reordering unit lets the global accesses of an SM pass the tags of its L1 data cache in one order that is known before the run and keeps the programs of the warps and their barriers; it sends the access it expects in the first cycle in which that has come and the one before has passed."},
	{AccessClassesExact, "access-classes-exact", "Every access of the order hits, misses and replaces what the cache model says: nothing but the order of the accesses decides it."},
	{MemoryResponse, "memory-response", "Behind the L1 data cache a request takes at most the stated times, what other requests occupy on its way included."},
	{ChannelsDoNotBlock, "channels-do-not-block", "The load/store unit never stops because the channel of a warp is full: no channel can be full, or an access is issued only when its channel has room for it."},
	{StrictTurns, "strict-turns", "Warps have the turn one after the other, for one instruction or one segment; the holder is waited for, and only warps that have ended or stand at a closed barrier are passed over."},
	{DeclaredPolicies, "policies-are-the-declared-ones", "The stages select warps by exactly the declared policies, from the declared state at the start, and equal candidates in the declared order. Another policy, even a better one, is another schedule."},
	{ExactTimings, "timings-are-exactly-the-declared-ones", "Every initiation, latency and delay is the declared one, no longer and no shorter: a shorter one can change the order of issue and make the whole slower."},
	{FrontEndAsDescribed, "front-end-as-described", "Fetch, decode, instruction queues, instruction cache and the resolution of control instructions take the stated cycles, nothing else keeps an instruction from its queue, and what is fetched behind a control instruction is what the description says."},
	{ICacheAtStart, "instruction-cache-known-at-start", "The contents of the instruction cache at the start of the scope are the stated ones, and only what the scope itself fetches changes them."},
	{PhasesInStep, "phases-in-step", "The k-th phases of all blocks happen at the same time: no block goes on into its next phase before all have ended this one and all that they had begun, what the L2 writes back included, has completed; blocks that have ended theirs wait without delaying the others."},
	{MemoryForGPUAlone, "memory-for-the-gpu-alone", "In a memory phase nobody but the SMs accesses the L2 and the DRAM, and nothing of others is under way there when it begins."},
	{OpenResults, "open-results-as-computed", "Results that the instruction set leaves open (of approximate functions, of divisions by zero, of sums of floats in products of matrices, of filters and inexact coordinates of textures, the layout of wmma fragments, the leader that elect chooses) lead to the same instructions and addresses as those computed here."},
	{OpenFunctions, "open-results-are-functions", "An instruction whose result the instruction set leaves open (an approximate function, a division by zero, a conversion to tf32) gives equal results for equal operands, whichever thread executes it, and whenever in a launch."},
}

// Catalogue lists every assumption in the order of the ids. The caller owns the
// slice.
func Catalogue() []Entry { return append([]Entry(nil), catalogue...) }

// Assume makes a ledger entry with the catalogue's name for the id.
func Assume(id ID, status Status, note string) Assumption {
	for _, e := range catalogue {
		if e.ID == id {
			return Assumption{ID: id, Name: e.Name, Status: status, Note: note}
		}
	}
	return Assumption{ID: id, Name: "unknown-assumption", Status: Assumed, Note: note}
}

// Overlay replaces assumptions of a bound by the caller's entries of the same
// id, which know more. An entry whose id the bound does not have is added only
// if the analysed path rests on it (OpenResults, OpenFunctions), behind the entry on the
// path.
func Overlay(list, known []Assumption) []Assumption {
	out := make([]Assumption, 0, len(list)+1)
	for _, a := range list {
		for _, k := range known {
			if k.ID == a.ID {
				a = k
			}
		}
		out = append(out, a)
		if a.ID != PathCovers {
			continue
		}
		for _, k := range known {
			if k.ID == OpenResults || k.ID == OpenFunctions {
				out = append(out, k)
			}
		}
	}
	return out
}
