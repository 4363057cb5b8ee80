package ptx

import "strings"

// Pos is a place in a source text: 1-based line, 1-based column in bytes.
// The zero Pos means "nowhere" (a node that was not parsed).
type Pos struct{ Line, Col int32 }

// Version is the PTX ISA version of a module, as in ".version 7.8".
type Version struct{ Major, Minor int }

// AtLeast reports whether v is major.minor or newer.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// File is one PTX module.
type File struct {
	Name    string // as given to Parse; used in errors
	Version Version
	// VersionPos says where it stands.
	VersionPos Pos
	// Targets holds the comma-separated list of .target: the architecture
	// first ("sm_70"), then options ("debug", "texmode_independent", ...).
	Targets []string
	// TargetPos says where each of them stands.
	TargetPos []Pos
	// AddressSize is 32 or 64: what .address_size says, or 32 where the
	// directive is absent, the default of PTX.
	AddressSize int
	// HasAddressSize tells whether the directive was written.
	HasAddressSize bool
	// Decls are the module-level declarations in source order.
	Decls []Decl
	// Locs is the line table: Inst.Loc and Call.Loc point into it.
	Locs []*Loc
}

// Decl is a module-level declaration: *Func, *VarDecl, *FileDirective,
// *Section, *Dwarf, *Pragma, *Alias, *Loc or *Label.
type Decl interface{ decl() }

// Stmt is a statement of a function body: *Inst, *Call, *Label, *Block,
// *VarDecl, *Loc, *Pragma, *CallPrototype, *CallTargets, *BranchTargets,
// *FileDirective, *Section or *Dwarf.
type Stmt interface{ stmt() }

// Linkage is the linking directive of a function or variable.
type Linkage uint8

const (
	LinkNone Linkage = iota
	LinkExtern
	LinkVisible
	LinkWeak
	LinkCommon
)

// Func is an .entry or a .func, or the prototype of one.
type Func struct {
	Pos     Pos
	Entry   bool // .entry rather than .func
	Linkage Linkage
	// Attributes holds the arguments of .attribute(...), such as "unified".
	Attributes []Attribute
	Name       string
	NamePos    Pos
	// Rets and Params have one Var each. Params is nil for an entry without
	// a parameter list.
	Rets, Params []*VarDecl
	// Directives stand between the parameter list and the body.
	Directives []Directive
	// Body is nil for a prototype.
	Body *Block
}

// Directive is a performance-tuning or ABI directive of a function, such as
// .maxntid 64, 1, 1 (Name "maxntid", Args 64 1 1) or .pragma "x" (Text "x").
type Directive struct {
	Pos  Pos
	Name string // without the dot
	Args []int64
	Text string // of .pragma, without the quotes
}

// Directive returns the arguments of f's last directive of that name.
func (f *Func) Directive(name string) (args []int64, ok bool) {
	for i := len(f.Directives) - 1; i >= 0; i-- {
		if f.Directives[i].Name == name {
			return f.Directives[i].Args, true
		}
	}
	return nil, false
}

// Attribute is one argument of .attribute(...): ".unified(1,2)" is
// {"unified", 1 2}, ".managed" is {"managed", nil}.
type Attribute struct {
	Name string
	Args []uint64
}

// VarDecl declares registers, variables or one parameter. Several names may
// share one declaration: ".reg .b32 a, b;".
type VarDecl struct {
	Pos        Pos
	Linkage    Linkage
	Space      Space // SpaceReg, SpaceGlobal, SpaceShared, SpaceParam, ...
	Bank       int32 // k of ".const[k]", a form of PTX before 2.2; else -1
	Align      int32 // bytes, of .align; 0 where absent
	Vec        uint8 // elements of .v2, .v4, .v8; 1 for a scalar
	Type       Type
	Attributes []Attribute
	// Ptr is set for kernel parameters with the .ptr attribute.
	Ptr  *PtrAttr
	Vars []Var
}

// PtrAttr is ".ptr{.space}{.align n}" of a kernel parameter.
type PtrAttr struct {
	Space Space // SpaceNone means generic
	Align int32 // bytes; 0 where absent
}

// Var is one declared name.
type Var struct {
	Pos  Pos
	Name string // "_" for an unnamed parameter of a prototype
	// Count is n of a register range "%r<n>", which declares %r0 to %r(n-1);
	// -1 for a plain name.
	Count int32
	// Dims are the array dimensions in elements; -1 stands for "[]".
	Dims []int64
	// Init is the initialiser, or nil. Lists are operands of KindVec, nested
	// as the braces are; elements are literals or symbols.
	Init *Operand
}

// Block is a sequence of statements in braces, a scope of names of its own.
type Block struct {
	Pos   Pos // of the opening brace
	End   Pos // of the closing brace
	Stmts []Stmt
}

// Label marks the place of the next statement.
type Label struct {
	Pos  Pos
	Name string
}

// Guard is the predicate of "@p" or "@!p"; Reg is "" where there is none.
type Guard struct {
	Reg string
	Neg bool
	Pos Pos
}

// Inst is an instruction other than call.
type Inst struct {
	Pos Pos
	// Loc is 1 + the index in File.Locs of the .loc in force; 0 for none.
	Loc   int32
	Guard Guard
	// Op is the opcode up to the first dot: "mad" of "mad.lo.s32".
	Op string
	// Mods are the dotted parts after it in order, without their dots, "::"
	// kept: "lo", "s32"; "global", "L2::128B". Instructions with the same
	// opcode and modifiers share one slice; it must not be written to.
	Mods     []string
	Operands []Operand
}

// Opcode returns the opcode with all its modifiers, "mad.lo.s32".
func (i *Inst) Opcode() string { return joinOpcode(i.Op, i.Mods) }

