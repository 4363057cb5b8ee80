package l1d

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/l1d/cache"
	"github.com/warpbound/warpbound/ptx"
	"github.com/warpbound/warpbound/simt"
	"github.com/warpbound/warpbound/simt/ptxexec"
)

// affineKernel is a random kernel whose addresses and branches depend on the
// thread, the block and a parameter only: sums, products, shifts, quotients,
// masks, minima and conversions of them, with negative factors and sums that wrap
// around, guards, branches that part lanes, loops and barriers. Accesses are
// guarded so that they stay in the buffer.
type affineKernel struct {
	rng   *rand.Rand
	text  strings.Builder
	label int
}

const (
	affineRegisters = 8
	affineWords     = 1 << 12
)

func (k *affineKernel) emit(format string, args ...any) { fmt.Fprintf(&k.text, format+"\n", args...) }

func (k *affineKernel) reg() string { return fmt.Sprintf("%%i%d", k.rng.IntN(affineRegisters)) }

func (k *affineKernel) number() int {
	return []int{0, 1, 2, 3, 4, 5, 7, 8, 16, 32, 64, -1, -2, -4, -32}[k.rng.IntN(15)]
}

// value writes an instruction that makes a value.
func (k *affineKernel) value(guard string) {
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

func (k *affineKernel) one(of ...string) string { return of[k.rng.IntN(len(of))] }

func (k *affineKernel) cmp() string { return k.one("lt", "le", "gt", "ge", "eq", "ne") }

// access guards a register as an index and accesses the buffer there.
func (k *affineKernel) access() {
	i := k.reg()
	k.emit("setp.lt.u32 %%g, %s, %d;", i, affineWords)
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

func (k *affineKernel) statement(depth int, whole bool) {
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

func affineLaunch(t testing.TB, seed uint64) (launched, string) {
	t.Helper()
	k := &affineKernel{rng: rand.New(rand.NewPCG(seed, 30))}
	k.emit(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 buffer, .param .u32 count) {")
	k.emit(".reg .b64 %%base, %%a, %%d0; .reg .b32 %%i<%d>, %%c<3>, %%n, %%v; .reg .b16 %%h0; .reg .pred %%q, %%g;", affineRegisters)
	k.emit("ld.param.u64 %%base, [buffer]; ld.param.u32 %%n, [count]; mov.u32 %%v, 0;")
	k.emit("mov.u32 %%i0, %%ctaid.x; mov.u32 %%i1, %%ctaid.y; mov.u32 %%i2, %%ctaid.z; mov.u32 %%i3, %%tid.x; mov.u32 %%i4, %%tid.y;")
	k.emit("mov.u32 %%i5, %%ntid.x; mad.lo.s32 %%i5, %%i0, %%i5, %%i3; mov.u32 %%i6, %%n; mul.lo.s32 %%i7, %%i1, %d; add.s32 %%i7, %%i7, %%i5;", 16*k.rng.IntN(8))
	for range 4 + k.rng.IntN(14) {
		k.statement(0, true)
	}
	k.access()
	k.emit("ret;\n}")
	text := k.text.String()
	file, err := ptx.Parse("affine.ptx", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := ptxexec.Lower(file, "k")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	grid := [][3]int{{12, 1, 1}, {5, 4, 1}, {3, 2, 2}, {1, 9, 1}, {20, 1, 1}}[k.rng.IntN(5)]
	block := [][3]int{{32, 1, 1}, {16, 4, 1}, {40, 1, 1}, {8, 2, 2}}[k.rng.IntN(4)]
	count := binary.LittleEndian.AppendUint32(nil, uint32(k.rng.IntN(400)))
	return func(taint bool) (*ptxexec.Kernel, error) {
		return ptxexec.NewKernel(p, ptxexec.Launch{
			Grid: grid, Block: block, Options: ptxexec.Options{Taint: taint},
			Args: []ptxexec.Arg{{Name: "buffer", Buffer: &ptxexec.Buffer{Contents: make([]byte, 4*affineWords+64), ElementBytes: 4}}, {Name: "count", Bytes: count}},
		})
	}, text
}

// Blocks of random kernels are replayed as they are executed.
func TestReplayIsWhatIsExecutedOnRandomKernels(t *testing.T) {
	replayed, shared, refused := 0, 0, map[string]int{}
	seeds := uint64(150)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		l, text := affineLaunch(t, seed)
		classes, why := replaySame(t, l)
		if t.Failed() {
			t.Fatalf("kernel %d, %d classes\n%s", seed, classes, text)
		}
		if why != nil {
			refused[why.Error()[strings.LastIndex(why.Error(), ":")+1:]]++
			continue
		}
		replayed++
		k, err := l(false)
		if err != nil {
			t.Fatal(err)
		}
		if int64(classes) < simt.NumBlocks(k.Grid()) {
			shared++
		}
	}
	t.Logf("%d replayed, of them %d with blocks that share a class; not: %v", replayed, shared, refused)
	if uint64(replayed)*10 < 9*seeds || uint64(shared)*3 < seeds {
		t.Errorf("of %d kernels %d were replayed, %d with blocks that share a class: %v", seeds, replayed, shared, refused)
	}
}

// What is wrong with the classes is seen: conditions left out, and a shift that is
// off.
func TestReplayOfWrongClassesDiffers(t *testing.T) {
	mistakes := map[string]func(f *followed) bool{
		"condition": func(f *followed) bool {
			if len(f.classes) < 2 || len(f.classes[0].Conditions) == 0 {
				return false
			}
			f.classes[0].Conditions = nil
			return true
		},
		"shift": func(f *followed) bool {
			// One of a class with a second block.
			i := slices.IndexFunc(f.blocks, func(n int64) bool { return n > 1 })
			if i < 0 {
				return false
			}
			c := &f.classes[i]
			at := slices.IndexFunc(c.Shifts, func(s [3]int64) bool { return s != [3]int64{} })
			if at < 0 {
				return false
			}
			c.Shifts = slices.Clone(c.Shifts)
			for axis := range 3 {
				c.Shifts[at][axis] += 128
			}
			return true
		},
	}
	for name, plant := range mistakes {
		planted, seen := 0, 0
		for seed := range uint64(60) {
			l, _ := affineLaunch(t, seed)
			k, err := l(true)
			if err != nil {
				t.Fatal(err)
			}
			right, why := followedAnalysis(t, k, 1<<20)
			if why != nil {
				continue
			}
			f := *right.followed
			f.classes = slices.Clone(f.classes)
			if !plant(&f) {
				continue
			}
			planted++
			r := Residency{Blocks: simt.NumBlocks(k.Grid()), SMs: 1, BlocksPerSM: 64}
			_, got := sequenceHash(t, &Analysis{points: right.points, followed: &f}, l, r, []cache.Config{smallCache()})
			_, want := sequenceHash(t, right, l, r, []cache.Config{smallCache()})
			if got != want {
				seen++
			}
		}
		t.Logf("%s: %d of %d mistakes seen", name, seen, planted)
		if planted < 10 || seen*2 < planted {
			t.Errorf("%s: %d of %d mistakes seen", name, seen, planted)
		}
	}
}
