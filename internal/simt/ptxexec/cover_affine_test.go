package ptxexec

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"github.com/warpbound/warpbound/ptx"
	"pgregory.net/rapid"
)

// affineOps are instructions whose results may be affine, on registers of each width.
func affineOps() []string {
	var ops []string
	for _, w := range []string{"16", "32", "64"} {
		for _, s := range []string{"u", "s"} {
			for _, op := range []string{"add.%s", "sub.%s", "mul.lo.%s", "div.%s", "rem.%s", "min.%s", "max.%s"} {
				ops = append(ops, fmt.Sprintf(op+" %%d0, %%a0, %%b0;", s+w))
			}
			ops = append(ops, fmt.Sprintf("mad.lo.%s %%d0, %%a0, %%b0, %%c0;", s+w), fmt.Sprintf("shr.%s %%d0, %%a0, %%n0;", s+w), fmt.Sprintf("selp.%s %%d0, %%a0, %%b0, %%p0;", s+w))
			if s == "s" {
				ops = append(ops, fmt.Sprintf("neg.%s %%d0, %%a0;", s+w))
			}
			if w != "64" {
				ops = append(ops, fmt.Sprintf("mul.wide.%s %%e0, %%a0, %%b0;", s+w), fmt.Sprintf("mad.wide.%s %%e0, %%a0, %%b0, %%f0;", s+w))
			}
			for _, from := range []string{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"} {
				ops = append(ops, fmt.Sprintf("cvt.%s.%s %%d0, %%g%s;", s+w, from, from[1:]))
			}
			ops = append(ops, fmt.Sprintf("cvt.u8.%s %%d0, %%a0;", s+w), fmt.Sprintf("cvt.s8.%s %%d0, %%a0;", s+w))
		}
		for _, op := range []string{"and.b%s", "or.b%s", "xor.b%s"} {
			ops = append(ops, fmt.Sprintf(op+" %%d0, %%a0, %%b0;", w))
		}
		ops = append(ops, fmt.Sprintf("not.b%s %%d0, %%a0;", w), fmt.Sprintf("mov.b%s %%d0, %%a0;", w), fmt.Sprintf("shl.b%s %%d0, %%a0, %%n0;", w))
	}
	return append(ops, "cvta.shared.u64 %d0, %a0;", "cvta.to.local.u64 %d0, %a0;", "cvta.to.global.u64 %d0, %a0;")
}

