package rv

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
)

// The limits of what Load accepts, against files made to exhaust memory.
const (
	MaxFileBytes   = 64 << 20  // of the file
	MaxTextBytes   = 4 << 20   // from the first to the last executable byte
	MaxMemoryBytes = 256 << 20 // of all segments together
	maxSegments    = 256
)

// FormatError says why a file is not a program this package can load.
type FormatError struct {
	File   string
	Reason string
}

func (e *FormatError) Error() string { return e.File + ": " + e.Reason }

// The header flags of RISC-V files (RISC-V ELF psABI, file header).
const (
	flagRVC      = 0x1
	flagFloatABI = 0x6
	floatDouble  = 0x4
)

// Load reads a statically linked little-endian ELF32 RISC-V program without
// compressed instructions. The segments are placed at their virtual addresses.
// data is not kept. The error is a [*FormatError]; name is the file's, for
// messages. Debug information that cannot be read is left out: it is not an
// error.
func Load(name string, data []byte) (*Image, error) {
	refuse := func(format string, args ...any) (*Image, error) {
		return nil, &FormatError{File: name, Reason: fmt.Sprintf(format, args...)}
	}
	if reason := checkHeader(data); reason != "" {
		return refuse("%s", reason)
	}
	f, err := openELF(data)
	if err != nil {
		return refuse("damaged ELF file: %v", err)
	}
	img := &Image{Name: name, Entry: uint32(f.Entry)}
	if img.Segments, err = segments(f, data); err != nil {
		return refuse("%v", err)
	}
	if err := img.decodeText(); err != nil {
		return refuse("%v", err)
	}
	if _, ok := img.Index(img.Entry); !ok {
		return refuse("the entry 0x%x is no instruction of an executable segment", img.Entry)
	}
	if !img.executable(img.Entry) {
		return refuse("the entry 0x%x lies between the executable segments", img.Entry)
	}
	img.Symbols = functionSymbols(f, img)
	img.Lines = lineTable(f, img)
	return img, nil
}

// checkHeader reads the file header as far as it decides whether the file is
// meant for this machine, and says why it is not.
func checkHeader(data []byte) string {
	const headerBytes = 52
	switch {
	case len(data) > MaxFileBytes:
		return fmt.Sprintf("%d bytes, at most %d are read", len(data), MaxFileBytes)
	case !bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		return "not an ELF file"
	case len(data) < elf.EI_NIDENT:
		return "truncated in the ELF header"
	case elf.Class(data[elf.EI_CLASS]) == elf.ELFCLASS64:
		return "a 64-bit ELF file, expected 32-bit RISC-V"
	case elf.Class(data[elf.EI_CLASS]) != elf.ELFCLASS32:
		return fmt.Sprintf("unknown ELF class %d", data[elf.EI_CLASS])
	case elf.Data(data[elf.EI_DATA]) != elf.ELFDATA2LSB:
		return "not little-endian"
	case len(data) < headerBytes:
		return "truncated in the ELF header"
	}
	le := binary.LittleEndian
	if m := elf.Machine(le.Uint16(data[18:])); m != elf.EM_RISCV {
		return fmt.Sprintf("built for %v, expected RISC-V", m)
	}
	switch t := elf.Type(le.Uint16(data[16:])); t {
	case elf.ET_EXEC:
	case elf.ET_REL:
		return "an object file, expected a linked program"
	case elf.ET_DYN:
		return "a shared object or position-independent program, expected one linked with -static -no-pie"
	default:
		return fmt.Sprintf("ELF type %v, expected a linked program", t)
	}
	flags := le.Uint32(data[36:])
	if flags&flagRVC != 0 {
		return "built with compressed instructions, which are not supported; build with -march=rv32imf_zicsr"
	}
	if flags&flagFloatABI >= floatDouble {
		return "built for registers of 64 bits or more in the floating-point calling convention; build with -mabi=ilp32 or ilp32f"
	}
	if unpackedBytes(data) > maxDebugBytes {
		return fmt.Sprintf("compressed sections that unpack to more than %d bytes", maxDebugBytes)
	}
	return ""
}

// unpackedBytes is what the compressed sections say they unpack to. Package
// debug/elf unpacks those it needs without a limit.
func unpackedBytes(data []byte) uint64 {
	const sectionBytes = 40
	le := binary.LittleEndian
	at, count := uint64(le.Uint32(data[32:])), uint64(le.Uint16(data[48:]))
	if at != 0 && count == 0 && at+sectionBytes <= uint64(len(data)) {
		count = uint64(le.Uint32(data[at+20:])) // more than the field holds
	}
	total := uint64(0)
	for ; count > 0 && at+sectionBytes <= uint64(len(data)); count, at = count-1, at+sectionBytes {
		if flags := elf.SectionFlag(le.Uint32(data[at+8:])); flags&elf.SHF_COMPRESSED == 0 {
			continue
		}
		if head := uint64(le.Uint32(data[at+16:])); head+8 <= uint64(len(data)) {
			total += uint64(le.Uint32(data[head+4:]))
		}
	}
	return total
}

