package npy

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// parseHeader reads the Python dictionary that describes an array:
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
func parseHeader(text string) (Header, error) {
	s := scanner{text: text}
	var h Header
	var fortran bool
	seen := map[string]bool{}
	s.expect("{")
	for s.err == nil && !s.accept("}") {
		key := s.quoted()
		s.expect(":")
		if seen[key] {
			s.fail("key %q twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			if s.peek() == '[' {
				s.fail("a structured type, expected plain numbers")
				break
			}
			h.Descr = s.quoted()
		case "fortran_order":
			fortran = s.boolean()
		case "shape":
			h.Shape = s.tuple()
		default:
			s.fail("key %q, expected descr, fortran_order and shape", key)
		}
		if !s.accept(",") {
			s.expect("}")
			break
		}
	}
	if s.err == nil && strings.TrimSpace(s.text[s.at:]) != "" {
		s.fail("text after the dictionary")
	}
	if s.err == nil && len(seen) != 3 {
		s.fail("%d keys, expected descr, fortran_order and shape", len(seen))
	}
	if s.err != nil {
		return Header{}, s.err
	}
	return h, h.check(fortran)
}

// check completes a header that has been read and refuses what is not supported.
func (h *Header) check(fortran bool) error {
	if descrs[h.Descr] == 0 {
		return unknownDescr(h.Descr)
	}
	if fortran && len(h.Shape) > 1 {
		return fmt.Errorf("NPY array of %d dimensions in Fortran order, expected C order (in NumPy: numpy.ascontiguousarray)", len(h.Shape))
	}
	h.Count = 1
	for _, n := range h.Shape {
		high, low := bits.Mul64(uint64(h.Count), uint64(n))
		if high != 0 || low > 1<<48 {
			return fmt.Errorf("NPY shape %v, expected at most 2^48 elements", h.Shape)
		}
		h.Count = int64(low)
	}
	return nil
}

// scanner reads the few Python tokens a header is made of. The first error
// sticks, and later calls do nothing.
type scanner struct {
	text string
	at   int
	err  error
}

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("NPY header, byte %d: "+format, append([]any{s.at + prefixBytes}, args...)...)
	}
}

// peek skips blanks and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

func (s *scanner) accept(token string) bool {
	s.peek()
	if s.err != nil || !strings.HasPrefix(s.text[s.at:], token) {
		return false
	}
	s.at += len(token)
	return true
}

func (s *scanner) expect(token string) {
	if !s.accept(token) {
		s.fail("expected %q", token)
	}
}

func (s *scanner) quoted() string {
	quote := s.peek()
	if s.err != nil {
		return ""
	}
	if quote != '\'' && quote != '"' {
		s.fail("expected a string")
		return ""
	}
	end := strings.IndexByte(s.text[s.at+1:], quote)
	if end < 0 {
		s.fail("a string without an end")
		return ""
	}
	word := s.text[s.at+1 : s.at+1+end]
	s.at += end + 2
	return word
}

func (s *scanner) boolean() bool {
	if s.accept("True") {
		return true
	}
	s.expect("False")
	return false
}

func (s *scanner) tuple() []int64 {
	s.expect("(")
	dims := []int64{}
	for s.err == nil && !s.accept(")") {
		dims = append(dims, s.number())
		if len(dims) > maxDims {
			s.fail("more than %d dimensions", maxDims)
		}
		if !s.accept(",") {
			s.expect(")")
			break
		}
	}
	return dims
}

func (s *scanner) number() int64 {
	s.peek()
	end := s.at
	for end < len(s.text) && s.text[end] >= '0' && s.text[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(s.text[s.at:end], 10, 64)
	if err != nil {
		s.fail("expected a dimension")
		return 0
	}
	s.at = end
	return n
}
