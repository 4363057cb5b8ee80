package reference

import "slices"

// The memory map of a variant.
type layout struct{ console, dump, exit, userEnd uint32 }

func (m *Emulator) layout() layout {
	if m.Feb2024 {
		return layout{console: 0xff004000, dump: 0xff004040, exit: 0xff004048, userEnd: 0xff000000}
	}
	return layout{console: 0x40, dump: 0x80, exit: 0x88, userEnd: 0xffff0000}
}

const (
	userBase     = 0x10000
	localBytes   = 16 << 10
	consoleBytes = 64
	dumpBytes    = 256 // of a core
)

func within(addr, base uint32, size int) bool { return addr >= base && addr-base < uint32(size) }

// cell is where the byte at an address is, nil where there is none. The console
// has no cells.
func (s *step) cell(addr uint32) map[uint32]byte {
	l := s.m.layout()
	switch {
	case within(addr, l.dump, dumpBytes*s.m.Cores):
		return s.m.io
	case addr >= userBase && addr < l.userEnd:
		return s.m.Memory
	case within(addr, l.userEnd, localBytes):
		return s.core.Local
	}
	return nil
}

// load is the number at an address.
func (s *step) load(addr uint32, width, thread int) (uint32, *Fault) {
	if addr%uint32(width) != 0 {
		return 0, s.fault(Misaligned, thread)
	}
	cells := s.cell(addr)
	if cells == nil {
		return 0, s.fault(Outside, thread)
	}
	var value uint32
	for i := range width {
		value |= uint32(cells[addr+uint32(i)]) << (8 * i)
	}
	return value, nil
}

// store puts a number at an address.
func (s *step) store(addr, value uint32, width, thread int) *Fault {
	if addr%uint32(width) != 0 {
		return s.fault(Misaligned, thread)
	}
	if l := s.m.layout(); within(addr, l.console, consoleBytes) {
		s.m.print(uint32(s.id[0])<<8|(addr-l.console), byte(value))
		return nil
	}
	cells := s.cell(addr)
	if cells == nil {
		return s.fault(Outside, thread)
	}
	if _, code := s.m.Code[addr&^3]; code {
		if !s.m.CodeWritable {
			return s.fault(Protected, thread)
		}
		s.m.overwritten[addr&^3] = true
	}
	for i := range width {
		cells[addr+uint32(i)] = byte(value >> (8 * i))
	}
	return nil
}

// print adds a character to the line of a place, which is one of a core.
func (m *Emulator) print(place uint32, char byte) {
	m.lines[place] = append(m.lines[place], char)
	if char == '\n' {
		m.ended = append(m.ended, m.lines[place]...)
		delete(m.lines, place)
	}
}

// Console is the lines printed, in the order in which they ended, then those
// that did not end, by core and place.
func (m *Emulator) Console() []byte {
	out := slices.Clone(m.ended)
	for place := range uint32(m.Cores) << 8 {
		out = append(out, m.lines[place]...)
	}
	return out
}

// ExitCode is the exit code word.
func (m *Emulator) ExitCode() (code uint32) {
	for i := range uint32(4) {
		code |= uint32(m.io[m.layout().exit+i]) << (8 * i)
	}
	return code
}
