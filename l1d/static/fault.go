package static

// fault names one unsound edit of the analysis, planted to see whether the tests
// would notice such a mistake. Without the build tag warpbound_faults, planted is
// the constant false, and every edit is compiled away.
type fault int

const (
	noFault                  fault = iota
	othersForgotten                // the other warps' lines count for nothing
	keepsOneMore                   // a line stays one other line longer than it does
	fifoAsLRU                      // FIFO keeps a line as long as LRU
	plruAsLRU                      // PLRU keeps a line as long as LRU
	dropsOneFewer                  // LRU drops a line after one other line less
	fifoDropsAsLRU                 // FIFO drops a line as soon as LRU
	anyStartHoldsAll               // as many lines as ways stay, whatever the cache held before
	anyStartSectorsHold            // FIFO with sectors keeps a line of the start that missed a sector
	anyStartEmpty                  // any start is taken for an empty one where lines may be
	ownLinesForgotten              // the warp's own lines used since count for nothing
	replacedLinesStay              // a line that may be replaced stays known
	everyLineShared                // every line is taken for one of the others' lines
	removalByOthersForgotten       // another warp's store does not remove a line
	ownRemovalForgotten            // the warp's own store does not remove a line
	persistentDespiteRemoval       // a line that a store may remove is persistent
	fillsByOthersForgotten         // nobody else brings a line in
	usesByOthersForgotten          // another warp's use does not keep a line from being dropped
	removedLinesSteady             // a line that a store may remove counts towards dropping others
	passingStoresNoUse             // a store that passes by makes no line younger
	passingStoresBringIn           // a store that passes by brings its sector in
	sectorsForgotten               // a miss brings in the whole line
	lastFault
)
