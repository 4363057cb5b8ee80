package ptx

import "strconv"

// tokenKind is a kind of token. Punctuation has its ASCII code; the kinds
// below are outside of ASCII.
type tokenKind uint8

const (
	tokEOF tokenKind = 128 + iota
	tokIdent
	tokDot // a directive or modifier: ".reg", ".L2::128B"
	tokNumber
	tokString
	tokShl  // <<
	tokShr  // >>
	tokLE   // <=
	tokGE   // >=
	tokEQ   // ==
	tokNE   // !=
	tokLAnd // &&
	tokLOr  // ||
	tokBad
)

// token is a token of the source: a span and where it begins.
type token struct {
	kind       tokenKind
	first      bool // first token on its line
	start, end int
	pos        Pos
}

// Character classes.
const (
	ccFollow = 1 << iota // may continue an identifier
	ccStart              // may start one
	ccDigit
	ccSpace
	ccHex
)

var charClass = func() (t [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		t[c] = ccFollow | ccStart
		t[c-'a'+'A'] = ccFollow | ccStart
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = ccFollow | ccDigit | ccHex
	}
	for _, c := range "abcdefABCDEF" {
		t[c] |= ccHex
	}
	t['_'] = ccFollow | ccStart
	t['$'] = ccFollow | ccStart
	t['%'] = ccStart
	for _, c := range " \t\r\v\f" {
		t[c] = ccSpace
	}
	return t
}()

// lexer cuts a source into tokens. It never looks back.
type lexer struct {
	src       string
	pos       int // end of the current token
	line      int32
	lineStart int
	rep       *reporter
}

func (l *lexer) at(off int) Pos { return Pos{l.line, int32(off-l.lineStart) + 1} }

// space skips white space, comments and line markers; it reports whether a
// line was ended.
func (l *lexer) space() (newline bool) {
	src := l.src
	for l.pos < len(src) {
		c := src[l.pos]
		switch {
		case charClass[c]&ccSpace != 0:
			l.pos++
		case c == '\n':
			l.pos++
			l.line++
			l.lineStart = l.pos
			newline = true
		case c == '/' && l.pos+1 < len(src) && src[l.pos+1] == '/':
			l.endOfLine()
		case c == '/' && l.pos+1 < len(src) && src[l.pos+1] == '*':
			newline = l.blockComment() || newline
		case c == '#' && l.marker():
			l.endOfLine()
		default:
			return newline
		}
	}
	return newline
}

// endOfLine moves to the line feed that ends the line.
func (l *lexer) endOfLine() {
	for l.pos < len(l.src) && l.src[l.pos] != '\n' {
		l.pos++
	}
}

func (l *lexer) blockComment() (newline bool) {
	start := l.at(l.pos)
	l.pos += 2
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '*' && l.pos+1 < len(l.src) && l.src[l.pos+1] == '/':
			l.pos += 2
			return newline
		case c == '\n':
			l.line++
			l.lineStart = l.pos + 1
			newline = true
		}
		l.pos++
	}
	l.rep.add(start, "comment is not closed, expected */")
	return newline
}

// marker reports whether the '#' at hand begins a preprocessor line marker,
// "# 12" or "#line 12". Other preprocessor lines are not PTX any more.
func (l *lexer) marker() bool {
	i := l.pos + 1
	for i < len(l.src) && (l.src[i] == ' ' || l.src[i] == '\t') {
		i++
	}
	rest := l.src[i:]
	return len(rest) > 0 && charClass[rest[0]]&ccDigit != 0 || len(rest) > 4 && rest[:4] == "line"
}

// next returns the next token.
func (l *lexer) next() token {
	first := l.space()
	t := token{first: first || l.pos == 0, start: l.pos, pos: l.at(l.pos)}
	if l.pos >= len(l.src) {
		t.kind, t.end = tokEOF, l.pos
		return t
	}
	c := l.src[l.pos]
	cc := charClass[c]
	switch {
	case cc&ccStart != 0:
		l.pos++
		l.follow()
		t.kind = tokIdent
		if c == '%' && l.pos == t.start+1 {
			t.kind = '%'
		}
	case cc&ccDigit != 0:
		l.number()
		t.kind = tokNumber
	case c == '.':
		l.pos++
		t.kind = tokDot
		if !l.dotWord() {
			t.kind = '.'
		}
	case c == '"':
		t.kind = l.str(t.pos)
	default:
		t.kind = l.punct(c)
		if t.kind == tokBad {
			l.rep.add(t.pos, "unexpected character %s, expected PTX", strconv.QuoteRuneToASCII(rune(c)))
			return l.next0(t)
		}
	}
	t.end = l.pos
	return t
}

