package ptx

// operand parses one operand or initialiser.
func (p *parser) operand() (Operand, bool) {
	o, ok := p.single()
	if !ok || !p.is('|') {
		return o, ok
	}
	pos := o.Pos
	p.advance()
	q, ok := p.single()
	if !ok {
		return q, false
	}
	base := len(p.opStack)
	p.opStack = append(p.opStack, o, q)
	return Operand{Kind: KindPair, Pos: pos, Sub: p.cut(base)}, true
}

// single parses an operand that is not a pair.
func (p *parser) single() (Operand, bool) {
	pos := p.tok.pos
	switch p.tok.kind {
	case tokIdent:
		return p.named(pos)
	case '{':
		return p.vector(pos)
	case '[':
		return p.address(pos)
	case '!':
		p.advance()
		if p.is(tokIdent) && p.text() != "WARP_SZ" {
			o, ok := p.named(pos)
			o.Not = true
			return o, ok
		}
		c, ok := p.unary()
		if !ok {
			return Operand{}, false
		}
		if c, ok = p.apply(pos, '!', c); !ok {
			return Operand{}, false
		}
		return p.constant(pos, c)
	case '-':
		p.advance()
		if p.is(tokIdent) && p.text() != "WARP_SZ" {
			o, ok := p.named(pos)
			o.Minus = true
			return o, ok
		}
		c, ok := p.unary()
		if !ok {
			return Operand{}, false
		}
		if c, ok = p.apply(pos, '-', c); !ok {
			return Operand{}, false
		}
		return p.constant(pos, c)
	case tokNumber, '(', '~', '+', tokDot:
		c, ok := p.unary()
		if !ok {
			return Operand{}, false
		}
		return p.constant(pos, c)
	}
	p.expected("an operand")
	return Operand{}, false
}

// nested parses an operand inside of another.
func (p *parser) nested() (Operand, bool) {
	if !p.enter() {
		return Operand{}, false
	}
	o, ok := p.single()
	p.leave()
	return o, ok
}

// constant goes on behind the first term of a constant expression.
func (p *parser) constant(pos Pos, c value) (Operand, bool) {
	switch p.tok.kind {
	case ',', ';', '}', ')', ']': // the common case
		return c.operand(pos), true
	case '(':
		if c.kind == KindInt {
			return p.mask(pos, c)
		}
	}
	c, ok := p.binary(c, 0)
	if ok && p.is('?') {
		c, ok = p.ternary(c)
	}
	return c.operand(pos), ok
}

// mask parses "(sym+off)" behind a mask, in an initialiser.
func (p *parser) mask(pos Pos, c value) (Operand, bool) {
	p.advance()
	o, ok := p.nested()
	if !ok {
		return o, false
	}
	if o.Kind != KindName {
		p.errorf(o.Pos, "a mask is not applied to a symbol, expected one in the parentheses")
		return o, false
	}
	if !p.want(')', "')' after the symbol") {
		return o, false
	}
	base := len(p.opStack)
	p.opStack = append(p.opStack, o)
	return Operand{Kind: KindMask, Pos: pos, Imm: c.bits, Sub: p.cut(base)}, true
}

// named parses an operand that begins with an identifier.
func (p *parser) named(pos Pos) (Operand, bool) {
	o := Operand{Kind: KindName, Pos: pos}
	start := p.tok.start
	o.Name = p.lex.src[start:p.lex.dots()]
	p.advance()
	switch p.tok.kind {
	case ',', ';', '}', ')', ']': // the common case
		if o.Name == "_" {
			return Operand{Kind: KindSink, Pos: pos}, true
		}
		if o.Name == "WARP_SZ" {
			return Operand{Kind: KindInt, Pos: pos, Imm: warpSize}, true
		}
		return o, true
	case tokDot:
		for p.is(tokDot) {
			o.Name += p.text()
			p.advance()
		}
	}
	switch {
	case o.Name == "_":
		return Operand{Kind: KindSink, Pos: pos}, true
	case o.Name == "WARP_SZ":
		return p.constant(pos, value{kind: KindInt, bits: warpSize})
	case o.Name == "generic" && p.is('('):
		return p.generic(pos)
	case p.is('['):
		return p.index(o)
	case p.is('='):
		return p.field(o)
	case p.is('+'), p.is('-'):
		var ok bool
		o.Imm, ok = p.addends()
		o.Sum = true
		return o, ok
	}
	return o, true
}

