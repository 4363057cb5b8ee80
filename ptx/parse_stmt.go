package ptx

import (
	"slices"
	"strings"
)

// block parses a brace and what follows up to its end. nil means that the
// file ended first or nests too deep.
func (p *parser) block() *Block {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	b := &Block{Pos: p.tok.pos}
	p.advance()
	p.open = 0
	base := len(p.stStack)
	for !p.is('}') {
		if p.is(tokEOF) {
			if !p.stopped {
				p.errorf(b.Pos, "block is not closed, expected '}'")
				p.stop()
			}
			return nil
		}
		start := p.tok.start
		s, ok := p.stmt()
		if s != nil {
			p.stStack = append(p.stStack, s)
		}
		if ok {
			continue
		}
		if p.atFunction() {
			return nil // the next function begins inside of this one
		}
		p.resync()
		if p.tok.start == start && !p.is(tokEOF) && !p.is('}') {
			p.advance()
		}
	}
	b.End = p.tok.pos
	p.advance()
	b.Stmts = slices.Clone(p.stStack[base:])
	clear(p.stStack[base:])
	p.stStack = p.stStack[:base]
	return b
}

// stmt parses one statement; it may be nil (an empty one). false asks for
// recovery.
func (p *parser) stmt() (Stmt, bool) {
	switch p.tok.kind {
	case tokIdent:
		return p.instOrLabel(Guard{}, p.tok.pos)
	case '@':
		return p.guarded()
	case tokDot:
		return p.directiveStmt()
	case '{':
		return nonNil[Stmt](p.block())
	case ';':
		p.advance()
		return nil, true
	}
	p.expected("an instruction, a label or a directive")
	return nil, false
}

// guarded parses "@p" or "@!p" and the instruction behind it.
func (p *parser) guarded() (Stmt, bool) {
	if d := p.dwarf(); d != nil {
		return d, true
	}
	pos := p.tok.pos
	p.advance()
	g := Guard{Pos: p.tok.pos}
	g.Neg = p.got('!')
	var ok bool
	if g.Reg, _, ok = p.ident("a predicate register"); !ok {
		return nil, false
	}
	if !p.is(tokIdent) {
		p.expected("an instruction after the guard")
		return nil, false
	}
	return p.instOrLabel(g, pos)
}

// directiveStmt parses a statement that begins with a directive.
func (p *parser) directiveStmt() (Stmt, bool) {
	word := p.text()[1:]
	switch word {
	case "loc":
		return nonNil[Stmt](p.locDirective())
	case "pragma":
		return nonNil[Stmt](p.pragma())
	case "file":
		return nonNil[Stmt](p.fileDirective())
	case "section":
		return nonNil[Stmt](p.section())
	case "branchtargets", "calltargets", "callprototype":
		p.errorf(p.tok.pos, "directive .%s has no label, expected one before it", word)
		return nil, false
	}
	pos := p.tok.pos
	link := p.linkage()
	if p.atFunction() {
		p.errorf(p.tok.pos, "function begins inside of a block, expected '}' before it")
		return nil, false
	}
	if !p.is(tokDot) || declSpaces[p.text()[1:]] == SpaceNone {
		p.expected("a state space such as .reg, or a statement")
		return nil, false
	}
	d := p.varDecl(pos, link, false)
	if d == nil {
		return nil, false
	}
	return d, p.end("the declaration")
}

// instOrLabel parses what begins with an identifier: a label, or an opcode
// with its modifiers and operands. pos is where the statement begins.
func (p *parser) instOrLabel(g Guard, pos Pos) (Stmt, bool) {
	start := p.tok.start
	text := p.lex.src[start:p.lex.dots()]
	p.advance()
	if p.is(':') && g.Reg == "" && strings.IndexByte(text, '.') < 0 {
		p.advance()
		return p.label(text, pos)
	}
	var op opcode
	if p.is(tokDot) {
		op = p.scatteredOpcode(text)
	} else {
		op = p.opcode(text)
	}
	if op.op == "call" {
		return nonNil[Stmt](p.call(g, pos, op))
	}
	in := p.newInst()
	*in = Inst{Pos: pos, Loc: p.loc, Guard: g, Op: op.op, Mods: op.mods}
	if p.got(';') {
		return in, true
	}
	base := len(p.opStack)
	for {
		o, ok := p.operand()
		if !ok {
			p.opStack = p.opStack[:base]
			return nil, false
		}
		p.opStack = append(p.opStack, o)
		if !p.got(',') {
			break
		}
	}
	in.Operands = p.cut(base)
	return in, p.end("the operands")
}

