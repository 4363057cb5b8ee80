package seq

import (
	"fmt"
	"strconv"
	"strings"
)

// String prints the folded form: symbols as numbers separated by spaces, a
// repetition as its body in parentheses followed by *count, as in
// "0 1 (2 (3)*4)*1000000 5". Parse reads it back.
func (s *Seq) String() string {
	var b strings.Builder
	s.print(&b)
	return b.String()
}

func (s *Seq) print(b *strings.Builder) {
	for i, it := range s.items {
		if i > 0 {
			b.WriteByte(' ')
		}
		for j, sym := range it.Symbols {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strconv.Itoa(int(sym)))
		}
		if it.Body != nil {
			b.WriteByte('(')
			it.Body.print(b)
			b.WriteString(")*")
			b.WriteString(strconv.FormatInt(it.Count, 10))
		}
	}
}

// maxNesting keeps a hostile text from exhausting the stack.
const maxNesting = 1000

// Parse reads the form String prints. Errors name the byte offset.
func Parse(text string) (*Seq, error) {
	p := parser{text: text}
	s, err := p.seq(0)
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.text) {
		return nil, p.errorf("a symbol or '('")
	}
	return s, nil
}

type parser struct {
	text string
	pos  int
}

func (p *parser) errorf(want string) error {
	got := "the end"
	if p.pos < len(p.text) {
		got = strconv.QuoteRune(rune(p.text[p.pos]))
	}
	return fmt.Errorf("offset %d: found %s, expected %s", p.pos, got, want)
}

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) number(bits int) (int64, error) {
	start := p.pos
	for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
		p.pos++
	}
	n, err := strconv.ParseInt(p.text[start:p.pos], 10, bits)
	if err != nil {
		return 0, fmt.Errorf("offset %d: %q is not a number of at most %d bits", start, p.text[start:p.pos], bits)
	}
	return n, nil
}

func (p *parser) seq(depth int) (*Seq, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("offset %d: repetitions nested more than %d deep", p.pos, maxNesting)
	}
	var items []Item
	var run []int32
	for {
		p.space()
		if p.pos == len(p.text) || p.text[p.pos] == ')' {
			return New(append(items, Run(run...))...)
		}
		if p.text[p.pos] != '(' {
			if p.text[p.pos] < '0' || p.text[p.pos] > '9' {
				return nil, p.errorf("a symbol, '(' or ')'")
			}
			n, err := p.number(32)
			if err != nil {
				return nil, err
			}
			run = append(run, int32(n))
			continue
		}
		p.pos++
		body, err := p.seq(depth + 1)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(p.text[p.pos:], ")*") {
			return nil, p.errorf("')*' and a count")
		}
		p.pos += 2
		count, err := p.number(64)
		if err != nil {
			return nil, err
		}
		items = append(items, Run(run...), Repeat(count, body))
		run = nil
	}
}
