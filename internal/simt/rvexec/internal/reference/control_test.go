package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/rvexec/internal/reference"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// TestBranches executes every branch and jump with offsets in all directions:
// to instructions, between them and out of the program, with threads that agree
// and with threads that do not.
func TestBranches(t *testing.T) {
	const length = 16
	nop := rv.Inst{Op: rv.Addi}
	for _, op := range []rv.Op{rv.Beq, rv.Bne, rv.Blt, rv.Bge, rv.Bltu, rv.Bgeu, rv.Jal, rv.Jalr} {
		t.Run(op.String(), func(t *testing.T) {
			t.Parallel()
			r := random(t)
			seen := map[reference.Kind]int{}
			for range settings.Times(t) * 300 {
				program := []rv.Inst{{Op: rv.Tmc, Rs1: 1}}
				at := 1 + r.IntN(length)
				for i := 1; i <= length; i++ {
					program = append(program, nop)
				}
				target := r.IntN(2*length+24) - 12 // half words from the start
				if r.IntN(4) > 0 {
					target = 2 * r.IntN(length+1)
				}
				in := rv.Inst{Op: op, Imm: int32(2*target - 4*at), Rs1: 2, Rs2: 3}
				switch op {
				case rv.Jal:
					in = rv.Inst{Op: op, Imm: in.Imm, Rd: uint8(r.IntN(32))}
				case rv.Jalr:
					in = rv.Inst{Op: op, Imm: int32(r.IntN(4096) - 2048), Rs1: 2, Rd: uint8(r.IntN(4))}
				}
				program[at] = in
				threads := 1 + r.IntN(4)
				p := newPair(t, setup{warps: 1, threads: threads, words: encode(t, program...)})
				p.set(0, 0, 0, 1, 1+r.Uint32N(15))
				a, b := integer(r), integer(r)
				if r.IntN(2) == 0 {
					b = a + uint32(r.IntN(3)) - 1
				}
				for lane := range threads {
					x, y := a, b
					if r.IntN(8) == 0 {
						x, y = integer(r), integer(r)
					}
					if op == rv.Jalr {
						x = textBase + uint32(2*target) - uint32(in.Imm) + r.Uint32N(2)
						if r.IntN(16) == 0 {
							x += 4
						}
					}
					p.set(0, 0, lane, 2, x)
					p.set(0, 0, lane, 3, y)
				}
				fault, err := p.run(r, 1+at+1)
				if err != nil {
					t.Fatalf("%v\n%v", err, in)
				}
				kind := reference.Kind("")
				if fault != nil {
					kind = fault.Kind
				}
				seen[kind]++
			}
			for _, kind := range []reference.Kind{"", reference.Misaligned, reference.Outside, reference.Divergent} {
				if op == rv.Jal && kind == reference.Divergent {
					continue
				}
				if seen[kind] == 0 {
					t.Errorf("no case with %q: %v", kind, seen)
				}
			}
		})
	}
}

// TestRegisters executes the six instructions on every control and status
// register, with rd, rs1 and the immediate zero and not.
func TestRegisters(t *testing.T) {
	for _, v := range variants {
		for _, op := range []rv.Op{rv.Csrrw, rv.Csrrs, rv.Csrrc, rv.Csrrwi, rv.Csrrsi, rv.Csrrci} {
			t.Run(v.String()+"/"+op.String(), func(t *testing.T) {
				t.Parallel()
				r := random(t)
				for csr := range uint16(4096) {
					if csr > 0x10 && csr>>4 != 0x30 && rv.CSRName(csr)[0] == '0' && r.IntN(8) > 0 && settings.Times(t) == 1 {
						continue // most of those without a name
					}
					in := rv.Inst{Op: op, CSR: csr, Rd: uint8(r.IntN(3))}
					operand := uint8(2 * r.IntN(2))
					if op >= rv.Csrrwi {
						in.Imm = int32(r.Uint32()>>27) * int32(operand/2)
					} else {
						in.Rs1 = operand
					}
					read := rv.Inst{Op: rv.Csrrs, CSR: csr, Rd: 4}
					p := newPair(t, setup{
						cores: 2, warps: 3, threads: 4, variant: v,
						words: encode(t, rv.Inst{Op: rv.Wspawn, Rs1: 3, Rs2: 5}, rv.Inst{Op: rv.Tmc, Rs1: 1}, in, read, rv.Inst{Op: rv.Ecall}),
					})
					for core := range 2 {
						for warp := range 3 {
							p.set(core, warp, 0, 1, 1+r.Uint32N(15))
							p.set(core, warp, 0, 3, 2)
							p.set(core, warp, 0, 5, textBase+4)
							for lane := range 4 {
								p.set(core, warp, lane, 2, integer(r))
							}
						}
					}
					if _, err := p.run(r, 40); err != nil {
						t.Errorf("%v\n%v", err, in)
					}
				}
			})
		}
	}
}

