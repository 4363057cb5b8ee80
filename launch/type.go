package launch

import (
	"math/big"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
)

// Type is a PTX fundamental type: of a scalar, or of a buffer's elements.
type Type uint8

// The types. B types hold bits: any number of their width, signed or not.
const (
	NoType Type = iota
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	B8
	B16
	B32
	B64
	F16
	F32
	F64
)

type domain uint8

const (
	unsigned domain = iota
	signed
	untyped
	float
)

// types says of each type its name, size, kind of number, and the NPY types
// that a file of such elements may have, the one written first.
var types = [...]struct {
	name   string
	bytes  int64
	domain domain
	npy    []string
}{
	U8:  {"u8", 1, unsigned, []string{"|u1", "|b1"}},
	U16: {"u16", 2, unsigned, []string{"<u2"}},
	U32: {"u32", 4, unsigned, []string{"<u4"}},
	U64: {"u64", 8, unsigned, []string{"<u8"}},
	S8:  {"s8", 1, signed, []string{"|i1"}},
	S16: {"s16", 2, signed, []string{"<i2"}},
	S32: {"s32", 4, signed, []string{"<i4"}},
	S64: {"s64", 8, signed, []string{"<i8"}},
	B8:  {"b8", 1, untyped, []string{"|u1", "|i1", "|b1"}},
	B16: {"b16", 2, untyped, []string{"<u2", "<i2", "<f2"}},
	B32: {"b32", 4, untyped, []string{"<u4", "<i4", "<f4"}},
	B64: {"b64", 8, untyped, []string{"<u8", "<i8", "<f8"}},
	F16: {"f16", 2, float, []string{"<f2"}},
	F32: {"f32", 4, float, []string{"<f4"}},
	F64: {"f64", 8, float, []string{"<f8"}},
}

// String is the type's name in PTX, without the dot.
func (t Type) String() string {
	if int(t) < len(types) && t != NoType {
		return types[t].name
	}
	return "no type"
}

// TypeNamed is the type of that name, NoType where there is none.
func TypeNamed(name string) Type {
	for t := range types {
		if types[t].name == name && name != "" {
			return Type(t)
		}
	}
	return NoType
}

// Bytes is the size of a value.
func (t Type) Bytes() int64 { return types[t].bytes }

// Bits is the width of a value.
func (t Type) Bits() uint { return uint(8 * types[t].bytes) }

// IsFloat says whether values are floating-point numbers.
func (t Type) IsFloat() bool { return types[t].domain == float }

// NPY is the NumPy name of the type, for files written.
func (t Type) NPY() string { return types[t].npy[0] }

func typeNames() []string {
	var names []string
	for _, t := range types[1:] {
		names = append(names, t.name)
	}
	return names
}

// typeNamed reads the name of a type; NoType where it is not one.
func typeNamed(n *conf.Node, where string, errs *conf.ErrorList) Type {
	if n.Kind != conf.String {
		errs.Addf(n.Pos, "%s is %s, expected the name of a type", where, n.Kind)
		return NoType
	}
	names := typeNames()
	i := slices.Index(names, n.Text)
	if i < 0 {
		errs.Addf(n.Pos, "%s is %q, %s", where, n.Text, conf.Suggest(n.Text, names))
	}
	return Type(i + 1)
}

// Holds says that an integer type has the number x.
func (t Type) Holds(x int64) bool {
	least, largest := t.limits()
	n := big.NewInt(x)
	return n.Cmp(least) >= 0 && n.Cmp(largest) <= 0
}