func joinOpcode(op string, mods []string) string {
	if len(mods) == 0 {
		return op
	}
	return op + "." + strings.Join(mods, ".")
}

// Call is a call statement:
//
//	call{.uni} (rets), callee, (args), targets;
type Call struct {
	Pos   Pos
	Loc   int32 // as Inst.Loc
	Guard Guard
	Mods  []string // "uni"
	Rets  []Operand
	// Callee is a function's name, or a register for an indirect call.
	Callee Operand
	Args   []Operand
	// Targets names the .callprototype or .calltargets of an indirect call,
	// or a table of functions; "" for a direct call.
	Targets    string
	TargetsPos Pos
}

// CallPrototype is "label: .callprototype (rets) _ (params) directives;".
type CallPrototype struct {
	Pos          Pos
	Name         string
	Rets, Params []*VarDecl
	Directives   []Directive
}

// CallTargets is "label: .calltargets f, g;".
type CallTargets struct {
	Pos   Pos
	Name  string
	Funcs []string
}

// BranchTargets is "label: .branchtargets L0, L1;", the table of a brx.idx.
type BranchTargets struct {
	Pos    Pos
	Name   string
	Labels []string
}

// Pragma is ".pragma "a", "b";".
type Pragma struct {
	Pos  Pos
	Text []string // without the quotes, escapes as written
}

// Loc is ".loc file line column", with the optional inlining information of
// PTX 7.2 and later.
type Loc struct {
	Pos             Pos
	File, Line, Col int32
	FunctionName    string // label in .debug_str, "" where absent
	FunctionNameOff int64  // offset added to the label
	InlinedAt       bool
	InFile, InLine  int32 // of inlined_at
	InCol           int32
}

// FileDirective is ".file index "name" {, timestamp, size}".
type FileDirective struct {
	Pos             Pos
	Index           int32
	Name            string // without the quotes, escapes as written
	HasStamp        bool
	Timestamp, Size uint64
}

// Section is a debug section, kept as the text between its braces.
type Section struct {
	Pos  Pos
	Name string // with its dot
	Raw  string
}

// Dwarf is a line "@@DWARF ..." of PTX 1.x, kept as text.
type Dwarf struct {
	Pos Pos
	Raw string // what follows "@@DWARF", to the end of the line
}

// Alias is ".alias name, target;".
type Alias struct {
	Pos          Pos
	Name, Target string
}

func (*Func) decl()          {}
func (*VarDecl) decl()       {}
func (*FileDirective) decl() {}
func (*Section) decl()       {}
func (*Dwarf) decl()         {}
func (*Pragma) decl()        {}
func (*Alias) decl()         {}
func (*Loc) decl()           {}
func (*Label) decl()         {}

func (*Inst) stmt()          {}
func (*Call) stmt()          {}
func (*Label) stmt()         {}
func (*Block) stmt()         {}
func (*VarDecl) stmt()       {}
func (*Loc) stmt()           {}
func (*Pragma) stmt()        {}
func (*CallPrototype) stmt() {}
func (*CallTargets) stmt()   {}
func (*BranchTargets) stmt() {}
func (*FileDirective) stmt() {}
func (*Section) stmt()       {}
func (*Dwarf) stmt()         {}

// Kind tells which kind of operand an Operand is.
type Kind uint8

const (
	KindNone Kind = iota
	// KindName is a register, a special register, a symbol or a label. Name
	// holds it as written, a vector or byte selector included: "%r1",
	// "%tid.x", "%v.y", "%r3.b0". Imm is a byte offset for "sym+4".
	KindName
	// KindInt is an integer literal or constant expression; Imm its 64 bits.
	KindInt
	// KindF32 is "0fXXXXXXXX"; Imm its 32 bits.
	KindF32
	// KindF64 is "0dX..." or a decimal literal; Imm the 64 bits of a double.
	KindF64
	// KindAddr is "[base+off]": Name the base, a register or a symbol or ""
	// for an absolute address; Imm the signed offset in bytes. Sub holds
	// what follows a comma, as in "[tex, {x, y}]".
	KindAddr
	// KindVec is "{a, b, ...}", elements in Sub, nested where written so.
	KindVec
	// KindPair is "p|q", the two halves in Sub.
	KindPair
	// KindSink is "_".
	KindSink
	// KindIndex is "name[i]": the index in Sub[0], a KindInt or a KindName
	// whose Imm is the constant added to a register.
	KindIndex
	// KindField is "name = value" in the initialiser of a .samplerref: Name
	// and Sub[0].
	KindField
	// KindMask is "0xFF00(sym+off)" in an initialiser: Imm the mask, the
	// symbol in Sub[0].
	KindMask
)

// Operand is an operand of an instruction or an initialiser.
type Operand struct {
	Kind     Kind
	Not      bool // "!p"
	Minus    bool // "-%r1", an operand of video instructions
	Generic  bool // "generic(sym)"
	Unsigned bool // KindInt: unsigned literal ("U" suffix or beyond 63 bits) or expression
	Unified  bool // KindAddr: "[a].unified"
	Sum      bool // KindName: an offset is written, be it "+0"
	Pos      Pos
	Name     string
	Imm      uint64
	Sub      []Operand
}

// Offset is Imm as a signed number of bytes.
func (o *Operand) Offset() int64 { return int64(o.Imm) }

// Base is Name without a selector: "%tid" of "%tid.x".
func (o *Operand) Base() string {
	if i := strings.IndexByte(o.Name, '.'); i >= 0 {
		return o.Name[:i]
	}
	return o.Name
}

// Sel is the selector in Name without its dot: "x" of "%tid.x", or "".
func (o *Operand) Sel() string {
	if i := strings.IndexByte(o.Name, '.'); i >= 0 {
		return o.Name[i+1:]
	}
	return ""
}
