package rv

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

// program is a hand-made ELF file: header, program headers, contents.
type program struct {
	class, order            byte
	typ, machine            uint16
	entry, flags            uint32
	segments                []programHeader
	contents                []byte // appended after the headers
	cut                     int    // bytes taken off the end
	shnum, phentsize, phnum uint16 // phnum 0: as many as there are
}

type programHeader struct {
	typ, off, vaddr, filesz, memsz, flags uint32
}

const (
	headerBytes        = 52
	programHeaderBytes = 32
)

// contentsAt is the file offset of the contents.
func (p *program) contentsAt() uint32 {
	return uint32(headerBytes + programHeaderBytes*len(p.segments))
}

func (p *program) bytes() []byte {
	le := binary.LittleEndian
	b := append([]byte("\x7fELF"), p.class, p.order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = le.AppendUint16(b, p.typ)
	b = le.AppendUint16(b, p.machine)
	b = le.AppendUint32(b, 1)
	b = le.AppendUint32(b, p.entry)
	b = le.AppendUint32(b, headerBytes)
	b = le.AppendUint32(b, 0) // no section headers
	b = le.AppendUint32(b, p.flags)
	phnum := p.phnum
	if phnum == 0 {
		phnum = uint16(len(p.segments))
	}
	for _, h := range []uint16{headerBytes, p.phentsize, phnum, 40, p.shnum, 0} {
		b = le.AppendUint16(b, h)
	}
	for _, s := range p.segments {
		for _, w := range []uint32{s.typ, s.off, s.vaddr, s.vaddr, s.filesz, s.memsz, s.flags, 4} {
			b = le.AppendUint32(b, w)
		}
	}
	b = append(b, p.contents...)
	return b[:len(b)-p.cut]
}

// words makes the contents of instruction words.
func words(ws ...uint32) []byte {
	var b []byte
	for _, w := range ws {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// small is a program of two instructions at 0x1000: li a0, 0; ecall.
func small() *program {
	p := &program{class: 1, order: 1, typ: 2, machine: 243, entry: 0x1000, phentsize: programHeaderBytes, contents: words(0x00000513, 0x00000073)}
	p.segments = []programHeader{{typ: 1, vaddr: 0x1000, filesz: 8, memsz: 8, flags: 5}}
	p.segments[0].off = p.contentsAt()
	return p
}

// with adds a segment to p, which must have no contents of its own.
func (p *program) with(s programHeader) {
	p.segments = append(p.segments, s)
	for i := range p.segments {
		if p.segments[i].filesz > 0 {
			p.segments[i].off = p.contentsAt()
		}
	}
}

func TestLoadSmall(t *testing.T) {
	img, err := Load("small.elf", small().bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(img.Insts) != 2 || img.Insts[0].Op != Addi || img.Insts[1].Op != Ecall || img.Entry != 0x1000 || len(img.Symbols) != 0 || len(img.Lines) != 0 {
		t.Errorf("%+v", img)
	}
}

func TestLoadRefusals(t *testing.T) {
	for _, c := range []struct {
		want string
		edit func(*program)
	}{
		{"64-bit ELF", func(p *program) { p.class = 2 }},
		{"unknown ELF class 7", func(p *program) { p.class = 7 }},
		{"not little-endian", func(p *program) { p.order = 2 }},
		{"built for EM_X86_64", func(p *program) { p.machine = 62 }},
		{"an object file", func(p *program) { p.typ = 1 }},
		{"position-independent", func(p *program) { p.typ = 3 }},
		{"ELF type ET_CORE", func(p *program) { p.typ = 4 }},
		{"compressed instructions", func(p *program) { p.flags = 1 }},
		{"compressed instructions", func(p *program) { p.flags = 3 }},
		{"-mabi=ilp32", func(p *program) { p.flags = 4 }},
		{"-mabi=ilp32", func(p *program) { p.flags = 6 }},
		{"truncated", func(p *program) { p.cut = 1 }},
		{"truncated", func(p *program) { p.segments[0].off = 0xfffffff0 }},
		{"damaged ELF file", func(p *program) { p.cut = 8 + 20 }},
		{"damaged ELF file", func(p *program) { p.phentsize = 31 }},
		{"damaged ELF file", func(p *program) { p.phnum = 0xffff }},
		{"damaged ELF file", func(p *program) { p.shnum = 3 }},
		{"8 bytes in the file, but 4 in memory", func(p *program) { p.segments[0].memsz = 4 }},
		{"past the end of the address space", func(p *program) { p.segments[0].vaddr = 0xfffffffc }},
		{"need more than", func(p *program) { p.segments[0].memsz = MaxMemoryBytes + 1 }},
		{"need more than", func(p *program) {
			p.with(programHeader{typ: 1, vaddr: 0x10000000, memsz: MaxMemoryBytes - 7, flags: 6})
		}},
		{"span", func(p *program) { p.segments[0].memsz = MaxTextBytes + 1 }},
		{"span", func(p *program) { p.with(programHeader{typ: 1, vaddr: 0xfffffffc, memsz: 4, flags: 5}) }},
		{"overlap", func(p *program) { p.with(programHeader{typ: 1, vaddr: 0x1007, memsz: 4, flags: 6}) }},
		{"overlap", func(p *program) { p.with(programHeader{typ: 1, vaddr: 0x0fff, memsz: 2, flags: 6}) }},
		{"overlap", func(p *program) { p.with(p.segments[0]) }},
		{"more than 256 segments", func(p *program) {
			for k := range uint32(256) {
				p.with(programHeader{typ: 1, vaddr: 0x2000 + 16*k, memsz: 4, flags: 6})
			}
		}},
		{"dynamically linked", func(p *program) { p.with(programHeader{typ: 2}) }},
		{"dynamically linked", func(p *program) { p.with(programHeader{typ: 3}) }},
		{"thread-local variables start with are in no segment", func(p *program) { p.with(programHeader{typ: 7, vaddr: 0x2000, filesz: 4, memsz: 4}) }},
		{"thread-local variables start with are in no segment", func(p *program) { p.with(programHeader{typ: 7, vaddr: 0x1004, filesz: 5, memsz: 8}) }},
		{"thread-local variables start with are in no segment", func(p *program) { p.with(programHeader{typ: 7, vaddr: 0xffc, filesz: 8, memsz: 8}) }},
		{"thread-local variables start with are in no segment", func(p *program) { p.with(programHeader{typ: 7, vaddr: 0xfffffffc, filesz: 4, memsz: 4}) }},
		{"no executable segment", func(p *program) { p.segments[0].flags = 6 }},
		{"no executable segment", func(p *program) { p.segments[0].typ = 4 }},
		{"no executable segment", func(p *program) { p.segments[0].filesz, p.segments[0].memsz = 0, 0 }},
		{"the entry 0x1008 is no instruction", func(p *program) { p.entry = 0x1008 }},
		{"the entry 0x1002 is no instruction", func(p *program) { p.entry = 0x1002 }},
		{"the entry 0x0 is no instruction", func(p *program) { p.entry = 0 }},
		{"the entry 0x1010 lies between", func(p *program) {
			p.entry = 0x1010
			p.with(programHeader{typ: 1, vaddr: 0x1020, memsz: 4, flags: 5})
		}},
	} {
		p := small()
		c.edit(p)
		img, err := Load("bad.elf", p.bytes())
		var fe *FormatError
		if !errors.As(err, &fe) || fe.File != "bad.elf" || !strings.HasPrefix(err.Error(), "bad.elf: ") || !strings.Contains(err.Error(), c.want) || img != nil {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}

// TestLoadThreadLocal: what thread-local variables start with is part of a
// segment that is loaded; the segment that says where adds nothing, whether it
// names such a part, zeros behind it (.tbss) or nothing.
func TestLoadThreadLocal(t *testing.T) {
	plain, err := Load("small.elf", small().bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []programHeader{
		{typ: 7},
		{typ: 7, vaddr: 0x1008, memsz: 24, flags: 4},
		{typ: 7, vaddr: 0x1004, filesz: 4, memsz: 24, flags: 4},
		{typ: 7, vaddr: 0x1000, filesz: 8, memsz: 8, flags: 4},
	} {
		p := small()
		p.with(s)
		img, err := Load("small.elf", p.bytes())
		if err != nil {
			t.Errorf("%+v: %v", s, err)
			continue
		}
		if !reflect.DeepEqual(img, plain) {
			t.Errorf("%+v: %+v, without it %+v", s, img, plain)
		}
	}
}

func TestLoadNotELF(t *testing.T) {
	good := small().bytes()
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "not an ELF file"},
		{[]byte("\x7fEL"), "not an ELF file"},
		{[]byte("[launch]\n"), "not an ELF file"},
		{good[:4], "truncated in the ELF header"},
		{good[:15], "truncated in the ELF header"},
		{good[:51], "truncated in the ELF header"},
		{make([]byte, MaxFileBytes+1), "at most"},
	} {
		if _, err := Load("x", c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d bytes: %v, want %q", len(c.data), err, c.want)
		}
	}
}

// TestLoadCompressed: a section that says it unpacks to more than is read is
// refused before anything is unpacked, wherever the section headers are.
func TestLoadCompressed(t *testing.T) {
	for _, size := range []uint32{100, maxDebugBytes + 1, 0xffffffff} {
		p := small()
		p.contents = append(p.contents, words(1, size, 1, 0)...) // a compression header: zlib
		b := p.bytes()
		shoff := uint32(len(b))
		le := binary.LittleEndian
		le.PutUint32(b[32:], shoff)
		le.PutUint16(b[48:], 2)
		b = append(b, make([]byte, 40)...)
		const progbits, compressed = 1, 0x800
		for _, w := range []uint32{0, progbits, compressed, 0, p.contentsAt() + 8, 16, 0, 0, 1, 0} {
			b = le.AppendUint32(b, w)
		}
		_, err := Load("packed.elf", b)
		if refused := err != nil && strings.Contains(err.Error(), "unpack to more than"); refused != (size > maxDebugBytes) {
			t.Errorf("unpacks to %d bytes: %v", size, err)
		}
	}
}

// TestLoadLayouts: segments out of order, in executable pieces with a gap, not
// aligned to words, touching the end of the address space.
func TestLoadLayouts(t *testing.T) {
	t.Run("pieces", func(t *testing.T) {
		p := small()
		p.with(programHeader{typ: 1, vaddr: 0x1012, filesz: 6, memsz: 8, flags: 5})
		p.with(programHeader{typ: 1, vaddr: 0x0ff8, memsz: 8, flags: 4})
		img, err := Load("pieces.elf", p.bytes())
		if err != nil {
			t.Fatal(err)
		}
		want := []uint32{0x00000513, 0x00000073, 0, 0, 0x05130000, 0x00730000, 0}
		if len(img.Text) != len(want) || img.TextBase != 0x1000 || img.Segments[0].Addr != 0xff8 || img.Segments[2].Addr != 0x1012 {
			t.Fatalf("text at %#x: %#x, segments %+v", img.TextBase, img.Text, img.Segments)
		}
		for i, w := range want {
			if img.Text[i] != w {
				t.Errorf("word %d is %#x, want %#x", i, img.Text[i], w)
			}
		}
	})
	t.Run("top", func(t *testing.T) {
		p := small()
		p.segments[0].vaddr, p.entry = 0xfffffff8, 0xfffffffc
		img, err := Load("top.elf", p.bytes())
		if err != nil {
			t.Fatal(err)
		}
		if i, ok := img.Index(img.Entry); !ok || i != 1 || len(img.Text) != 2 {
			t.Errorf("entry is instruction %d, %v of %d", i, ok, len(img.Text))
		}
	})
	t.Run("unaligned start", func(t *testing.T) {
		p := small()
		p.segments[0].vaddr, p.entry = 0x1002, 0x1004
		img, err := Load("odd.elf", p.bytes())
		if err != nil {
			t.Fatal(err)
		}
		if img.TextBase != 0x1000 || len(img.Text) != 3 || img.Text[0] != 0x05130000 {
			t.Errorf("text at %#x: %#x", img.TextBase, img.Text)
		}
	})
	t.Run("entry in half a word", func(t *testing.T) {
		p := small()
		p.segments[0].vaddr, p.entry = 0x1002, 0x1000
		if _, err := Load("odd.elf", p.bytes()); err == nil {
			t.Error("loaded")
		}
	})
}

// TestLoadDamaged changes every byte of real programs: they load or are
// refused, in bounded time, and what loads can be lowered.
func TestLoadDamaged(t *testing.T) {
	for k, name := range samples {
		good, err := os.ReadFile("testdata/" + name + ".elf")
		if err != nil {
			t.Fatal(err)
		}
		loaded, refused := 0, 0
		for at := range good {
			data := bytes.Clone(good)
			data[at] ^= []byte{0x01, 0x80, 0xff}[(at+k)%3]
			img, err := Load(name, data)
			if err != nil {
				refused++
				continue
			}
			loaded++
			if at%8 != 0 && at > headerBytes+2*programHeaderBytes {
				continue // most of these change no instruction
			}
			p, err := Lower(img)
			if err != nil {
				t.Fatalf("byte %d: %v", at, err)
			}
			if err := p.Check(); err != nil {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
		if loaded == 0 || refused == 0 {
			t.Errorf("%s: %d loaded, %d refused", name, loaded, refused)
		}
		for n := 0; n < len(good); n += 7 {
			if img, err := Load(name, good[:n]); err == nil && len(img.Text) == 0 {
				t.Fatalf("%d bytes: loaded without text", n)
			}
		}
	}
}

// TestLoadBadDebug: debug information that cannot be trusted is left out. An
// entry cut short at the end of its section makes package debug/dwarf stand
// still; a sibling that leads back would make a reader that skips go round.
func TestLoadBadDebug(t *testing.T) {
	for _, name := range samples {
		good, err := os.ReadFile("testdata/" + name + ".elf")
		if err != nil {
			t.Fatal(err)
		}
		f, err := elf.NewFile(bytes.NewReader(good))
		if err != nil {
			t.Fatal(err)
		}
		info := f.Section(".debug_info")
		for _, c := range []struct {
			what string
			edit func([]byte)
		}{
			{"last entry cut short", func(b []byte) { b[info.Offset+info.Size-1] = 0xff }},
			{"old compression", func(b []byte) { copy(b[bytes.Index(b, []byte("\x00.debug_line\x00"))+1:], ".zdebug_lin") }},
			{"no version of DWARF", func(b []byte) { b[info.Offset+4] = 99 }},
			{"line table elsewhere", func(b []byte) { copy(b[f.Section(".debug_line").Offset:], "\xf0\xff\xff\xff") }},
		} {
			data := bytes.Clone(good)
			c.edit(data)
			if img, err := Load(name, data); err != nil || len(img.Lines) != 0 || len(img.Symbols) == 0 {
				t.Errorf("%s: %s: %v", name, c.what, err)
			}
		}
	}
}
