package ptx

import "strings"

// pragma parses .pragma "a", "b";
func (p *parser) pragma() *Pragma {
	d := &Pragma{Pos: p.tok.pos}
	p.advance()
	for {
		s, ok := p.str("a string after .pragma")
		if !ok {
			return nil
		}
		d.Text = append(d.Text, s)
		if !p.got(',') {
			break
		}
	}
	if !p.end(".pragma") {
		return nil
	}
	return d
}

// fileDirective parses .file index "name" {, timestamp, size}
func (p *parser) fileDirective() *FileDirective {
	d := &FileDirective{Pos: p.tok.pos}
	p.advance()
	var ok bool
	if d.Index, ok = p.int32("a file index"); !ok {
		return nil
	}
	if d.Name, ok = p.str("a file name in quotes"); !ok {
		return nil
	}
	if !p.got(',') {
		return d
	}
	d.HasStamp = true
	if d.Timestamp, ok = p.integer("a time stamp", 1<<64-1); !ok {
		return nil
	}
	if !p.want(',', "',' and the file size") {
		return nil
	}
	if d.Size, ok = p.integer("a file size", 1<<64-1); !ok {
		return nil
	}
	return d
}

// locDirective parses .loc file line column {, function_name label {+ n},
// inlined_at file line column}, and makes it the one in force.
func (p *parser) locDirective() *Loc {
	d := &Loc{Pos: p.tok.pos}
	p.advance()
	if !p.locTriple(&d.File, &d.Line, &d.Col) {
		return nil
	}
	for p.got(',') {
		word, pos, ok := p.ident("function_name or inlined_at")
		if !ok {
			return nil
		}
		switch word {
		case "function_name":
			if d.FunctionName, _, ok = p.ident("the label of a function name"); !ok {
				return nil
			}
			if p.got('+') {
				off, ok := p.int32("an offset")
				if !ok {
					return nil
				}
				d.FunctionNameOff = int64(off)
			}
		case "inlined_at":
			d.InlinedAt = true
			if !p.locTriple(&d.InFile, &d.InLine, &d.InCol) {
				return nil
			}
		default:
			p.errorf(pos, "found %s, expected function_name or inlined_at", quoteShort(word))
			return nil
		}
	}
	p.file.Locs = append(p.file.Locs, d)
	p.loc = int32(len(p.file.Locs))
	return d
}

func (p *parser) locTriple(file, line, col *int32) bool {
	var ok bool
	if *file, ok = p.int32("a file index"); !ok {
		return false
	}
	if *line, ok = p.int32("a line number"); !ok {
		return false
	}
	*col, ok = p.int32("a column number")
	return ok
}

// section keeps the text of a debug section, found by matching braces.
func (p *parser) section() *Section {
	d := &Section{Pos: p.tok.pos}
	p.advance()
	if !p.is(tokDot) && !p.is(tokIdent) {
		p.expected("a section name")
		return nil
	}
	d.Name = p.text()
	p.advance()
	if !p.is('{') {
		p.expected("'{' and the contents of the section")
		return nil
	}
	open, depth := p.tok, 0
	for {
		switch p.tok.kind {
		case '{':
			depth++
		case '}':
			depth--
		case tokEOF:
			p.errorf(open.pos, "section %s is not closed, expected '}'", quoteShort(d.Name))
			return nil
		}
		if depth == 0 {
			d.Raw = p.lex.src[open.end:p.tok.start]
			p.advance()
			return d
		}
		p.advance()
	}
}

// dwarf keeps a line "@@DWARF ..." of PTX 1.x. The current token is the
// first '@'; nil means that it is not such a line.
func (p *parser) dwarf() *Dwarf {
	rest := p.lex.src[p.tok.start:]
	if !strings.HasPrefix(rest, "@@DWARF") {
		return nil
	}
	d := &Dwarf{Pos: p.tok.pos}
	p.lex.endOfLine()
	d.Raw = strings.TrimSpace(p.lex.src[p.tok.start+len("@@DWARF") : p.lex.pos])
	p.advance()
	return d
}
