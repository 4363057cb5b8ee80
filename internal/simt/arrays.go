package simt

import "github.com/warpbound/warpbound/isa"

// Arrays is a kernel that knows what lies at the addresses of its steps.
type Arrays interface {
	// Array is the name of the buffer or variable at an address of a space, "" where there is
	// none that is known.
	Array(space isa.Space, address uint64) string
}
