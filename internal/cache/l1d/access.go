package l1d

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// Kind says what a global access does.
type Kind uint8

// The kinds of global accesses. An asynchronous copy from global memory is a
// load.
const (
	Load Kind = iota
	Store
	Atomic
)

var kindLetters = [...]string{"L", "S", "A"}

// String is "L" or "S", as in the listings of Huangfu2017, or "A".
func (k Kind) String() string { return kindLetters[k] }

// cacheKind is what the tags of the L1 data cache see of an access. Atomics are
// performed behind it and change no tag.
func (k Kind) cacheKind() (kind cache.Kind, touches bool) {
	switch k {
	case Load:
		return cache.Load, true
	case Store:
		return cache.Store, true
	}
	return 0, false
}

func kindOf(in *isa.Instruction) Kind {
	switch in.Kind {
	case isa.Store:
		return Store
	case isa.Atomic:
		return Atomic
	}
	return Load
}

// IsGlobalAccess says whether an executed step of instruction in is a global
// access: some lane executed it, and the space it resolved to is global. Local
// memory, which hardware keeps behind the same cache, is not modelled.
func IsGlobalAccess(in *isa.Instruction, s *simt.Step) bool {
	return s.Exec != 0 && s.Space == isa.Global && MayAccessGlobal(in)
}

// Access is one warp's execution of a global access instruction.
type Access struct {
	Block int64
	Warp  int   // in its block
	Index int64 // among the warp's global accesses, from 0 in program order
	PC    int32
	Kind  Kind
	Lanes int // that execute it
	// Lines are the byte addresses of the distinct segments touched, multiples
	// of the segment size, in the order in which the lanes, from the lowest on,
	// touch them first.
	Lines []uint64
}

// coalesce appends the segments of 1<<shift bytes that a step touches, first
// touch first.
func coalesce(lines []uint64, s *simt.Step, shift uint) []uint64 {
	width := uint64(max(s.WidthBytes, 1))
	if width&(width-1) != 0 || width > 1<<shift {
		return coalesceWide(lines, s, shift)
	}
	// Addresses are multiples of the width, so no lane touches two segments.
	last := ^uint64(0)
	if s.Exec == ^simt.Mask(0) {
		for i := range s.Addresses {
			if g := s.Addresses[i] >> shift; g != last {
				last = g
				lines = addSegment(lines, g<<shift)
			}
		}
		return lines
	}
	for m := s.Exec; m != 0; m &= m - 1 {
		if g := s.Addresses[bits.TrailingZeros32(uint32(m))&31] >> shift; g != last {
			last = g
			lines = addSegment(lines, g<<shift)
		}
	}
	return lines
}

// coalesceWide is coalesce where a lane may touch several segments.
func coalesceWide(lines []uint64, s *simt.Step, shift uint) []uint64 {
	for m := s.Exec; m != 0; m &= m - 1 {
		a := s.Addresses[bits.TrailingZeros32(uint32(m))&31]
		for g := a >> shift; g <= (a+uint64(s.WidthBytes)-1)>>shift; g++ {
			lines = addSegment(lines, g<<shift)
		}
	}
	return lines
}

func addSegment(lines []uint64, a uint64) []uint64 {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i] == a {
			return lines
		}
	}
	return append(lines, a)
}
