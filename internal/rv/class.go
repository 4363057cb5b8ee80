package rv

import "github.com/warpbound/warpbound/isa"

// timing is what an operation is to timing.
type timing struct {
	kind   isa.Kind
	family isa.Family
	typ    isa.Type
	width  int32 // bytes accessed by one lane
}

// timings is indexed by Op. lui and auipc count as additions, so that
// move.i32 is left for the accesses to control and status registers. The
// SIMT instructions that change masks or start warps are branch.pred, other
// control transfers branch, call, return and exit. What memory a load or store
// accesses is known only from its address, so the space is generic.
var timings = [NumOps]timing{
	Invalid: {isa.Exit, isa.ExitLanes, isa.NoType, 0},

	Lui:    {isa.Plain, isa.Add, isa.I32, 0},
	Auipc:  {isa.Plain, isa.Add, isa.I32, 0},
	Jal:    {isa.Branch, isa.BranchTo, isa.NoType, 0},
	Jalr:   {isa.Branch, isa.BranchTo, isa.NoType, 0},
	Beq:    {isa.Branch, isa.BranchTo, isa.NoType, 0},
	Bne:    {isa.Branch, isa.BranchTo, isa.NoType, 0},
	Blt:    {isa.Branch, isa.BranchTo, isa.NoType, 0},
	Bge:    {isa.Branch, isa.BranchTo, isa.NoType, 0},
	Bltu:   {isa.Branch, isa.BranchTo, isa.NoType, 0},
	Bgeu:   {isa.Branch, isa.BranchTo, isa.NoType, 0},
	Lb:     {isa.Load, isa.LoadMem, isa.I8, 1},
	Lh:     {isa.Load, isa.LoadMem, isa.I16, 2},
	Lw:     {isa.Load, isa.LoadMem, isa.I32, 4},
	Lbu:    {isa.Load, isa.LoadMem, isa.I8, 1},
	Lhu:    {isa.Load, isa.LoadMem, isa.I16, 2},
	Sb:     {isa.Store, isa.StoreMem, isa.I8, 1},
	Sh:     {isa.Store, isa.StoreMem, isa.I16, 2},
	Sw:     {isa.Store, isa.StoreMem, isa.I32, 4},
	Addi:   {isa.Plain, isa.Add, isa.I32, 0},
	Slti:   {isa.Plain, isa.Compare, isa.I32, 0},
	Sltiu:  {isa.Plain, isa.Compare, isa.I32, 0},
	Xori:   {isa.Plain, isa.Logic, isa.I32, 0},
	Ori:    {isa.Plain, isa.Logic, isa.I32, 0},
	Andi:   {isa.Plain, isa.Logic, isa.I32, 0},
	Slli:   {isa.Plain, isa.Shift, isa.I32, 0},
	Srli:   {isa.Plain, isa.Shift, isa.I32, 0},
	Srai:   {isa.Plain, isa.Shift, isa.I32, 0},
	Add:    {isa.Plain, isa.Add, isa.I32, 0},
	Sub:    {isa.Plain, isa.Add, isa.I32, 0},
	Sll:    {isa.Plain, isa.Shift, isa.I32, 0},
	Slt:    {isa.Plain, isa.Compare, isa.I32, 0},
	Sltu:   {isa.Plain, isa.Compare, isa.I32, 0},
	Xor:    {isa.Plain, isa.Logic, isa.I32, 0},
	Srl:    {isa.Plain, isa.Shift, isa.I32, 0},
	Sra:    {isa.Plain, isa.Shift, isa.I32, 0},
	Or:     {isa.Plain, isa.Logic, isa.I32, 0},
	And:    {isa.Plain, isa.Logic, isa.I32, 0},
	Fence:  {isa.Fence, isa.FenceMem, isa.NoType, 0},
	FenceI: {isa.Fence, isa.FenceMem, isa.NoType, 0},
	Ecall:  {isa.Exit, isa.ExitLanes, isa.NoType, 0},
	Ebreak: {isa.Exit, isa.ExitLanes, isa.NoType, 0},

	Csrrw:  {isa.Plain, isa.Move, isa.I32, 0},
	Csrrs:  {isa.Plain, isa.Move, isa.I32, 0},
	Csrrc:  {isa.Plain, isa.Move, isa.I32, 0},
	Csrrwi: {isa.Plain, isa.Move, isa.I32, 0},
	Csrrsi: {isa.Plain, isa.Move, isa.I32, 0},
	Csrrci: {isa.Plain, isa.Move, isa.I32, 0},

	Mul:    {isa.Plain, isa.Mul, isa.I32, 0},
	Mulh:   {isa.Plain, isa.Mul, isa.I32, 0},
	Mulhsu: {isa.Plain, isa.Mul, isa.I32, 0},
	Mulhu:  {isa.Plain, isa.Mul, isa.I32, 0},
	Div:    {isa.Plain, isa.Div, isa.I32, 0},
	Divu:   {isa.Plain, isa.Div, isa.I32, 0},
	Rem:    {isa.Plain, isa.Div, isa.I32, 0},
	Remu:   {isa.Plain, isa.Div, isa.I32, 0},

	CzeroEqz: {isa.Plain, isa.Select, isa.I32, 0},
	CzeroNez: {isa.Plain, isa.Select, isa.I32, 0},

	Flw:     {isa.Load, isa.LoadMem, isa.F32, 4},
	Fsw:     {isa.Store, isa.StoreMem, isa.F32, 4},
	FmaddS:  {isa.Plain, isa.Mad, isa.F32, 0},
	FmsubS:  {isa.Plain, isa.Mad, isa.F32, 0},
	FnmsubS: {isa.Plain, isa.Mad, isa.F32, 0},
	FnmaddS: {isa.Plain, isa.Mad, isa.F32, 0},
	FaddS:   {isa.Plain, isa.Add, isa.F32, 0},
	FsubS:   {isa.Plain, isa.Add, isa.F32, 0},
	FmulS:   {isa.Plain, isa.Mul, isa.F32, 0},
	FdivS:   {isa.Plain, isa.Div, isa.F32, 0},
	FsqrtS:  {isa.Plain, isa.Sqrt, isa.F32, 0},
	FsgnjS:  {isa.Plain, isa.AbsNeg, isa.F32, 0},
	FsgnjnS: {isa.Plain, isa.AbsNeg, isa.F32, 0},
	FsgnjxS: {isa.Plain, isa.AbsNeg, isa.F32, 0},
	FminS:   {isa.Plain, isa.MinMax, isa.F32, 0},
	FmaxS:   {isa.Plain, isa.MinMax, isa.F32, 0},
	FcvtWS:  {isa.Plain, isa.Convert, isa.F32, 0},
	FcvtWuS: {isa.Plain, isa.Convert, isa.F32, 0},
	FmvXW:   {isa.Plain, isa.Move, isa.F32, 0},
	FeqS:    {isa.Plain, isa.Compare, isa.F32, 0},
	FltS:    {isa.Plain, isa.Compare, isa.F32, 0},
	FleS:    {isa.Plain, isa.Compare, isa.F32, 0},
	FclassS: {isa.Plain, isa.Compare, isa.F32, 0},
	FcvtSW:  {isa.Plain, isa.Convert, isa.F32, 0},
	FcvtSWu: {isa.Plain, isa.Convert, isa.F32, 0},
	FmvWX:   {isa.Plain, isa.Move, isa.F32, 0},

	Tmc:    {isa.Branch, isa.BranchTo, isa.Pred, 0},
	Wspawn: {isa.Branch, isa.BranchTo, isa.Pred, 0},
	Split:  {isa.Branch, isa.BranchTo, isa.Pred, 0},
	Join:   {isa.Branch, isa.BranchTo, isa.Pred, 0},
	Bar:    {isa.Barrier, isa.BarrierSync, isa.NoType, 0},
	Pred:   {isa.Branch, isa.BranchTo, isa.Pred, 0},
}

// class is the timing class of op.
func (op Op) class() isa.Class {
	t := &timings[op]
	c := isa.Class{Family: t.family, Type: t.typ}
	if t.kind == isa.Load || t.kind == isa.Store {
		c.Space = isa.Generic
	}
	return c
}
