package l1d

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/bits"
	"strconv"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// instructionBytes is what a PTX instruction counts for in addresses of
// instructions (Huangfu2017, Section III-D).
const instructionBytes = 8

// ListingOptions choose what a listing shows.
type ListingOptions struct {
	// LineBytes is what accesses are coalesced by, a power of two; 0 means 128.
	LineBytes int
	// Origin is the device address shown as 0: that of the kernel's first buffer,
	// where the listing is to count from there. Lines below it are negative.
	Origin uint64
	Limits simt.Limits
}

// WriteListing executes the launch analysed and writes the analyser's listing of
// Huangfu2017 (Section III-D): the number of static global access instructions,
// their byte offsets (8 bytes an instruction from the kernel's first), grid and
// block, and for every warp of every block first which of the instructions it
// executed, then for each of them the lines and L or S, or None:
//
//	Warp0 [ 1 , 0 ]
//	Warp0 [ [ [ 0 , 128 , 256 , 384 ] , L ] , None ]
//
// The paper has no form for loops. Where a warp executes an instruction more
// than once, the first line counts the executions, and instead of the second
// there is one line for each access of the warp, in program order, with the
// instruction's index before the record:
//
//	Warp0 [ 2 , 1 ]
//	Warp0 0 [ [ 0 , 128 ] , L ]
//	Warp0 1 [ [ 4096 ] , S ]
//	Warp0 0 [ [ 256 , 384 ] , L ]
//
// Atomics, which the paper does not have either, are A. Memory is needed for
// the records of one block. The kernel must be at the start of its launch.
func (a *Analysis) WriteListing(ctx context.Context, to io.Writer, k simt.Kernel, opt ListingOptions) error {
	if opt.LineBytes == 0 {
		opt.LineBytes = 128
	}
	if opt.LineBytes < 4 || opt.LineBytes&(opt.LineBytes-1) != 0 {
		return fmt.Errorf("l1d: lines of %d bytes: expected a power of two from 4 on", opt.LineBytes)
	}
	if err := a.same(k); err != nil {
		return err
	}
	l := newListing(bufio.NewWriterSize(to, 1<<16), k, opt)
	l.header()
	var executed int64
	for i := range simt.NumBlocks(k.Grid()) {
		b, err := k.NewBlock(i)
		if err != nil {
			return err
		}
		if err := simt.RunBlock(ctx, b, opt.Limits, &executed, l.observe); err != nil {
			return located(k.Program(), err)
		}
		b.Release()
		l.block(i)
		// A failed write shows at the flush of the end, but need not be waited for.
		if _, err := l.out.Write(nil); err != nil {
			return err
		}
	}
	return l.out.Flush()
}

// listing collects the records of one block at a time.
type listing struct {
	out     *bufio.Writer
	kernel  simt.Kernel
	program *isa.Program
	origin  uint64
	shift   uint
	pcs     []int32 // of the global access instructions
	index   []int32 // by PC: place in pcs, -1 for others
	warps   []warpRecords
	touched []uint64
	number  []byte
}

// warpRecords are the records of a warp in program order.
type warpRecords struct {
	records []record
	lines   []uint64 // of all records
	counts  []int64  // of executions, by index of the instruction
	repeats bool     // one of them is above 1
}

type record struct {
	index, lines int32
}

func newListing(out *bufio.Writer, k simt.Kernel, opt ListingOptions) *listing {
	p := k.Program()
	l := &listing{out: out, kernel: k, program: p, origin: opt.Origin, shift: uint(bits.TrailingZeros(uint(opt.LineBytes)))}
	l.index = make([]int32, len(p.Instructions))
	for pc := range p.Instructions {
		l.index[pc] = -1
		if MayAccessGlobal(&p.Instructions[pc]) {
			l.index[pc] = int32(len(l.pcs))
			l.pcs = append(l.pcs, int32(pc))
		}
	}
	l.warps = make([]warpRecords, simt.NumWarps(k.BlockDim(), k.WarpSize()))
	for i := range l.warps {
		l.warps[i].counts = make([]int64, len(l.pcs))
	}
	return l
}

