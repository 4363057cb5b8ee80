package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/rvexec"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

var variants = []rvexec.Variant{rvexec.V22, rvexec.Feb2024}

var memoryOps = []rv.Op{rv.Lb, rv.Lh, rv.Lw, rv.Lbu, rv.Lhu, rv.Flw, rv.Sb, rv.Sh, rv.Sw, rv.Fsw}

// bases are where programs of four instructions are put: where a page of memory
// begins, so that they lie in two, and so that they end one.
var bases = [...]uint32{textBase, textBase + 0xfff8, textBase + 0xfff0}

// borders are the addresses where something begins or ends in the memory map,
// the pages of a program at base, and the program itself.
func borders(v rvexec.Variant, cores int, base uint32) []uint32 {
	end := v.UserEnd()
	all := []uint32{0, 0x40, 0x80, 0x88, 0x80 + uint32(256*cores), 0x1000, rvexec.UserBase, base, base + 16, textBase + 0x10000,
		rvexec.ArgumentAddr, end, end + rvexec.LocalBytes, 0xff000000, 0xff004000, 0xff004040, 0xff004048,
		0xff004040 + uint32(256*cores), 0xffff0000, 0x80000000, 0x7fffffff}
	return all
}

// TestAccess executes every load and store at, below and above every border of
// the memory map, with one thread and with several.
func TestAccess(t *testing.T) {
	for _, v := range variants {
		for _, op := range memoryOps {
			t.Run(v.String()+"/"+op.String(), func(t *testing.T) {
				t.Parallel()
				r := random(t)
				faults := 0
				for i, base := range bases {
					all := borders(v, 2, base)
					if i > 0 {
						all = []uint32{base, base + 16, textBase + 0x10000}
					}
					for _, border := range all {
						for offset := range uint32(9) {
							faults += accessOnce(t, r, v, base, op, border+offset-4, 1+r.IntN(3))
						}
					}
				}
				if faults == 0 {
					t.Error("no fault at any border")
				}
			})
		}
	}
}

// accessOnce executes one access at addr by the last of several threads, the
// others somewhere that exists, and reads back a stored value.
func accessOnce(t *testing.T, r *rand.Rand, v rvexec.Variant, base uint32, op rv.Op, addr uint32, threads int) (faults int) {
	t.Helper()
	offset := int32(r.IntN(4096) - 2048)
	in := rv.Inst{Op: op, Rd: 3, Rs1: 2, Imm: offset}
	if o := op.Operands(); o.Rd == rv.NoFile {
		in.Rd, in.Rs2 = 0, 4
	}
	p := newPair(t, setup{
		cores: 2, warps: 1, threads: threads, variant: v, base: base, writable: r.IntN(3) == 0,
		words: encode(t, rv.Inst{Op: rv.Tmc, Rs1: 1}, in, rv.Inst{Op: rv.Lw, Rd: 5, Rs1: 6}, rv.Inst{Op: rv.Ecall}),
		data:  map[uint32][]byte{0x20000: {1, 2, 3, 4, 0xff, 0xfe, 0xfd, 0xfc}},
	})
	p.set(0, 0, 0, 1, 7)
	for lane := range threads {
		p.set(0, 0, lane, 2, 0x20000-uint32(offset)+uint32(4*r.IntN(2)))
		p.set(0, 0, lane, 4, r.Uint32())
		p.set(0, 0, lane, 36, r.Uint32())
		p.set(0, 0, lane, 6, addr&^3)
	}
	p.set(0, 0, threads-1, 2, addr-uint32(offset))
	fault, err := p.run(r, 4)
	if err != nil {
		t.Fatalf("at %#x with %d threads: %v", addr, threads, err)
	}
	if fault != nil {
		return 1
	}
	return 0
}

// TestAccessRandom executes random accesses of several threads that overlap.
func TestAccessRandom(t *testing.T) {
	const perProgram = 60
	r := random(t)
	lanes := 0
	for program := range settings.Times(t) * 60 {
		v := variants[program%2]
		threads := 1 + r.IntN(8)
		bases := [...]uint32{0x20000, v.UserEnd() - 256, v.UserEnd(), v.UserEnd() + rvexec.LocalBytes - 256, 0x7ffff000}
		words := encode(t, rv.Inst{Op: rv.Tmc, Rs1: 1})
		for range perProgram {
			in := rv.Inst{Op: memoryOps[r.IntN(len(memoryOps))], Rd: uint8(r.IntN(32)), Rs1: 2, Imm: int32(r.IntN(128) - 64)}
			if op := in.Op.Operands(); op.Rd == rv.NoFile {
				in.Rd, in.Rs2 = 0, uint8(r.IntN(32))
			}
			words = append(words, encode(t, in)...)
		}
		words = append(words, encode(t, rv.Inst{Op: rv.Ecall})...)
		p := newPair(t, setup{warps: 1, threads: threads, variant: v, words: words})
		for {
			pc := p.machine.Core(0).Warps[0].PC
			in, err := rv.Decode(p.word(pc))
			if err != nil {
				t.Fatal(err)
			}
			for lane := range threads {
				width := uint32(4)
				switch in.Op {
				case rv.Lb, rv.Lbu, rv.Sb:
					width = 1
				case rv.Lh, rv.Lhu, rv.Sh:
					width = 2
				}
				addr := bases[r.IntN(len(bases))] + r.Uint32N(256)&-width
				if r.IntN(2) == 0 {
					addr = bases[0] + r.Uint32N(8)&-width
				}
				p.set(0, 0, lane, 1, 0xffffffff)
				p.set(0, 0, lane, int(in.Rs2), integer(r))
				p.set(0, 0, lane, 32+int(in.Rs2), pattern(r))
				p.set(0, 0, lane, 2, addr-uint32(in.Imm))
			}
			fault, err := p.execute(0, 0)
			if err != nil {
				t.Fatal(err)
			}
			if fault != nil {
				t.Fatal(fault)
			}
			if p.machine.Ended(0) {
				break
			}
		}
		if err := p.sameEnd(); err != nil {
			t.Fatal(err)
		}
		lanes += p.lanes
	}
	t.Log(lanes, "instructions of threads")
}
