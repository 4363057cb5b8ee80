package ptxexec

import (
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// symbolKind says what a name stands for.
type symbolKind uint8

const (
	symReg      symbolKind = iota // a value register
	symPred                       // a predicate
	symMemory                     // a variable at a fixed address of its space
	symFrame                      // a variable or parameter in the function's frame
	symDynamic                    // extern shared memory
	symExternal                   // a variable that is declared but defined elsewhere
	symTexture                    // a texture or sampler
)

// symbol is a declared name.
type symbol struct {
	kind  symbolKind
	name  string
	pos   ptx.Pos // of a variable
	typ   ptx.Type
	space isa.Space
	reg   int32   // value register or predicate, -1 until first used
	isa   isa.Reg // its number in the static program
	addr  uint64  // address, or offset in the frame
	size  uint64
	elems []*symbol // of a vector register
	// pending is set for shared variables that have no address yet: only those
	// that the kernel uses take space.
	pending bool
	align   uint64
	// wrong is what is wrong with the initialiser. It matters to kernels that use
	// the variable only.
	wrong *conf.Error
}

// regRange is a declaration such as "%r<25>".
type regRange struct {
	count int32
	typ   ptx.Type
}

// scope is a block of names. Labels are kept with it: inline assembly repeats
// the same ones in every block.
type scope struct {
	parent *scope
	syms   map[string]*symbol
	ranges map[string]regRange
	labels map[string]int32
	tables map[string]*ptx.BranchTargets
}

func newScope(parent *scope) *scope {
	return &scope{parent: parent, syms: map[string]*symbol{}, ranges: map[string]regRange{}, labels: map[string]int32{}, tables: map[string]*ptx.BranchTargets{}}
}

// find returns the symbol of a name, nil where it is not declared.
func (s *scope) find(name string) *symbol {
	stem := strings.TrimRight(name, "0123456789")
	number, err := strconv.ParseInt(name[len(stem):], 10, 32)
	inRange := err == nil && (name[len(stem)] != '0' || len(name) == len(stem)+1)
	for ; s != nil; s = s.parent {
		if sym := s.syms[name]; sym != nil {
			return sym
		}
		if !inRange {
			continue
		}
		if r, ok := s.ranges[stem]; ok && int32(number) < r.count {
			sym := registerSymbol(name, r.typ)
			s.syms[name] = sym
			return sym
		}
		// "%r1<10>" declares %r10 to %r19, so the stem may end in digits.
		for cut := len(stem) + 1; cut < len(name); cut++ {
			r, ok := s.ranges[name[:cut]]
			if !ok || name[cut] == '0' && cut != len(name)-1 {
				continue
			}
			if n, err := strconv.ParseInt(name[cut:], 10, 32); err == nil && int32(n) < r.count {
				sym := registerSymbol(name, r.typ)
				s.syms[name] = sym
				return sym
			}
		}
	}
	return nil
}

func (s *scope) label(name string) (int32, bool) {
	for ; s != nil; s = s.parent {
		if at, ok := s.labels[name]; ok {
			return at, true
		}
	}
	return 0, false
}

func (s *scope) table(name string) *ptx.BranchTargets {
	for ; s != nil; s = s.parent {
		if t := s.tables[name]; t != nil {
			return t
		}
	}
	return nil
}

func registerSymbol(name string, t ptx.Type) *symbol {
	sym := &symbol{kind: symReg, name: name, typ: t, reg: -1, isa: isa.NoReg}
	if t == ptx.Pred {
		sym.kind = symPred
	}
	return sym
}

// declareRegisters adds the names of a .reg declaration.
func (s *scope) declareRegisters(d *ptx.VarDecl) {
	for i := range d.Vars {
		v := &d.Vars[i]
		if v.Count >= 0 {
			s.ranges[v.Name] = regRange{count: v.Count, typ: d.Type}
			continue
		}
		sym := registerSymbol(v.Name, d.Type)
		s.syms[v.Name] = sym
		for k := range int(d.Vec) {
			if d.Vec < 2 {
				break
			}
			e := registerSymbol(v.Name+"."+string("xyzw"[k&3]), d.Type)
			sym.elems = append(sym.elems, e)
			s.syms[e.name] = e
		}
	}
}

// maxVariableBytes bounds the size of a variable, so that sizes do not overflow.
const maxVariableBytes = 1 << 32

// layout returns the size and alignment of one variable of a declaration. The
// length of an array without one is that of its initialiser; unsized says that
// there is none either. Sizes above maxVariableBytes are not exact.
func layout(d *ptx.VarDecl, v *ptx.Var) (size, align uint64, unsized bool) {
	vec := uint64(max(d.Vec, 1))
	elem := uint64(d.Type.Bytes()) * vec
	n := uint64(1)
	for i, dim := range v.Dims {
		if dim < 0 || dim > maxVariableBytes {
			if dim > 0 {
				return 2 * maxVariableBytes, 1, false
			}
			if i == 0 && v.Init != nil {
				n *= uint64(len(v.Init.Sub))
			} else {
				unsized = true
			}
			continue
		}
		n *= uint64(dim)
		n = min(n, 2*maxVariableBytes)
	}
	align = max(uint64(d.Align), elem, 1)
	if d.Align > 0 {
		align = uint64(d.Align)
	}
	for align&(align-1) != 0 {
		align += align & -align
	}
	return elem * n, align, unsized
}

func alignUp(x, align uint64) uint64 { return (x + align - 1) &^ (align - 1) }
