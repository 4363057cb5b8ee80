package ptx

import (
	"errors"
	"math"
	"math/bits"
)

// Check finds the errors of f that its grammar allows: undeclared and
// duplicate names, unknown opcodes and modifiers, wrong operand counts, types
// and widths that do not fit, a module without an entry. It says nothing
// about what can be executed. The error is an ErrorList.
func Check(f *File) error {
	c := checker{rep: reporter{file: f.Name}, forms: make(map[formKey]formResult), file: f}
	c.scope = newScope(nil)
	c.header()
	c.collect()
	for _, d := range f.Decls {
		if c.rep.full() {
			break
		}
		switch d := d.(type) {
		case *Func:
			c.function(d)
		case *VarDecl:
			c.variable(d)
		case *Alias:
			c.known(d.Pos, d.Target, objFunc)
		}
	}
	return c.rep.err()
}

// formKey identifies an opcode with modifiers: parsing shares the slices.
type formKey struct {
	op       string
	mods     *string
	operands int
}

type formResult struct {
	form Form
	err  error
}

type checker struct {
	rep   reporter
	file  *File
	scope *scope
	forms map[formKey]formResult
}

func (c *checker) errorf(pos Pos, format string, args ...any) { c.rep.add(pos, format, args...) }

// header checks the directives that every module has.
func (c *checker) header() {
	f := c.file
	if f.Version == (Version{}) {
		c.errorf(Pos{1, 1}, "no .version directive, expected one")
	}
	if len(f.Targets) == 0 {
		c.errorf(Pos{1, 1}, "no .target directive, expected one")
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*Func); ok && fn.Entry && fn.Body != nil {
			return
		}
	}
	c.errorf(Pos{1, 1}, "no .entry, expected a kernel in the module")
}

// collect declares the module's names: they may be used before the line that
// declares them.
func (c *checker) collect() {
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *Func:
			c.declare(d.Name, object{kind: objFunc, count: -1, pos: d.NamePos, fn: d, again: d.Body == nil || d.Linkage == LinkWeak})
		case *VarDecl:
			c.declareVars(d)
		case *Alias:
			if o, ok := c.scope.lookup(d.Target); ok {
				o.again = true
				c.declare(d.Name, o)
			}
		}
	}
}

func (c *checker) declare(name string, o object) {
	if old, clash := c.scope.declare(name, o); clash {
		c.errorf(o.pos, "%s is declared twice in one scope, expected another name; first at %d:%d",
			quoteShort(name), old.pos.Line, old.pos.Col)
	}
}

func (c *checker) declareVars(d *VarDecl) {
	kind := objVar
	if d.Space == SpaceReg {
		kind = objReg
	}
	again := d.Linkage == LinkExtern || d.Linkage == LinkCommon || d.Linkage == LinkWeak
	for i := range d.Vars {
		v := &d.Vars[i]
		c.declare(v.Name, object{kind: kind, typ: d.Type, vec: d.Vec, space: d.Space, count: v.Count, pos: v.Pos, again: again})
	}
}

// known reports a name that is not declared, or not as one of the kinds.
func (c *checker) known(pos Pos, name string, kinds ...objectKind) (object, bool) {
	o, ok := c.scope.lookup(name)
	if !ok {
		c.errorf(pos, "%s is not declared, expected %s", quoteShort(name), kindNames(kinds))
		return o, false
	}
	for _, k := range kinds {
		if o.kind == k {
			return o, true
		}
	}
	c.errorf(pos, "%s is %s, expected %s", quoteShort(name), objectNames[o.kind], kindNames(kinds))
	return o, false
}

func kindNames(kinds []objectKind) string {
	s := ""
	for i, k := range kinds {
		switch {
		case i > 0 && i == len(kinds)-1:
			s += " or "
		case i > 0:
			s += ", "
		}
		s += objectNames[k]
	}
	return s
}

// variable checks a declaration and its initialisers.
func (c *checker) variable(d *VarDecl) {
	switch cl := d.Type.Class(); {
	case cl == ClassPacked:
		c.errorf(d.Pos, "variable of type .%s, expected a fundamental type such as .b32", d.Type)
	case cl == ClassPred && d.Space != SpaceReg:
		c.errorf(d.Pos, ".pred variable in .%s, expected .reg", d.Space)
	}
	if d.Align != 0 && bits.OnesCount32(uint32(d.Align)) != 1 || d.Align < 0 {
		c.errorf(d.Pos, "alignment is %d, expected a power of two", d.Align)
	}
	for i := range d.Vars {
		v := &d.Vars[i]
		if d.Space == SpaceReg {
			if len(v.Dims) > 0 || v.Init != nil {
				c.errorf(v.Pos, "register %s is an array or initialised, expected a plain name", quoteShort(v.Name))
			}
			continue
		}
		if v.Count >= 0 {
			c.errorf(v.Pos, "variable %s is a range, expected .reg or a plain name", quoteShort(v.Name))
		}
		for k, n := range v.Dims {
			if n < 0 && k > 0 {
				c.errorf(v.Pos, "dimension %d of %s is open, expected a size", k+1, quoteShort(v.Name))
			}
		}
		if v.Init != nil {
			c.initialiser(d, v)
		}
	}
}

