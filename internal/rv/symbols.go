package rv

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"
)

// functionSymbols lists the functions of f by address: symbols of type
// function, and global labels that do not lie inside one (assembly code often
// does not say the type). Of several names for an address, a function's goes
// before a label's, a global one before a weak and a local one, then the first
// in alphabetical order.
func functionSymbols(f *elf.File, img *Image) []Symbol {
	all, err := readSymbols(f)
	if err != nil {
		return nil // a stripped file has none, a damaged table is as good as none
	}
	type candidate struct {
		Symbol
		label bool
		bind  int
	}
	var found []candidate
	for i := range all {
		s := &all[i]
		typ, bind := elf.ST_TYPE(s.Info), elf.ST_BIND(s.Info)
		label := typ == elf.STT_NOTYPE && bind != elf.STB_LOCAL
		if typ != elf.STT_FUNC && !label || s.Section == elf.SHN_UNDEF || s.Section == elf.SHN_ABS || s.Name == "" || strings.HasPrefix(s.Name, "$") {
			continue
		}
		addr := uint32(s.Value)
		if _, ok := img.Index(addr); !ok || !img.executable(addr) || !inCode(f, s) {
			continue
		}
		rank := slices.Index([]elf.SymBind{elf.STB_GLOBAL, elf.STB_WEAK, elf.STB_LOCAL}, bind)
		found = append(found, candidate{Symbol{Name: s.Name, Addr: addr, Size: uint32(s.Size)}, label, rank})
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), compareBool(a.label, b.label), cmp.Compare(a.bind, b.bind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Size, b.Size))
	})
	var symbols []Symbol
	covered := uint64(0) // end of the functions so far
	for _, c := range found {
		if len(symbols) > 0 && symbols[len(symbols)-1].Addr == c.Addr {
			continue
		}
		if c.label && uint64(c.Addr) < covered {
			continue
		}
		if !c.label {
			covered = max(covered, uint64(c.Addr)+uint64(c.Size))
		}
		symbols = append(symbols, c.Symbol)
	}
	return symbols
}

// inCode tells whether the section of a symbol holds instructions.
func inCode(f *elf.File, s *elf.Symbol) bool {
	return int(s.Section) < len(f.Sections) && f.Sections[s.Section].Flags&elf.SHF_EXECINSTR != 0
}

func readSymbols(f *elf.File) (symbols []elf.Symbol, err error) {
	defer contain(&err)
	return f.Symbols()
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// SymbolOf is the function that holds addr: the last symbol at or before it,
// false where there is none or its size says that it ends before.
func (img *Image) SymbolOf(addr uint32) (Symbol, bool) {
	i, found := slices.BinarySearchFunc(img.Symbols, addr, func(s Symbol, a uint32) int { return cmp.Compare(s.Addr, a) })
	if !found {
		i--
	}
	if i < 0 {
		return Symbol{}, false
	}
	s := img.Symbols[i]
	if s.Size != 0 && addr-s.Addr >= s.Size {
		return Symbol{}, false
	}
	return s, true
}
