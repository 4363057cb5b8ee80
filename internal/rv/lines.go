package rv

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/isa"
)

// The limits of the debug information read.
const (
	maxDebugBytes = 64 << 20 // uncompressed
	maxLineRows   = 1 << 20
	maxLineBytes  = 1 << 28 // of line tables, read once for every unit
)

// lineTable reads which source lines the instructions of img were compiled
// from; nil where f does not say or says it in a way that cannot be read.
func lineTable(f *elf.File, img *Image) []Line {
	rows, err := readLines(f)
	if err != nil {
		return nil
	}
	// Of rows at one address the last counts, save that the end of a sequence
	// gives way to the start of the next.
	slices.SortStableFunc(rows, func(a, b Line) int { return cmp.Compare(a.Addr, b.Addr) })
	var lines []Line
	for _, r := range rows {
		if _, ok := img.Index(r.Addr); !ok && r.File != "" {
			continue
		}
		last := len(lines) - 1
		switch {
		case last >= 0 && lines[last].Addr == r.Addr:
			if r.File != "" {
				lines[last] = r
			}
		case last >= 0 && lines[last].File == r.File && lines[last].Line == r.Line && lines[last].Col == r.Col:
		default:
			lines = append(lines, r)
		}
	}
	return lines
}

var (
	errTooManyLines   = errors.New("line table too long")
	errOldCompression = errors.New("debug information in the old compressed form")
	errDamagedEntries = errors.New("debug entries cut short")
)

// readLines returns the rows of all line tables in the order of the file; the
// end of a sequence has no file.
func readLines(f *elf.File) (rows []Line, err error) {
	defer contain(&err)
	size, table, entries := uint64(0), uint64(0), uint64(0)
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".zdebug_") {
			return nil, errOldCompression // its sizes cannot be known before it is unpacked
		}
		if strings.HasPrefix(s.Name, ".debug_") {
			if size += s.Size; s.Size > maxDebugBytes || size > maxDebugBytes {
				return nil, errTooManyLines
			}
		}
		switch {
		case strings.HasSuffix(s.Name, "debug_line"):
			table += s.Size
		case strings.HasSuffix(s.Name, "debug_info"):
			entries += s.Size
		}
	}
	if size == 0 {
		return nil, nil
	}
	d, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	// Every entry is visited: skipping the children of a unit would trust the
	// offsets of a damaged file, which may lead back. An entry takes a byte at
	// least; the reader of package dwarf can stand still at the end of a
	// section cut short.
	for r, read := d.Reader(), uint64(0); ; entries-- {
		unit, err := r.Next()
		if err != nil || unit == nil {
			return rows, err
		}
		if entries == 0 {
			return nil, errDamagedEntries
		}
		if unit.Tag != dwarf.TagCompileUnit {
			continue
		}
		if read += table; read > maxLineBytes {
			return nil, errTooManyLines
		}
		if rows, err = unitLines(d, unit, rows); err != nil {
			return nil, err
		}
	}
}

// unitLines appends the rows of one compilation unit.
func unitLines(d *dwarf.Data, unit *dwarf.Entry, rows []Line) ([]Line, error) {
	lr, err := d.LineReader(unit)
	if err != nil || lr == nil {
		return rows, err
	}
	for {
		var e dwarf.LineEntry
		switch err := lr.Next(&e); {
		case err == io.EOF:
			return rows, nil
		case err != nil:
			return rows, err
		case len(rows) == maxLineRows:
			return rows, errTooManyLines
		}
		row := Line{Addr: uint32(e.Address)}
		if !e.EndSequence && e.File != nil && e.Line > 0 && e.Line <= math.MaxInt32 && e.Column >= 0 && e.Column <= math.MaxInt32 {
			row.File, row.Line, row.Col = e.File.Name, int32(e.Line), int32(e.Column)
		}
		rows = append(rows, row)
	}
}

// LineOf is the source line of the instruction at addr, false where unknown.
func (img *Image) LineOf(addr uint32) (isa.Position, bool) {
	i, found := slices.BinarySearchFunc(img.Lines, addr, func(l Line, a uint32) int { return cmp.Compare(l.Addr, a) })
	if !found {
		i--
	}
	if i < 0 || img.Lines[i].Line == 0 {
		return isa.Position{}, false
	}
	l := &img.Lines[i]
	return isa.Position{File: l.File, Line: int(l.Line), Col: int(l.Col)}, true
}
