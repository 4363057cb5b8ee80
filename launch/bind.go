package launch

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/conf"
)

// Param is a parameter of a kernel.
type Param struct {
	Name  string
	Type  string // PTX fundamental type without the dot, such as "u64" or "b8"
	Bytes int64  // in all: more than the type's where the parameter is an array
	Align int64
	// AddressBytes is the size of an address in the kernel's module, 4 or 8; 0
	// where it is not known.
	AddressBytes int64
}

func (p *Param) String() string { return fmt.Sprintf("%s (.%s, %d bytes)", p.Name, p.Type, p.Bytes) }

// Bind checks that the arguments fit a kernel's parameters: as many, in order,
// scalars of the same width and kind of number, buffers where an address fits,
// structures of the same size. The error is an ErrorList.
func (l *Launch) Bind(params []Param) error {
	var errs conf.ErrorList
	for i := range min(len(l.Args), len(params)) {
		a, p := &l.Args[i], &params[i]
		if msg := a.mismatch(p); msg != "" {
			errs.Addf(a.pos, "args.%s is %s, expected parameter %s", a.Name, msg, p)
		}
	}
	if len(l.Args) > len(params) {
		errs.Addf(l.Args[len(params)].pos, "%d arguments, expected %d: args.%s has no parameter", len(l.Args), len(params), l.Args[len(params)].Name)
	}
	if len(l.Args) < len(params) {
		pos := l.kernelPos
		if len(l.Args) > 0 {
			pos = l.Args[len(l.Args)-1].pos
		}
		errs.Addf(pos, "%d arguments, expected %d: none for parameter %s", len(l.Args), len(params), &params[len(l.Args)])
	}
	return errs.Err()
}

// mismatch says what an argument is where it does not fit a parameter.
func (a *Arg) mismatch(p *Param) string {
	var want Type
	for t := U8; t <= F64; t++ {
		if t.String() == p.Type {
			want = t
		}
	}
	array := want != NoType && p.Bytes != want.Bytes()
	switch a.Kind {
	case Struct:
		if a.Bytes() != p.Bytes && len(a.Fields) > 0 {
			return fmt.Sprintf("a structure of %d bytes", a.Bytes())
		}
		if a.Bytes() != p.Bytes {
			return fmt.Sprintf("%d bytes from a file", a.Bytes())
		}
	case Buffer:
		// An address is 64 bits, or 32 in modules that say so.
		if array || p.Bytes != 8 && p.Bytes != 4 || p.AddressBytes != 0 && p.Bytes != p.AddressBytes || want != NoType && want.IsFloat() {
			return "a buffer, passed as an address"
		}
	case Scalar:
		mixed := want != NoType && want.IsFloat() != a.Type.IsFloat() && types[want].domain != untyped && types[a.Type].domain != untyped
		if array || p.Bytes != a.Type.Bytes() || mixed {
			return fmt.Sprintf("a scalar of type %s", a.Type)
		}
	}
	return ""
}
