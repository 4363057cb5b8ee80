package ptxexec

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// memInfo says what a memory instruction accesses.
type memInfo struct {
	space isa.Space // isa.Generic where only the address tells
	off   uint64    // added to the address register
	mask  uint64    // the bits of an address: shared, local and parameter addresses wrap at 32
	frame bool      // the address counts from the function's frame
	width uint64    // bytes of one element
	align uint64    // bytes an address must be a multiple of
	regs  []int32   // registers of the elements, -1 for a sink
	// sext is the width in bits a loaded value is sign-extended from, to bits
	// dbits; 0 where it is zero-extended.
	sext, dbits uint8
	site        int32 // number of the memory instruction, for the last buffer hit
}

// total is the number of bytes one lane accesses.
func (mi *memInfo) total() uint64 { return mi.width * uint64(len(mi.regs)) }

// at is the address that lies off bytes after the one in a register. Addresses of
// shared, local and parameter memory have 32 bits, whatever the register, and so
// have all where the module's addresses do: the sum wraps around.
func (mi *memInfo) at(register, off uint64) uint64 { return (register + off) & mi.mask }

// addresses computes the address of each lane of m into the step. It returns
// bounds on the least and greatest, an OR that shows their alignment, and
// whether all 32 lanes access consecutive addresses. Equal bounds mean that all
// addresses are equal.
func (w *warp) addresses(in *instr, mi *memInfo, m uint32) (lo, hi, or uint64, row bool) {
	off := mi.off
	if mi.frame {
		off += w.frames[len(w.frames)-1].base
	}
	mask := mi.mask
	out := &w.step.Addresses
	if w.st[in.a]&uniform != 0 {
		x := (w.vals[in.a][0] + off) & mask
		for i := 0; i < len(out); i += 4 {
			out[i], out[i+1], out[i+2], out[i+3] = x, x, x, x
		}
		return x, x, x, false
	}
	a := &w.vals[in.a]
	if m == ^uint32(0) {
		stride := mi.total()
		next := (a[0] + off) & mask
		var apart uint64
		for i := 0; i < len(out); i += 4 {
			x, y, z, u := (a[i]+off)&mask, (a[i+1]+off)&mask, (a[i+2]+off)&mask, (a[i+3]+off)&mask
			out[i], out[i+1], out[i+2], out[i+3] = x, y, z, u
			apart |= (x ^ next) | (y ^ (next + stride)) | (z ^ (next + 2*stride)) | (u ^ (next + 3*stride))
			or |= x | y | z | u
			next += 4 * stride
		}
		if apart == 0 {
			return out[0], out[31], out[0], true
		}
		if size := uint64(w.blk.k.sharedBytes); mi.space == isa.Shared && or < size && size-or >= stride {
			// No address is above the OR of all: they need not be compared.
			return 0, or, or, false
		}
		lo, hi = out[0], out[0]
		for i := 0; i < len(out); i += 4 {
			x, y, z, u := out[i], out[i+1], out[i+2], out[i+3]
			lo, hi = min(lo, x, y, z, u), max(hi, x, y, z, u)
		}
		return lo, hi, or, false
	}
	lo = ^uint64(0)
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x := (a[i] + off) & mask
		out[i] = x
		lo, hi = min(lo, x), max(hi, x)
		or |= x
	}
	return lo, hi, or, false
}