// next0 skips the run of bad characters that t begins, so that one error
// stands for all of them, and returns the token after it.
func (l *lexer) next0(t token) token {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		if c == '\n' || charClass[c] != 0 || c == '.' || c == '"' || punctKind[c] != tokBad {
			break
		}
		l.pos++
	}
	if l.rep.full() {
		l.pos = len(l.src)
	}
	n := l.next()
	n.first = n.first || t.first
	return n
}

// follow moves past identifier characters.
func (l *lexer) follow() {
	i := l.pos
	for i < len(l.src) && charClass[l.src[i]]&ccFollow != 0 {
		i++
	}
	l.pos = i
}

// dotWord moves past the word behind a dot, "::" included. It reports false
// where there is no word.
func (l *lexer) dotWord() bool {
	start := l.pos
	l.follow()
	for l.pos > start && l.pos+2 < len(l.src) && l.src[l.pos] == ':' && l.src[l.pos+1] == ':' &&
		charClass[l.src[l.pos+2]]&ccFollow != 0 {
		l.pos += 2
		l.follow()
	}
	return l.pos > start
}

// dots extends the current identifier token over the dotted words that
// follow it without white space, and returns the new end.
func (l *lexer) dots() int {
	for l.pos+1 < len(l.src) && l.src[l.pos] == '.' && charClass[l.src[l.pos+1]]&ccFollow != 0 {
		l.pos++
		l.dotWord()
	}
	return l.pos
}

// number moves past a number: digits, letters, one dot, a signed exponent.
// Whether it is well-formed is found when its value is taken.
func (l *lexer) number() {
	start := l.pos
	l.follow()
	if c := l.src[start]; c == '0' && l.pos > start+1 && charClass[l.src[start+1]]&ccDigit == 0 &&
		l.src[start+1] != 'e' && l.src[start+1] != 'E' {
		return // 0x, 0b, 0f, 0d: no fraction
	}
	if l.pos < len(l.src) && l.src[l.pos] == '.' {
		l.pos++
		l.follow()
	}
	if last := l.src[l.pos-1]; (last == 'e' || last == 'E') && l.pos+1 < len(l.src) &&
		(l.src[l.pos] == '-' || l.src[l.pos] == '+') && charClass[l.src[l.pos+1]]&ccDigit != 0 {
		l.pos++
		l.follow()
	}
}

// str moves past a string. It ends at its quote, or with an error at the end
// of the line.
func (l *lexer) str(start Pos) tokenKind {
	for l.pos++; l.pos < len(l.src); l.pos++ {
		switch l.src[l.pos] {
		case '"':
			l.pos++
			return tokString
		case '\\':
			if l.pos+1 < len(l.src) && l.src[l.pos+1] != '\n' {
				l.pos++
			}
		case '\n':
			l.rep.add(start, "string is not closed, expected \" before the end of the line")
			return tokString
		}
	}
	l.rep.add(start, "string is not closed, expected \" before the end of the file")
	return tokString
}

var punctKind = func() (t [256]tokenKind) {
	for i := range t {
		t[i] = tokBad
	}
	for _, c := range "(){}[],;:|!@+-*/~<>=?&^" {
		t[c] = tokenKind(c)
	}
	return t
}()

var digraphs = [...]struct {
	a, b byte
	kind tokenKind
}{{'<', '<', tokShl}, {'>', '>', tokShr}, {'<', '=', tokLE}, {'>', '=', tokGE},
	{'=', '=', tokEQ}, {'!', '=', tokNE}, {'&', '&', tokLAnd}, {'|', '|', tokLOr}}

func (l *lexer) punct(c byte) tokenKind {
	k := punctKind[c]
	l.pos++
	if l.pos < len(l.src) {
		switch c {
		case '<', '>', '=', '!', '&', '|':
			for _, d := range digraphs {
				if c == d.a && l.src[l.pos] == d.b {
					l.pos++
					return d.kind
				}
			}
		}
	}
	return k
}
