package rv

// Segment is a loadable part of a program.
type Segment struct {
	Addr        uint32
	Data        []byte // contents from Addr on
	MemBytes    uint32 // size in memory, at least len(Data); the rest is zero
	Write, Exec bool
}

// Symbol is a function of a program.
type Symbol struct {
	Name string
	Addr uint32 // of its first instruction
	Size uint32 // in bytes, 0 where the program does not say
}

// Line is the source line the instructions from Addr on, up to the next Line,
// were compiled from.
type Line struct {
	Addr uint32
	File string // empty where the program does not say
	Line int32  // from 1; 0 where the program does not say
	Col  int32  // from 1; 0 where the program does not say
}

// Image is a program ready to be put into memory.
type Image struct {
	Name     string // the file's, for messages
	Entry    uint32 // address of the first instruction executed
	TextBase uint32 // address of Text[0]
	// Text is the instruction memory: the words from TextBase on, covering all
	// executable segments; gaps between them are zero. Insts has the decoded
	// instruction of every word, Op Invalid where a word is none.
	Text     []uint32
	Insts    []Inst
	Segments []Segment // by address, without overlap
	Symbols  []Symbol  // by address, one an address
	Lines    []Line    // by address; empty where the program has no line table
}

// Index is the index into Text and Insts of the instruction at addr, false
// where addr is not a multiple of 4 or outside.
func (img *Image) Index(addr uint32) (int32, bool) {
	off := addr - img.TextBase
	if off%4 != 0 || uint64(off/4) >= uint64(len(img.Text)) {
		return 0, false
	}
	return int32(off / 4), true
}

// Addr is the address of instruction i.
func (img *Image) Addr(i int32) uint32 { return img.TextBase + 4*uint32(i) }
