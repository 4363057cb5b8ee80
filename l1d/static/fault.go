package static

// fault names one unsound edit of the analysis, planted to see whether the tests
// would notice such a mistake. Without the build tag warpbound_faults, planted is
// the constant false, and every edit is compiled away.
type fault int

const (
	noFault fault = iota
	othersForgotten
	keepsOneMore
	fifoAsLRU
	plruAsLRU
	dropsOneFewer
	fifoDropsAsLRU
	anyStartHoldsAll
	anyStartSectorsHold
	anyStartEmpty
	ownLinesForgotten
	replacedLinesStay
	everyLineShared
	removalByOthersForgotten
	ownRemovalForgotten
	persistentDespiteRemoval
	fillsByOthersForgotten
	usesByOthersForgotten
	removedLinesSteady
	passingStoresNoUse
	passingStoresBringIn
	sectorsForgotten
	lastFault
)
