package affine

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator is a random kernel whose addresses and branches depend on the
// thread, the block and a parameter only: sums, products, shifts, quotients,
// masks, minima and conversions of them, with negative factors and sums that wrap
// around, guards, branches that part lanes, loops and barriers. Accesses are
// guarded so that they stay in the buffer.
type generator struct {
	rng   *rand.Rand
	text  strings.Builder
	label int
	wide  bool
}

const (
	registers = 8
	words     = 1 << 12
	// sharedBytes are those of a block of a wide kernel.
	sharedBytes = 2048
)

func (k *generator) emit(format string, args ...any) { fmt.Fprintf(&k.text, format+"\n", args...) }

func (k *generator) reg() string { return fmt.Sprintf("%%i%d", k.rng.IntN(registers)) }

func (k *generator) number() int {
	return []int{0, 1, 2, 3, 4, 5, 7, 8, 16, 32, 64, -1, -2, -4, -32}[k.rng.IntN(15)]
}

// value writes an instruction that makes a value.
func (k *generator) value(guard string) {
	d, a, b := k.reg(), k.reg(), k.reg()
	switch k.rng.IntN(19) {
	case 0, 1:
		k.emit("%sadd.s32 %s, %s, %s;", guard, d, a, b)
	case 2:
		k.emit("%ssub.s32 %s, %s, %s;", guard, d, a, b)
	case 3, 4:
		k.emit("%smad.lo.s32 %s, %s, %d, %s;", guard, d, a, k.number(), b)
	case 5:
		k.emit("%smul.lo.s32 %s, %s, %s;", guard, d, a, b)
	case 6:
		k.emit("%sshl.b32 %s, %s, %d;", guard, d, a, k.rng.IntN(7))
	case 7:
		k.emit("%sshr.%s %s, %s, %d;", guard, k.one("s32", "u32"), d, a, k.rng.IntN(4))
	case 8:
		k.emit("%s%s.%s %s, %s, %d;", guard, k.one("div", "rem"), k.one("s32", "u32"), d, a, 1+k.rng.IntN(9))
	case 9:
		k.emit("%sand.b32 %s, %s, %s;", guard, d, a, k.one("7", "31", "-8", "-32", "63", "5"))
	case 10:
		k.emit("%s%s.b32 %s, %s, %s;", guard, k.one("or", "xor"), d, a, b)
	case 11:
		k.emit("%s%s.%s %s, %s, %s;", guard, k.one("min", "max"), k.one("s32", "u32"), d, a, b)
	case 12:
		k.emit("%s%s %s, %s;", guard, k.one("not.b32", "neg.s32"), d, a)
	case 13:
		k.emit("%scvt.%s.%s %%h0, %s; %scvt.%s.%s %s, %%h0;", guard, k.one("u16", "s16"), k.one("u32", "s32"), a, guard, k.one("u32", "s32"), k.one("u16", "s16"), d)
	case 14:
		k.emit("%scvt.s64.%s %%d0, %s; %smul.lo.s64 %%d0, %%d0, %d; %scvt.u32.u64 %s, %%d0;", guard, k.one("s32", "u32"), a, guard, k.number(), guard, d)
	case 15:
		k.emit("setp.%s.%s %%q, %s, %s; %sselp.b32 %s, %s, %s, %%q;", k.cmp(), k.one("s32", "u32"), a, b, guard, d, a, b)
	case 16:
		k.emit("%spopc.b32 %s, %s;", guard, d, a)
	case 17:
		k.emit("%smov.u32 %s, %d;", guard, d, k.number())
	case 18:
		k.emit("%smov.u32 %s, %s;", guard, d, k.one("%ctaid.x", "%ctaid.y", "%ctaid.z", "%tid.x", "%tid.y", "%n"))
	}
}

func (k *generator) one(of ...string) string { return of[k.rng.IntN(len(of))] }

func (k *generator) cmp() string { return k.one("lt", "le", "gt", "ge", "eq", "ne") }

