package ptxexec

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Where the result of an instruction is said to lie it lies, for all values of its
// operands.
func TestSpansHoldResults(t *testing.T) {
	var ops []string
	for _, w := range []string{"16", "32", "64"} {
		for _, s := range []string{"u", "s"} {
			for _, op := range []string{"add.%s", "sub.%s", "mul.lo.%s", "div.%s", "rem.%s", "min.%s", "max.%s"} {
				ops = append(ops, fmt.Sprintf(op+" %%d0, %%a0, %%b0;", s+w))
			}
			ops = append(ops, fmt.Sprintf("mad.lo.%s %%d0, %%a0, %%b0, %%c0;", s+w), fmt.Sprintf("shr.%s %%d0, %%a0, %%n0;", s+w))
			if w != "64" {
				ops = append(ops, fmt.Sprintf("mul.wide.%s %%e0, %%a0, %%b0;", s+w), fmt.Sprintf("mad.wide.%s %%e0, %%a0, %%b0, %%f0;", s+w))
			}
			for _, from := range []string{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"} {
				ops = append(ops, fmt.Sprintf("cvt.%s.%s %%d0, %%g%s;", s+w, from, from[1:]))
			}
		}
		for _, op := range []string{"and.b%s", "or.b%s", "xor.b%s", "not.b%s", "shl.b%s", "mov.b%s"} {
			switch op {
			case "not.b%s", "mov.b%s":
				ops = append(ops, fmt.Sprintf(op+" %%d0, %%a0;", w))
			case "shl.b%s":
				ops = append(ops, fmt.Sprintf(op+" %%d0, %%a0, %%n0;", w))
			default:
				ops = append(ops, fmt.Sprintf(op+" %%d0, %%a0, %%b0;", w))
			}
		}
	}
	ops = append(ops, "cvta.shared.u64 %d0, %a0;", "cvta.to.local.u64 %d0, %a0;", "cvta.to.shared.u32 %d0, %a0;")
	narrow := 0
	for _, op := range ops {
		line := op
		width := 64
		for _, n := range []string{"16", "32", "64"} {
			if w := lastWidth(line); w == n {
				fmt.Sscan(n, &width)
			}
		}
		text := fmt.Sprintf(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{ .reg .b%d %%d0, %%a0, %%b0, %%c0; .reg .b%d %%e0, %%f0; .reg .b32 %%n0; .reg .b16 %%g8, %%g16; .reg .b32 %%g32; .reg .b64 %%g64;\n%s\nret; }\n", width, min(2*width, 64), line)
		p, err := lowered(text)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		in := &p.code[0]
		rng := rand.New(rand.NewPCG(1, uint64(len(line))))
		for range 400 {
			var spans [3]span
			for i, r := range []int32{in.a, in.b, in.c} {
				spans[i] = drawSpan(rng, int(p.regBits[r]))
			}
			w := &coverWarp{warp: &warp{taints: []*warpTaint{newWarpTaint(p, viewData)}, vals: make([]lanes, len(p.regInit)), st: make([]uint8, len(p.regInit))}, spans: make([]span, len(p.regInit))}
			for i, r := range []int32{in.c, in.b, in.a} {
				w.taints[0].vals[r], w.spans[r] = 1, spans[2-i]
			}
			got := w.spanOf(in, 1)
			if got.lo > 0 || got.hi < widthMask(int(p.regBits[in.d])) {
				narrow++
			}
			for range 40 {
				x := map[int32]uint64{}
				for _, r := range []int32{in.c, in.b, in.a} {
					x[r] = drawFrom(rng, w.spans[r])
				}
				if y := in.f(x[in.a], x[in.b], x[in.c]); y < got.lo || y > got.hi {
					t.Fatalf("%s of %#x in %#x, %#x in %#x, %#x in %#x is %#x, not in %#x", line, x[in.a], w.spans[in.a], x[in.b], w.spans[in.b], x[in.c], w.spans[in.c], y, got)
				}
			}
		}
	}
	if narrow < 400*len(ops)/5 {
		t.Errorf("%d of %d results lie anywhere", 400*len(ops)-narrow, 400*len(ops))
	}
}

// lastWidth is the width that the type of an instruction's result ends with.
func lastWidth(line string) string {
	end := 0
	for end < len(line) && line[end] != ' ' {
		end++
	}
	name := line[:end]
	if len(name) > 4 && name[:4] == "cvt." {
		name = name[:len(name)-1]
		for name[len(name)-1] != '.' {
			name = name[:len(name)-1]
		}
		name = name[:len(name)-1]
	}
	return name[len(name)-2:]
}

// drawSpan draws a span of a register of so many bits: often a number, small, or at the
// borders of signs and widths.
func drawSpan(rng *rand.Rand, width int) span {
	most := widthMask(width)
	border := []uint64{0, 1, most >> 1, most>>1 + 1, most, 255, 1 << 15, 1 << 31, 5}[rng.IntN(9)] & most
	lo := (border + uint64(rng.IntN(9)) - 4) & most
	switch rng.IntN(4) {
	case 0:
		return span{lo, lo}
	case 1:
		return span{0, lo}
	case 2:
		return span{lo, lo + min(most-lo, uint64(rng.IntN(300)))}
	}
	hi := rng.Uint64() & most
	return span{min(lo, hi), max(lo, hi)}
}

// drawFrom draws a number of a span, often its ends.
func drawFrom(rng *rand.Rand, s span) uint64 {
	switch n := s.hi - s.lo; {
	case rng.IntN(4) == 0:
		return s.lo
	case rng.IntN(3) == 0:
		return s.hi
	case n == ^uint64(0):
		return rng.Uint64()
	default:
		return s.lo + rng.Uint64N(n+1)
	}
}
