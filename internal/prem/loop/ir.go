package loop

// Unit is one translation unit.
type Unit struct {
	File      string
	Headers   []string // files that File includes, the system's left out, in order of their first inclusion
	Arrays    []*Array // file scope, in order of declaration
	Funcs     []*Func  // with at least one kernel
	Omitted   []Omitted
	NumVars   int // Var.ID is below it
	NumArrays int // Array.ID is below it
}

// Omitted names a function that holds no kernel and was not lowered.
type Omitted struct {
	Name string
	At   Pos
}

// Func is a function. Result is the type of what it returns, NoType for nothing; a
// function that returns something ends in a Return on every path.
type Func struct {
	Name   string
	At     Pos
	Result Type
	Params []Param
	Body   []Stmt
}

// Param is a scalar or an array parameter: one of the fields is set.
type Param struct {
	Var   *Var
	Array *Array
}

// Kind says what a scalar is.
type Kind uint8

const (
	Parameter Kind = iota
	Local
	Induction // of a For; assigned by the loop alone
)

// Var is a scalar variable.
type Var struct {
	Name  string
	Type  Type
	Kind  Kind
	Const bool
	ID    int // unique in the program
	At    Pos
}

// Array is an array of scalars. Extents has one entry per dimension, the
// contiguous one last; the first may be nil (a pointer parameter): its extent is
// then that of the map clause of every kernel that uses the array.
type Array struct {
	Name    string
	Elem    Type
	Extents []Expr
	Global  bool
	Const   bool
	ID      int // unique in the program
	At      Pos
	// Record is the array of structures that this array is a member of, nil for an
	// array of scalars: element n, in row-major order, then lies n*Record.Bytes +
	// Offset bytes from the start.
	Record *Record
	Offset int64
}

// Record is an array of structures of scalars. Its members are arrays of the same
// extents, which share no memory.
type Record struct {
	Name    string // of the array in the source
	Tag     string // of the structure
	Bytes   int64  // of one structure
	Members []Member
	At      Pos
}

// Member is one member of a structure: its name in the source, and the array of
// it, named Record.Name.Name.
type Member struct {
	Name  string
	Array *Array
}

// Stmt is a statement: *For, *If, *Assign, *Decl, *Block, *Data, *Nest or *Return.
type Stmt interface {
	Position() Pos
	stmt()
}

// For is `for (Var = Lo; Var Cmp Hi; Var += Step)`. Cmp is Lt or Le where Step
// is positive and Gt or Ge where it is negative. Nothing that Lo or Hi names is
// assigned in Body.
type For struct {
	At     Pos
	Var    *Var
	Lo, Hi Expr
	Cmp    Op
	Step   int64
	Body   []Stmt
}

// If is a conditional; Cond is an integer or floating expression, true if nonzero.
type If struct {
	At         Pos
	Cond       Expr
	Then, Else []Stmt
}

// Assign stores RHS, which has the type of LHS (*Ref or *Index). Compound is the
// operator of a compound assignment, already applied in RHS, or NoOp.
type Assign struct {
	At       Pos
	LHS, RHS Expr
	Compound Op
}

// Decl declares a local scalar; Init may be nil.
type Decl struct {
	At   Pos
	Var  *Var
	Init Expr
}

// Block is a brace-enclosed scope.
type Block struct {
	At   Pos
	Body []Stmt
}

// Nest is an offloaded loop nest with its clauses. Loop is the outermost loop;
// the Collapse outermost loops (at least 1) form the SIMT iteration space.
type Nest struct {
	At           Pos
	Simd         bool
	Collapse     int
	NumTeams     Expr // or nil
	NumThreads   Expr // or nil
	Maps         []Map
	Reductions   []Reduction
	FirstPrivate []*Var
	Static       bool // schedule(static) is written
	Chunk        Expr // its chunk, or nil
	Loop         *For
}

// Data is a target data region: the arrays of Maps stay on the device while Body
// runs, so that the host code in Body uses none of them.
type Data struct {
	At   Pos
	Maps []Map
	Body []Stmt
}

// Return ends the function, of whose result type Value is, or nil where that is
// NoType. It stands neither in a kernel nor in a target data region, which are left
// at their end only (OpenMP 4.5, section 1.2.2, structured block).
type Return struct {
	At    Pos
	Value Expr
}

// MapKind is the direction of a map clause.
type MapKind uint8

const (
	ToFrom MapKind = iota
	To
	From
	Alloc
)

// Map is one list item of a map clause: an array with no section or one section
// per leading dimension, or a scalar.
type Map struct {
	At       Pos
	Kind     MapKind
	Array    *Array
	Var      *Var
	Sections []Section
}

// Section is [Lo : Len], in elements of its dimension.
type Section struct{ Lo, Len Expr }

// RedOp is a reduction operator.
type RedOp uint8

const (
	RedAdd RedOp = iota
	RedMul
	RedMin
	RedMax
)

// Reduction is one list item of a reduction clause.
type Reduction struct {
	At  Pos
	Op  RedOp
	Var *Var
}

// Op is an operator.
type Op uint8

const (
	NoOp Op = iota
	Add
	Sub
	Mul
	Div
	Rem
	And
	Or
	Xor
	Shl
	Shr
	Lt
	Le
	Gt
	Ge
	Eq
	Ne
	LAnd // short circuit
	LOr  // short circuit
	Neg
	Not // logical
	Cpl // bitwise
)

