package launch

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
)

// OTAWA's textual flow facts (files .ff, "F4"): statements that end in a semicolon, with
// comments of C++. Of them, those about loops are facts here:
//
//	loop "label" 64;                    at most 64 ways back to the head, an entry
//	loop "label" max 64 total 1000;     and in all, of a thread
//	loop "file.cu":12 64;               by a line
//
// checksum says of which binary a file is, and is passed over: there is none here.
// Everything else, addresses and calling contexts among it, means nothing for PTX, and is
// an error.

// ffScanner cuts a .ff file into tokens.
type ffScanner struct {
	name, text string
	at         int
	line, col  int
	errs       *conf.ErrorList
}

// ffToken is a word, a string in quotes, or a sign.
type ffToken struct {
	text   string
	quoted bool
	pos    Pos
}

func (s *ffScanner) pos() Pos { return Pos{File: s.name, Line: s.line, Col: s.col} }

func (s *ffScanner) skip(n int) {
	for range n {
		if s.text[s.at] == '\n' {
			s.line, s.col = s.line+1, 0
		}
		s.at++
		s.col++
	}
}

// next is the next token, with an empty text at the end of the file.
func (s *ffScanner) next() ffToken {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			s.skip(1)
		case strings.HasPrefix(rest, "//"), rest[0] == '#':
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			s.skip(n)
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				s.errs.Addf(s.pos(), "a comment without an end, expected */")
				n = len(rest) - 2
			}
			s.skip(n + 2)
		default:
			return s.token(rest)
		}
	}
	return ffToken{pos: s.pos()}
}

func (s *ffScanner) token(rest string) ffToken {
	pos := s.pos()
	if rest[0] == '"' {
		n := strings.IndexAny(rest[1:], "\"\n")
		if n < 0 || rest[1+n] == '\n' {
			s.errs.Addf(pos, "a string without an end, expected a quotation mark")
			s.skip(len(rest))
			return ffToken{pos: pos}
		}
		s.skip(n + 2)
		return ffToken{rest[1 : 1+n], true, pos}
	}
	n := 1
	if !strings.ContainsRune(";,+-:/", rune(rest[0])) {
		if n = strings.IndexAny(rest, " \t\r\n;,+-:/\""); n < 0 {
			n = len(rest)
		}
	}
	s.skip(n)
	return ffToken{rest[:n], false, pos}
}

// parseFF reads the loops of a .ff file.
func parseFF(name, text string) ([]Fact, error) {
	var errs conf.ErrorList
	s := &ffScanner{name: name, text: text, line: 1, col: 1, errs: &errs}
	var out []Fact
	for len(errs) < conf.MaxErrors {
		word := s.next()
		if word.text == "" {
			break
		}
		var list []ffToken
		end := s.next()
		for ; end.text != "" && (end.quoted || end.text != ";"); end = s.next() {
			list = append(list, end)
		}
		switch {
		case end.text == "":
			errs.Addf(word.pos, "%s without an end, expected a semicolon", word.text)
		case word.text == "loop" && !word.quoted:
			out = append(out, ffLoop(word, list, &errs)...)
		case word.text != "checksum" || word.quoted:
			errs.Addf(word.pos, "%q, expected loop or checksum: other statements of .ff files are about machine code", word.text)
		}
	}
	if len(out) == 0 && len(errs) == 0 {
		errs.Addf(Pos{File: name, Line: 1, Col: 1}, "no loop, expected one such as: loop \"label\" 64;")
	}
	return out, errs.Err()
}

// ffLoop reads a statement about a loop.
func ffLoop(word ffToken, list []ffToken, errs *conf.ErrorList) []Fact {
	if len(list) == 0 || !list[0].quoted || list[0].text == "" {
		errs.Addf(word.pos, "a loop without a name, expected a label in quotation marks: PTX has no addresses")
		return nil
	}
	place := list[0].text
	list = list[1:]
	if len(list) > 1 && list[0].text == ":" && !list[0].quoted {
		place += ":" + list[1].text
		list = list[2:]
	}
	var out []Fact
	add := func(kind FactKind, number ffToken) {
		n, err := strconv.ParseInt(number.text, 0, 64)
		if err != nil || n < 0 || number.quoted {
			errs.Addf(number.pos, "%q, expected a number of iterations", number.text)
			return
		}
		out = append(out, Fact{Kind: kind, Places: []string{place}, Most: n, Pos: word.pos})
	}
	for len(list) > 0 {
		switch t := list[0]; {
		case t.text == "max" && !t.quoted && len(list) > 1:
			add(LoopEntry, list[1])
			list = list[2:]
		case t.text == "total" && !t.quoted && len(list) > 1:
			add(LoopThread, list[1])
			list = list[2:]
		case len(out) == 0 && !t.quoted && t.text[0] >= '0' && t.text[0] <= '9':
			add(LoopEntry, t)
			list = list[1:]
		default:
			errs.Addf(t.pos, "%q, expected a number, max or total: offsets and calling contexts are about machine code", t.text)
			return nil
		}
	}
	if len(out) == 0 && len(*errs) == 0 {
		errs.Addf(word.pos, "a loop without a bound, expected a number, max or total")
	}
	return out
}

// WriteFF writes those facts that OTAWA's .ff files can hold, bounds on loops of threads,
// and says how many it left out.
func WriteFF(to io.Writer, list []Fact) (left int, err error) {
	type loop struct{ max, total string }
	loops := map[string]*loop{}
	var order []string
	for i := range list {
		f := &list[i]
		if f.Kind != LoopEntry && f.Kind != LoopThread {
			left++
			continue
		}
		l := loops[f.Places[0]]
		if l == nil {
			l = &loop{}
			loops[f.Places[0]] = l
			order = append(order, f.Places[0])
		}
		if f.Kind == LoopEntry {
			l.max = fmt.Sprintf(" max %d", f.Most)
		} else {
			l.total = fmt.Sprintf(" total %d", f.Most)
		}
	}
	for _, place := range order {
		l := loops[place]
		name := strconv.Quote(place)
		if file, line, ok := strings.Cut(filepath.Base(place), ":"); ok && line != "" {
			name = fmt.Sprintf("%q:%s", strings.TrimSuffix(place, filepath.Base(place))+file, line)
		}
		if _, err := fmt.Fprintf(to, "loop %s%s%s;\n", name, l.max, l.total); err != nil {
			return left, err
		}
	}
	return left, nil
}