// TestRounding executes instructions that round with every mode in the
// instruction and every value in frm: the reserved ones are errors.
func TestRounding(t *testing.T) {
	r := random(t)
	faults := 0
	for _, op := range rv.Ops() {
		if !op.Operands().RM {
			continue
		}
		for rm := range uint32(8) {
			for frm := range uint32(8) {
				w := randomWord(r, op)&^0x7000 | rm<<12
				words := append(encode(t, rv.Inst{Op: rv.Csrrwi, CSR: rv.CSRFrm, Imm: int32(frm)}), w)
				words = append(words, encode(t, rv.Inst{Op: rv.Ecall})...)
				p := newPair(t, setup{warps: 1, threads: 2, words: words})
				p.fill(r, operandRegisters(w)...)
				fault, err := p.run(r, 3)
				if err != nil {
					t.Fatal(err)
				}
				if bad := rm > 4 && (rm < 7 || frm > 4); bad != (fault != nil) {
					t.Fatalf("%v in mode %d with frm %d: fault %v", op, rm, frm, fault)
				}
				if fault != nil {
					faults++
				}
			}
		}
	}
	t.Log(faults, "faults")
}

// TestIllegal executes words that are no instructions.
func TestIllegal(t *testing.T) {
	r := random(t)
	words := []uint32{0, 0xffffffff, 0x00200073, 0x30200073, 0x10500073, 0x0000100b | 1<<7, 0x0000600b, 0x0000700b, 0x0200000b, 0x00000001}
	for range settings.Times(t) * 500 {
		words = append(words, word(r))
	}
	illegal := 0
	for _, w := range words {
		if _, ok := reference.Decode(w); ok {
			continue
		}
		illegal++
		p := newPair(t, setup{warps: 1, threads: 1, words: append(encode(t, rv.Inst{Op: rv.Addi}), w)})
		fault, err := p.run(r, 3)
		if err != nil {
			t.Fatalf("%08x: %v", w, err)
		}
		if fault == nil || fault.Kind != reference.Illegal || fault.PC != textBase+4 {
			t.Fatalf("%08x: %v", w, fault)
		}
	}
	t.Log(illegal, "words")
}

// TestControl executes SIMT instructions with operands around every limit.
func TestControl(t *testing.T) {
	edge := func(r *rand.Rand) uint32 {
		switch r.IntN(6) {
		case 0:
			return integer(r)
		case 1:
			return 0x80000000 + r.Uint32N(4)
		default:
			return r.Uint32N(9)
		}
	}
	for _, op := range []rv.Op{rv.Tmc, rv.Wspawn, rv.Split, rv.Join, rv.Bar, rv.Pred} {
		t.Run(op.String(), func(t *testing.T) {
			t.Parallel()
			r := random(t)
			seen := map[reference.Kind]int{}
			for range settings.Times(t) * 400 {
				v := variants[r.IntN(2)]
				warps, threads := 1+r.IntN(5), 1+r.IntN(8)
				program := []rv.Inst{{Op: rv.Wspawn, Rs1: 1, Rs2: 2}, {Op: rv.Tmc, Rs1: 3}}
				for range 5 {
					in := rv.Inst{Op: op, Rs1: uint8(4 + r.IntN(6)), Rs2: uint8(4 + r.IntN(6)), Neg: r.IntN(2) == 0}
					switch op {
					case rv.Tmc, rv.Join:
						in.Rs2, in.Neg = 0, false
					case rv.Split:
						in.Rd, in.Rs2 = uint8(4*r.IntN(3)), 0
					case rv.Wspawn:
						in.Neg = false
						if r.IntN(2) == 0 {
							in.Rs2 = 2
						}
					case rv.Bar:
						in.Neg = false
					}
					if op == rv.Join {
						token := uint8(r.IntN(10))
						program = append(program, rv.Inst{Op: rv.Split, Rd: token, Rs1: uint8(4 + r.IntN(6))})
						if in.Rs1 = token; r.IntN(8) == 0 {
							in.Rs1 = uint8(r.IntN(10))
						}
					}
					program = append(program, in)
				}
				program = append(program, rv.Inst{Op: rv.Ecall})
				p := newPair(t, setup{cores: 1 + r.IntN(2), warps: warps, threads: threads, variant: v, words: encode(t, program...)})
				spawned := r.Uint32N(uint32(warps) + 2)
				agreed := r.IntN(3) > 0 // all threads have the same operands
				var same [10]uint32
				for reg := range same {
					same[reg] = edge(r)
					if op == rv.Bar && r.IntN(2) == 0 {
						same[reg] = max(1, min(spawned, uint32(warps)))
					}
				}
				for core := range p.cores {
					for warp := range warps {
						for lane := range threads {
							p.set(core, warp, lane, 1, spawned)
							p.set(core, warp, lane, 2, textBase+4)
							p.set(core, warp, lane, 3, edge(r)|1<<r.UintN(uint(threads)))
							for reg := 4; reg < 10; reg++ {
								p.set(core, warp, lane, reg, same[reg])
								if !agreed {
									p.set(core, warp, lane, reg, edge(r))
								}
							}
						}
					}
				}
				fault, err := p.run(r, 300)
				if err != nil {
					t.Fatalf("%v\n%v", err, program)
				}
				kind := reference.Kind("")
				if fault != nil {
					kind = fault.Kind
				}
				seen[kind]++
			}
			t.Log(seen)
		})
	}
}

