package ptx

import (
	"fmt"
	"strings"
)

// guard checks the predicate of "@p".
func (c *checker) guard(g Guard) {
	if g.Reg == "" {
		return
	}
	if o, ok := c.known(g.Pos, g.Reg, objReg); ok && o.typ != Pred {
		c.errorf(g.Pos, "guard %s has type .%s, expected .pred", quoteShort(g.Reg), o.typ)
	}
}

// inst checks an instruction by its line of the opcode table.
func (c *checker) inst(in *Inst) {
	c.guard(in.Guard)
	f, ok := c.form(in.Op, in.Mods, len(in.Operands), in.Pos)
	if !ok {
		return
	}
	if in.Op == "cvt" {
		c.conversion(in, f)
	}
	for _, specs := range f.Variant.Operands {
		if operandsFit(specs, len(in.Operands)) {
			if wrong := c.rule(in, f); wrong != "" {
				c.errorf(in.Pos, "instruction %s: %s", quoteShort(in.Opcode()), wrong)
			}
			c.operands(in, f, specs)
			return
		}
	}
	c.errorf(in.Pos, "instruction %s has %d operands, expected %s", quoteShort(in.Opcode()), len(in.Operands),
		operandCounts(f.Variant.Operands))
}

func operandCounts(alts [][]OperandSpec) string {
	counts := make([]string, len(alts))
	for i, list := range alts {
		counts[i] = fmt.Sprint(len(list))
		if n := len(list); n > 0 && list[n-1].Kind == OperandRest {
			counts[i] = fmt.Sprintf("%d or more", n-1)
		}
	}
	return strings.Join(counts, " or ")
}

func (c *checker) operands(in *Inst, f *Form, specs []OperandSpec) {
	if in.Op == "mov" && f.Vec == 0 && len(in.Operands) == 2 && c.elements(&in.Operands[0]) > 1 && c.elements(&in.Operands[1]) > 1 {
		c.errorf(in.Operands[1].Pos, "%s of a vector to a vector, expected one of them to be a register of %d bits", quoteShort(in.Opcode()), f.Type.Bits())
		return
	}
	c.takes = sourcesOf(in, f)
	for i := range in.Operands {
		o := &in.Operands[i]
		spec := specs[min(i, len(specs)-1)]
		if f.Variant.State == Executed && simdVideo(in.Op) && o.Kind == KindInt {
			c.errorf(o.Pos, "constant in %s, expected a register of 32 bits", quoteShort(in.Opcode()))
			continue
		}
		c.operand(in, f, o, spec)
	}
}

// want is what an operand's register may be.
type want struct {
	t       Type // TypeNone: any
	wider   bool
	address bool // 32 or 64 bits
}

func (s OperandSpec) want(f *Form) want {
	switch s.Rule {
	case RuleFixed:
		return want{t: s.Type}
	case RuleType:
		return want{t: f.Type}
	case RuleType2:
		return want{t: f.Type2}
	case RuleType3:
		return want{t: f.Type3}
	case RuleMemory:
		return want{t: f.Type, wider: true}
	case RuleMemory2:
		return want{t: f.Type2, wider: true}
	case RuleWide:
		return want{t: wide[f.Type]}
	case RuleAddress:
		return want{address: true}
	}
	return want{}
}

var wide = map[Type]Type{U16: U32, S16: S32, U32: U64, S32: S64}

func (w want) String() string {
	switch {
	case w.address:
		return "a register of 32 or 64 bits"
	case w.t.Class() == ClassPred:
		return "a .pred register"
	case w.wider:
		return fmt.Sprintf("a register that holds a .%s, of its size or wider", w.t)
	case w.t.Class() == ClassBits || w.t.Class() == ClassPacked:
		return fmt.Sprintf("a register of %d bits", w.t.Bits())
	case w.t.Float():
		return fmt.Sprintf("a .%s or .b%d register", w.t, w.t.Bits())
	}
	return fmt.Sprintf("an integer or .b%[1]d register of %[1]d bits", w.t.Bits())
}

