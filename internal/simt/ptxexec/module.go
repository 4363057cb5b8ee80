package ptxexec

import (
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// module declares the names of module scope, and places global and constant
// variables.
func (l *lowerer) module() {
	l.out.nextGlobal = globalBase64
	if l.file.AddressSize == 32 {
		l.out.nextGlobal = globalBase32
	}
	var vars []*ptx.VarDecl
	var aliases []*ptx.Alias
	for _, d := range l.file.Decls {
		switch d := d.(type) {
		case *ptx.FileDirective:
			l.files[d.Index] = d.Name
		case *ptx.Func:
			if old := l.byName[d.Name]; old == nil || old.Body == nil {
				l.byName[d.Name] = d
			}
		case *ptx.VarDecl:
			vars = append(vars, d)
		case *ptx.Alias:
			aliases = append(aliases, d)
		}
	}
	for _, a := range aliases {
		if l.byName[a.Target] != nil {
			l.byName[a.Name] = l.byName[a.Target]
		}
	}
	for _, d := range vars {
		l.variableDecl(d, l.global)
	}
	l.initialiseAll()
}

// initialiseAll writes the initialisers of the variables declared so far; they
// may name variables declared after their own.
func (l *lowerer) initialiseAll() {
	for _, init := range l.inits {
		before := len(l.errs)
		l.initialise(init)
		if len(l.errs) > before {
			init.sym.wrong = l.errs[before]
			l.errs = l.errs[:before]
		}
	}
	l.inits = nil
}

// pendingInit is an initialiser whose symbols are not all known yet.
type pendingInit struct {
	variable int
	sym      *symbol
	decl     *ptx.VarDecl
	v        *ptx.Var
	scope    *scope
}

// variableDecl declares variables in global, constant or shared memory.
func (l *lowerer) variableDecl(d *ptx.VarDecl, sc *scope) {
	for i := range d.Vars {
		v := &d.Vars[i]
		size, align, unsized := layout(d, v)
		sym := &symbol{name: v.Name, pos: v.Pos, typ: d.Type, size: size, align: align}
		switch d.Space.Base() {
		case ptx.SpaceShared:
			sym.kind, sym.space, sym.pending = symMemory, isa.Shared, true
			if unsized {
				sym.kind, sym.pending = symDynamic, false
			}
		case ptx.SpaceGlobal, ptx.SpaceConst:
			sym.kind, sym.space = symMemory, isa.Global
			if d.Space.Base() == ptx.SpaceConst {
				sym.space = isa.Const
			}
			if unsized || d.Linkage == ptx.LinkExtern {
				sym.kind = symExternal
				break
			}
			l.placeVariable(d, v, sym, sc)
		case ptx.SpaceLocal:
			// At module scope, as before PTX 3.0: every thread has one.
			sym.kind, sym.space, sym.pending = symMemory, isa.Local, true
		case ptx.SpaceTex: // the notation before PTX 1.5
			sym.kind, sym.typ, sym.pending = symTexture, ptx.TexRef, true
		default:
			continue
		}
		if old := sc.syms[v.Name]; old == nil || old.kind == symExternal {
			sc.syms[v.Name] = sym
		}
	}
}

// placeVariable gives a global or constant variable an address and contents.
// Variables of texture types are not memory.
func (l *lowerer) placeVariable(d *ptx.VarDecl, v *ptx.Var, sym *symbol, sc *scope) {
	if d.Type.Class() == ptx.ClassOpaque {
		sym.kind = symExternal
		if d.Type != ptx.SurfRef {
			sym.kind, sym.pending = symTexture, true
		}
		return
	}
	if sym.size > maxVariableBytes {
		l.errorf(v.Pos, "variable %s has more than %d bytes", v.Name, uint64(maxVariableBytes))
		return
	}
	next := &l.out.nextGlobal
	if sym.space == isa.Const {
		if l.constEnd == 0 {
			l.constEnd = constWindow
		}
		next = &l.constEnd
	}
	sym.addr = alignUp(*next, max(sym.align, bufferAlign))
	*next = nextBuffer(sym.addr, sym.size)
	if sym.space == isa.Const && *next > constWindow+windowBytes {
		l.errorf(v.Pos, "the constant variables take more than %d bytes", windowBytes)
	}
	l.out.variables = append(l.out.variables, variable{name: v.Name, base: sym.addr, size: sym.size, constant: sym.space == isa.Const})
	if v.Init != nil {
		l.inits = append(l.inits, pendingInit{variable: len(l.out.variables) - 1, sym: sym, decl: d, v: v, scope: sc})
	}
}

// initialise writes the contents of a variable.
func (l *lowerer) initialise(p pendingInit) {
	out := &l.out.variables[p.variable]
	c := contents{l: l, typ: p.decl.Type, scope: p.scope, size: out.size, data: []byte{}}
	if p.decl.Type.Bytes() == 0 {
		l.errorf(p.v.Pos, "a variable of type %s has no initialiser", p.decl.Type)
		return
	}
	c.fill(0, p.v.Init, p.v.Dims)
	out.init = c.data
}

// contents is an initialiser being written: the bytes up to the last one that
// is given, the others being zero.
type contents struct {
	l     *lowerer
	typ   ptx.Type
	scope *scope
	size  uint64
	data  []byte
}

// fill writes o from byte at on. dims are the dimensions that remain, the first
// of which may be unknown. It reports whether to continue.
func (c *contents) fill(at uint64, o *ptx.Operand, dims []int64) bool {
	width := uint64(c.typ.Bytes())
	if o.Kind == ptx.KindVec {
		stride := width
		if len(dims) > 1 {
			for _, d := range dims[1:] {
				stride *= uint64(max(d, 0))
			}
			dims = dims[1:]
		}
		for i := range o.Sub {
			step := stride
			if o.Sub[i].Kind != ptx.KindVec {
				// A flat list fills a nested array element by element.
				step = width
			}
			if !c.fill(at+uint64(i)*step, &o.Sub[i], dims) {
				return false
			}
		}
		return true
	}
	if at > c.size || c.size-at < width {
		c.l.errorf(o.Pos, "the initialiser is larger than its variable of %d bytes", c.size)
		return false
	}
	x, ok := c.l.initialValue(o, c.typ, c.scope)
	if !ok {
		return false
	}
	for uint64(len(c.data)) < at+width {
		c.data = append(c.data, 0)
	}
	for i := range min(width, 8) {
		c.data[at+i] = byte(x >> (8 * i))
	}
	return true
}

func (l *lowerer) initialValue(o *ptx.Operand, t ptx.Type, sc *scope) (uint64, bool) {
	switch o.Kind {
	case ptx.KindInt, ptx.KindF32, ptx.KindF64:
		return literal(o, t), true
	case ptx.KindMask:
		// 0xFF00(sym) is one byte of an address, the one the mask covers.
		x, ok := l.initialValue(&o.Sub[0], ptx.U64, sc)
		if !ok || o.Imm == 0 {
			return 0, ok
		}
		shift := 0
		for o.Imm>>shift&1 == 0 {
			shift++
		}
		return x & o.Imm >> shift, true
	case ptx.KindName:
		sym := sc.find(o.Name)
		if fn := l.byName[o.Name]; sym == nil && fn != nil {
			return l.functionAddress(fn) + o.Imm, true
		}
		if sym == nil || sym.kind != symMemory {
			l.refuse(o.Pos, "initialiser "+o.Name, "only the addresses of variables in global and constant memory are")
			return 0, false
		}
		if sym.space != isa.Global && sym.space != isa.Const {
			l.refuse(o.Pos, "initialiser "+o.Name, "only the addresses of variables in global and constant memory are")
			return 0, false
		}
		return sym.addr + o.Imm, true
	}
	l.errorf(o.Pos, "an initialiser that is neither number nor name")
	return 0, false
}

// use gives a shared variable, or a local one of module scope, its place the
// first time the kernel names it. The latter are in the kernel's own frame.
func (l *lowerer) use(sym *symbol) {
	if sym.kind == symDynamic {
		for _, d := range l.dynamic {
			if d == sym {
				return
			}
		}
		l.dynamic = append(l.dynamic, sym)
		l.dynAlign = max(l.dynAlign, sym.align)
		return
	}
	if !sym.pending {
		return
	}
	sym.pending = false
	if sym.space == isa.Local {
		kernel := l.states[0]
		sym.addr = kernel.place(sym.size, sym.align)
		l.prog.LocalBytes += int64(sym.size)
		if kernel.frame > maxLocalBytes {
			l.errs.Addf(l.is.Pos, "the local variables take more than %d bytes", maxLocalBytes)
			kernel.frame = 0
		}
		return
	}
	sym.addr = alignUp(uint64(l.prog.SharedBytes), sym.align)
	if end := sym.addr + sym.size; end > windowBytes {
		l.errorf(sym.pos, "with %s the shared variables take %d bytes, expected at most %d", sym.name, end, windowBytes)
		return
	}
	l.prog.SharedBytes = int64(sym.addr + sym.size)
	l.out.sharedArrays = append(l.out.sharedArrays, sharedArray{sym.name, sym.addr, sym.size})
}