// lowerOne lowers an instruction, with registers as wide as its result.
func lowerOne(line string) (*Code, error) {
	width := 64
	if w := lastWidth(line); w == "16" || w == "32" {
		fmt.Sscan(w, &width)
	}
	if line[:6] == "cvt.u8" || line[:6] == "cvt.s8" {
		var sign byte
		fmt.Sscanf(line[7:], "%c%d", &sign, &width)
	}
	text := fmt.Sprintf(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{ .reg .pred %%p0; .reg .b%d %%d0, %%a0, %%b0, %%c0; .reg .b%d %%e0, %%f0; .reg .b32 %%n0; .reg .b16 %%g8, %%g16; .reg .b32 %%g32; .reg .b64 %%g64;\n%s\nret; }\n", width, min(2*width, 64), line)
	return lowered(text)
}

// check tries a property in more cases than one check does.
func check(t rapid.TB, property func(*rapid.T)) {
	for range 30 {
		rapid.Check(t, property)
	}
}

// drawNumber draws an integer: small, at the borders of widths and signs, or any.
func drawNumber(t *rapid.T, name string) int64 {
	small := rapid.Int64Range(-40, 40).Draw(t, name)
	switch rapid.IntRange(0, 5).Draw(t, name+" near") {
	case 0:
		return rapid.Int64().Draw(t, name+" any")
	case 1:
		border := rapid.SampledFrom([]int64{1 << 7, 1 << 8, 1 << 15, 1 << 16, 1 << 31, 1 << 32, 1 << 62, math.MaxInt64, math.MinInt64, -1 << 31, -1 << 15}).Draw(t, name+" border")
		return border + small
	}
	return small
}

// drawUnknowns draws some, with values that they have in two lanes.
func drawUnknowns(t *rapid.T) (u unknowns, values [][2]int64) {
	for i := range rapid.IntRange(1, 3).Draw(t, "unknowns") {
		name := fmt.Sprintf("x%d", i)
		lo := drawNumber(t, name+" from")
		hi := lo
		if n := rapid.SampledFrom([]int64{0, 1, 7, 100, 1 << 31, math.MaxInt64}).Draw(t, name+" size"); lo <= math.MaxInt64-n {
			hi = lo + n
		} else {
			hi = math.MaxInt64
		}
		if rapid.IntRange(0, 9).Draw(t, name+" full") == 0 {
			lo, hi = math.MinInt64, math.MaxInt64
		}
		zeros := rapid.SampledFrom([]uint8{0, 0, 2, 5}).Draw(t, name+" zeros")
		mask := int64(1)<<zeros - 1
		if lo&mask != 0 || hi&mask != 0 {
			zeros, mask = 0, 0
		}
		x := unknown{lo: lo, hi: hi, zeros: zeros, uniform: rapid.Bool().Draw(t, name+" uniform")}
		var at [2]int64
		for j := range at {
			at[j] = rapid.Int64Range(lo, hi).Draw(t, name) &^ mask
			if k := rapid.IntRange(0, 3).Draw(t, name+" end"); k == 0 {
				at[j] = lo
			} else if k == 1 {
				at[j] = hi
			}
		}
		if x.uniform {
			at[1] = at[0]
		}
		u, values = append(u, x), append(values, at)
	}
	return u, values
}

// drawAffine draws an affine value of two lanes.
func drawAffine(t *rapid.T, name string, u unknowns) *affine {
	a := &affine{lanes: 3}
	a.off[0] = drawNumber(t, name+" offset")
	a.off[1] = a.off[0]
	if rapid.Bool().Draw(t, name+" varies") {
		a.off[1] = drawNumber(t, name+" second offset")
	}
	for of := range u {
		f := rapid.SampledFrom([]int64{0, 1, 1, 1, 2, 4, 12, -1, -3, 1 << 31, 0xffffffff, -4, 256}).Draw(t, fmt.Sprintf("%s factor %d", name, of))
		if f != 0 {
			a.terms = append(a.terms, term{int32(of), f})
		}
	}
	return a
}

// at is the integer of a lane, modulo 2^64.
func (a *affine) at(lane int, values [][2]int64) int64 {
	x := a.off[lane]
	for _, t := range a.terms {
		x += t.factor * values[t.of][lane]
	}
	return x
}

// quotients is what an unknown is in each lane that is a quotient.
func (x *unknown) quotients(t *rapid.T, values [][2]int64) (out [2]int64) {
	q := x.quotient
	for lane := range out {
		pattern := uint64(q.of.at(lane, values)) & widthMask(int(q.width))
		of := int64(pattern)
		if q.signed {
			of = signExtend(pattern, int(q.width))
		} else if of < 0 {
			t.Fatalf("a quotient of %#x, which is no integer of 64 bits", pattern)
		}
		if out[lane] = floorDiv(of, q.by); out[lane] < x.lo || out[lane] > x.hi {
			t.Fatalf("the quotient of %d by %d is said to be from %d to %d", of, q.by, x.lo, x.hi)
		}
	}
	return out
}

// What is said of the result of an instruction is right, for all values of the unknowns:
// its pattern is the one that the machine computes.
func TestAffineResultsAreRight(t *testing.T) { affineResults(t) }

func affineResults(t rapid.TB) {
	ops := affineOps()
	programs := make([]*Code, len(ops))
	for i, op := range ops {
		var err error
		if programs[i], err = lowerOne(op); err != nil {
			t.Fatalf("%s: %v", op, err)
		}
	}
	kept, tried := make([]int, len(ops)), 0
	check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, len(ops)-1).Draw(t, "instruction")
		p := programs[n]
		in := &p.code[0]
		u, values := drawUnknowns(t)
		w := &coverWarp{run: &coverRun{}, warp: &warp{taints: []*warpTaint{newWarpTaint(p, viewData)}, vals: make([]lanes, len(p.regInit)), st: make([]uint8, len(p.regInit)), preds: make([]uint32, p.numPreds), blk: &block{k: &Kernel{prog: p}}},
			spans: make([]span, len(p.regInit)), closed: &closed{unknowns: u, values: make([]*affine, len(p.regInit)), preds: make([]*predicate, p.numPreds)}}
		x := map[int32][2]uint64{}
		for i, r := range []int32{in.a, in.b, in.c} {
			name := "abc"[i : i+1]
			if _, twice := x[r]; twice || r < 0 {
				continue
			}
			width := int(p.regBits[r])
			a := drawAffine(t, name, u)
			if rapid.IntRange(0, 2).Draw(t, name+" known") == 0 {
				a.terms = nil
				k := drawNumber(t, name+" number")
				a.off[0], a.off[1] = k, k
			}
			var at [2]uint64
			for lane := range at {
				at[lane] = uint64(a.at(lane, values)) & widthMask(width)
				w.vals[r][lane] = at[lane]
			}
			x[r] = at
			w.st[r] = filled
			if !a.known() {
				w.taints[0].vals[r] = 3
				w.closed.values[r] = a
			}
		}
		for i := range w.preds {
			w.preds[i] = rapid.Uint32Range(0, 3).Draw(t, "predicate")
		}
		out := w.affineOf(in, 3)
		tried++
		if out == nil {
			return
		}
		kept[n]++
		for _, made := range w.closed.unknowns[len(values):] {
			values = append(values, made.quotients(t, values))
		}
		for lane := range 2 {
			want := uint64(0)
			if in.group == gSelp {
				r := in.b
				if w.getPred(in.pc, in.cNeg)>>lane&1 != 0 {
					r = in.a
				}
				want = x[r][lane]
			} else {
				want = in.f(x[in.a][lane], x[in.b][lane], x[in.c][lane])
			}
			mask := widthMask(int(p.regBits[in.d]))
			if got := uint64(out.at(lane, values)) & mask; got != want&mask {
				t.Fatalf("%s of %#x, %#x, %#x is %#x, not %#x", ops[n], x[in.a][lane], x[in.b][lane], x[in.c][lane], want&mask, got)
			}
		}
	})
	none := 0
	for i := range ops {
		if kept[i] == 0 {
			none++
		}
	}
	if tried > 5000 && none > len(ops)/4 {
		t.Errorf("nothing is affine for %d of %d instructions", none, len(ops))
	}
}