func (l *listing) observe(warp int, s *simt.Step) {
	i := l.index[s.PC]
	if i < 0 || !IsGlobalAccess(&l.program.Instructions[s.PC], s) {
		return
	}
	w := &l.warps[warp]
	n := len(w.lines)
	l.touched = coalesce(l.touched[:0], s, l.shift)
	w.lines = append(w.lines, l.touched...)
	w.records = append(w.records, record{i, int32(len(w.lines) - n)})
	w.counts[i]++
	w.repeats = w.repeats || w.counts[i] > 1
}

func (l *listing) header() {
	fmt.Fprintf(l.out, "-num_pcs %d\n-pc_addrs ", len(l.pcs))
	l.list(len(l.pcs), func(i int) int64 { return instructionBytes * int64(l.pcs[i]) })
	for _, x := range []struct {
		name   string
		extent [3]int
	}{{"grid", l.kernel.Grid()}, {"block", l.kernel.BlockDim()}} {
		fmt.Fprintf(l.out, "\n-%s ", x.name)
		l.list(3, func(i int) int64 { return int64(x.extent[i]) })
	}
	l.out.WriteByte('\n')
}

// list writes "[ 1 , 2 ]".
func (l *listing) list(n int, at func(int) int64) {
	l.out.WriteByte('[')
	for i := range n {
		if i > 0 {
			l.out.WriteString(" ,")
		}
		l.out.WriteByte(' ')
		l.number = strconv.AppendInt(l.number[:0], at(i), 10)
		l.out.Write(l.number)
	}
	l.out.WriteString(" ]")
}

// block writes the records of a block and forgets them.
func (l *listing) block(index int64) {
	g := l.kernel.Grid()
	at := [3]int64{index % int64(g[0]), index / int64(g[0]) % int64(g[1]), index / int64(g[0]) / int64(g[1])}
	l.out.WriteString("Block ")
	l.list(3, func(i int) int64 { return at[i] })
	l.out.WriteByte('\n')
	for i := range l.warps {
		w := &l.warps[i]
		l.warp(i)
		l.list(len(w.counts), func(i int) int64 { return w.counts[i] })
		l.out.WriteByte('\n')
		if w.repeats {
			l.occurrences(i, w)
		} else {
			l.once(i, w)
		}
		w.records, w.lines, w.repeats = w.records[:0], w.lines[:0], false
		clear(w.counts)
	}
}

func (l *listing) warp(i int) {
	l.out.WriteString("Warp")
	l.number = strconv.AppendInt(l.number[:0], int64(i), 10)
	l.out.Write(l.number)
	l.out.WriteByte(' ')
}

// once writes the records of a warp that executes no instruction twice, in the
// order of the instructions.
func (l *listing) once(i int, w *warpRecords) {
	start := make([]int, len(l.pcs))
	lines := make([]int, len(l.pcs))
	n := 0
	for _, r := range w.records {
		start[r.index], lines[r.index] = n, int(r.lines)
		n += int(r.lines)
	}
	l.warp(i)
	l.out.WriteByte('[')
	for j := range l.pcs {
		if j > 0 {
			l.out.WriteString(" ,")
		}
		l.out.WriteByte(' ')
		if w.counts[j] == 0 {
			l.out.WriteString("None")
			continue
		}
		l.record(j, w.lines[start[j]:start[j]+lines[j]])
	}
	l.out.WriteString(" ]\n")
}

// occurrences writes a line for every access of a warp, in program order.
func (l *listing) occurrences(i int, w *warpRecords) {
	n := 0
	for _, r := range w.records {
		l.warp(i)
		l.number = strconv.AppendInt(l.number[:0], int64(r.index), 10)
		l.out.Write(l.number)
		l.out.WriteByte(' ')
		l.record(int(r.index), w.lines[n:n+int(r.lines)])
		l.out.WriteByte('\n')
		n += int(r.lines)
	}
}

// record writes "[ [ 0 , 128 ] , L ]".
func (l *listing) record(index int, lines []uint64) {
	l.out.WriteString("[ ")
	l.list(len(lines), func(i int) int64 { return int64(lines[i] - l.origin) })
	l.out.WriteString(" , ")
	l.out.WriteString(kindOf(&l.program.Instructions[l.pcs[index]]).String())
	l.out.WriteString(" ]")
}
