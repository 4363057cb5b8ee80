package rvexec

import (
	"encoding/binary"
	"fmt"

	"github.com/warpbound/warpbound/internal/simt"
)

// page is 64 KiB of user memory.
type page [1 << pageBits]byte

// pageTable holds pages by the last byte of their numbers.
type pageTable [1 << tableBits]*page

// tableBits are the bits of a page's number within its table.
const tableBits = 8

// zeroPage stands for all pages never written to; it is only read.
var zeroPage page

// memory is what all cores share: user memory and the monitor dumps.
type memory struct {
	// pages are by address >> pageBits, nil where never written to.
	pages    [1 << (32 - pageBits - tableBits)]*pageTable
	userEnd  uint32
	left     int64 // pages that may still be written to
	console  uint32
	dumps    []byte // of all cores, from the end of the console on
	textFrom uint32 // instruction memory
	textEnd  uint32 // modulo 2^32
	// The pages that hold instructions: stores there are looked at one by one.
	textLow, textHigh uint32
	// fresh, if not nil, fills memory that nobody has written.
	fresh func([]byte)
}

func newMemory(l *LaunchConfig, textBase uint32, words int) *memory {
	m := &memory{
		userEnd:  l.Variant.UserEnd(),
		left:     l.MaxMemoryBytes >> pageBits,
		console:  l.Variant.consoleBase(),
		dumps:    make([]byte, uint32(l.Cores)*dumpBytes),
		textFrom: textBase,
		textEnd:  textBase + 4*uint32(words),
	}
	m.textLow = textBase >> pageBits
	m.textHigh = (m.textEnd - 1) >> pageBits
	return m
}

// user says that the page of that number is user memory.
func (m *memory) user(number uint32) bool {
	return number >= UserBase>>pageBits && number < m.userEnd>>pageBits
}

// readPage is the page for loads, nil where it is not user memory.
func (m *memory) readPage(number uint32) *page {
	if t := m.pages[number>>tableBits]; t != nil && t[number&(1<<tableBits-1)] != nil {
		return t[number&(1<<tableBits-1)]
	}
	if !m.user(number) {
		return nil
	}
	if m.fresh != nil {
		if p, ok := m.own(number); ok {
			return p
		}
	}
	return &zeroPage
}

// writePage is the page for stores that need no look at their addresses, nil
// for all others.
func (m *memory) writePage(number uint32) *page {
	if number-m.textLow <= m.textHigh-m.textLow || !m.user(number) {
		return nil
	}
	p, _ := m.own(number)
	return p
}

// own is the page of user memory of that number for writing; false where too
// much memory has been written to.
func (m *memory) own(number uint32) (*page, bool) {
	t := m.pages[number>>tableBits]
	if t == nil {
		t = new(pageTable)
		m.pages[number>>tableBits] = t
	}
	p := t[number&(1<<tableBits-1)]
	if p == nil {
		if m.left <= 0 {
			return nil, false
		}
		m.left--
		p = new(page)
		if m.fresh != nil {
			m.fresh(p[:])
		}
		t[number&(1<<tableBits-1)] = p
	}
	return p, true
}

// put writes bytes that are known to be in user memory.
func (m *memory) put(addr uint32, data []byte) error {
	for len(data) > 0 {
		p, ok := m.own(addr >> pageBits)
		if !ok {
			return fmt.Errorf("more memory than allowed at %#x", addr)
		}
		n := copy(p[addr&(1<<pageBits-1):], data)
		data = data[n:]
		addr += uint32(n)
	}
	return nil
}

// dump is the part of the monitor dumps from addr on, nil where it has not that
// many bytes.
func (m *memory) dump(addr, bytes uint32) []byte {
	off := addr - (m.console + consoleBytes)
	if off >= uint32(len(m.dumps)) || uint32(len(m.dumps))-off < bytes {
		return nil
	}
	return m.dumps[off : off+bytes]
}

// inText says that addr is in instruction memory.
func (m *memory) inText(addr uint32) bool { return addr-m.textFrom < m.textEnd-m.textFrom }

// special is a place of memory other than plain user memory.
type special uint8

const (
	nowhere special = iota
	userPlace
	localPlace
	consolePlace
	dumpPlace
)

// place tells what is at an address, whose access of at most 4 bytes is aligned.
func (c *Core) place(addr uint32) special {
	m := c.k.mem
	switch {
	case addr >= UserBase && addr < m.userEnd:
		return userPlace
	case addr-m.userEnd < LocalBytes:
		return localPlace
	case addr-m.console < consoleBytes:
		return consolePlace
	case addr-(m.console+consoleBytes) < uint32(len(m.dumps)):
		return dumpPlace
	}
	return nowhere
}

func loadBytes(b []byte, width int32) uint32 {
	switch width {
	case 1:
		return uint32(b[0])
	case 2:
		return uint32(binary.LittleEndian.Uint16(b))
	}
	return binary.LittleEndian.Uint32(b)
}

func storeBytes(b []byte, width int32, v uint32) {
	switch width {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	default:
		binary.LittleEndian.PutUint32(b, v)
	}
}

// problem is what is wrong with an access or an operand; the zero value says
// that nothing is.
type problem struct {
	kind   error
	detail string
}

// loadSlow reads what is not in a page of user memory.
func (c *Core) loadSlow(addr uint32, width int32) (uint32, problem) {
	switch c.place(addr) {
	case localPlace:
		return loadBytes(c.local[addr-c.k.mem.userEnd:], width), problem{}
	case dumpPlace:
		return loadBytes(c.k.mem.dump(addr, uint32(width)), width), problem{}
	case consolePlace:
		return 0, problem{simt.ErrOutOfBounds, fmt.Sprintf("load from %#08x, the console, which cannot be read", addr)}
	}
	return 0, problem{simt.ErrOutOfBounds, fmt.Sprintf("load of %d bytes from %#08x, which is outside memory", width, addr)}
}

// storeSlow writes what is not in a page of plain user memory.
func (c *Core) storeSlow(addr uint32, width int32, v uint32) problem {
	m := c.k.mem
	switch c.place(addr) {
	case userPlace:
		if m.inText(addr) {
			if p := c.k.overwrite(addr); p.kind != nil {
				return p
			}
		}
		p, ok := m.own(addr >> pageBits)
		if !ok {
			return problem{simt.ErrOutOfBounds, fmt.Sprintf("store to %#08x, with more than %d bytes of memory written to", addr, c.k.launch.MaxMemoryBytes)}
		}
		storeBytes(p[addr&(1<<pageBits-1):], width, v)
	case localPlace:
		storeBytes(c.local[addr-m.userEnd:], width, v)
	case dumpPlace:
		storeBytes(m.dump(addr, uint32(width)), width, v)
	case consolePlace:
		c.k.print(c.id, addr-m.console, byte(v))
	default:
		return problem{simt.ErrOutOfBounds, fmt.Sprintf("store of %d bytes to %#08x, which is outside memory", width, addr)}
	}
	return problem{}
}