// The integers that patterns stand for are right, and where they are said to lie.
func TestAffineValuesAreRead(t *testing.T) { affineReadings(t) }

func affineReadings(t rapid.TB) {
	kept := 0
	check(t, func(t *rapid.T) {
		u, values := drawUnknowns(t)
		a := drawAffine(t, "a", u)
		width, signed := rapid.SampledFrom([]uint8{8, 16, 32, 64}).Draw(t, "width"), rapid.Bool().Draw(t, "signed")
		r, lo, hi, ok := u.read(a, width, signed)
		if !ok {
			return
		}
		kept++
		for lane := range 2 {
			pattern := uint64(a.at(lane, values)) & widthMask(int(width))
			want := int64(pattern)
			if signed {
				want = signExtend(pattern, int(width))
			} else if want < 0 {
				t.Fatalf("%#x is read as a number that does not fit", pattern)
			}
			if got := r.at(lane, values); got != want || got < lo || got > hi {
				t.Fatalf("%#x is read as %d, from %d to %d; want %d", pattern, got, lo, hi, want)
			}
		}
	})
	if kept == 0 {
		t.Error("nothing is read")
	}
}

// holdsOf says whether a difference compares with 0 as said.
func holdsOf(cmp ptx.Cmp, d int64) bool {
	switch cmp {
	case ptx.CmpLT:
		return d < 0
	case ptx.CmpLE:
		return d <= 0
	case ptx.CmpGT:
		return d > 0
	case ptx.CmpGE:
		return d >= 0
	case ptx.CmpEQ:
		return d == 0
	}
	return d != 0
}

