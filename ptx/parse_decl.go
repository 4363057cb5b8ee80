package ptx

import "math"

var linkages = map[string]Linkage{
	"extern": LinkExtern, "visible": LinkVisible, "weak": LinkWeak, "common": LinkCommon,
}

var declSpaces = map[string]Space{
	"reg": SpaceReg, "sreg": SpaceSreg, "const": SpaceConst, "global": SpaceGlobal,
	"local": SpaceLocal, "param": SpaceParam, "shared": SpaceShared, "tex": SpaceTex,
}

// linked parses a function or a variable with its linking directive.
func (p *parser) linked() (Decl, bool) {
	pos := p.tok.pos
	link := p.linkage()
	switch {
	case p.isDot("entry"), p.isDot("func"):
		return nonNil[Decl](p.function(pos, link))
	case p.is(tokDot) && declSpaces[p.text()[1:]] != SpaceNone:
		v := p.varDecl(pos, link, false)
		if v == nil {
			return nil, false
		}
		return v, p.end("the declaration")
	}
	if link != LinkNone {
		p.expected(".entry, .func or a state space such as .global")
	} else {
		p.expected("a module-level directive")
	}
	return nil, false
}

func (p *parser) linkage() Linkage {
	if p.is(tokDot) {
		if l := linkages[p.text()[1:]]; l != LinkNone {
			p.advance()
			return l
		}
	}
	return LinkNone
}

// function parses from .entry or .func to the end of the body or the ';' of
// a prototype.
func (p *parser) function(pos Pos, link Linkage) *Func {
	f := &Func{Pos: pos, Linkage: link, Entry: p.isDot("entry")}
	p.advance()
	if !p.directives(f) {
		return nil
	}
	if p.is('(') && !f.Entry {
		if f.Rets = p.params(); f.Rets == nil {
			return nil
		}
	}
	var ok bool
	if f.Name, f.NamePos, ok = p.ident("the name of the function"); !ok {
		return nil
	}
	if p.is('(') {
		if f.Params = p.params(); f.Params == nil {
			return nil
		}
	}
	if !p.directives(f) {
		return nil
	}
	p.loc = 0
	switch {
	case p.is('{'):
		if f.Body = p.block(); f.Body == nil {
			return nil
		}
	case p.is(';'):
		p.advance()
	case !f.Entry && p.atDeclaration():
		// Prototypes end without a semicolon in what nvcc wrote up to 4.0.
	default:
		p.expected("a performance directive, '{' and the body, or ';'")
		return nil
	}
	return f
}

// atDeclaration reports whether the token begins a module-level declaration.
func (p *parser) atDeclaration() bool {
	if !p.is(tokDot) {
		return false
	}
	word := p.text()[1:]
	return startsDeclaration[word] || declSpaces[word] != SpaceNone || word == "alias"
}

// directives parses what may stand between a function's head and its body.
func (p *parser) directives(f *Func) bool {
	for p.is(tokDot) && (f.Entry || !p.atDeclaration()) {
		if p.isDot("attribute") {
			p.advance()
			a, ok := p.attributes()
			if !ok {
				return false
			}
			f.Attributes = append(f.Attributes, a...)
			continue
		}
		d, ok := p.directive()
		if !ok {
			return false
		}
		f.Directives = append(f.Directives, d...)
	}
	return true
}

// directiveArgs says how many integers a function's directive takes.
var directiveArgs = map[string]struct{ min, max int }{
	"maxntid": {1, 3}, "reqntid": {1, 3}, "reqnctapercluster": {1, 3},
	"minnctapersm": {1, 1}, "maxnctapersm": {1, 1}, "maxnreg": {1, 1}, "maxclusterrank": {1, 1},
	"local_maxnreg": {1, 1},
	"noreturn":      {}, "noinline": {}, "explicitcluster": {}, "blocksareclusters": {}, "unique": {},
	"abi_preserve": {1, 1}, "abi_preserve_control": {1, 1},
}

// directive parses one directive of a function; a .pragma may hold several.
func (p *parser) directive() ([]Directive, bool) {
	d := Directive{Pos: p.tok.pos, Name: p.text()[1:]}
	if d.Name == "pragma" {
		g := p.pragma()
		if g == nil {
			return nil, false
		}
		var ds []Directive
		for _, s := range g.Text {
			ds = append(ds, Directive{Pos: g.Pos, Name: "pragma", Text: s})
		}
		return ds, true
	}
	n, ok := directiveArgs[d.Name]
	if !ok {
		p.expected("a performance directive such as .maxntid, '{' or ';'")
		return nil, false
	}
	p.advance()
	for i := 0; i < n.max; i++ {
		if i >= n.min && !p.got(',') {
			break
		}
		v, ok := p.integer("the argument of ."+d.Name, math.MaxInt32)
		if !ok {
			return nil, false
		}
		d.Args = append(d.Args, int64(v))
	}
	return []Directive{d}, true
}

