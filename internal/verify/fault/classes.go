package fault

// The planted edits of what tells that blocks take one path: internal/simt/ptxexec where
// it follows blocks, simt.Partition, and path.
const (
	ClassConditionsDropped ID = iota + 1<<22
	ClassFixedDropped
	ClassComparisonOneSided
	ClassNumbersWrap
	ClassQuotientsConstant
	ClassDividendsNegative
	ClassMasksConstant
	ClassConversionsFree
	ClassLanesMixed
	ClassChoicesMixed
	ClassExtremesMixed
	ClassFactorDropped
	ClassGuardsBelieved
	ClassMemoryBelieved
	ClassSpecialsBelieved
	ClassBoundsDropped
	ClassAlignmentDropped
	ClassShiftsOverwritten
	ClassSharedAddressesFree
	ClassShiftsWithinSegments
	ClassShiftsAlongX
	ClassRowsOneLonger
	ClassEveryFirst
	LoopUnconfirmed
	LoopOneMore
	LoopLastFree
	LoopOthersMixed
	LoopStridesFree
	LoopCountedOnce

	endClass
)

var classes = []Description{
	{ClassConditionsDropped, "class-conditions-dropped", "no condition is kept"},
	{ClassFixedDropped, "class-fixed-dropped", "what must not depend on the block may"},
	{ClassComparisonOneSided, "class-comparison-one-sided", "the upper side of a comparison is not demanded"},
	{ClassNumbersWrap, "class-numbers-wrap", "a number may leave the range of its type"},
	{ClassQuotientsConstant, "class-quotients-constant", "a quotient stays the same however far the dividend goes"},
	{ClassDividendsNegative, "class-dividends-negative", "quotients that round towards zero are taken for rounded down"},
	{ClassMasksConstant, "class-masks-constant", "what is left of a value by a mask of low bits does not depend on the block"},
	{ClassConversionsFree, "class-conversions-free", "a conversion keeps what does not fit"},
	{ClassLanesMixed, "class-lanes-mixed", "lanes of a register may depend on the block in two ways"},
	{ClassChoicesMixed, "class-choices-mixed", "a selection depends on the block as its first operand does"},
	{ClassExtremesMixed, "class-extremes-mixed", "a minimum that is now one operand and now the other depends on the block as the first does"},
	{ClassFactorDropped, "class-factor-dropped", "a product depends on the block as its factor does"},
	{ClassGuardsBelieved, "class-guards-believed", "guards that are not known hold for all blocks"},
	{ClassMemoryBelieved, "class-memory-believed", "values from memory and other lanes may reach addresses and branches"},
	{ClassSpecialsBelieved, "class-specials-believed", "clocks and numbers of SMs are the same in all blocks"},
	{ClassBoundsDropped, "class-bounds-dropped", "no access of another block is out of bounds"},
	{ClassAlignmentDropped, "class-alignment-dropped", "no access of another block is misaligned"},
	{ClassShiftsOverwritten, "class-shifts-overwritten", "the first shift of an instruction stands for all"},
	{ClassSharedAddressesFree, "class-shared-addresses-free", "addresses in shared memory may depend on the block"},
	{ClassShiftsWithinSegments, "class-shifts-within-segments", "an access makes the same transactions wherever it lies in its segment"},
	{ClassShiftsAlongX, "class-shifts-along-x", "only steps in x move an access within its segment"},
	{ClassRowsOneLonger, "class-rows-one-longer", "the blocks of a class in a row are one more"},
	{ClassEveryFirst, "class-every-first", "all blocks between the ends of a row are of a class of which only some are"},
	{LoopUnconfirmed, "loop-unconfirmed", "an iteration repeats whatever the registers are at its end"},
	{LoopOneMore, "loop-one-more", "an iteration repeats once more than its conditions allow"},
	{LoopLastFree, "loop-last-free", "other blocks need not meet the conditions in the last iteration"},
	{LoopOthersMixed, "loop-others-mixed", "lanes outside a loop depend on the block as those in it do"},
	{LoopStridesFree, "loop-strides-free", "accesses make the same transactions in every iteration"},
	{LoopCountedOnce, "loop-counted-once", "iterations that are not executed count as one"},
}

// Classes lists the faults of the classes of blocks that take one path. The caller
// owns the slice.
func Classes() []Description { return append([]Description(nil), classes...) }