// takes reports whether a register of type r agrees with what is wanted.
// PTX ISA, "Type Information for Instructions and Operands" and "Operand Size
// Exceeding Instruction-Type Size".
func (w want) takes(r Type) bool {
	rc := r.Class()
	if w.address {
		return (r.Integer() || rc == ClassBits) && (r.Bits() == 32 || r.Bits() == 64)
	}
	if w.t == TypeNone {
		return true
	}
	if w.t == Pred || rc == ClassPred || rc == ClassOpaque {
		return w.t == r
	}
	same := r.Bits() == w.t.Bits()
	if !same && (!w.wider || r.Bits() < w.t.Bits()) {
		return false
	}
	switch w.t.Class() {
	case ClassBits, ClassPacked:
		return true
	case ClassFloat:
		return r == w.t || rc == ClassBits || !same && r.Integer()
	}
	return r.Integer() || rc == ClassBits
}

// operand checks one operand in its place.
func (c *checker) operand(in *Inst, f *Form, o *Operand, spec OperandSpec) {
	w := spec.want(f)
	switch spec.Kind {
	case OperandAny, OperandRest:
		c.names(o)
		if obj, ok := c.scope.lookup(o.Base()); ok && o.Kind == KindName && f.Variant.State == Executed {
			c.source(o, obj)
		}
	case OperandDst:
		c.dst(o, w)
	case OperandSrc:
		c.src(o, w)
	case OperandDstVec, OperandSrcVec:
		c.vector(in, f, o, w, spec.Kind == OperandDstVec)
	case OperandDstPair:
		c.pair(o, w, want{t: Pred})
	case OperandPredPair:
		c.pair(o, want{t: Pred}, want{t: Pred})
	case OperandPred:
		c.pred(o)
	case OperandImm:
		if o.Kind != KindInt {
			c.errorf(o.Pos, "operand of %s is not an integer constant, expected one", quoteShort(in.Opcode()))
		}
	case OperandAddr:
		c.address(in, f, o)
	case OperandLabel:
		if o.Kind != KindName || o.Imm != 0 {
			c.errorf(o.Pos, "operand of %s is not a label, expected one", quoteShort(in.Opcode()))
			return
		}
		c.known(o.Pos, o.Name, objLabel)
	}
}

// names reports undeclared names anywhere in an operand.
func (c *checker) names(o *Operand) {
	switch o.Kind {
	case KindName, KindIndex, KindAddr:
		if o.Name != "" {
			if _, ok := c.scope.lookup(o.Base()); !ok {
				c.errorf(o.Pos, "%s is not declared, expected a register, variable or label", quoteShort(o.Base()))
			}
		}
	}
	for i := range o.Sub {
		c.names(&o.Sub[i])
	}
}

// register looks a register up and returns its type, that of the component if
// there is a selector. ok is false after an error.
func (c *checker) register(o *Operand) (t Type, obj object, ok bool) {
	obj, ok = c.known(o.Pos, o.Base(), objReg)
	if !ok {
		return TypeNone, obj, false
	}
	switch sel := o.Sel(); {
	case sel == "" && obj.vec > 1:
		c.errorf(o.Pos, "%s is a vector register, expected a selector such as .x", quoteShort(o.Name))
		return TypeNone, obj, false
	case sel != "" && (obj.vec < 2 || !selects(sel, obj.vec)):
		c.errorf(o.Pos, "%s has no component .%s, expected another", quoteShort(o.Base()), sel)
		return TypeNone, obj, false
	}
	return obj.typ, obj, true
}

// plain reports modifiers of an operand that its place does not take.
func (c *checker) plain(o *Operand) bool {
	switch {
	case o.Not:
		c.errorf(o.Pos, "'!' before %s, expected an operand without it", quoteShort(o.Name))
	case o.Minus:
		c.errorf(o.Pos, "'-' before %s, expected an operand without it", quoteShort(o.Name))
	default:
		return true
	}
	return false
}

