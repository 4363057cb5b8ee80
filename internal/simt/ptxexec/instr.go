package ptxexec

// lanes is one register of a warp: a value of up to 64 bits for each lane,
// zero-extended from the register's width.
type lanes [32]uint64

// laneFn computes one lane of an instruction without side effects.
type laneFn func(a, b, c uint64) uint64

// vecFn is a laneFn over a whole warp. It may write lanes that are not active:
// the caller then blends.
type vecFn func(d, a, b, c *lanes)

// cmpFn is a comparison of whole warps, one bit a lane.
type cmpFn func(a, b *lanes) uint32

// execFn executes an instruction that is none of the common groups, for the
// lanes of m. m may be empty.
type execFn func(w *warp, in *instr, m uint32) error

// group chooses the way Step executes an instruction.
type group uint8

const (
	gNop     group = iota
	gPure          // d = f(a, b, c)
	gSetp          // pd|pq = a cmp b, perhaps combined with pc
	gSelp          // d = pc ? a : b
	gPred          // pd = a predicate operation on pa, pc
	gExec          // run
	gLoad          // d... = [a+imm]
	gStore         // [a+imm] = vec...
	gMem           // other memory accesses: run
	gBranch        // to target
	gBrx           // to targets[a]
	gCall          // enter callee
	gRet           // leave the function
	gExit          // end lanes
	gBarrier       // barriers of the block
)

// instr is one instruction of the compact program. Registers are indices into
// the value registers or the predicates of a warp.
type instr struct {
	group    group
	guardNeg bool
	cNeg     bool // the predicate operand pc is negated
	aNeg     bool // the predicate operand pa is negated
	boolOp   uint8
	guard    int32 // -1 where unconditional
	d        int32
	a, b, c  int32

	f   laneFn
	v   vecFn
	cmp cmpFn
	run execFn

	pd, pq, pa, pc int32 // predicates; -1 where none
	target         int32
	mem            *memInfo
	x              *extra

	// For taint: value registers and predicates read (the guard aside) and
	// written.
	rv, rp, wv, wp []int32
	flow           flowRule
	// open returns the lanes of m whose results PTX leaves open; nil where there
	// is none.
	open   func(w *warp, in *instr, m uint32) uint32
	elects bool // elect: the leader is open, not that there is one

	lin linear // for following blocks
}

// flowRule says how taint passes from the operands of an instruction to its
// results.
type flowRule uint8

const (
	flowLanes   flowRule = iota // lane by lane
	flowWarp                    // from any executing lane to all of them
	flowMemory                  // between registers and memory
	flowShuffle                 // from the lane a shfl reads
	flowCopy                    // from memory to memory, later
	flowCommit                  // copies become a group
	flowAwait                   // copies are done
	flowAddress                 // the address matters, and nothing else
	flowOwn                     // by the instruction's own function, in extra
)

// extra holds what few instructions need. The meaning of mode, op, bits and imm
// is in the code of each instruction.
type extra struct {
	targets []int32 // of brx
	regs    []int32 // register lists: packing, unpacking
	imm     uint64
	f4      func(a, b, c, e uint64) uint64 // bfi
	mode    uint8
	op      uint8
	bits    uint8
	e       int32 // a fourth source: bfi, member masks
	call    *callInfo
	calls   []*callInfo // of an indirect call, one for each function it may enter
	to      *memInfo    // destination of an asynchronous copy
	tex     *texInfo
	mat     *matrix
	frag    *fragment
	mbar    *mbarInfo
	// taint is the rule of flowOwn; g are the lanes whose guard is tainted.
	taint func(t *warpTaint, w *warp, in *instr, m, g uint32)
}

// callInfo is a call of one function: what is copied in and out.
type callInfo struct {
	callee  int32 // function index
	in, out []copyInfo
}

// place is where an argument or result is kept.
type place uint8

const (
	inReg  place = iota // a value register
	inPred              // a predicate
	inMem               // bytes of a frame's local memory
)

// copyInfo moves an argument or a result between two frames.
type copyInfo struct {
	from, to       place
	fromReg, toReg int32  // registers or predicates
	fromOff, toOff uint64 // offsets in the frames
	bytes          uint64
}
