package ptx

import (
	"math"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of braces, parentheses and brackets, so that
// no input exhausts the stack.
const maxDepth = 256

// Parse parses the text of one PTX module; name stands in error messages.
// Errors are returned as an ErrorList; the File is nil then. The source must
// not exceed 1 GiB. The File keeps a copy of the source alive.
func Parse(name string, src []byte) (*File, error) {
	p := parser{rep: &reporter{file: name}, ops: make(map[string]opcode, 64)}
	if len(src) > 1<<30 {
		p.rep.add(Pos{1, 1}, "file has %d bytes, expected at most %d", len(src), 1<<30)
		return nil, p.rep.err()
	}
	// Some editors put a byte order mark first; columns count from behind it.
	text := strings.TrimPrefix(untilNULs(string(src)), "\ufeff")
	if i := strings.IndexByte(text, 0); i >= 0 {
		line := strings.Count(text[:i], "\n") + 1
		p.rep.add(Pos{int32(line), int32(i - strings.LastIndexByte(text[:i], '\n'))}, "NUL byte in the text, expected PTX: what follows is cut off by who reads it as a string")
		return nil, p.rep.err()
	}
	p.lex = lexer{src: text, line: 1, rep: p.rep}
	p.file = &File{Name: name, AddressSize: 32}
	p.advance()
	p.module()
	if err := p.rep.err(); err != nil {
		return nil, err
	}
	return p.file, nil
}

// untilNULs cuts off the NULs that end texts from drivers and tools, with the
// white space behind them.
func untilNULs(src string) string {
	end := len(strings.TrimRight(src, "\x00 \t\r\n"))
	if i := strings.IndexByte(src[end:], 0); i >= 0 {
		return src[:end+i]
	}
	return src
}

// opcode is an interned opcode with its modifiers.
type opcode struct {
	op   string
	mods []string
}

// parser is a recursive-descent parser with one token of look-ahead.
type parser struct {
	rep  *reporter
	lex  lexer
	tok  token
	file *File

	depth   int
	stopped bool // after an error beyond which there is no going on
	// open counts the braces of operands open at the current token: recovery
	// must not take their end for a block's.
	open int
	// loc is 1 + index of the .loc in force, 0 for none.
	loc int32

	ops map[string]opcode
	// Finished nodes are cut from slabs, lists under construction stand on
	// the stacks.
	instSlab []Inst
	opSlab   []Operand
	opStack  []Operand
	stStack  []Stmt
}

func (p *parser) advance() { p.tok = p.lex.next() }

func (p *parser) text() string { return p.lex.src[p.tok.start:p.tok.end] }

func (p *parser) is(k tokenKind) bool { return p.tok.kind == k }

// isDot reports whether the token is the directive "."+name.
func (p *parser) isDot(name string) bool {
	return p.tok.kind == tokDot && p.lex.src[p.tok.start+1:p.tok.end] == name
}

// got consumes the token if it is of kind k.
func (p *parser) got(k tokenKind) bool {
	if p.tok.kind == k {
		p.advance()
		return true
	}
	return false
}

// describe names the current token for an error message.
func (p *parser) describe() string {
	switch p.tok.kind {
	case tokEOF:
		return "end of file"
	case tokString:
		return "a string"
	}
	return quoteShort(p.text())
}

// quoteShort quotes s, cut to a length fit for a message.
func quoteShort(s string) string {
	const most = 40
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.QuoteToASCII(s)
}

// expected reports that the current token is not what the grammar wants.
func (p *parser) expected(what string) {
	p.errorf(p.tok.pos, "found %s, expected %s", p.describe(), what)
}

func (p *parser) errorf(pos Pos, format string, args ...any) {
	if !p.rep.add(pos, format, args...) {
		p.stop()
	}
}

// stop ends parsing: whatever follows is the end of the file.
func (p *parser) stop() {
	p.stopped = true
	p.lex.pos = len(p.lex.src)
	p.tok = token{kind: tokEOF, start: p.lex.pos, end: p.lex.pos, pos: p.tok.pos}
}

// want consumes a token of kind k or reports that what is missing.
func (p *parser) want(k tokenKind, what string) bool {
	if p.tok.kind == k {
		p.advance()
		return true
	}
	p.expected(what)
	return false
}

// enter counts a level of nesting; it reports false beyond the limit, and
// parsing is over then.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.rep.add(p.tok.pos, "nesting is deeper than %d levels, expected fewer", maxDepth)
		p.stop()
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// end consumes the ';' that ends a statement. If it is missing before a token
// that begins a line, that is an error, but nothing is skipped.
func (p *parser) end(after string) bool {
	if p.got(';') {
		return true
	}
	p.errorf(p.tok.pos, "found %s, expected ';' after %s", p.describe(), after)
	return p.tok.first || p.is('}')
}

// resync skips the rest of a broken statement: to behind a ';', or to a
// brace that ends or begins a block.
func (p *parser) resync() {
	open := p.open
	p.open = 0
	for {
		switch p.tok.kind {
		case tokEOF:
			return
		case ';':
			p.advance()
			return
		case '{':
			if open == 0 && p.tok.first {
				return
			}
			open++
		case '}':
			if open == 0 {
				return
			}
			open--
		case tokDot:
			if p.tok.first && startsDeclaration[p.text()[1:]] {
				return
			}
		}
		p.advance()
	}
}

// startsDeclaration are directives that only ever begin a statement.
var startsDeclaration = map[string]bool{
	"entry": true, "func": true, "visible": true, "extern": true, "weak": true, "common": true,
	"version": true, "target": true, "address_size": true, "file": true, "loc": true, "section": true,
}

// ident consumes an identifier and returns it.
func (p *parser) ident(what string) (string, Pos, bool) {
	pos := p.tok.pos
	if !p.is(tokIdent) {
		p.expected(what)
		return "", pos, false
	}
	s := p.text()
	p.advance()
	return s, pos, true
}

// integer consumes an integer literal between 0 and most.
func (p *parser) integer(what string, most uint64) (uint64, bool) {
	if !p.is(tokNumber) {
		p.expected(what)
		return 0, false
	}
	v, ok := literal(p.text())
	if !ok || v.kind != KindInt || v.bits > most {
		p.errorf(p.tok.pos, "found %s, expected %s from 0 to %d", p.describe(), what, most)
		return 0, false
	}
	p.advance()
	return v.bits, true
}

func (p *parser) int32(what string) (int32, bool) {
	v, ok := p.integer(what, math.MaxInt32)
	return int32(v), ok
}

// str consumes a string and returns what stands between its quotes.
func (p *parser) str(what string) (string, bool) {
	if !p.is(tokString) {
		p.expected(what)
		return "", false
	}
	s := strings.TrimSuffix(p.text()[1:], `"`)
	p.advance()
	return s, true
}

// module parses the whole file.
func (p *parser) module() {
	for !p.is(tokEOF) {
		start := p.tok.start
		if p.decl() || p.atFunction() {
			continue
		}
		p.resyncModule()
		if p.tok.start == start {
			p.advance()
		}
	}
}

// atFunction reports whether the token is .entry or .func.
func (p *parser) atFunction() bool { return p.isDot("entry") || p.isDot("func") }

// resyncModule skips the rest of a broken module-level declaration: to
// behind its ';' or the end of its braces, or to the next declaration.
func (p *parser) resyncModule() {
	p.open = 0
	for depth := 0; !p.is(tokEOF); p.advance() {
		switch p.tok.kind {
		case ';':
			if depth == 0 {
				p.advance()
				return
			}
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				p.advance()
				p.got(';')
				return
			}
			depth = max(depth, 0)
		case tokDot:
			if depth == 0 && p.tok.first && startsDeclaration[p.text()[1:]] {
				return
			}
		}
	}
}