// generic parses "(sym)+off" behind "generic".
func (p *parser) generic(pos Pos) (Operand, bool) {
	p.advance()
	name, _, ok := p.ident("a symbol")
	if !ok || !p.want(')', "')' after the symbol") {
		return Operand{}, false
	}
	o := Operand{Kind: KindName, Generic: true, Pos: pos, Name: name}
	o.Imm, ok = p.addends()
	return o, ok
}

// index parses "[i]" behind a name.
func (p *parser) index(o Operand) (Operand, bool) {
	p.advance()
	i, ok := p.nested()
	if !ok {
		return o, false
	}
	if i.Kind != KindInt && (i.Kind != KindName || i.Minus || i.Not || i.Generic) {
		p.errorf(i.Pos, "found an array index of another kind, expected an integer or a register")
		return o, false
	}
	if !p.want(']', "']' after the index") {
		return o, false
	}
	base := len(p.opStack)
	p.opStack = append(p.opStack, i)
	o.Kind, o.Sub = KindIndex, p.cut(base)
	return o, true
}

// field parses "= value" behind the name of a sampler's property.
func (p *parser) field(o Operand) (Operand, bool) {
	p.advance()
	v, ok := p.nested()
	if !ok {
		return o, false
	}
	if v.Kind != KindName && v.Kind != KindInt {
		p.errorf(v.Pos, "found a value of another kind, expected a word or an integer")
		return o, false
	}
	base := len(p.opStack)
	p.opStack = append(p.opStack, v)
	o.Kind, o.Sub = KindField, p.cut(base)
	return o, true
}

// addends parses any number of "+ constant" and "- constant" and returns
// their sum modulo 2^64.
func (p *parser) addends() (sum uint64, ok bool) {
	for p.is('+') || p.is('-') {
		minus := p.is('-')
		p.advance()
		pos := p.tok.pos
		c, ok := p.unary()
		if !ok {
			return 0, false
		}
		if c, ok = p.binary(c, precMul); !ok {
			return 0, false
		}
		if c.kind != KindInt {
			p.errorf(pos, "offset is not an integer, expected one")
			return 0, false
		}
		if minus {
			sum -= c.bits
		} else {
			sum += c.bits
		}
	}
	return sum, true
}

// vector parses "{a, b, ...}".
func (p *parser) vector(pos Pos) (Operand, bool) {
	if !p.enter() {
		return Operand{}, false
	}
	defer p.leave()
	p.open++
	p.advance()
	base := len(p.opStack)
	for !p.is('}') {
		o, ok := p.operand()
		if !ok {
			p.opStack = p.opStack[:base]
			return Operand{}, false
		}
		p.opStack = append(p.opStack, o)
		if !p.got(',') {
			break
		}
	}
	sub := p.cut(base)
	if !p.is('}') {
		p.expected("',' or '}' in the list")
		return Operand{}, false
	}
	p.open--
	p.advance()
	return Operand{Kind: KindVec, Pos: pos, Sub: sub}, true
}

// address parses "[base+off]" and "[base, {...}]".
func (p *parser) address(pos Pos) (Operand, bool) {
	if !p.enter() {
		return Operand{}, false
	}
	defer p.leave()
	p.advance()
	o := Operand{Kind: KindAddr, Pos: pos}
	ok := true
	if p.is(tokIdent) && p.text() != "WARP_SZ" {
		o.Name = p.lex.src[p.tok.start:p.lex.dots()]
		p.advance()
		o.Imm, ok = p.addends()
	} else {
		at := p.tok.pos
		var c value
		if c, ok = p.constExpr(); ok && c.kind != KindInt {
			p.errorf(at, "address is not an integer, expected a register, a symbol or an integer")
			ok = false
		}
		o.Imm = c.bits
	}
	if !ok {
		return o, false
	}
	base := len(p.opStack)
	for p.got(',') {
		s, ok := p.operand()
		if !ok {
			p.opStack = p.opStack[:base]
			return o, false
		}
		p.opStack = append(p.opStack, s)
	}
	o.Sub = p.cut(base)
	if !p.want(']', "'+', '-' or ']' after the base of the address") {
		return o, false
	}
	if p.isDot("unified") {
		p.advance()
		o.Unified = true
	}
	return o, true
}