// openELF is elf.NewFile with its panics, which damaged files may cause, made
// errors.
func openELF(data []byte) (f *elf.File, err error) {
	defer contain(&err)
	return elf.NewFile(bytes.NewReader(data))
}

// contain makes a panic an error.
func contain(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%v", r)
	}
}

// segments lists the loadable segments by address.
func segments(f *elf.File, data []byte) ([]Segment, error) {
	var segs []Segment
	total := uint64(0)
	for i, p := range f.Progs {
		bad := func(format string, args ...any) error {
			return fmt.Errorf("segment %d at 0x%x: %s", i, p.Vaddr, fmt.Sprintf(format, args...))
		}
		switch p.Type {
		case elf.PT_DYNAMIC, elf.PT_INTERP:
			return nil, bad("the program is dynamically linked, expected one linked with -static")
		case elf.PT_LOAD:
		default:
			continue
		}
		switch {
		case p.Filesz > p.Memsz:
			return nil, bad("%d bytes in the file, but %d in memory", p.Filesz, p.Memsz)
		case p.Off > uint64(len(data)) || p.Filesz > uint64(len(data))-p.Off:
			return nil, bad("truncated: its %d bytes at offset %d run past the end of the file", p.Filesz, p.Off)
		case p.Vaddr+p.Memsz > 1<<32:
			return nil, bad("%d bytes run past the end of the address space", p.Memsz)
		case p.Memsz == 0:
			continue
		case len(segs) == maxSegments:
			return nil, fmt.Errorf("more than %d segments", maxSegments)
		}
		if total += p.Memsz; total > MaxMemoryBytes {
			return nil, bad("the segments need more than %d bytes", MaxMemoryBytes)
		}
		segs = append(segs, Segment{
			Addr: uint32(p.Vaddr), MemBytes: uint32(p.Memsz), Data: bytes.Clone(data[p.Off : p.Off+p.Filesz]),
			Write: p.Flags&elf.PF_W != 0, Exec: p.Flags&elf.PF_X != 0,
		})
	}
	slices.SortStableFunc(segs, func(a, b Segment) int { return cmp.Compare(a.Addr, b.Addr) })
	for i := 1; i < len(segs); i++ {
		if a, b := &segs[i-1], &segs[i]; a.end() > uint64(b.Addr) {
			return nil, fmt.Errorf("the segments at 0x%x and 0x%x overlap", a.Addr, b.Addr)
		}
	}
	return segs, checkThreadLocal(f, segs)
}

// checkThreadLocal verifies that what thread-local variables start with is in
// memory. A PT_TLS segment only says where that is, within the segments loaded:
// the program copies it for every thread itself, and finds it by symbols of the
// linker. What is zero at the start (.tbss) has no place in memory.
func checkThreadLocal(f *elf.File, segs []Segment) error {
	for i, p := range f.Progs {
		if p.Type != elf.PT_TLS || p.Filesz == 0 {
			continue
		}
		if !slices.ContainsFunc(segs, func(s Segment) bool {
			return p.Vaddr >= uint64(s.Addr) && p.Filesz <= uint64(len(s.Data)) && p.Vaddr-uint64(s.Addr) <= uint64(len(s.Data))-p.Filesz
		}) {
			return fmt.Errorf("segment %d at 0x%x: the %d bytes that thread-local variables start with are in no segment that is loaded", i, p.Vaddr, p.Filesz)
		}
	}
	return nil
}

// decodeText fills Text and Insts from the executable segments.
func (img *Image) decodeText() error {
	first, end := uint64(1<<32), uint64(0)
	for i := range img.Segments {
		if s := &img.Segments[i]; s.Exec {
			first, end = min(first, uint64(s.Addr)), max(end, s.end())
		}
	}
	if end == 0 {
		return fmt.Errorf("no executable segment")
	}
	first, end = first&^3, (end+3)&^3
	if end-first > MaxTextBytes {
		return fmt.Errorf("the executable segments span %d bytes from 0x%x, at most %d are read", end-first, first, MaxTextBytes)
	}
	text := make([]byte, end-first)
	for i := range img.Segments {
		if s := &img.Segments[i]; s.Exec {
			copy(text[uint64(s.Addr)-first:], s.Data)
		}
	}
	img.TextBase = uint32(first)
	img.Text = make([]uint32, len(text)/4)
	img.Insts = make([]Inst, len(text)/4)
	for i := range img.Text {
		word := binary.LittleEndian.Uint32(text[4*i:])
		img.Text[i] = word
		img.Insts[i] = decodeAny(word)
	}
	return nil
}

// executable tells whether an executable segment holds the word at addr.
func (img *Image) executable(addr uint32) bool {
	for i := range img.Segments {
		if s := &img.Segments[i]; s.Exec && addr >= s.Addr && uint64(addr)+4 <= s.end() {
			return true
		}
	}
	return false
}

// end is the first address after the segment.
func (s *Segment) end() uint64 { return uint64(s.Addr) + uint64(s.MemBytes) }
