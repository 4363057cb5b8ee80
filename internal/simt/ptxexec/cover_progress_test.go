package ptxexec

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"pgregory.net/rapid"
)

// It may go on for ever, which an execution iteration by iteration shows, or not.
const noBound = "no bound"

// counts asks how many iterations the loops of kernels have that are closed.
func counts(t rapid.TB, functions string, kernels map[string]closedKernel) {
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		k := kernels[name]
		got, err := closedLoops(t, functions, k.body, k.typ, k.n)
		if err != nil {
			got = err.Error()
		}
		if got != k.want && (k.want != noBound || !strings.Contains(got, "no bound is known") && !strings.Contains(got, "instruction limit")) {
			t.Errorf("%s: %s, expected %s", name, got, k.want)
		}
	}
}

// closedKernel has an argument n of a type, in a range, and so many iterations.
type closedKernel struct {
	body, typ string
	n         Integers
	want      string
}

// closedLoops covers a kernel in closed form, with an argument n of a type that may be any
// number of a range, and lists the iterations of the loops that are closed.
func closedLoops(t rapid.TB, functions, body, typ string, n Integers) (string, error) {
	t.Helper()
	bytes := binary.LittleEndian.AppendUint64(nil, uint64(n.Min))
	size := map[byte]int{'1': 2, '3': 4, '6': 8}[typ[1]]
	text := ".version 7.0\n.target sm_70\n.address_size 64\n" + functions + ".visible .entry k(.param .u64 pu, .param ." + typ + " n) {\n" +
		".reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .b16 %h<8>; .local .align 8 .b8 l[16];\n" +
		"ld.param.u64 %d0, [pu]; mov.u32 %r1, %tid.x; ld.param." + typ + " " + map[int]string{2: "%h0", 4: "%r0", 8: "%d1"}[size] + ", [n]; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d2, %d0;\n" +
		body + "\nret;\n}\n"
	p, err := lowered(text)
	if err != nil {
		t.Fatal(err)
	}
	k, err := NewKernel(p, LaunchConfig{
		Grid: [3]int{2, 1, 1}, Block: [3]int{32, 1, 1}, Options: Options{Taint: true},
		Args: []Arg{{Name: "unknown", Buffer: &Buffer{Contents: make([]byte, 4096), ElementBytes: 4}}, {Name: "n", Bytes: bytes[:size], Range: &n}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Coverer(simt.CoverOptions{Closed: true})
	if err != nil {
		t.Fatal(err)
	}
	out := &coverText{lines: map[int]*strings.Builder{}}
	var executed int64
	err = c.Cover(context.Background(), 0, simt.Limits{MaxInstructions: 1 << 11}, &executed, out)
	var counts []string
	for _, at := range regexp.MustCompile(`\)(\d+)`).FindAllStringSubmatch(out.of(0).String(), -1) {
		counts = append(counts, at[1])
	}
	return strings.Join(counts, " "), err
}

// Loops whose counter is multiplied, shifted or divided are closed with as many iterations
// as it takes to come from one end to the other.
func TestProgressionsAreCounted(t *testing.T) { progressionsAreCounted(t) }

func progressionsAreCounted(t rapid.TB) {
	to := func(x int64) Integers { return Integers{0, x} }
	counts(t, "", map[string]closedKernel{
		"halved, tested behind":         {"L: shr.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;", "u32", to(1000), "9"},
		"halved, tested before":         {"L: setp.eq.u32 %p0, %r0, 0; @%p0 bra E; shr.u32 %r0, %r0, 1; bra L; E:", "u32", to(1000), "10"},
		"halved, a power of two":        {"L: shr.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;", "u32", Integers{1024, 1024}, "10"},
		"halved, whatever it is":        {"ld.global.u32 %r2, [%d0]; L: setp.eq.u32 %p0, %r2, 0; @%p0 bra E; shr.u32 %r2, %r2, 1; bra L; E:", "u32", to(1), "32"},
		"halved, in each lane":          {"ld.global.u32 %r2, [%d2]; L: setp.eq.u32 %p0, %r2, 0; @%p0 bra E; shr.u32 %r2, %r2, 1; bra L; E:", "u32", to(1), "32"},
		"halved, 64 bits":               {"ld.global.u64 %d3, [%d0]; L: setp.eq.u64 %p0, %d3, 0; @%p0 bra E; shr.u64 %d3, %d3, 1; bra L; E:", "u32", to(1), "64"},
		"by 8":                          {"L: shr.u32 %r0, %r0, 3; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;", "u32", to(511), "2"},
		"twice an iteration":            {"L: shr.u32 %r0, %r0, 1; setp.eq.u32 %p0, %r0, 0; @%p0 bra E; shr.u32 %r0, %r0, 1; bra L; E:", "u32", to(255), "4"},
		"down to a limit":               {"L: shr.u32 %r0, %r0, 1; setp.gt.u32 %p0, %r0, 5; @%p0 bra L;", "u32", to(1000), "7"},
		"down to a limit, included":     {"L: shr.u32 %r0, %r0, 1; setp.ge.u32 %p0, %r0, 6; @%p0 bra L;", "u32", to(1000), "7"},
		"signed, above 0":               {"L: shr.s32 %r0, %r0, 1; setp.gt.s32 %p0, %r0, 0; @%p0 bra L;", "s32", Integers{-7, 1000}, "9"},
		"signed, from below":            {"L: shr.s32 %r0, %r0, 1; setp.lt.s32 %p0, %r0, -1; @%p0 bra L;", "s32", Integers{-1000, -1}, "9"},
		"signed, never 0":               {"L: shr.s32 %r0, %r0, 1; setp.ne.s32 %p0, %r0, 0; @%p0 bra L;", "s32", Integers{-1000, 5}, noBound},
		"digits":                        {"L: div.u32 %r0, %r0, 10; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;", "u32", to(99999), "4"},
		"digits, signed":                {"L: div.s32 %r0, %r0, 10; setp.ne.s32 %p0, %r0, 0; @%p0 bra L;", "s32", Integers{-99999, 1000}, "4"},
		"by 1":                          {"L: div.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;", "u32", to(9), noBound},
		"as compilers halve":            {"setp.lt.s32 %p0, %r0, 1; @%p0 bra E; L: shr.u32 %r2, %r0, 31; add.s32 %r2, %r0, %r2; shr.s32 %r0, %r2, 1; setp.gt.s32 %p0, %r0, 0; @%p0 bra L; E:", "s32", Integers{-7, 1000}, "9"},
		"rounded up":                    {"L: add.u32 %r0, %r0, 1; shr.u32 %r0, %r0, 1; setp.gt.u32 %p0, %r0, 1; @%p0 bra L;", "u32", to(1000), "9"},
		"rounded up, never 0":           {"L: add.u32 %r0, %r0, 1; shr.u32 %r0, %r0, 1; setp.gt.u32 %p0, %r0, 0; @%p0 bra L;", "u32", to(1000), noBound},
		"16 bits":                       {"L: shr.u16 %h0, %h0, 1; setp.ne.u16 %p0, %h0, 0; @%p0 bra L;", "u16", to(1000), "9"},
		"compared in 64 bits":           {"L: shr.u32 %r0, %r0, 1; cvt.u64.u32 %d3, %r0; setp.ne.u64 %p0, %d3, 0; @%p0 bra L;", "u32", to(1000), "9"},
		"doubled":                       {"mov.u32 %r2, 1; L: shl.b32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r0; @%p0 bra L;", "u32", to(1000), "9"},
		"doubled, signed":               {"mov.u32 %r2, 1; L: shl.b32 %r2, %r2, 1; setp.lt.s32 %p0, %r2, %r0; @%p0 bra L;", "s32", Integers{-5, 1000}, "9"},
		"doubled, tested before":        {"mov.u32 %r2, 1; L: setp.ge.s32 %p0, %r2, %r0; @%p0 bra E; mul.lo.s32 %r2, %r2, 2; bra L; E:", "s32", Integers{-5, 1000}, "10"},
		"doubled, up to and including":  {"mov.u32 %r2, 1; L: shl.b32 %r2, %r2, 1; setp.le.u32 %p0, %r2, %r0; @%p0 bra L;", "u32", to(1024), "10"},
		"doubled, may wrap around":      {"mov.u32 %r2, 1; L: shl.b32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r0; @%p0 bra L;", "u32", Integers{0, 1<<31 + 1}, noBound},
		"doubled, just does not wrap":   {"mov.u32 %r2, 1; L: shl.b32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r0; @%p0 bra L;", "u32", Integers{0, 1 << 31}, "30"},
		"doubled from 0":                {"mov.u32 %r2, 0; L: shl.b32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r0; @%p0 bra L;", "u32", to(1000), noBound},
		"doubled from a range":          {"L: shl.b32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 1000; @%p0 bra L;", "u32", Integers{3, 90}, "8"},
		"doubled from a range with 0":   {"L: shl.b32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 1000; @%p0 bra L;", "u32", to(90), noBound},
		"doubled and one more":          {"L: mad.lo.u32 %r0, %r0, 2, 1; setp.lt.u32 %p0, %r0, 1000; @%p0 bra L;", "u32", to(90), "9"},
		"tripled":                       {"mov.u32 %r2, 1; L: mul.lo.u32 %r2, %r2, 3; setp.lt.u32 %p0, %r2, %r0; @%p0 bra L;", "u32", to(1000), "6"},
		"doubled downwards":             {"L: shl.b32 %r0, %r0, 1; setp.gt.s32 %p0, %r0, -1000; @%p0 bra L;", "s32", Integers{-90, -3}, "8"},
		"doubled in each lane":          {"add.u32 %r2, %r1, 1; L: shl.b32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r0; @%p0 bra L;", "u32", to(1000), "9"},
		"doubled, to not equal":         {"mov.u32 %r2, 1; L: shl.b32 %r2, %r2, 1; setp.ne.u32 %p0, %r2, %r0; @%p0 bra L;", "u32", to(1000), noBound},
		"64 bits up":                    {"mov.u64 %d3, 1; L: shl.b64 %d3, %d3, 2; setp.lt.s64 %p0, %d3, %d1; @%p0 bra L;", "s64", to(1 << 40), "19"},
		"halved, and doubled":           {"L: shr.u32 %r0, %r0, 1; shl.b32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;", "u32", to(1000), noBound},
		"halved where data say":         {"L: ld.global.u32 %r3, [%d0]; setp.eq.u32 %p1, %r3, 0; @%p1 bra S; shr.u32 %r0, %r0, 1; S: setp.ne.u32 %p0, %r0, 0; @%p0 bra L;", "u32", to(1000), noBound},
		"counted and halved":            {"mov.u32 %r2, 0; L: setp.ge.u32 %p1, %r2, 5; @%p1 bra E; add.u32 %r2, %r2, 1; shr.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L; E:", "u32", to(1000), "5"},
		"halved from what a loop makes": {"M: mov.u32 %r2, %r0; L: shr.u32 %r2, %r2, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra L; sub.u32 %r0, %r0, 1; setp.gt.s32 %p0, %r0, 0; @%p0 bra M;", "s32", Integers{1, 100}, "6 31 31 31 99"},
	})
}

// progress is a loop over a number of 16 bits: what is done to it, before the test and behind
// it, and while what it goes on.
type progress struct {
	before, behind []change
	cmp            string
	signed         bool
}

// change is an instruction on the counter, with a number.
type change struct {
	op string
	by int64
}

func (c change) text() string {
	if c.op == "mad.lo.u16" {
		return fmt.Sprintf("%s %%h1, %%h1, %d, 1; ", c.op, c.by)
	}
	return fmt.Sprintf("%s %%h1, %%h1, %d; ", c.op, c.by)
}

func (c change) of(x uint16) uint16 {
	switch c.op {
	case "shr.u16":
		return x >> c.by
	case "shr.s16":
		return uint16(int16(x) >> c.by)
	case "div.u16":
		return x / uint16(c.by)
	case "div.s16":
		return uint16(int64(int16(x)) / c.by)
	case "shl.b16":
		return x << c.by
	case "mul.lo.u16":
		return x * uint16(c.by)
	case "mad.lo.u16":
		return x*uint16(c.by) + 1
	}
	return x + uint16(c.by)
}

func drawProgress(rng *rand.Rand) *progress {
	p := &progress{signed: rng.IntN(2) == 0}
	ops := []string{"shr.u16", "div.u16", "shr.s16", "div.s16"}
	orders := []string{"gt", "gt", "ge", "ne", "lt", "eq"}
	if rng.IntN(2) == 0 {
		ops, orders = []string{"shl.b16", "mul.lo.u16", "mad.lo.u16"}, []string{"lt", "lt", "le", "le", "gt", "ne"}
	}
	p.cmp = orders[rng.IntN(len(orders))]
	for _, list := range []*[]change{&p.before, &p.behind} {
		for range rng.IntN(3) {
			c := change{ops[rng.IntN(len(ops))], 1 + rng.Int64N(4)}
			if rng.IntN(5) == 0 {
				c = change{"add.u16", rng.Int64N(7) - 3}
			}
			*list = append(*list, c)
		}
	}
	return p
}

// stays is how often the loop goes back, up to a number of times.
func (p *progress) stays(x, limit uint16, most int64) int64 {
	for n := int64(0); n < most; n++ {
		for _, c := range p.before {
			x = c.of(x)
		}
		d := int64(x) - int64(limit)
		if p.signed {
			d = int64(int16(x)) - int64(int16(limit))
		}
		if !map[string]bool{"lt": d < 0, "le": d <= 0, "gt": d > 0, "ge": d >= 0, "eq": d == 0, "ne": d != 0}[p.cmp] {
			return n
		}
		for _, c := range p.behind {
			x = c.of(x)
		}
	}
	return most
}

// No number in its range goes back more often than counted.
func TestProgressionsHold(t *testing.T) { progressionsHold(t) }

func progressionsHold(t rapid.TB) {
	counted, exact := 0, 0
	const cases = 800
	for i := range cases {
		rng := rand.New(rand.NewPCG(uint64(i), 45))
		p := drawProgress(rng)
		typ, ends := "u16", [2]int64{0, 1<<16 - 1}
		if rng.IntN(2) == 0 {
			typ, ends = "s16", [2]int64{-1 << 15, 1<<15 - 1}
		}
		near := []int64{ends[0], 0, 1, 5, 900, ends[1]}
		n := Integers{Min: min(max(ends[0], near[rng.IntN(6)]+rng.Int64N(9)-4), ends[1])}
		n.Max = min(n.Min+[]int64{0, 3, 40, 1 << 14, 1 << 16}[rng.IntN(5)], ends[1])
		start := rng.IntN(2) == 0 // what is in a range is where it starts
		other := uint16(near[rng.IntN(4)] + rng.Int64N(5))
		body := fmt.Sprintf("mov.b16 %%h1, %d; mov.b16 %%h2, %%h0; L: ", other)
		if start {
			body = fmt.Sprintf("mov.b16 %%h1, %%h0; mov.b16 %%h2, %d; L: ", other)
		}
		for _, c := range p.before {
			body += c.text()
		}
		body += fmt.Sprintf("setp.%s.%s16 %%p0, %%h1, %%h2; @!%%p0 bra E; ", p.cmp, map[bool]string{false: "u", true: "s"}[p.signed])
		for _, c := range p.behind {
			body += c.text()
		}
		got, err := closedLoops(t, "", body+"bra L; E:", typ, n)
		most, wrong := strconv.ParseInt(got, 10, 64)
		if err != nil || wrong != nil {
			continue
		}
		counted++
		reached := int64(0)
		for k := range int64(200) {
			x := min(n.Min+k/2, n.Max)
			if k%2 == 1 {
				x = max(n.Max-k/2, n.Min)
			}
			if k >= 100 {
				x = n.Min + rng.Int64N(n.Max-n.Min+1)
			}
			from, limit := other, uint16(x)
			if start {
				from, limit = limit, from
			}
			reached = max(reached, p.stays(from, limit, most+1))
		}
		if reached > most {
			t.Errorf("case %d, n from %d to %d as %s: back more than %d times\n%s", i, n.Min, n.Max, typ, most, body)
			return
		}
		if reached == most {
			exact++
		}
	}
	t.Logf("%d of %d counted, %d of them reached", counted, cases, exact)
	if counted < cases/4 || exact < counted/2 {
		t.Errorf("%d of %d counted, %d of them reached", counted, cases, exact)
	}
}