// TestJoin joins with every operand around the number of open splits: only the
// number that the last open SPLIT returned is one of a split.
func TestJoin(t *testing.T) {
	r := random(t)
	for open := range 4 {
		for _, operand := range []uint32{0, 1, 2, 3, 4, 5, 0x80000000, 0xfffffffd, 0xfffffffe, 0xffffffff} {
			program := []rv.Inst{{Op: rv.Tmc, Rs1: 1}}
			for level := range open {
				program = append(program, rv.Inst{Op: rv.Split, Rd: uint8(10 + level), Rs1: uint8(4 + level)})
			}
			program = append(program, rv.Inst{Op: rv.Join, Rs1: 2}, rv.Inst{Op: rv.Ecall})
			p := newPair(t, setup{warps: 1, threads: 8, words: encode(t, program...)})
			for lane := range 8 {
				p.set(0, 0, lane, 1, 0xff)
				p.set(0, 0, lane, 2, operand)
				for level := range open { // halves of what is left
					p.set(0, 0, lane, 4+level, uint32(lane>>level))
				}
			}
			fault, err := p.run(r, 40)
			if err != nil {
				t.Fatal(err)
			}
			allowed := operand == uint32(open) || open > 0 && operand == uint32(open-1)
			if (fault == nil) != allowed {
				t.Errorf("operand %#x with %d open splits: fault %v", operand, open, fault)
			}
		}
	}
}

// TestSplitOverflow opens splits without joining them, all threads being made
// active before each: there is room for one less than a warp has threads.
func TestSplitOverflow(t *testing.T) {
	r := random(t)
	for threads := 1; threads <= 32; threads++ {
		p := newPair(t, setup{warps: 1, threads: threads, words: encode(t,
			rv.Inst{Op: rv.Tmc, Rs1: 1}, rv.Inst{Op: rv.Split, Rd: 2, Rs1: 3}, rv.Inst{Op: rv.Jal, Imm: -8})})
		for lane := range threads {
			p.set(0, 0, lane, 1, 0xffffffff)
			p.set(0, 0, lane, 3, uint32(lane))
		}
		fault, err := p.run(r, 200)
		if err != nil {
			t.Fatal(err)
		}
		if threads == 1 {
			continue // a thread does not diverge
		}
		if fault == nil || fault.Kind != reference.BadSplit || p.steps != 3*threads-1 {
			t.Errorf("%d threads: fault %v after %d instructions", threads, fault, p.steps)
		}
	}
}

// TestOverwritten stores to an instruction that is writable and executes it.
func TestOverwritten(t *testing.T) {
	r := random(t)
	for _, v := range variants {
		for at := range uint32(5) {
			words := encode(t, rv.Inst{Op: rv.Sb, Rs1: 1, Rs2: 2}, rv.Inst{Op: rv.Addi}, rv.Inst{Op: rv.Addi}, rv.Inst{Op: rv.Ecall})
			p := newPair(t, setup{warps: 1, threads: 1, variant: v, words: words, writable: true})
			p.set(0, 0, 0, 1, textBase+4*at)
			p.set(0, 0, 0, 2, r.Uint32())
			fault, err := p.run(r, 10)
			if err != nil {
				t.Fatal(err)
			}
			if executedAfter := at > 0 && at < 4; (fault != nil) != executedAfter {
				t.Errorf("instruction %d: fault %v", at, fault)
			}
		}
	}
}