var orders = []ptx.Cmp{ptx.CmpLT, ptx.CmpLE, ptx.CmpGT, ptx.CmpGE, ptx.CmpEQ, ptx.CmpNE}

// No condition excludes a value of an unknown with which it holds in a lane, nor is it
// decided in another way than it turns out.
func TestConditionsExcludeNothing(t *testing.T) { conditions(t) }

func conditions(t rapid.TB) {
	for _, order := range orders {
		for lo := int64(-3); lo <= 3; lo++ {
			for hi := lo; hi <= 3; hi++ {
				yes, known := decided(order, lo, hi)
				for d := lo; known && d <= hi; d++ {
					if holdsOf(order, d) != yes {
						t.Fatalf("comparison %d of %d, from %d to %d, with 0 is decided as %v", order, d, lo, hi, yes)
					}
				}
			}
		}
	}
	narrowed := 0
	check(t, func(t *rapid.T) {
		u, values := drawUnknowns(t)
		a, b := drawAffine(t, "a", u), drawAffine(t, "b", u)
		if rapid.Bool().Draw(t, "a number") {
			b.terms = nil
		}
		width, signed := rapid.SampledFrom([]uint8{16, 32, 64}).Draw(t, "width"), rapid.Bool().Draw(t, "signed")
		x, _, _, ok := u.read(a, width, signed)
		y, _, _, also := u.read(b, width, signed)
		if !ok || !also {
			return
		}
		d, ok := x.less(y)
		if !ok {
			return
		}
		of := &condition{cmp: rapid.SampledFrom(orders).Draw(t, "compares"), diff: d, width: width, signed: signed}
		var there [2]bool
		holds := func(lane int) bool {
			return holdsOf(of.cmp, int64(cmp.Compare(x.at(lane, values), y.at(lane, values))))
		}
		for lane := range 2 {
			p, q := x.at(lane, values), y.at(lane, values)
			there[lane] = holds(lane)
			lo, hi, ok := u.part(d)
			lo, fits := addInt(lo, d.off[lane])
			hi, also := addInt(hi, d.off[lane])
			if !ok || !fits || !also {
				continue
			}
			if yes, known := decided(of.cmp, lo, hi); known && yes != there[lane] {
				t.Fatalf("%d compared with %d is decided as %v", p, q, yes)
			}
		}
		c := &closed{unknowns: append(unknowns(nil), u...)}
		m := rapid.Uint32Range(1, 3).Draw(t, "lanes")
		c.narrow(of, m)
		for i := range u {
			if c.unknowns[i].lo > u[i].lo || c.unknowns[i].hi < u[i].hi {
				narrowed++
			}
			// The first number that is excluded, on either side.
			for side, v := range []int64{c.unknowns[i].lo, c.unknowns[i].hi} {
				if side == 0 && v > u[i].lo {
					v--
				} else if side == 1 && v < u[i].hi {
					v++
				} else {
					continue
				}
				if uint64(v)&(1<<u[i].zeros-1) != 0 {
					continue
				}
				before := values[i]
				for lane := range 2 {
					values[i] = before
					values[i][lane] = v
					if u[i].uniform {
						values[i][1-lane] = v
					}
					if m>>lane&1 != 0 && holds(lane) {
						t.Fatalf("%d is excluded, from %d to %d is left of %d to %d", v, c.unknowns[i].lo, c.unknowns[i].hi, u[i].lo, u[i].hi)
					}
				}
				values[i] = before
			}
			for lane := range 2 {
				if v := values[i][lane]; m>>lane&1 != 0 && there[lane] && (v < c.unknowns[i].lo || v > c.unknowns[i].hi) {
					t.Fatalf("%d is not from %d to %d, from %d to %d before", v, c.unknowns[i].lo, c.unknowns[i].hi, u[i].lo, u[i].hi)
				}
			}
		}
	})
	if narrowed == 0 {
		t.Error("nothing is narrowed")
	}
}

