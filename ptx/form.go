package ptx

// Form is the opcode and modifiers of an instruction resolved into typed
// fields. A field is its zero value where the instruction does not say it.
//
// What needs a default is left as written: "add.f32" has Round RoundNone,
// "ld.f32" has Space SpaceNone (generic), "bar.sync" has no Scope.
type Form struct {
	Info    *OpInfo
	Variant *Variant // the line of the opcode table that matched

	// Types in order of writing: Type is the only or destination type
	// ("cvt.f32.s32": Type F32, Type2 S32; "setp.eq.f32": Type F32;
	// "set.eq.u32.f32": Type U32, Type2 F32; "mul.wide.s32": Type S32,
	// the destination being twice as wide).
	Type, Type2, Type3, Type4 Type

	Space  Space // ld, st, atom, cvta, isspacep, ...; first one of cp.async
	Space2 Space // second one of cp.async and of the bulk copies

	Round Rounding
	Ftz   bool // .ftz
	Sat   bool // .sat; .satfinite sets SatFinite instead
	Relu  bool
	Abs   bool // .abs of fma-like variants, .xorsign is XorSign
	NaN   bool // .NaN of min, max
	Noftz bool // .noftz of atom, red
	Oob   bool // .oob of fma
	// Precision of div, rcp, sqrt, rsqrt, sin, ...: .approx, .full or exact.
	Approx, Full bool
	SatFinite    bool
	XorSign      bool

	Mul MulMode // .lo .hi .wide
	CC  bool    // .cc: carry out
	Cmp Cmp     // setp, set, slct-free comparisons, wait conditions
	// Bool is the combining operation of setp and set.
	Bool BoolOp
	// Atom is the operation of atom, red, redux and bar.red (and, or, popc).
	Atom  AtomOp
	Shift ShiftMode // .wrap .clamp, and .l .r of shf in ShiftRight
	// ShiftRight is shf.r; shf.l otherwise.
	ShiftRight bool
	ShiftAmt   bool // bfind.shiftamt
	Shfl       ShflMode
	Vote       VoteMode // vote and match
	Prmt       PrmtMode
	Test       string // of testp: "finite", "normal", ...

	Vec   uint8 // 2, 4, 8 of .v2 .v4 .v8; 0 for scalars
	Sem   Sem
	Scope Scope
	// Volatile, NC (.nc), and the cache operator of ld, st, prefetch.
	Volatile, NC bool
	Cache        Cache
	// CacheHint is .L2::cache_hint: one more operand follows.
	CacheHint bool

	Sync    bool   // .sync: of shfl, vote, match, redux, bar.warp.sync, barrier.sync
	Aligned bool   // .aligned
	Uni     bool   // .uni of bra, call, ret, brx.idx
	To      bool   // cvta.to
	Action  string // the word that chooses the instruction: bar "sync" "arrive" "red"; cp "async"; brx "idx"; fence "proxy"; ...
	Action2 string // a second such word: bar "warp" has Action2 "sync"; cp.async "commit_group"
	// Other holds the modifiers that have no field of their own, in order.
	Other []string
}

// State says whether what the opcode table describes is executed.
type State uint8

const (
	// Executed forms are run by the functional machine.
	Executed State = iota + 1
	// Refused forms parse and check, and are refused when executed.
	Refused
)

func (s State) String() string {
	if s == Executed {
		return "executed"
	}
	return "refused"
}

// State is the table's answer for this form; reason is "" where Executed.
func (f *Form) State() (s State, reason string) { return f.Variant.State, f.Variant.Reason }

// Rounding is a rounding modifier.
type Rounding uint8

const (
	RoundNone Rounding = iota
	RN                 // to nearest even
	RZ                 // towards zero
	RM                 // towards minus infinity
	RP                 // towards plus infinity
	RNA                // to nearest, ties away from zero
	RS                 // stochastic
	RNI                // to nearest even integer
	RZI
	RMI
	RPI
)

var roundNames = []string{"", "rn", "rz", "rm", "rp", "rna", "rs", "rni", "rzi", "rmi", "rpi"}

func (r Rounding) String() string { return roundNames[r] }

// MulMode is the part of a product kept.
type MulMode uint8

const (
	MulNone MulMode = iota
	MulLo
	MulHi
	MulWide
)

// Cmp is a comparison operator. The names are PTX's; CmpLO to CmpHS are the
// unsigned orderings, CmpEQU to CmpGEU the unordered ones.
type Cmp uint8

const (
	CmpNone Cmp = iota
	CmpEQ
	CmpNE
	CmpLT
	CmpLE
	CmpGT
	CmpGE
	CmpLO
	CmpLS
	CmpHI
	CmpHS
	CmpEQU
	CmpNEU
	CmpLTU
	CmpLEU
	CmpGTU
	CmpGEU
	CmpNUM
	CmpNAN
)

var cmpNames = []string{"", "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
	"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}

func (c Cmp) String() string { return cmpNames[c] }

// BoolOp combines a comparison with a predicate.
type BoolOp uint8

const (
	BoolNone BoolOp = iota
	BoolAnd
	BoolOr
	BoolXor
)

// AtomOp is the operation of an atomic or a reduction.
type AtomOp uint8

const (
	AtomNone AtomOp = iota
	AtomAnd
	AtomOr
	AtomXor
	AtomCas
	AtomExch
	AtomAdd
	AtomInc
	AtomDec
	AtomMin
	AtomMax
	AtomPopc // bar.red.popc
)

var atomNames = []string{"", "and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max", "popc"}

func (a AtomOp) String() string { return atomNames[a] }

// ShiftMode is what happens to shift amounts above 31.
type ShiftMode uint8

const (
	ShiftNone ShiftMode = iota
	ShiftClamp
	ShiftWrap
)

// ShflMode is the lane addressing of shfl.
type ShflMode uint8

const (
	ShflNone ShflMode = iota
	ShflUp
	ShflDown
	ShflBfly
	ShflIdx
)

// VoteMode is the mode of vote (all, any, uni, ballot) and match (any, all).
type VoteMode uint8

const (
	VoteNone VoteMode = iota
	VoteAll
	VoteAny
	VoteUni
	VoteBallot
)

// PrmtMode is the mode of prmt; PrmtNone is the general byte permute.
type PrmtMode uint8

const (
	PrmtNone PrmtMode = iota
	PrmtF4E
	PrmtB4E
	PrmtRC8
	PrmtECL
	PrmtECR
	PrmtRC16
)

// Sem is a memory ordering.
type Sem uint8

const (
	SemNone Sem = iota
	SemWeak
	SemRelaxed
	SemAcquire
	SemRelease
	SemAcqRel
	SemSC
	SemMMIO
)

// Scope is the set of threads an ordering or atomic is about.
type Scope uint8

const (
	ScopeNone Scope = iota
	ScopeCTA
	ScopeCluster
	ScopeGPU
	ScopeSys
)

// Cache is a cache operator of ld, st or prefetch.
type Cache uint8

const (
	CacheNone Cache = iota
	CacheCA
	CacheCG
	CacheCS
	CacheLU
	CacheCV
	CacheWB
	CacheWT
)