// access guards a register as an index and accesses the buffer there.
func (k *generator) access() {
	i := k.reg()
	k.emit("setp.lt.u32 %%g, %s, %d;", i, words)
	switch k.rng.IntN(3) {
	case 0:
		k.emit("mul.wide.s32 %%a, %s, 4; add.s64 %%a, %%a, %%base;", i)
	case 1:
		k.emit("mad.wide.u32 %%a, %s, 4, %%base;", i)
	case 2:
		k.emit("cvt.u64.u32 %%a, %s; shl.b64 %%a, %%a, 2; add.u64 %%a, %%a, %%base;", i)
	}
	switch k.rng.IntN(5) {
	case 0:
		k.emit("@%%g st.global.u32 [%%a+%d], %%v;", 4*k.rng.IntN(8))
	case 1:
		k.emit("@%%g red.global.add.u32 [%%a], %%v;")
	default:
		k.emit("@%%g ld.global.u32 %%v, [%%a+%d];", 4*k.rng.IntN(8))
	}
}

func (k *generator) statement(depth int, whole bool) {
	switch n := k.rng.IntN(12); {
	case n < 5:
		k.value("")
	case n == 5:
		k.emit("setp.%s.%s %%q, %s, %s;", k.cmp(), k.one("s32", "u32"), k.reg(), k.reg())
		k.value(k.one("@%q ", "@!%q "))
	case n == 6 && depth < 2:
		k.label++
		other, end := fmt.Sprintf("O%d", k.label), fmt.Sprintf("E%d", k.label)
		k.emit("setp.%s.%s %%q, %s, %s; @%%q bra %s;", k.cmp(), k.one("s32", "u32"), k.reg(), k.reg(), other)
		for range 1 + k.rng.IntN(3) {
			k.statement(depth+1, false)
		}
		k.emit("bra %s;\n%s:", end, other)
		for range 1 + k.rng.IntN(3) {
			k.statement(depth+1, false)
		}
		k.emit("%s:", end)
	case n == 7 && depth < 2:
		k.label++
		count, head := fmt.Sprintf("%%c%d", depth), fmt.Sprintf("H%d", k.label)
		// The number of iterations may depend on the block.
		k.emit("and.b32 %s, %s, %d; add.s32 %s, %s, 1;\n%s:", count, k.reg(), 1+2*k.rng.IntN(2), count, count, head)
		for range 1 + k.rng.IntN(3) {
			k.statement(depth+1, false)
		}
		k.emit("sub.s32 %s, %s, 1; setp.gt.s32 %%q, %s, 0; @%%q bra %s;", count, count, count, head)
	case n == 8 && whole:
		k.emit("bar.sync 0;")
	default:
		k.access()
	}
}

// long writes a loop of many iterations, which may have one inside: pointers and
// indices that move on, conditions on the iteration, values that are no affine ones
// of it, lanes that leave early, and now and then no end that depends on a constant.
func (k *generator) long(depth int) {
	k.label++
	head, out := fmt.Sprintf("L%d", k.label), fmt.Sprintf("Q%d", k.label)
	count, at := fmt.Sprintf("%%c%d", 3+depth), fmt.Sprintf("%%s%d", depth)
	switch k.rng.IntN(4) {
	case 0:
		k.emit("and.b32 %s, %s, 31; add.s32 %s, %s, 4;", count, k.one("%ctaid.x", "%tid.x", "%ctaid.y", k.reg()), count, count)
	case 1:
		k.emit("mov.u32 %s, %%tid.x; sub.s32 %s, %d, %s; max.s32 %s, %s, 3;", count, count, 30+k.rng.IntN(30), count, count, count)
	default:
		k.emit("mov.u32 %s, %d;", count, 5+k.rng.IntN(60>>depth))
	}
	k.emit("and.b32 %s, %s, 1023;\n%s:", at, k.reg(), head)
	for range 1 + k.rng.IntN(4) {
		switch k.rng.IntN(9) {
		case 0:
			k.value("")
		case 1:
			i := k.reg()
			k.emit("add.s32 %s, %s, %d;", i, i, k.number())
		case 2:
			k.label++
			k.emit("setp.%s.s32 %%q, %s, %d; @%%q bra S%d;", k.cmp(), k.one(count, at), k.rng.IntN(64), k.label)
			k.value("")
			k.emit("S%d:", k.label)
		case 3:
			k.emit("and.b32 %%s, %s, 511; shl.b32 %%s, %%s, 2; add.u32 %%s, %%s, tile; ld.shared.u32 %%v, [%%s];", k.one(at, count))
		case 4:
			k.emit("setp.%s.s32 %%q, %s, %s; @%%q bra %s;", k.one("eq", "lt"), count, k.one("5", "%i3", "2"), out)
		case 5:
			if depth == 0 {
				k.long(1)
				continue
			}
			k.access()
		default:
			k.emit("mad.wide.u32 %%a, %s, %d, %%base; %s;", at, k.one4(), k.one("ld.global.u32 %v, [%a]", "st.global.u32 [%a], %v", "ld.u32 %v, [%a]"))
		}
	}
	k.emit("add.s32 %s, %s, %s; and.b32 %s, %s, 2047;", at, at, k.one("1", "2", "8", "32", "3", "33"), at, at)
	k.emit("sub.s32 %s, %s, 1; setp.gt.s32 %%q, %s, 0; @%%q bra %s;\n%s:", count, count, count, head, out)
}