// Expr is an expression: *IntLit, *FloatLit, *Ref, *Index, *Unary, *Binary,
// *Cond, *Call or *Convert. Expressions have no side effects.
type Expr interface {
	Position() Pos
	Type() Type
	expr()
}

// IntLit is an integer constant; an Ulong above the range of int64 is held as
// its two's complement.
type IntLit struct {
	At    Pos
	T     Type
	Value int64
}

// FloatLit is a floating constant, already rounded to T.
type FloatLit struct {
	At    Pos
	T     Type
	Value float64
}

// Ref reads or, as the left side of an Assign, names a scalar.
type Ref struct {
	At  Pos
	Var *Var
}

// Index reads or, as the left side of an Assign, names an element.
type Index struct {
	At    Pos
	Array *Array
	Subs  []Expr
}

// Unary is Neg, Cpl (of the operand's type) or Not (of type Int).
type Unary struct {
	At Pos
	Op Op
	X  Expr
}

// Binary is an operator on two operands. Comparisons and the logical operators
// have type Int, shifts the type of X, the rest the type of both operands.
type Binary struct {
	At   Pos
	Op   Op
	X, Y Expr
}

// Cond is If ? Then : Else; only one branch is evaluated.
type Cond struct {
	At             Pos
	If, Then, Else Expr
}

// Call is a call of a function of Math.
type Call struct {
	At   Pos
	Fn   *MathFunc
	Args []Expr
}

// Convert is a conversion; Implicit says that the source does not write it.
type Convert struct {
	At       Pos
	T        Type
	X        Expr
	Implicit bool
}

func (s *For) Position() Pos    { return s.At }
func (s *If) Position() Pos     { return s.At }
func (s *Assign) Position() Pos { return s.At }
func (s *Decl) Position() Pos   { return s.At }
func (s *Block) Position() Pos  { return s.At }
func (s *Data) Position() Pos   { return s.At }
func (s *Nest) Position() Pos   { return s.At }
func (s *Return) Position() Pos { return s.At }

func (*For) stmt()    {}
func (*If) stmt()     {}
func (*Assign) stmt() {}
func (*Decl) stmt()   {}
func (*Block) stmt()  {}
func (*Data) stmt()   {}
func (*Nest) stmt()   {}
func (*Return) stmt() {}

func (e *IntLit) Position() Pos   { return e.At }
func (e *FloatLit) Position() Pos { return e.At }
func (e *Ref) Position() Pos      { return e.At }
func (e *Index) Position() Pos    { return e.At }
func (e *Unary) Position() Pos    { return e.At }
func (e *Binary) Position() Pos   { return e.At }
func (e *Cond) Position() Pos     { return e.At }
func (e *Call) Position() Pos     { return e.At }
func (e *Convert) Position() Pos  { return e.At }

func (e *IntLit) Type() Type   { return e.T }
func (e *FloatLit) Type() Type { return e.T }
func (e *Ref) Type() Type      { return e.Var.Type }
func (e *Index) Type() Type    { return e.Array.Elem }
func (e *Cond) Type() Type     { return e.Then.Type() }
func (e *Call) Type() Type     { return e.Fn.Type }
func (e *Convert) Type() Type  { return e.T }

// Type of a unary expression: Int for Not.
func (e *Unary) Type() Type {
	if e.Op == Not {
		return Int
	}
	return e.X.Type()
}

// Type of a binary expression: Int for comparisons and logical operators.
func (e *Binary) Type() Type {
	if e.Op >= Lt && e.Op <= LOr {
		return Int
	}
	return e.X.Type()
}

func (*IntLit) expr()   {}
func (*FloatLit) expr() {}
func (*Ref) expr()      {}
func (*Index) expr()    {}
func (*Unary) expr()    {}
func (*Binary) expr()   {}
func (*Cond) expr()     {}
func (*Call) expr()     {}
func (*Convert) expr()  {}

// Kernels lists the kernels of a function in source order.
func (f *Func) Kernels() []*Nest {
	var ks []*Nest
	walkStmts(f.Body, func(s Stmt) {
		if k, ok := s.(*Nest); ok {
			ks = append(ks, k)
		}
	})
	return ks
}

// walkStmts calls f on each statement of the trees, outer ones first.
func walkStmts(list []Stmt, f func(Stmt)) {
	for _, s := range list {
		f(s)
		switch s := s.(type) {
		case *For:
			walkStmts(s.Body, f)
		case *If:
			walkStmts(s.Then, f)
			walkStmts(s.Else, f)
		case *Block:
			walkStmts(s.Body, f)
		case *Data:
			walkStmts(s.Body, f)
		case *Nest:
			walkStmts([]Stmt{s.Loop}, f)
		}
	}
}

// walkExpr calls f on each node of an expression, outer ones first.
func walkExpr(e Expr, f func(Expr)) {
	f(e)
	switch e := e.(type) {
	case *Index:
		for _, s := range e.Subs {
			walkExpr(s, f)
		}
	case *Unary:
		walkExpr(e.X, f)
	case *Binary:
		walkExpr(e.X, f)
		walkExpr(e.Y, f)
	case *Cond:
		walkExpr(e.If, f)
		walkExpr(e.Then, f)
		walkExpr(e.Else, f)
	case *Call:
		for _, a := range e.Args {
			walkExpr(a, f)
		}
	case *Convert:
		walkExpr(e.X, f)
	}
}
