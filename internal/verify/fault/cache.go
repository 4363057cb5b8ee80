package fault

// The planted edits of what is said of hits and misses in the L1 data cache in any
// order of the accesses: internal/cache/static.
const (
	StaticOthersForgotten ID = iota + 1<<17
	StaticKeepsOneMore
	StaticFIFOAsLRU
	StaticPLRUAsLRU
	StaticDropsOneFewer
	StaticFIFODropsAsLRU
	StaticAnyStartHoldsAll
	StaticAnyStartSectorsHold
	StaticAnyStartEmpty
	StaticOwnLinesForgotten
	StaticReplacedLinesStay
	StaticEveryLineShared
	StaticRemovalByOthersForgotten
	StaticOwnRemovalForgotten
	StaticPersistentDespiteRemoval
	StaticFillsByOthersForgotten
	StaticUsesByOthersForgotten
	StaticRemovedLinesSteady
	StaticPassingStoresNoUse
	StaticPassingStoresBringIn
	StaticSectorsForgotten
	StaticHoldsOneMore
	StaticLeftOutForgotten
	StaticLeftOutMiss
	StaticLastAbsenceStays
	StaticPersistentLinesCounted
	StaticFirstMissesAlways
	StaticOnceIsAlone
	StaticPassingIsFirst

	endStatic
)

var static = []Description{
	{StaticOthersForgotten, "static-others-forgotten", "the other warps' lines count for nothing"},
	{StaticKeepsOneMore, "static-keeps-one-more", "a line stays one other line longer than it does"},
	{StaticFIFOAsLRU, "static-fifo-as-lru", "FIFO keeps a line as long as LRU"},
	{StaticPLRUAsLRU, "static-plru-as-lru", "PLRU keeps a line as long as LRU"},
	{StaticDropsOneFewer, "static-drops-one-fewer", "LRU drops a line after one other line less"},
	{StaticFIFODropsAsLRU, "static-fifo-drops-as-lru", "FIFO drops a line as soon as LRU"},
	{StaticAnyStartHoldsAll, "static-any-start-holds-all", "as many lines as ways stay, whatever the cache held before"},
	{StaticAnyStartSectorsHold, "static-any-start-sectors-hold", "FIFO with sectors keeps a line of the start that missed a sector"},
	{StaticAnyStartEmpty, "static-any-start-empty", "any start is taken for an empty one where lines may be"},
	{StaticOwnLinesForgotten, "static-own-lines-forgotten", "the warp's own lines used since count for nothing"},
	{StaticReplacedLinesStay, "static-replaced-lines-stay", "a line that may be replaced stays known"},
	{StaticEveryLineShared, "static-every-line-shared", "every line is taken for one of the others' lines"},
	{StaticRemovalByOthersForgotten, "static-removal-by-others-forgotten", "another warp's store does not remove a line"},
	{StaticOwnRemovalForgotten, "static-own-removal-forgotten", "the warp's own store does not remove a line"},
	{StaticPersistentDespiteRemoval, "static-persistent-despite-removal", "a line that a store may remove is persistent"},
	{StaticFillsByOthersForgotten, "static-fills-by-others-forgotten", "nobody else brings a line in"},
	{StaticUsesByOthersForgotten, "static-uses-by-others-forgotten", "another warp's use does not keep a line from being dropped"},
	{StaticRemovedLinesSteady, "static-removed-lines-steady", "a line that a store may remove counts towards dropping others"},
	{StaticPassingStoresNoUse, "static-passing-stores-no-use", "a store that passes by makes no line younger"},
	{StaticPassingStoresBringIn, "static-passing-stores-bring-in", "a store that passes by brings its sector in"},
	{StaticSectorsForgotten, "static-sectors-forgotten", "a miss brings in the whole line"},
	{StaticHoldsOneMore, "static-holds-one-more", "a set holds one line more than it has ways"},
	{StaticLeftOutForgotten, "static-left-out-forgotten", "lines beyond the limit are in no set"},
	{StaticLeftOutMiss, "static-left-out-miss", "an access to a line beyond the limit always misses"},
	{StaticLastAbsenceStays, "static-last-absence-stays", "a sector that the warp brings in is still known to be absent"},
	{StaticPersistentLinesCounted, "static-persistent-lines-counted", "the persistent sectors of a line miss once together"},
	{StaticFirstMissesAlways, "static-first-misses-always", "the first miss of a sector comes beside those that are known"},
	{StaticOnceIsAlone, "static-once-is-alone", "without an order in warps, the accesses that bring a sector in are one"},
	{StaticPassingIsFirst, "static-passing-is-first", "without an order in warps, a store that passes by misses where one other access brings the sector in"},
}

// The planted edits of how an analysis of a launch uses internal/cache/static.
const (
	AnyOrderPersistentOnce ID = iota + 1<<18
	AnyOrderDealtAlways
	AnyOrderInWarps
	AnyOrderBlocksOneFewer
	AnyOrderGroupsOnce

	endAnyOrder
)

var anyOrder = []Description{
	{AnyOrderPersistentOnce, "any-order-persistent-once", "a persistent sector misses once, on however many SMs its blocks run"},
	{AnyOrderDealtAlways, "any-order-dealt-always", "which blocks an SM gets is known though it is not"},
	{AnyOrderInWarps, "any-order-in-warps", "the accesses of a warp reach the tags in program order, whatever the hardware"},
	{AnyOrderBlocksOneFewer, "any-order-blocks-one-fewer", "the last block of each group is not gone along"},
	{AnyOrderGroupsOnce, "any-order-groups-once", "only the misses of the first SM are counted"},
}

// AnyOrder lists the faults of the bounds of a launch in any order of its accesses.
// The caller owns the slice.
func AnyOrder() []Description { return append([]Description(nil), anyOrder...) }

// Static lists the faults of package internal/cache/static. The caller owns the slice.
func Static() []Description { return append([]Description(nil), static...) }