// How often a loop goes on is counted by going through it, for all numbers of few bits:
// where they begin, by what they move, what they are compared with, which may be the same
// or another number in each iteration.
func TestStaysCountsIterations(t *testing.T) { iterations(t) }

func iterations(t rapid.TB) {
	const width = 4
	const size = 1 << width
	for _, order := range orders {
		u := unknowns{{lo: 0, hi: 3, uniform: true}, {lo: 0, hi: 9, uniform: true}}
		x := &affine{lanes: 1, terms: []term{{0, 1}, {1, 1}}}
		if n := u.stays(&condition{cmp: order, a: x, b: numbers(&lanes{5}, 1), width: width}, &pass{iter: 0, made: 0}, 0, &counted{}); n != math.MaxInt64 {
			t.Fatalf("what begins anew in each iteration stays %d times", n)
		}
	}
	found, infinite := 0, 0
	read := func(x int, signed bool) int64 {
		if x &= size - 1; signed && x >= size/2 {
			return int64(x - size)
		}
		return int64(x)
	}
	for _, signed := range []bool{false, true} {
		for _, order := range orders {
			for f := -size / 2; f < size/2; f++ {
				for a := range size {
					for b := range size {
						for kind := range 12 {
							more, other := []int{0, 1, 3}[kind%3], []int{0, 2}[kind/3%2]
							again := kind/6 == 1 // b is another one each time
							u := unknowns{{lo: 0, hi: int64(more), uniform: true}, {lo: 0, hi: int64(other)}, {lo: 0, hi: 1 << 40, uniform: true}, {lo: 0, hi: int64(other)}}
							p := &pass{iter: 2, made: 2}
							x := &affine{lanes: 1, terms: []term{{0, 1}, {2, int64(f)}}}
							x.off[0] = int64(a)
							if f == 0 {
								x.terms = x.terms[:1]
							}
							of := int32(1)
							if again {
								of = 3
							}
							y := onlyUnknown(of, 1, int64(b), 1)
							n := u.stays(&condition{cmp: order, a: x, b: y, width: width, signed: signed}, p, 0, &counted{})
							if m := u.stays(&condition{cmp: mirrored(order), a: y, b: x, width: width, signed: signed}, p, 0, &counted{}); m != n {
								t.Fatalf("%d and, the other way round, %d", n, m)
							}
							if n == math.MaxInt64 {
								infinite++
								continue
							}
							found++
							for from := a; from <= a+more; from++ {
								for to := b; to <= b+other; to++ {
									count := int64(0)
									for now := from; count <= n; now += f {
										holds := holdsOf(order, read(now, signed)-read(to, signed))
										for any := b; again && any <= b+other; any++ {
											holds = holds || holdsOf(order, read(now, signed)-read(any, signed))
										}
										if !holds {
											break
										}
										count++
									}
									if count > n {
										t.Fatalf("from %d, by %d, against %d (%d more, again %v), comparison %d, signed %v: more than %d", from, f, to, other, again, order, signed, n)
									}
								}
							}
						}
					}
				}
			}
		}
	}
	if found < infinite/8 {
		t.Errorf("%d of %d counted", found, found+infinite)
	}
}
