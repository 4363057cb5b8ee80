package ptx

import (
	"math"
	"math/bits"
)

// variable checks a declaration and its initialisers.
func (c *checker) variable(d *VarDecl) {
	switch cl := d.Type.Class(); {
	case cl == ClassPacked:
		c.errorf(d.Pos, "variable of type .%s, expected a fundamental type such as .b32", d.Type)
	case cl == ClassPred && d.Space != SpaceReg:
		c.errorf(d.Pos, ".pred variable in .%s, expected .reg", d.Space)
	}
	c.vectorType(d)
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
		if !c.extent(d, v) {
			continue
		}
		if v.Init != nil {
			c.initialiser(d, v)
		}
	}
}

// vectorType checks the type of a vector variable: PTX ISA, "Vectors". Longer ones,
// of PTX 8.8, are operands of ld and st only.
func (c *checker) vectorType(d *VarDecl) {
	switch n := int(d.Vec); {
	case n > 1 && d.Type == Pred:
		c.errorf(d.Pos, "vector of predicates, expected each by itself")
	case n > 4 || n > 1 && n*d.Type.Bits() > 128:
		c.errorf(d.Pos, "variable of %d bits of type .v%d .%s, expected vectors of 2 or 4 elements and at most 128 bits", n*d.Type.Bits(), n, d.Type)
	case n > 1 && d.Space == SpaceParam:
		c.errorf(d.Pos, "vector in .param, expected an array such as .param .align %d .b8 name[%d]", n*d.Type.Bytes(), n*d.Type.Bytes())
	}
}

// moduleVariable checks what variables outside of functions may be: PTX ISA, "State
// Spaces"; the ABI, which has neither registers nor local memory there, is of PTX 3.0.
func (c *checker) moduleVariable(d *VarDecl) {
	switch s := d.Space.Base(); {
	case s == SpaceParam:
		c.errorf(d.Pos, "variable in .param outside of functions, expected one in .global, .const or .shared")
	case (s == SpaceReg || s == SpaceLocal) && c.file.Version.AtLeast(3, 0):
		c.errorf(d.Pos, "variable in .%s outside of functions in PTX %s, expected it in each function", s, c.file.Version)
	}
}

// extent checks the dimensions of a variable. Only variables that another
// module defines, and parameters of functions, may leave their size open.
func (c *checker) extent(d *VarDecl, v *Var) bool {
	size := uint64(max(d.Vec, 1)) * uint64(max(d.Type.Bytes(), 1))
	for k, n := range v.Dims {
		switch {
		case n < 0 && k > 0:
			c.errorf(v.Pos, "dimension %d of %s is open, expected a size", k+1, quoteShort(v.Name))
			return false
		case n < 0 && d.Linkage != LinkExtern && d.Space != SpaceParam && v.Init == nil:
			c.errorf(v.Pos, "%s has no size, expected one in the brackets, an initialiser or .extern", quoteShort(v.Name))
			return false
		case n == 0 && d.Linkage != LinkExtern && d.Space != SpaceParam:
			c.errorf(v.Pos, "dimension %d of %s is 0, expected at least 1", k+1, quoteShort(v.Name))
			return false
		}
		high, low := bits.Mul64(size, uint64(max(n, 1)))
		if high != 0 || low > math.MaxInt64 {
			c.errorf(v.Pos, "%s has 2^63 bytes or more, expected fewer elements", quoteShort(v.Name))
			return false
		}
		size = low
	}
	return true
}

// kernelParameter checks what is required of the parameters of entries only.
func (c *checker) kernelParameter(d *VarDecl) {
	if d.Space != SpaceParam {
		c.errorf(d.Pos, "parameter of an entry in .%s, expected .param", d.Space)
	}
	for i := range d.Vars {
		if v := &d.Vars[i]; len(v.Dims) > 0 && v.Dims[0] < 0 {
			c.errorf(v.Pos, "parameter %s of an entry has no size, expected one in the brackets", quoteShort(v.Name))
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
		size *= n // extent has seen that it fits
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

// alias checks that ".alias name, target;" gives a declared function the body of
// another one: PTX ISA, ".alias". Where target is an alias itself, the chain has
// to end at a body.
func (c *checker) alias(a *Alias) {
	obj, ok := c.known(a.Pos, a.Target, objFunc)
	if !ok {
		return
	}
	seen := map[string]bool{a.Name: true}
	for at := a; ; {
		if seen[at.Target] {
			c.errorf(a.Pos, "%s is an alias of itself through %s, expected one of a function with a body", quoteShort(a.Name), quoteShort(at.Target))
			return
		}
		seen[at.Target] = true
		next := c.aliases[at.Target]
		if next == nil {
			break
		}
		at = next
		if obj, ok = c.known(at.Pos, at.Target, objFunc); !ok {
			return
		}
	}
	own := c.prototypes[a.Name]
	switch {
	case obj.fn.Entry:
		c.errorf(a.Pos, "%s is an alias of the entry %s, expected a .func", quoteShort(a.Name), quoteShort(obj.fn.Name))
	case obj.fn.Body == nil:
		c.errorf(a.Pos, "%s is an alias of %s, which has no body here, expected one that has", quoteShort(a.Name), quoteShort(obj.fn.Name))
	case obj.fn.Linkage == LinkWeak:
		c.errorf(a.Pos, "%s is an alias of %s, which is .weak: another module may replace it, expected one without", quoteShort(a.Name), quoteShort(obj.fn.Name))
	case own == nil:
		c.errorf(a.Pos, "%s is not declared, expected a prototype such as .func %s; before the alias", quoteShort(a.Name), a.Name)
	case own.Body != nil:
		c.errorf(a.Pos, "%s has a body of its own, expected a prototype", quoteShort(a.Name))
	case len(own.Rets) != len(obj.fn.Rets) || len(own.Params) != len(obj.fn.Params):
		c.errorf(a.Pos, "%s has %d results and %d parameters, expected %d and %d as %s has", quoteShort(a.Name),
			len(own.Rets), len(own.Params), len(obj.fn.Rets), len(obj.fn.Params), quoteShort(obj.fn.Name))
	}
}