// params parses "(" parameters ")"; never nil unless broken.
func (p *parser) params() []*VarDecl {
	p.advance()
	list := []*VarDecl{}
	for !p.is(')') {
		v := p.varDecl(p.tok.pos, LinkNone, true)
		if v == nil {
			return nil
		}
		list = append(list, v)
		if !p.got(',') {
			break
		}
	}
	if !p.want(')', "',' or ')' after the parameter") {
		return nil
	}
	return list
}

// varDecl parses from the state space to the last name, not the ';'.
func (p *parser) varDecl(pos Pos, link Linkage, param bool) *VarDecl {
	d := &VarDecl{Pos: pos, Linkage: link, Bank: -1, Vec: 1}
	if p.is(tokDot) {
		d.Space = declSpaces[p.text()[1:]]
	}
	if d.Space == SpaceNone || param && d.Space != SpaceParam && d.Space != SpaceReg {
		p.expected(".param or .reg")
		return nil
	}
	p.advance()
	if d.Space == SpaceConst && p.got('[') {
		var ok bool
		if d.Bank, ok = p.int32("a bank number"); !ok || !p.want(']', "']'") {
			return nil
		}
	}
	for p.is(tokDot) {
		if !p.varAttr(d) {
			return nil
		}
	}
	if d.Type == TypeNone {
		p.expected("a type such as .u32")
		return nil
	}
	for {
		if !p.declarator(d) {
			return nil
		}
		if param || !p.got(',') {
			return d
		}
	}
}

// varAttr parses one of the dotted words between state space and name.
func (p *parser) varAttr(d *VarDecl) bool {
	word := p.text()[1:]
	switch word {
	case "align":
		p.advance()
		pos := p.tok.pos
		n, ok := p.int32("an alignment in bytes")
		if !ok {
			return false
		}
		if n == 0 {
			p.errorf(pos, "alignment is 0, expected a power of two")
		}
		if d.Ptr != nil {
			d.Ptr.Align = n
		} else {
			d.Align = n
		}
		return true
	case "v2", "v4", "v8":
		d.Vec = word[1] - '0'
	case "ptr":
		d.Ptr = &PtrAttr{}
	case "attribute":
		p.advance()
		a, ok := p.attributes()
		d.Attributes = append(d.Attributes, a...)
		return ok
	default:
		t, s := typeByName[word], declSpaces[word]
		switch {
		case t != TypeNone && d.Type == TypeNone:
			d.Type = t
		case s != SpaceNone && d.Ptr != nil && d.Ptr.Space == SpaceNone:
			d.Ptr.Space = s
		default:
			p.expected("a type, .align, .v2, .v4, .ptr, .attribute or a name")
			return false
		}
	}
	p.advance()
	return true
}

// attributes parses "(.managed, .unified(1, 2))".
func (p *parser) attributes() (list []Attribute, ok bool) {
	if !p.want('(', "'(' after .attribute") {
		return nil, false
	}
	for {
		if !p.is(tokDot) {
			p.expected("an attribute such as .managed")
			return nil, false
		}
		a := Attribute{Name: p.text()[1:]}
		p.advance()
		if p.got('(') {
			for {
				v, ok := p.integer("an integer", math.MaxUint64)
				if !ok {
					return nil, false
				}
				a.Args = append(a.Args, v)
				if !p.got(',') {
					break
				}
			}
			if !p.want(')', "')'") {
				return nil, false
			}
		}
		list = append(list, a)
		if !p.got(',') {
			break
		}
	}
	return list, p.want(')', "',' or ')' after the attribute")
}

// declarator parses name{<n>}{[dims]}{= init} into d.
func (p *parser) declarator(d *VarDecl) bool {
	v := Var{Count: -1}
	var ok bool
	if v.Name, v.Pos, ok = p.ident("a name"); !ok {
		return false
	}
	if p.got('<') {
		if v.Count, ok = p.int32("a number of registers"); !ok || !p.want('>', "'>' after the number of registers") {
			return false
		}
	}
	for p.is('[') {
		p.advance()
		n := int64(-1)
		if !p.is(']') {
			if n, ok = p.dim(); !ok {
				return false
			}
		}
		if !p.want(']', "']' after the array dimension") {
			return false
		}
		v.Dims = append(v.Dims, n)
	}
	if p.got('=') {
		init, ok := p.operand()
		if !ok {
			return false
		}
		v.Init = &init
	}
	d.Vars = append(d.Vars, v)
	return true
}

// dim parses an array dimension, a constant expression.
func (p *parser) dim() (int64, bool) {
	pos := p.tok.pos
	c, ok := p.constExpr()
	if !ok {
		return 0, false
	}
	if c.kind != KindInt || c.bits > math.MaxInt64 {
		p.errorf(pos, "array dimension is not a non-negative integer, expected one")
		return 0, false
	}
	return int64(c.bits), true
}