func (c *checker) initialiser(d *VarDecl, v *Var) {
	if d.Space != SpaceGlobal && d.Space != SpaceConst {
		c.errorf(v.Init.Pos, "initialised variable in .%s, expected .global or .const", d.Space)
		return
	}
	if d.Type.Class() == ClassOpaque {
		return
	}
	size := int64(d.Vec)
	for _, n := range v.Dims {
		if n < 0 {
			size = math.MaxInt64 // as long as its initialiser
			break
		}
		if n != 0 && size > math.MaxInt64/n {
			c.errorf(v.Pos, "array %s is too large, expected fewer elements", quoteShort(v.Name))
			return
		}
		size *= n
	}
	if n := c.initElements(d.Type, v.Init); n > size {
		c.errorf(v.Init.Pos, "%d initialisers, expected at most %d", n, size)
	}
}

// initElements checks the leaves of an initialiser and counts them.
func (c *checker) initElements(t Type, o *Operand) (n int64) {
	bad := ""
	switch o.Kind {
	case KindVec:
		for i := range o.Sub {
			n += c.initElements(t, &o.Sub[i])
		}
		return n
	case KindInt:
	case KindF32, KindF64:
		if t.Integer() {
			bad = "a float"
		}
	case KindName, KindMask:
		sym := o
		if o.Kind == KindMask {
			sym = &o.Sub[0]
		} else if t.Bits() < 32 || t.Float() {
			bad = "an address"
		}
		if obj, ok := c.known(sym.Pos, sym.Name, objVar, objFunc, objLabel); ok && obj.kind == objLabel {
			return 1
		}
	default:
		bad = "something else"
	}
	if bad != "" {
		c.errorf(o.Pos, "%s initialises a .%s, expected a constant of the type", bad, t)
	}
	return 1
}

// function checks a function in a scope of its own.
func (c *checker) function(f *Func) {
	outer := c.scope
	c.scope = newScope(outer)
	for _, list := range [][]*VarDecl{f.Rets, f.Params} {
		for _, d := range list {
			c.variable(d)
			c.declareVars(d)
			if f.Entry && d.Space != SpaceParam {
				c.errorf(d.Pos, "parameter of an entry in .%s, expected .param", d.Space)
			}
		}
	}
	if f.Body != nil {
		c.stmts(f.Body.Stmts)
	}
	c.scope = outer
}

// stmts checks the statements of a scope. Labels are known in all of it,
// everything else from its declaration on.
func (c *checker) stmts(list []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Label:
			c.declare(s.Name, object{kind: objLabel, count: -1, pos: s.Pos})
		case *BranchTargets:
			c.declare(s.Name, object{kind: objBranchTargets, count: -1, pos: s.Pos})
		case *CallTargets:
			c.declare(s.Name, object{kind: objCallTargets, count: -1, pos: s.Pos})
		case *CallPrototype:
			c.declare(s.Name, object{kind: objPrototype, count: -1, pos: s.Pos, proto: s})
		}
	}
	for _, s := range list {
		if c.rep.full() {
			return
		}
		switch s := s.(type) {
		case *Inst:
			c.inst(s)
		case *Call:
			c.call(s)
		case *VarDecl:
			c.variable(s)
			c.declareVars(s)
		case *Block:
			c.scope = newScope(c.scope)
			c.stmts(s.Stmts)
			c.scope = c.scope.parent
		case *BranchTargets:
			for _, l := range s.Labels {
				c.known(s.Pos, l, objLabel)
			}
		case *CallTargets:
			for _, l := range s.Funcs {
				c.known(s.Pos, l, objFunc)
			}
		}
	}
}

// form resolves an instruction by the table, once for equal ones.
func (c *checker) form(op string, mods []string, operands int, pos Pos) (*Form, bool) {
	key := formKey{op: op, operands: operands}
	if len(mods) > 0 {
		key.mods = &mods[0]
	}
	r, ok := c.forms[key]
	if !ok {
		r.form, r.err = resolve(op, mods, operands, pos)
		c.forms[key] = r
	}
	if r.err != nil {
		var e *Error
		if errors.As(r.err, &e) {
			c.errorf(pos, "%s", e.Msg)
		}
		return nil, false
	}
	return &r.form, true
}