// opcode splits and interns "mad.lo.s32".
func (p *parser) opcode(text string) opcode {
	if o, ok := p.ops[text]; ok {
		return o
	}
	parts := strings.Split(text, ".")
	o := opcode{op: parts[0]}
	if len(parts) > 1 {
		o.mods = parts[1:]
	}
	p.ops[text] = o
	return o
}

// scatteredOpcode collects modifiers that white space separates from what
// they belong to.
func (p *parser) scatteredOpcode(text string) opcode {
	var sb strings.Builder
	sb.WriteString(text)
	for p.is(tokDot) {
		sb.WriteString(p.text())
		p.advance()
	}
	return p.opcode(sb.String())
}

// label parses what may stand behind "name:": one of the directives that a
// label names, or nothing.
func (p *parser) label(name string, pos Pos) (Stmt, bool) {
	switch {
	case p.isDot("branchtargets"):
		p.advance()
		list, ok := p.names("a label")
		return &BranchTargets{pos, name, list}, ok && p.end(".branchtargets")
	case p.isDot("calltargets"):
		p.advance()
		list, ok := p.names("the name of a function")
		return &CallTargets{pos, name, list}, ok && p.end(".calltargets")
	case p.isDot("callprototype"):
		return nonNil[Stmt](p.prototype(name, pos))
	}
	return &Label{pos, name}, true
}

func (p *parser) names(what string) (list []string, ok bool) {
	for {
		s, _, ok := p.ident(what)
		if !ok {
			return nil, false
		}
		list = append(list, s)
		if !p.got(',') {
			return list, true
		}
	}
}

// prototype parses .callprototype (rets) _ (params) directives;
func (p *parser) prototype(name string, pos Pos) *CallPrototype {
	c := &CallPrototype{Pos: pos, Name: name}
	p.advance()
	if p.is('(') {
		if c.Rets = p.params(); c.Rets == nil {
			return nil
		}
	}
	if !p.is(tokIdent) || p.text() != "_" {
		p.expected("'_' in the place of the function's name")
		return nil
	}
	p.advance()
	if p.is('(') {
		if c.Params = p.params(); c.Params == nil {
			return nil
		}
	}
	for p.is(tokDot) {
		d, ok := p.directive()
		if !ok {
			return nil
		}
		c.Directives = append(c.Directives, d...)
	}
	if !p.end(".callprototype") {
		return nil
	}
	return c
}

// call parses what follows "call.uni": (rets), callee, (args), targets;
func (p *parser) call(g Guard, pos Pos, op opcode) *Call {
	c := &Call{Pos: pos, Loc: p.loc, Guard: g, Mods: op.mods}
	ok := true
	if p.is('(') {
		if c.Rets, ok = p.list(); !ok || !p.want(',', "',' and the function to call") {
			return nil
		}
	}
	at := p.tok.pos
	if c.Callee, ok = p.operand(); !ok {
		return nil
	}
	if c.Callee.Kind != KindName {
		p.errorf(at, "call of something without a name, expected a function or a register")
		return nil
	}
	if p.got(',') {
		if p.is('(') {
			if c.Args, ok = p.list(); !ok {
				return nil
			}
			ok = p.got(',')
		}
		if ok {
			if c.Targets, c.TargetsPos, ok = p.ident("arguments in parentheses, or the targets of the call"); !ok {
				return nil
			}
		}
	}
	if !p.end("the call") {
		return nil
	}
	return c
}

// list parses "(" operands ")".
func (p *parser) list() ([]Operand, bool) {
	p.advance()
	base := len(p.opStack)
	for !p.is(')') {
		o, ok := p.operand()
		if !ok {
			p.opStack = p.opStack[:base]
			return nil, false
		}
		p.opStack = append(p.opStack, o)
		if !p.got(',') {
			break
		}
	}
	list := p.cut(base)
	if !p.want(')', "',' or ')' in the list") {
		return nil, false
	}
	return list, true
}

const slabSize = 512

func (p *parser) newInst() *Inst {
	if len(p.instSlab) == 0 {
		p.instSlab = make([]Inst, slabSize)
	}
	in := &p.instSlab[0]
	p.instSlab = p.instSlab[1:]
	return in
}

// cut moves the operands above base from the stack into a slab.
func (p *parser) cut(base int) []Operand {
	n := len(p.opStack) - base
	if n == 0 {
		return nil
	}
	if n > len(p.opSlab) {
		p.opSlab = make([]Operand, max(slabSize, n))
	}
	list := p.opSlab[:n:n]
	p.opSlab = p.opSlab[n:]
	copy(list, p.opStack[base:])
	p.opStack = p.opStack[:base]
	return list
}
