package ptx

import (
	"strconv"
	"strings"
)

// objectKind is what a name stands for.
type objectKind uint8

const (
	objReg objectKind = iota
	objVar
	objLabel
	objFunc
	objBranchTargets
	objCallTargets
	objPrototype
)

var objectNames = [...]string{"a register", "a variable", "a label", "a function",
	"a list of branch targets", "a list of call targets", "a call prototype"}

// paramRole is what a .param variable is to the function it is a parameter of.
type paramRole uint8

const (
	paramLocal paramRole = iota // it is none, but passed to calls
	paramInput
	paramResult
)

// object is a declared name.
type object struct {
	kind  objectKind
	typ   Type
	vec   uint8
	space Space
	count int32 // of a register range; -1 for a plain name
	pos   Pos
	fn    *Func          // objFunc
	proto *CallPrototype // objPrototype
	role  paramRole      // objVar in .param
	// again allows another declaration of the name: extern or a prototype.
	again bool
}

// scope is a lexical scope: module, function or block.
type scope struct {
	parent *scope
	names  map[string]object
	ranges map[string]object // by prefix
	// lowest holds, for what a range of registers could take, the plain name
	// with the least number behind each prefix: "%r1" and "%r" of "%r12".
	lowest map[string]numberedName
}

// numberedName is a plain name that ends in a number.
type numberedName struct {
	number int32
	object object
}

func newScope(parent *scope) *scope { return &scope{parent: parent, names: make(map[string]object)} }

// declare adds a name; where it is taken in this very scope, it returns the
// object that has it.
func (s *scope) declare(name string, o object) (old object, clash bool) {
	if o.count >= 0 {
		if old, clash = s.ranges[name]; clash {
			return old, true
		}
		if low, ok := s.lowest[name]; ok && low.number < o.count {
			return low.object, true
		}
		if s.ranges == nil {
			s.ranges = make(map[string]object)
		}
		s.ranges[name] = o
		return object{}, false
	}
	if name == "_" {
		return object{}, false
	}
	if old, clash = s.local(name); clash {
		if !old.again && !o.again || old.kind != o.kind {
			return old, true
		}
		if o.again {
			return object{}, false // the definition stays
		}
	}
	s.names[name] = o
	if o.kind != objLabel {
		s.number(name, o)
	}
	return object{}, false
}

// number notes a plain name under every prefix that a range could have.
func (s *scope) number(name string, o object) {
	for i := len(name) - 1; i > 0 && i >= len(name)-maxDigits && charClass[name[i]]&ccDigit != 0; i-- {
		n, ok := numbered(name, i)
		if !ok {
			continue
		}
		if low, ok := s.lowest[name[:i]]; !ok || n < low.number {
			if s.lowest == nil {
				s.lowest = make(map[string]numberedName)
			}
			s.lowest[name[:i]] = numberedName{n, o}
		}
	}
}

// maxDigits is the length of the largest number of a register.
const maxDigits = 10

// numbered reads the digits of name from i on as the number of a register.
func numbered(name string, i int) (int32, bool) {
	if i >= len(name) || name[i] == '0' && i < len(name)-1 {
		return 0, false
	}
	n, err := strconv.ParseUint(name[i:], 10, 31)
	return int32(n), err == nil
}

// local finds a name in this scope alone.
func (s *scope) local(name string) (object, bool) {
	if o, ok := s.names[name]; ok {
		return o, true
	}
	if len(s.ranges) == 0 {
		return object{}, false
	}
	// "%r12" may be number 12 of %r or number 2 of %r1.
	for i := len(name) - 1; i > 0 && i >= len(name)-maxDigits && charClass[name[i]]&ccDigit != 0; i-- {
		if o, ok := s.ranges[name[:i]]; ok {
			if n, ok := numbered(name, i); ok && n < o.count {
				return o, true
			}
		}
	}
	return object{}, false
}

// lookup finds a name in this scope or those around it, predefined registers
// last.
func (s *scope) lookup(name string) (object, bool) {
	for t := s; t != nil; t = t.parent {
		if o, ok := t.local(name); ok {
			return o, true
		}
	}
	if sp, ok := specials[name]; ok && strings.HasPrefix(name, "%") {
		return object{kind: objReg, typ: sp.typ, vec: sp.vec, space: SpaceSreg, count: -1}, true
	}
	return object{}, false
}