// one4 is a factor that leaves words aligned.
func (k *generator) one4() int { return []int{4, 4, 8}[k.rng.IntN(3)] }

// more writes what only wide kernels have.
func (k *generator) more() {
	if k.rng.IntN(4) == 0 {
		k.long(0)
		return
	}
	i := k.reg()
	switch n := k.rng.IntN(24); {
	case n < 4:
		// Lanes may share banks, as the block decides.
		k.emit("and.b32 %%s, %s, %d; shl.b32 %%s, %%s, 2; mad.lo.s32 %%s, %%s, %d, tile;", i, []int{15, 31}[k.rng.IntN(2)], 1+k.rng.IntN(8))
		k.emit("%s", k.one("ld.shared.u32 %v, [%s];", "st.shared.u32 [%s], %v;", "atom.shared.add.u32 %v, [%s], 1;"))
	case n < 10:
		bytes := 1 << k.rng.IntN(4)
		register := map[int]string{1: "%v2", 2: "%v2", 4: "%v", 8: "%v8"}[bytes]
		k.emit("and.b32 %%s, %s, %d; mad.wide.u32 %%a, %%s, %d, %%base;", i, words/2-1, bytes)
		k.emit("%s", fmt.Sprintf(k.one("ld.global.u%[1]d %[2]s, [%%a];", "st.global.u%[1]d [%%a], %[2]s;", "ld.u%[1]d %[2]s, [%%a];"), 8*bytes, register))
	case n < 12:
		// Elements of four bytes at places of fewer.
		k.emit("and.b32 %%s, %s, %d; mad.wide.u32 %%a, %%s, %d, %%base; ld.global.u32 %%v, [%%a];", i, words/4-1, k.rng.IntN(4))
	case n < 14:
		// From row to row, whose length is anything.
		k.emit("mad.lo.u32 %%s, %%ctaid.y, %d, %s; and.b32 %%s, %%s, %d; mad.wide.u32 %%a, %%s, 4, %%base; ld.global.u32 %%v, [%%a];", 1+k.rng.IntN(40), i, words-1)
	case n < 16:
		k.emit("shr.u32 %%s, %s, %d; and.b32 %%s, %%s, 31; mad.wide.u32 %%a, %%s, 4, %%base; st.global.u32 [%%a], %%s;", i, k.rng.IntN(6))
	case n < 18:
		k.emit("add.s32 %%s, %s, %d; mad.wide.s32 %%a, %%s, 4, %%base; ld.global.u32 %%v, [%%a];", k.one("%ctaid.x", "%ctaid.y", i), k.number())
	case n < 20:
		k.emit("rem.u32 %s, %s, %d;", k.reg(), i, 1<<k.rng.IntN(5))
	case n == 20:
		k.emit("mov.u32 %s, %%v;", i)
	case n == 21:
		k.emit("mov.u32 %s, %s;", i, k.one("%smid", "%clock", "%nsmid", "%laneid", "%warpid"))
	default:
		k.emit("setp.%s.u32 %%q, %s, %s; @%%q %s %s, %s, %s;", k.cmp(), i, k.reg(), k.one("add.s32", "min.s32", "xor.b32"), k.reg(), k.reg(), k.reg())
	}
}