// decl parses one module-level declaration; false asks for recovery.
func (p *parser) decl() bool {
	if !p.is(tokDot) {
		return p.declOther()
	}
	var d Decl
	ok := true
	switch p.text()[1:] {
	case "version":
		return p.version()
	case "target":
		return p.target()
	case "address_size":
		p.advance()
		n, ok := p.int32("an address size")
		if ok && n != 32 && n != 64 {
			p.errorf(p.tok.pos, "address size is %d, expected 32 or 64", n)
		}
		p.file.AddressSize, p.file.HasAddressSize = int(n), true
		return ok
	case "file":
		d, ok = nonNil[Decl](p.fileDirective())
	case "loc":
		d, ok = nonNil[Decl](p.locDirective())
	case "section":
		d, ok = nonNil[Decl](p.section())
	case "pragma":
		d, ok = nonNil[Decl](p.pragma())
	case "alias":
		d, ok = nonNil[Decl](p.alias())
	default:
		d, ok = p.linked()
	}
	if d != nil {
		p.file.Decls = append(p.file.Decls, d)
	}
	return ok
}

// nonNil turns a nil *T into a nil interface, which means "broken".
func nonNil[I any, T any](v *T) (i I, ok bool) {
	if v == nil {
		return i, false
	}
	return any(v).(I), true
}

// declOther parses what begins without a dot: ';', "@@DWARF", labels.
func (p *parser) declOther() bool {
	switch p.tok.kind {
	case ';':
		p.advance()
		return true
	case '@':
		if d := p.dwarf(); d != nil {
			p.file.Decls = append(p.file.Decls, d)
			return true
		}
	case tokIdent:
		name, pos, _ := p.ident("")
		if p.got(':') {
			p.file.Decls = append(p.file.Decls, &Label{pos, name})
			return true
		}
		p.errorf(pos, "found %s outside of any function, expected a module-level directive", quoteShort(name))
		return false
	}
	p.expected("a module-level directive")
	return false
}

// version parses ".version major.minor".
func (p *parser) version() bool {
	p.advance()
	major, minor, found := strings.Cut(p.text(), ".")
	a, err1 := strconv.ParseUint(major, 10, 16)
	b, err2 := strconv.ParseUint(minor, 10, 16)
	if !p.is(tokNumber) || !found || err1 != nil || err2 != nil {
		p.expected("a version such as 7.8")
		return false
	}
	p.file.Version, p.file.VersionPos = Version{int(a), int(b)}, p.tok.pos
	p.advance()
	return true
}

// target parses ".target sm_70, debug".
func (p *parser) target() bool {
	p.advance()
	for {
		s, pos, ok := p.ident("a target such as sm_70")
		if !ok {
			return false
		}
		p.file.Targets = append(p.file.Targets, s)
		p.file.TargetPos = append(p.file.TargetPos, pos)
		if !p.got(',') {
			return true
		}
	}
}

// alias parses ".alias name, target;".
func (p *parser) alias() *Alias {
	a := &Alias{Pos: p.tok.pos}
	p.advance()
	var ok bool
	if a.Name, _, ok = p.ident("the name of the alias"); !ok {
		return nil
	}
	if !p.want(',', "',' and the function it stands for") {
		return nil
	}
	if a.Target, _, ok = p.ident("the function the alias stands for"); !ok || !p.end(".alias") {
		return nil
	}
	return a
}
