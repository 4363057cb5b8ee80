package rvexec

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// noPage is the number of no page.
const noPage = 1 << (32 - pageBits)

// load reads the memory of the lanes of m. lane is the one at fault.
func (w *Warp) load(in *instr, m uint32, s *simt.Step) (lane int, p problem) {
	c := w.core
	d, a := &w.regs[in.d], &w.regs[in.a]
	w.space(in, m, s)
	number, cur := uint32(noPage), (*page)(nil)
	unaligned := uint32(in.width - 1)
	local := c.k.mem.userEnd
	near := uint32(0)
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		addr := a[i] + in.imm
		s.Addresses[i] = uint64(addr)
		if addr&unaligned != 0 {
			return i, misaligned("load", in.width, addr)
		}
		if addr>>pageBits != number {
			number = addr >> pageBits
			cur = c.k.mem.readPage(number)
		}
		var v uint32
		if off := addr & (1<<pageBits - 1); cur == nil {
			if v, p = c.loadSlow(addr, in.width); p.kind != nil {
				return i, p
			}
			if addr-local < LocalBytes {
				s.Addresses[i] = uint64(addr - local)
				near |= 1 << i
			}
		} else if in.width == 4 {
			v = binary.LittleEndian.Uint32(cur[off&^3:])
		} else {
			v = loadBytes(cur[off:], in.width)
		}
		if in.signed {
			shift := 32 - 8*uint32(in.width)
			v = uint32(int32(v<<shift) >> shift)
		}
		d[i] = v
	}
	mixed(s, near, m, local)
	return 0, problem{}
}

// store writes the memory of the lanes of m, in ascending order. lane is the one
// at fault.
func (w *Warp) store(in *instr, m uint32, s *simt.Step) (lane int, p problem) {
	c := w.core
	a, b := &w.regs[in.a], &w.regs[in.b]
	w.space(in, m, s)
	number, cur := uint32(noPage), (*page)(nil)
	unaligned := uint32(in.width - 1)
	local := c.k.mem.userEnd
	near := uint32(0)
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		addr := a[i] + in.imm
		s.Addresses[i] = uint64(addr)
		if addr&unaligned != 0 {
			return i, misaligned("store", in.width, addr)
		}
		if addr>>pageBits != number {
			number = addr >> pageBits
			cur = c.k.mem.writePage(number)
		}
		if off := addr & (1<<pageBits - 1); cur == nil {
			if p = c.storeSlow(addr, in.width, b[i]); p.kind != nil {
				return i, p
			}
			if addr-local < LocalBytes {
				s.Addresses[i] = uint64(addr - local)
				near |= 1 << i
			}
		} else if in.width == 4 {
			binary.LittleEndian.PutUint32(cur[off&^3:], b[i])
		} else {
			storeBytes(cur[off:], in.width, b[i])
		}
	}
	mixed(s, near, m, local)
	return 0, problem{}
}

// mixed keeps the addresses of an access as the program has them where only some
// of its lanes, those of near, are in local memory.
func mixed(s *simt.Step, near, m, local uint32) {
	if near == 0 || near == m {
		return
	}
	s.Space = isa.Generic
	for ; near != 0; near &= near - 1 {
		s.Addresses[bits.TrailingZeros32(near)&31] += uint64(local)
	}
}

// space says which memory the lowest lane of m accesses.
func (w *Warp) space(in *instr, m uint32, s *simt.Step) {
	s.WidthBytes = in.width
	s.Space = isa.Global
	if addr := w.regs[in.a][bits.TrailingZeros32(m)&31] + in.imm; addr-w.core.k.mem.userEnd < LocalBytes {
		s.Space = isa.Shared
	}
}

func misaligned(what string, width int32, addr uint32) problem {
	return problem{simt.ErrMisaligned, fmt.Sprintf("%s of %d bytes at %#08x", what, width, addr)}
}
