package fault

// The planted edits on the way from a kernel to the bounds: in path, which
// records what warps execute, and in analysis, which states it and the machine
// in the terms of the theorems.
const (
	RoadTransactionsIgnored ID = iota + 1<<16
	RoadBarrierSplitsNothing
	RoadLoopCountsOneFewer
	RoadBlocksLikeTheFirst
	RoadWAWDropped
	RoadLastSourceDropped
	RoadLatencyOffByOne
	RoadWarpsInHalves
	RoadBarrierDelayDropped
	RoadStartDelayDropped
	RoadSlotsAndSMsSwapped
	RoadQueueUnbounded
	RoadSharedUnitsPrivate
	RoadOrderKept
	RoadBarriersDrain
	RoadTaintForgotten
	RoadSerialBarriersDropped
	RoadLatenciesOverlooked
	RoadInitiationsCountOnce

	endRoad
)

var road = []Description{
	{RoadTransactionsIgnored, "road-transactions-ignored", "every access makes one transaction"},
	{RoadBarrierSplitsNothing, "road-barrier-splits-nothing", "a barrier is a plain instruction"},
	{RoadLoopCountsOneFewer, "road-loop-counts-one-fewer", "a folded loop of more than two iterations has one fewer"},
	{RoadBlocksLikeTheFirst, "road-blocks-like-the-first", "all blocks execute what the first does"},
	{RoadWAWDropped, "road-waw-dropped", "written registers are not waited for"},
	{RoadLastSourceDropped, "road-last-source-dropped", "the last register read is not waited for"},
	{RoadLatencyOffByOne, "road-latency-off-by-one", "every latency is one cycle short"},
	{RoadWarpsInHalves, "road-warps-in-halves", "a scheduler has consecutive warps instead of every n-th"},
	{RoadBarrierDelayDropped, "road-barrier-delay-dropped", "the description's barrier delay is left out"},
	{RoadStartDelayDropped, "road-start-delay-dropped", "the description's block start delay is left out"},
	{RoadSlotsAndSMsSwapped, "road-slots-and-sms-swapped", "as many SMs as block slots, and the other way round"},
	{RoadQueueUnbounded, "road-queue-unbounded", "issue is said never to wait for a unit"},
	{RoadSharedUnitsPrivate, "road-shared-units-private", "every scheduler is said to have units of its own"},
	{RoadOrderKept, "road-order-kept", "units are said to serve in order of issue"},
	{RoadBarriersDrain, "road-barriers-drain", "barriers are said to wait for completion"},
	{RoadTaintForgotten, "road-taint-forgotten", "the path is said to hold for all inputs"},
	{RoadSerialBarriersDropped, "road-serial-barriers-dropped", "the serial bound leaves out barrier delays"},
	{RoadLatenciesOverlooked, "road-latencies-overlooked", "no kernel is said to have latencies"},
	{RoadInitiationsCountOnce, "road-initiations-count-once", "an instruction counts once in the makespan bound, however long it occupies its unit"},
}

// Road lists the faults outside the bounds themselves. The caller owns the
// slice.
func Road() []Description { return append([]Description(nil), road...) }