func (c *checker) dst(o *Operand, w want) {
	if o.Kind == KindSink || !c.plain(o) {
		return
	}
	if o.Kind != KindName || o.Imm != 0 {
		c.errorf(o.Pos, "destination is no register, expected %s", w)
		return
	}
	t, obj, ok := c.register(o)
	switch {
	case !ok:
	case obj.space == SpaceSreg:
		c.errorf(o.Pos, "destination %s is read-only, expected %s", quoteShort(o.Name), w)
	default:
		c.fits(o, t, w)
	}
}

func (c *checker) fits(o *Operand, t Type, w want) {
	if !w.takes(t) {
		c.errorf(o.Pos, "%s has type .%s, expected %s", quoteShort(o.Name), t, w)
	}
}

func (c *checker) src(o *Operand, w want) {
	if !c.plain(o) {
		return
	}
	switch o.Kind {
	case KindInt:
		if w.t.Float() {
			c.errorf(o.Pos, "integer in the place of a .%s, expected a float such as 0f3F800000", w.t)
		}
	case KindF32, KindF64:
		if w.address || w.t.Integer() || w.t == Pred {
			c.errorf(o.Pos, "float constant, expected %s or an integer", w)
		}
	case KindName:
		c.srcName(o, w)
	case KindIndex: // the address of an array element
		c.names(o)
		if c.takes.address != anyAddress {
			c.errorf(o.Pos, "address of an element of %s, expected a register, which mov or cvta writes the address to", quoteShort(o.Name))
		}
	default:
		c.errorf(o.Pos, "operand of another kind, expected %s or a constant", w)
	}
}

// srcName checks a register, or a symbol that stands for its address.
func (c *checker) srcName(o *Operand, w want) {
	obj, ok := c.known(o.Pos, o.Base(), objReg, objVar, objFunc)
	if !ok {
		return
	}
	if obj.kind == objVar && !c.source(o, obj) {
		return
	}
	if obj.kind != objReg {
		if n := w.t.Bits(); !w.address && (w.t.Float() || n != 32 && n != 64) {
			c.errorf(o.Pos, "address of %s, expected %s or a constant", quoteShort(o.Name), w)
		}
		return
	}
	t, _, ok := c.register(o)
	if ok && o.Imm != 0 && (obj.space == SpaceSreg || w.address || !addable(t) || !addable(w.t)) {
		c.errorf(o.Pos, "offset added to %s, expected an integer register of 16, 32 or 64 bits", quoteShort(o.Name))
		return
	}
	if ok && !c.source(o, obj) {
		return
	}
	if !ok || obj.space == SpaceSreg && wasNarrower(o.Base(), w.t) {
		return
	}
	c.fits(o, t, w)
}

// addable reports whether an offset may be added to a register that is a source:
// "%r1+4" stands for the sum, as it does in an address.
func addable(t Type) bool {
	return (t.Integer() || t.Class() == ClassBits) && t.Bits() >= 16 && t.Bits() <= 64
}

// wasNarrower reports whether a predefined register once had the size of t: the
// indices of threads and blocks 16 bits before PTX 2.0, %gridid 32 bits before
// PTX 3.0.
func wasNarrower(name string, t Type) bool {
	switch name {
	case "%tid", "%ntid", "%ctaid", "%nctaid":
		return t.Bits() == 16 && !t.Float()
	case "%gridid":
		return t.Bits() == 32 && !t.Float()
	}
	return false
}

func (c *checker) pred(o *Operand) {
	if o.Kind == KindInt {
		return
	}
	if o.Kind != KindName || o.Minus || o.Imm != 0 {
		c.errorf(o.Pos, "operand is no predicate, expected a .pred register")
		return
	}
	t, obj, ok := c.register(o)
	switch {
	case ok && obj.space == SpaceSreg:
		c.errorf(o.Pos, "special register %s, expected another .pred register, which mov writes its value to", quoteShort(o.Name))
	case ok:
		c.fits(o, t, want{t: Pred})
	}
}

// pair checks "d|p" or d alone.
func (c *checker) pair(o *Operand, first, second want) {
	if o.Kind != KindPair {
		c.dst(o, first)
		return
	}
	c.dst(&o.Sub[0], first)
	c.dst(&o.Sub[1], second)
}

