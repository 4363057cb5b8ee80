package makespan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Pattern is an instruction string with its repetitions kept.
type Pattern struct {
	source string
	root   group
	counts [256]int64 // instructions per letter, repetitions multiplied out
}

// group is a sequence of items, repeated.
type group struct {
	items []item
	times int64
}

// item is a letter repeated, or a group.
type item struct {
	letter byte
	times  int64
	inner  *group
}

// maxDepth bounds the nesting of groups.
const maxDepth = 64

// SyntaxError is a fault of an instruction string; Offset counts bytes from 0.
type SyntaxError struct {
	Source string
	Offset int
	Reason string
	// Letter is a letter that is no kind of unit, 0 where the fault is another
	// one.
	Letter byte
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("instruction string, column %d: %s", e.Offset+1, e.Reason)
}

// ParseString reads an instruction string: letters A to Z in either case, each of
// them or a group in parentheses followed by a count where it is repeated. Blanks
// and underscores separate. LLCLL, L2CL2 and L2(C)1L2 are the same string.
func ParseString(source string) (*Pattern, error) {
	p := &parser{source: source, pattern: &Pattern{source: source}}
	root, err := p.group(0)
	if err != nil {
		return nil, err
	}
	if p.pos < len(source) {
		return nil, p.fail(p.pos, "a closing parenthesis without an opening one")
	}
	root.times = 1
	p.pattern.root = *root
	if err := p.pattern.count(root, 1); err != nil {
		return nil, err
	}
	if p.pattern.counts == [256]int64{} {
		return nil, p.fail(0, "no instruction, expected letters of unit kinds such as LLC")
	}
	return p.pattern, nil
}

type parser struct {
	source  string
	pos     int
	pattern *Pattern
}

func (p *parser) fail(offset int, reason string) error {
	return &SyntaxError{Source: p.source, Offset: offset, Reason: reason}
}

// group reads items up to the end or a closing parenthesis, which it leaves.
func (p *parser) group(depth int) (*group, error) {
	g := &group{}
	for p.pos < len(p.source) {
		c := p.source[p.pos]
		switch {
		case c == ' ' || c == '\t' || c == '_' || c == '\n' || c == '\r':
			p.pos++
		case c == ')':
			return g, nil
		case c == '(':
			open := p.pos
			if depth == maxDepth {
				return nil, p.fail(open, fmt.Sprintf("groups nested more than %d deep", maxDepth))
			}
			p.pos++
			inner, err := p.group(depth + 1)
			if err != nil {
				return nil, err
			}
			if p.pos == len(p.source) {
				return nil, p.fail(open, "an opening parenthesis without a closing one")
			}
			p.pos++
			if len(inner.items) == 0 {
				return nil, p.fail(open, "an empty group")
			}
			if inner.times, err = p.times(); err != nil {
				return nil, err
			}
			g.items = append(g.items, item{inner: inner})
		case upper(c) >= 'A' && upper(c) <= 'Z':
			p.pos++
			n, err := p.times()
			if err != nil {
				return nil, err
			}
			g.items = append(g.items, item{letter: upper(c), times: n})
		default:
			r, _ := utf8.DecodeRuneInString(p.source[p.pos:])
			return nil, p.fail(p.pos, fmt.Sprintf("%q, expected a letter, a parenthesis or a count behind one", r))
		}
	}
	return g, nil
}

// times reads the count behind an item, 1 where there is none.
func (p *parser) times() (int64, error) {
	start := p.pos
	for p.pos < len(p.source) && p.source[p.pos] >= '0' && p.source[p.pos] <= '9' {
		p.pos++
	}
	if start == p.pos {
		return 1, nil
	}
	n, err := strconv.ParseInt(p.source[start:p.pos], 10, 64)
	if err != nil {
		return 0, p.fail(start, fmt.Sprintf("count %s is too large", p.source[start:p.pos]))
	}
	if n < 1 {
		return 0, p.fail(start, "a count of 0, expected at least 1")
	}
	return n, nil
}

// count adds the letters of g, executed times over, to the pattern's counts.
func (p *Pattern) count(g *group, times int64) error {
	tooMany := &SyntaxError{Source: p.source, Reason: "more than 2^63 instructions"}
	for _, it := range g.items {
		n := it.times
		if it.inner != nil {
			n = it.inner.times
		}
		if times > math.MaxInt64/n {
			return tooMany
		}
		n *= times
		if it.inner != nil {
			if err := p.count(it.inner, n); err != nil {
				return err
			}
			continue
		}
		if p.counts[it.letter] > math.MaxInt64-n {
			return tooMany
		}
		p.counts[it.letter] += n
	}
	return nil
}

// each calls f for every letter in order, repetitions multiplied out.
func (p *Pattern) each(f func(letter byte)) { p.root.each(f) }

func (g *group) each(f func(letter byte)) {
	for range g.times {
		for _, it := range g.items {
			if it.inner != nil {
				it.inner.each(f)
				continue
			}
			for range it.times {
				f(it.letter)
			}
		}
	}
}

// unknown points at the first use of a letter that no unit has.
func (p *Pattern) unknown(letter byte, units []Unit) error {
	at := strings.IndexFunc(p.source, func(r rune) bool { return r < 128 && upper(byte(r)) == letter })
	var known []string
	for _, u := range units {
		known = append(known, string(rune(upper(u.Letter))))
	}
	return &SyntaxError{Source: p.source, Offset: at, Letter: letter, Reason: fmt.Sprintf(
		"%q is no kind of unit, expected one of %s", rune(letter), strings.Join(known, ", "))}
}

// ParseUnits reads the units of an SM, such as L=16,C=32.
func ParseUnits(text string) ([]Unit, error) {
	var units []Unit
	for field := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(field), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || len(name) != 1 || upper(name[0]) < 'A' || upper(name[0]) > 'Z' {
			return nil, &UnitError{Reason: fmt.Sprintf("units %q: expected LETTER=COUNT,..., such as L=16,C=32", text)}
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 1 {
			return nil, &UnitError{Letter: upper(name[0]), Reason: fmt.Sprintf("count %q, expected a whole number of at least 1", value)}
		}
		units = append(units, Unit{Letter: upper(name[0]), Count: n})
	}
	return units, nil
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
