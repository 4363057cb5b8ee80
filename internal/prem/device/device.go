package device

import "github.com/warpbound/warpbound/internal/prem/loop"

// Scheme says how a kernel was made from its loop nest.
type Scheme uint8

// The schemes (Forsberg2021, sections 3.2.3 and 4).
const (
	Base Scheme = iota // the loop nest as OpenMP runs it, without phases
	CMPT               // compatible intervals: whole tiles in the memory phase
	DAE                // stripping: the tile's own control flow loads and stores
	SDMA               // SoftDMA: copy loops over footprints
)

// Phase is where a Sync takes a team.
type Phase uint8

const (
	Memory  Phase = iota // EnterMem: the team may access memory
	Compute              // EnterComp: the team keeps off memory
)

// Entry is one launch: Teams blocks of Threads threads, both one-dimensional.
type Entry struct {
	Name    string
	At      loop.Pos
	Scheme  Scheme
	Teams   int64
	Threads int64
	// ThreadIdx and TeamIdx hold the thread's number in its team and the team's
	// number: Int parameters that Body reads and never assigns.
	ThreadIdx, TeamIdx *loop.Var
	// Params are the arguments in order: scalars by value, arrays in global memory.
	Params []loop.Param
	// Shared arrays live in the scratchpad, one copy a team, contents undefined at
	// the start; their extents are *loop.IntLit.
	Shared []*loop.Array
	// SharedAt are the byte offsets of the Shared arrays in the scratchpad. Arrays
	// of different intervals may overlap there: nothing written to one is read from
	// another, and each is written before it is read in every interval. Laying the
	// arrays out one after the other is right too, but takes more space. Nil means that.
	SharedAt []int64
	// Compatible says why a kernel of scheme DAE or SDMA runs as compatible
	// intervals, as CMPT does; nil where it has load and store phases.
	Compatible *loop.Error
	// Reductions name the arrays of partial results, one element a team, which are
	// among Params and which the host combines in the order of the teams.
	Reductions []Reduction
	Body       []Stmt
	NumVars    int // Var.ID of everything in Body is below it
}

// Reduction says where the partial results of a reduction variable go: after the
// launch v = v Op Partial[0] Op Partial[1] ... holds.
type Reduction struct {
	Op      loop.RedOp
	Var     *loop.Var // the variable of the source
	Partial *loop.Array
}

// Stmt is a statement: *For, *If, *Assign, *Decl, *Barrier or *Sync. A variable
// is named by one Decl or For only, and used in the statements after it (for a
// For: inside it) of the list it stands in, and within those.
type Stmt interface {
	Position() loop.Pos // of the source line it came from
	stmt()
}

// For is `for (Var = Lo; Var Cmp Hi; Var += Step)`, as loop.For. Barriers and
// Syncs in Body need bounds that are the same for all threads of the team.
type For struct {
	At     loop.Pos
	Var    *loop.Var
	Lo, Hi loop.Expr
	Cmp    loop.Op
	Step   int64
	Body   []Stmt
}

// If is a conditional.
type If struct {
	At         loop.Pos
	Cond       loop.Expr
	Then, Else []Stmt
}

// Assign stores RHS to LHS, a *loop.Ref of a declared local or a *loop.Index of a
// parameter array or a shared one.
type Assign struct {
	At       loop.Pos
	LHS, RHS loop.Expr
}

// Decl declares a local scalar, private to the thread; Init may be nil.
type Decl struct {
	At   loop.Pos
	Var  *loop.Var
	Init loop.Expr
}

// Barrier is a barrier of the team's threads, after which they see each other's
// accesses to shared and global memory.
type Barrier struct{ At loop.Pos }

// Sync ends one phase and begins another: a barrier of the team, a call of the
// guard (EnterMem or EnterComp), and a barrier. Before its first Sync a team is
// in no phase and accesses no memory; after its last statement it leaves.
type Sync struct {
	At    loop.Pos
	Phase Phase
}

func (s *For) Position() loop.Pos     { return s.At }
func (s *If) Position() loop.Pos      { return s.At }
func (s *Assign) Position() loop.Pos  { return s.At }
func (s *Decl) Position() loop.Pos    { return s.At }
func (s *Barrier) Position() loop.Pos { return s.At }
func (s *Sync) Position() loop.Pos    { return s.At }

func (*For) stmt()     {}
func (*If) stmt()      {}
func (*Assign) stmt()  {}
func (*Decl) stmt()    {}
func (*Barrier) stmt() {}
func (*Sync) stmt()    {}

// String gives the name that reports and flags use.
func (s Scheme) String() string { return [...]string{"base", "cmpt", "dae", "sdma"}[s] }

// String gives the name of the guard's call.
func (p Phase) String() string { return [...]string{"EnterMem", "EnterComp"}[p] }

// MaxStaticShared is the shared memory in bytes that a kernel can declare; more is
// given at its launch (CUDA C++ programming guide, technical specifications per
// compute capability; ptxas refuses it).
const MaxStaticShared = 48 << 10

// DynamicBytes is the shared memory in bytes that a launch of the kernel has to give:
// all of its scratchpad where that is larger than MaxStaticShared, none otherwise.
func (k *Entry) DynamicBytes() int64 {
	if _, bytes := k.Layout(); bytes > MaxStaticShared {
		return bytes
	}
	return 0
}

// Layout gives the byte offset of each shared array in the scratchpad, those of
// SharedAt or else one array after the other, aligned, and the bytes that are
// needed. The extents have to be as Check demands.
func (k *Entry) Layout() (at []int64, bytes int64) {
	at = make([]int64, len(k.Shared))
	for i, a := range k.Shared {
		n := a.Elem.Size()
		if k.SharedAt != nil {
			at[i] = k.SharedAt[i]
		} else {
			at[i] = (bytes + n - 1) / n * n
		}
		for _, x := range a.Extents {
			n *= x.(*loop.IntLit).Value
		}
		bytes = max(bytes, at[i]+n)
	}
	return at, bytes
}
