package ptx

import "errors"

// Check finds the errors of f that its grammar allows: undeclared and duplicate
// names, unknown opcodes and modifiers, wrong operand counts, types and widths
// that do not fit, unknown targets. It says nothing about what can be executed:
// a module without an entry is a library. The error is an ErrorList.
func Check(f *File) error {
	c := checker{rep: reporter{file: f.Name}, forms: make(map[formKey]formResult), aliases: make(map[string]*Alias), prototypes: make(map[string]*Func), file: f}
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
			c.moduleVariable(d)
			c.variable(d)
		case *Alias:
			c.alias(d)
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
	rep     reporter
	file    *File
	scope   *scope
	takes   sources // of the instruction at hand
	forms   map[formKey]formResult
	aliases map[string]*Alias // by name
	// prototypes are the functions that are aliased, as declared.
	prototypes map[string]*Func
}

func (c *checker) errorf(pos Pos, format string, args ...any) { c.rep.add(pos, format, args...) }

// header checks the directives that every module has.
func (c *checker) header() {
	f := c.file
	c.version()
	if len(f.Targets) == 0 {
		c.errorf(Pos{1, 1}, "no .target directive, expected one")
	}
	c.targets()
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
			c.aliases[d.Name] = d
			if o, ok := c.scope.lookup(d.Name); ok && o.kind == objFunc {
				c.prototypes[d.Name] = o.fn
			}
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

// function checks a function in a scope of its own.
func (c *checker) function(f *Func) {
	outer := c.scope
	c.scope = newScope(outer)
	roles := [...]paramRole{paramResult, paramInput}
	for i, list := range [][]*VarDecl{f.Rets, f.Params} {
		for _, d := range list {
			c.variable(d)
			c.declareVars(d)
			for j := range d.Vars {
				if o, ok := c.scope.names[d.Vars[j].Name]; ok && d.Space == SpaceParam {
					o.role = roles[i]
					c.scope.names[d.Vars[j].Name] = o
				}
			}
			if f.Entry {
				c.kernelParameter(d)
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