// window finds the memory that holds the bytes [lo, hi+total) for all lanes at
// once, as the bytes from lo on. It returns nil where lanes access different
// memories, or one with bytes of its own for each lane, or a wrong address.
func (w *warp) window(mi *memInfo, lo, hi uint64, write bool) ([]byte, isa.Space) {
	b := w.blk
	total := mi.total()
	switch mi.space {
	case isa.Shared:
		if size := uint64(b.k.sharedBytes); hi < size && size-hi >= total {
			return b.shared[lo:], isa.Shared
		}
		return nil, isa.Shared
	case isa.Param:
		if mi.frame {
			return nil, isa.Param
		}
		if size := b.k.prog.paramBytes; hi < size && size-hi >= total && !write {
			return b.k.params[lo:], isa.Param
		}
		return nil, isa.Param
	case isa.Local:
		return nil, isa.Local
	}
	g := b.hits[mi.site]
	if g == nil || lo-g.base >= g.size || hi-g.base >= g.size || g.size-(hi-g.base) < total {
		g = b.k.memory.find(lo, 1)
		if g == nil || hi-g.base >= g.size || g.size-(hi-g.base) < total {
			return nil, mi.space
		}
		b.hits[mi.site] = g
	}
	s := isa.Global
	if g.constant {
		s = isa.Const
	}
	if mi.space != isa.Generic && mi.space != s || write && g.constant {
		return nil, mi.space
	}
	return g.data[lo-g.base:], s
}

// locate finds the bytes one lane accesses, and their space and address.
func (w *warp) locate(mi *memInfo, addr uint64, width uint64, lane int, write bool) (data []byte, sp isa.Space, at uint64, err error) {
	k := w.blk.k
	sp, at = mi.space, addr
	if sp == isa.Generic {
		sp, at = resolve(addr)
	} else if sp == isa.Param && !mi.frame && addr>>24 == localWindow>>24 {
		// The address of a function's parameter, taken by mov.
		sp, at = isa.Local, addr-localWindow
	}
	if at&(mi.align-1) != 0 {
		return nil, sp, at, w.fault(simt.ErrMisaligned, lane, fmt.Sprintf("%s of %d bytes at %s: the address is not a multiple of %d", verb(write), width, w.place(sp, at), mi.align))
	}
	outside := func(size uint64, what string) error {
		return w.fault(simt.ErrOutOfBounds, lane, fmt.Sprintf("%s of %d bytes at address %#x, outside the %d bytes of %s", verb(write), width, at, size, what))
	}
	switch sp {
	case isa.Shared:
		size := uint64(k.sharedBytes)
		if at >= size || size-at < width {
			return nil, sp, at, outside(size, "shared memory of the block")
		}
		return w.blk.shared[at:], sp, at, nil
	case isa.Param:
		if !mi.frame {
			size := k.prog.paramBytes
			if write {
				return nil, sp, at, w.fault(simt.ErrOutOfBounds, lane, "store to the kernel's parameters, which are read-only")
			}
			if at >= size || size-at < width {
				return nil, sp, at, outside(size, "parameters")
			}
			return k.params[at:], sp, at, nil
		}
		fallthrough
	case isa.Local:
		size := w.local.end
		if at >= size || size-at < width {
			return nil, sp, at, outside(size, "local memory of the thread")
		}
		return w.local.data[uint64(lane)*w.local.stride+at:], sp, at, nil
	}
	g := k.memory.find(at, width)
	if g == nil || mi.space != isa.Generic && g.constant != (sp == isa.Const) {
		return nil, sp, at, w.fault(simt.ErrOutOfBounds, lane, fmt.Sprintf("%s of %d bytes at %s address %#x: %s", verb(write), width, sp, at, k.memory.near(at, width)))
	}
	if write && g.constant {
		return nil, sp, at, w.fault(simt.ErrOutOfBounds, lane, fmt.Sprintf("store to constant memory, byte %d of %s", at-g.base, g))
	}
	if g.constant {
		sp = isa.Const
	}
	return g.data[at-g.base:], sp, at, nil
}

func verb(write bool) string {
	if write {
		return "store"
	}
	return "load"
}

// place names an address for a message.
func (w *warp) place(sp isa.Space, at uint64) string {
	if sp == isa.Global || sp == isa.Const {
		if g := w.blk.k.memory.find(at, 1); g != nil {
			return fmt.Sprintf("byte %d of %s", at-g.base, g)
		}
	}
	return fmt.Sprintf("%s address %#x", sp, at)
}

