package ptxexec

import "github.com/warpbound/warpbound/isa"

// sharedArray is a variable in shared memory.
type sharedArray struct {
	name       string
	addr, size uint64
}

// Array implements simt.Arrays.
func (k *Kernel) Array(space isa.Space, address uint64) string {
	if space == isa.Generic {
		space, address = resolve(address)
	}
	switch space {
	case isa.Global, isa.Const:
		if g := k.memory.find(address, 1); g != nil {
			return g.name
		}
	case isa.Shared:
		for _, a := range k.prog.sharedArrays {
			if address >= a.addr && address-a.addr < a.size {
				return a.name
			}
		}
	case isa.Local:
		return "local memory"
	case isa.Param:
		return "parameters"
	}
	return ""
}
