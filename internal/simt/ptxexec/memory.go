package ptxexec

import (
	"encoding/binary"
	"fmt"
	"sort"

	"github.com/warpbound/warpbound/isa"
)

// The windows of the generic address space. Shared, local and parameter
// addresses count from the start of their window; constant and global ones are
// generic addresses themselves.
const (
	windowBytes  = 1 << 24
	sharedWindow = 1 << 24
	localWindow  = 2 << 24
	constWindow  = 3 << 24
	paramWindow  = 4 << 24
	// maxLocalBytes is the most local memory of a thread, as on real GPUs.
	maxLocalBytes = 512 << 10
	globalBase32  = 1 << 28
	globalBase64  = 1 << 33
	bufferAlign   = 256
	// bufferGuard separates buffers, so that running over the end of one does
	// not reach the next.
	bufferGuard = 4096
	// pad bytes follow each memory, so that loads that were checked may be
	// done with a constant slice length.
	pad = 32
)

// segment is one buffer of the global or constant memory.
type segment struct {
	name string
	base uint64
	size uint64
	data []byte // size + pad bytes
	// before and after are the bytes around the buffer's own that may be accessed.
	before, after uint64
	constant      bool // in the constant space, read-only
	elements      *Elements
	elementBytes  uint64
	given         bool // the module or the launch gives the contents, for certain
	// taint is what is known of the contents, by view; nil where they are not
	// known at all, and everywhere outside taint mode.
	taint [numViews]*bufferTaint
}

func newSegment(name string, base, size uint64) *segment {
	return &segment{name: name, base: base, size: size, data: make([]byte, size+pad)}
}

// space is an ordered set of segments.
type space []*segment

// find returns the segment that holds all of [addr, addr+width), or nil.
func (s space) find(addr, width uint64) *segment {
	i := sort.Search(len(s), func(i int) bool { return s[i].base > addr })
	if i == 0 {
		return nil
	}
	if g := s[i-1]; addr-g.base < g.size && g.size-(addr-g.base) >= width {
		return g
	}
	return nil
}

// near describes addr by the segment nearest to it.
func (s space) near(addr, width uint64) string {
	if len(s) == 0 {
		return "there are no buffers"
	}
	i := sort.Search(len(s), func(i int) bool { return s[i].base > addr })
	switch {
	case i == 0:
		return fmt.Sprintf("%d bytes before %s", s[0].base-addr, s[0])
	case i < len(s) && s[i].base-addr < addr-(s[i-1].base+s[i-1].size) && addr >= s[i-1].base+s[i-1].size:
		return fmt.Sprintf("%d bytes before %s", s[i].base-addr, s[i])
	}
	g := s[i-1]
	if off := addr - g.base; off < g.size {
		return fmt.Sprintf("byte %d of %s: the last %d bytes are outside", off, g, off+width-g.size)
	}
	return fmt.Sprintf("%d bytes past the end of %s", addr-(g.base+g.size), g)
}

func (g *segment) String() string { return fmt.Sprintf("%s (%d bytes)", g.name, g.size) }

// readBytes reads width bytes, at most 8, at the start of b.
func readBytes(b []byte, width uint64) uint64 {
	switch width {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func writeBytes(b []byte, width, v uint64) {
	switch width {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// resolve splits a generic address into space and address within it.
func resolve(addr uint64) (isa.Space, uint64) {
	switch addr >> 24 {
	case sharedWindow >> 24:
		return isa.Shared, addr - sharedWindow
	case localWindow >> 24:
		return isa.Local, addr - localWindow
	case constWindow >> 24:
		return isa.Const, addr
	case paramWindow >> 24:
		return isa.Param, addr - paramWindow
	}
	return isa.Global, addr
}