// load executes a load of one or several elements.
func (w *warp) load(in *instr, m uint32) error {
	mi := in.mem
	s := w.step
	s.Space, s.WidthBytes = mi.space, int32(mi.total())
	if m == 0 {
		return nil
	}
	lo, hi, or, row := w.addresses(in, mi, m)
	data, sp := w.window(mi, lo, hi, false)
	s.Space = sp
	if data == nil || or&(mi.align-1) != 0 {
		return w.loadEach(in, m)
	}
	if lo == hi && m == w.live {
		for k, r := range mi.regs {
			if r >= 0 {
				w.vals[r][0] = mi.extend(readBytes(data[uint64(k)*mi.width:], mi.width))
				w.st[r] = uniform
			}
		}
		return nil
	}
	if row && len(mi.regs) == 1 && mi.width == 4 && mi.sext == 0 && mi.regs[0] >= 0 {
		readRow(w.dst(mi.regs[0], m), data)
		return nil
	}
	for k, r := range mi.regs {
		if r < 0 {
			continue
		}
		d := w.dst(r, m)
		base := lo - uint64(k)*mi.width
		gather(d, data, &s.Addresses, base, mi.width, m)
		if mi.sext != 0 {
			for i := range d {
				if m>>i&1 != 0 {
					d[i] = mi.extend(d[i])
				}
			}
		}
	}
	return nil
}

// readRow reads 32 consecutive words.
func readRow(d *lanes, data []byte) {
	p := (*[128]byte)(data)
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(binary.LittleEndian.Uint32(p[4*i:]))
		d[i+1] = uint64(binary.LittleEndian.Uint32(p[4*i+4:]))
		d[i+2] = uint64(binary.LittleEndian.Uint32(p[4*i+8:]))
		d[i+3] = uint64(binary.LittleEndian.Uint32(p[4*i+12:]))
	}
}

// writeRow writes 32 consecutive words.
func writeRow(v *lanes, data []byte) {
	p := (*[128]byte)(data)
	for i := 0; i < len(v); i += 4 {
		binary.LittleEndian.PutUint32(p[4*i:], uint32(v[i]))
		binary.LittleEndian.PutUint32(p[4*i+4:], uint32(v[i+1]))
		binary.LittleEndian.PutUint32(p[4*i+8:], uint32(v[i+2]))
		binary.LittleEndian.PutUint32(p[4*i+12:], uint32(v[i+3]))
	}
}

// gather reads the lanes of m, lane i from byte addr[i]-base of data.
func gather(d *lanes, data []byte, addr *[simt.MaxLanes]uint64, base, width uint64, m uint32) {
	full := m == ^uint32(0)
	switch {
	case full && width == 4:
		for i := 0; i < len(d); i += 4 {
			o, p, q, r := addr[i]-base, addr[i+1]-base, addr[i+2]-base, addr[i+3]-base
			d[i] = uint64(binary.LittleEndian.Uint32(data[o : o+4]))
			d[i+1] = uint64(binary.LittleEndian.Uint32(data[p : p+4]))
			d[i+2] = uint64(binary.LittleEndian.Uint32(data[q : q+4]))
			d[i+3] = uint64(binary.LittleEndian.Uint32(data[r : r+4]))
		}
	case full && width == 8:
		for i := 0; i < len(d); i += 2 {
			o, p := addr[i]-base, addr[i+1]-base
			d[i] = binary.LittleEndian.Uint64(data[o : o+8])
			d[i+1] = binary.LittleEndian.Uint64(data[p : p+8])
		}
	default:
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = readBytes(data[addr[i]-base:], width)
		}
	}
}

// extend sign-extends a loaded value to its register.
func (mi *memInfo) extend(x uint64) uint64 {
	if mi.sext == 0 {
		return x
	}
	x = uint64(int64(x<<(64-mi.sext)) >> (64 - mi.sext))
	return x << (64 - mi.dbits) >> (64 - mi.dbits)
}