// vector checks an operand that is a vector where the instruction has .v2,
// .v4 or .v8, and the packed side of mov.
func (c *checker) vector(in *Inst, f *Form, o *Operand, w want, dst bool) {
	n := int(f.Vec)
	if k := c.elements(o); k > 0 && n == 0 && f.Info.Name == "mov" {
		n = k
		w = want{t: packed[[2]int{f.Type.Bits(), n}]}
		if w.t == TypeNone || f.Type.Class() != ClassBits {
			c.errorf(o.Pos, "%d elements in a .%s, expected 2 or 4 in a .b16, .b32, .b64 or .b128", n, f.Type)
			return
		}
	}
	switch {
	case n == 0 && o.Kind == KindVec && len(o.Sub) == 1: // as Triton writes scalars
		c.element(&o.Sub[0], w, dst)
	case n == 0:
		c.element(o, w, dst)
	case o.Kind == KindVec:
		if len(o.Sub) != n {
			c.errorf(o.Pos, "vector of %d elements, expected %d", len(o.Sub), n)
			return
		}
		c.takes = sources{special: true} // which NVIDIA's assembler takes in braces everywhere
		for i := range o.Sub {
			c.element(&o.Sub[i], w, dst)
		}
		c.takes = sourcesOf(in, f)
	case o.Kind == KindName:
		obj, ok := c.known(o.Pos, o.Name, objReg)
		if ok && int(obj.vec) != n {
			c.errorf(o.Pos, "%s has %d components, expected %d", quoteShort(o.Name), obj.vec, n)
		} else if ok {
			c.fits(o, obj.typ, w)
		}
	default:
		c.errorf(o.Pos, "operand is no vector, expected one of %d elements in braces", n)
	}
}

// elements is the number of elements of a vector in braces or of a vector
// register, 0 of anything else.
func (c *checker) elements(o *Operand) int {
	switch o.Kind {
	case KindVec:
		return len(o.Sub)
	case KindName:
		if obj, ok := c.scope.lookup(o.Name); ok && obj.kind == objReg && obj.space == SpaceReg && obj.vec > 1 {
			return int(obj.vec)
		}
	}
	return 0
}

// packed gives the element type of a mov between a register and a vector, by
// the register's bits and the number of elements.
var packed = map[[2]int]Type{
	{16, 2}: B8, {32, 2}: B16, {32, 4}: B8, {64, 2}: B32, {64, 4}: B16, {128, 2}: B64, {128, 4}: B32,
}

func (c *checker) element(o *Operand, w want, dst bool) {
	switch {
	case dst:
		c.dst(o, w)
	case o.Kind == KindSink:
	default:
		c.src(o, w)
	}
}

// address checks "[base+off]".
func (c *checker) address(in *Inst, f *Form, o *Operand) {
	if o.Kind == KindIndex {
		c.names(o)
		return
	}
	if o.Kind != KindAddr || len(o.Sub) > 0 {
		c.errorf(o.Pos, "operand is no address, expected one such as [%%rd1+4]")
		return
	}
	if o.Name == "" {
		return
	}
	obj, ok := c.known(o.Pos, o.Base(), objReg, objVar, objFunc)
	if !ok {
		return
	}
	if obj.kind == objReg {
		if t, _, ok := c.register(o); ok {
			c.fits(o, t, want{address: true})
		}
		return
	}
	have, need := obj.space.Base(), f.Space.Base()
	switch {
	case need != SpaceParam:
	case obj.role == paramInput && in.Op == "st":
		c.errorf(o.Pos, "store to the parameter %s of the function, expected a variable that is none", quoteShort(o.Name))
		return
	case obj.role == paramResult && in.Op == "ld":
		c.errorf(o.Pos, "load from the result %s of the function, expected a variable that is none", quoteShort(o.Name))
		return
	}
	if obj.kind == objVar && need != SpaceNone && need != SpaceSharedCluster && have != need && f.Space2 == SpaceNone {
		c.errorf(o.Pos, "%s is in .%s, expected a variable in .%s", quoteShort(o.Name), have, need)
	}
}
