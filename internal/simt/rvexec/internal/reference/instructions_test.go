package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// computing are the operations that compute a register from registers, with no
// other effect than flags.
func computing() (ops []rv.Op) {
	for _, op := range rv.Ops() {
		switch op {
		case rv.Jal, rv.Jalr, rv.Beq, rv.Bne, rv.Blt, rv.Bge, rv.Bltu, rv.Bgeu,
			rv.Lb, rv.Lh, rv.Lw, rv.Lbu, rv.Lhu, rv.Flw, rv.Sb, rv.Sh, rv.Sw, rv.Fsw,
			rv.Ecall, rv.Ebreak, rv.Csrrw, rv.Csrrs, rv.Csrrc, rv.Csrrwi, rv.Csrrsi, rv.Csrrci:
			continue
		}
		if op.Extension() != rv.Vortex {
			ops = append(ops, op)
		}
	}
	return ops
}

// randomWord is an instruction of op with random fields; the rounding mode is
// one that is valid if frm is.
func randomWord(r *rand.Rand, op rv.Op) uint32 {
	mask, match := op.Encoding()
	w := r.Uint32()&^mask | match
	if op.Operands().RM {
		modes := [...]uint32{0, 1, 2, 3, 4, 7}
		w = w&^0x7000 | modes[r.IntN(len(modes))]<<12
	}
	return w
}

// fill gives registers of all threads of warp 0 values: numbers that often set
// flags in all threads, or in one of them only.
func (p *pair) fill(r *rand.Rand, registers ...int) {
	special := r.IntN(2 * p.threads)
	for lane := range p.threads {
		for _, reg := range registers {
			if reg < 32 {
				p.set(0, 0, lane, reg, integer(r))
				continue
			}
			if special < p.threads && lane != special {
				p.set(0, 0, lane, reg, (127+2*r.Uint32N(3))<<23) // 1, 4, 16
				continue
			}
			value := pattern(r)
			if r.IntN(3) == 0 {
				value = near(r, p.machine.Core(0).Warps[0].Threads[lane].F[(reg-33)&31])
			}
			p.set(0, 0, lane, reg, value)
		}
	}
}

// operandRegisters are the registers the fields of a word may name.
func operandRegisters(w uint32) []int {
	x1, x2, x3 := int(w>>15&31), int(w>>20&31), int(w>>27&31)
	return []int{x1, x2, 32 + x1, 32 + x2, 32 + x3}
}

// TestInstructions executes every computing instruction with random fields,
// operands and active threads, each preceded by one that clears the flags and
// sets frm.
func TestInstructions(t *testing.T) {
	const perProgram = 40
	for _, op := range computing() {
		t.Run(op.String(), func(t *testing.T) {
			t.Parallel()
			r := random(t)
			lanes := 0
			for program := range settings.Times(t) * 6 {
				threads := [...]int{1, 1, 4, 1, 7, 32}[program%6]
				words := encode(t, rv.Inst{Op: rv.Tmc, Rs1: 1})
				for range perProgram {
					words = append(words, encode(t, rv.Inst{Op: rv.Csrrw, Rs1: 31, CSR: rv.CSRFcsr})...)
					words = append(words, randomWord(r, op))
				}
				words = append(words, encode(t, rv.Inst{Op: rv.Jal, Imm: -8 * perProgram})...)
				p := newPair(t, setup{warps: 1, threads: threads, words: words})
				rounds := max(1, 8/threads)
				for range 1 + rounds*(2*perProgram+1) {
					w := p.word(p.machine.Core(0).Warps[0].PC)
					if w&0x7f != 0x73 {
						p.fill(r, operandRegisters(w)...)
					} else {
						frm := r.Uint32N(5)
						for lane := range threads {
							p.set(0, 0, lane, 31, frm<<5|r.Uint32()&0x1f*r.Uint32N(2))
						}
					}
					if p.steps == 0 {
						p.set(0, 0, 0, 1, r.Uint32()|1<<r.IntN(threads))
					}
					fault, err := p.execute(0, 0)
					if err != nil {
						t.Fatal(err)
					}
					if fault != nil {
						t.Fatal(fault)
					}
				}
				lanes += p.lanes
			}
			t.Log(lanes, "instructions of threads")
		})
	}
}