// loadEach loads lane by lane: mixed spaces, local memory, wrong addresses.
func (w *warp) loadEach(in *instr, m uint32) error {
	mi := in.mem
	s := w.step
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		data, _, _, err := w.locate(mi, s.Addresses[i], mi.total(), i, false)
		if err != nil {
			return err
		}
		for k, r := range mi.regs {
			if r >= 0 {
				w.part(r)[i] = mi.extend(readBytes(data[uint64(k)*mi.width:], mi.width))
			}
		}
	}
	w.places(mi, m)
	return nil
}

// store executes a store of one or several elements.
func (w *warp) store(in *instr, m uint32) error {
	mi := in.mem
	s := w.step
	s.Space, s.WidthBytes = mi.space, int32(mi.total())
	if m == 0 {
		return nil
	}
	lo, hi, or, row := w.addresses(in, mi, m)
	data, sp := w.window(mi, lo, hi, true)
	s.Space = sp
	if data == nil || or&(mi.align-1) != 0 {
		return w.storeEach(in, m)
	}
	if row && len(mi.regs) == 1 && mi.width == 4 {
		writeRow(w.src(mi.regs[0]), data)
		return nil
	}
	for k, r := range mi.regs {
		scatter(w.src(r), data, &s.Addresses, lo-uint64(k)*mi.width, mi.width, m)
	}
	return nil
}

func scatter(v *lanes, data []byte, addr *[simt.MaxLanes]uint64, base, width uint64, m uint32) {
	full := m == ^uint32(0)
	switch {
	case full && width == 4:
		for i := 0; i < len(v); i += 2 {
			o, p := addr[i]-base, addr[i+1]-base
			binary.LittleEndian.PutUint32(data[o:o+4], uint32(v[i]))
			binary.LittleEndian.PutUint32(data[p:p+4], uint32(v[i+1]))
		}
	case full && width == 8:
		for i := range v {
			binary.LittleEndian.PutUint64(data[addr[i]-base:], v[i])
		}
	default:
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			writeBytes(data[addr[i]-base:], width, v[i])
		}
	}
}

func (w *warp) storeEach(in *instr, m uint32) error {
	mi := in.mem
	s := w.step
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		data, _, _, err := w.locate(mi, s.Addresses[i], mi.total(), i, true)
		if err != nil {
			return err
		}
		for k, r := range mi.regs {
			writeBytes(data[uint64(k)*mi.width:], mi.width, w.src(r)[i])
		}
	}
	w.places(mi, m)
	return nil
}

// places converts the addresses of the step from those of the program to those
// in the space that all lanes of m access; where lanes access several spaces,
// they stay generic.
func (w *warp) places(mi *memInfo, m uint32) {
	s := w.step
	if mi.frame && mi.space == isa.Param {
		s.Space = isa.Param
		return
	}
	sp, _ := w.where(mi, s.Addresses[bits.TrailingZeros32(m)&31])
	at := s.Addresses
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		var here isa.Space
		here, at[i] = w.where(mi, s.Addresses[i])
		if here == isa.Local {
			s.Local |= 1 << i
		}
		if here != sp {
			sp = isa.Generic
		}
	}
	if s.Space = sp; sp != isa.Generic {
		s.Addresses = at
	}
}

// prefetch lowers a prefetch, which changes nothing. Its address matters to
// timing: one byte a lane is accessed.
func (l *lowerer) prefetch(s *ptx.Inst, f *ptx.Form) {
	mi := &memInfo{width: 1, align: 1, regs: []int32{-1}}
	l.in.group, l.in.flow = gExec, flowAddress
	l.in.mem, l.in.x = mi, &extra{e: -1}
	l.in.run = runPrefetch
	l.address(&s.Operands[0], spaceOf(f.Space), mi)
	l.is.WidthBytes = int32(mi.width)
	l.is.Class.Space = mi.space
}

func runPrefetch(w *warp, in *instr, m uint32) error {
	s := w.step
	s.Space, s.WidthBytes = in.mem.space, int32(in.mem.width)
	if m != 0 {
		w.addresses(in, in.mem, m)
		w.places(in.mem, m)
	}
	return nil
}
