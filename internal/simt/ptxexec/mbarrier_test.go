package ptxexec

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// mbarReference is the memory barrier object as PTX describes it in words, with
// a field for each thing it tracks.
type mbarReference struct {
	phase                     int
	pending, expected, pendTx int64
}

func (b *mbarReference) complete() {
	if b.pending == 0 && b.pendTx == 0 {
		b.phase++
		b.pending = b.expected
	}
}

// Random sequences of operations on one object, by one thread, against the
// reference: what is wrong in one is wrong in the other.
func TestMbarrierOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for range 2000 {
		n := int64(1 + r.IntN(6))
		ref := mbarReference{pending: n, expected: n}
		init := &mbarInfo{op: mbarInit}
		obj, _, wrong := init.apply(0, uint64(n))
		if wrong != "" {
			t.Fatal(wrong)
		}
		state, statePhase := obj, 0
		for range 40 {
			switch r.IntN(7) {
			case 0, 1, 2: // arrive
				info := &mbarInfo{op: mbarArrive, drop: r.IntN(4) == 0, noComplete: r.IntN(4) == 0, expect: r.IntN(3) == 0}
				count, tx := int64(1+r.IntN(3)), int64(0)
				operand := count
				if info.expect {
					info.noComplete = false
					count, tx = 1, int64(r.IntN(64))
					operand = tx
				}
				before, beforePhase := obj, ref.phase
				next, _, wrong := info.apply(obj, uint64(operand))
				bad := count > ref.pending || info.drop && count > ref.expected || info.noComplete && count == ref.pending && ref.pendTx == 0
				if (wrong != "") != bad {
					t.Fatalf("%+v of %+v: %q", *info, ref, wrong)
				}
				if bad {
					continue
				}
				obj, state, statePhase = next, before, beforePhase
				ref.pendTx += tx
				ref.pending -= count
				if info.drop {
					ref.expected -= count
				}
				if ref.expected == 0 && ref.pending == 0 {
					return // no thread is left to arrive
				}
				ref.complete()
			case 3:
				tx := int64(r.IntN(100))
				obj, _, _ = (&mbarInfo{op: mbarExpect}).apply(obj, uint64(tx))
				ref.pendTx += tx
			case 4:
				if ref.pendTx == 0 {
					continue
				}
				tx := 1 + r.Int64N(ref.pendTx)
				obj, _, _ = (&mbarInfo{op: mbarComplete}).apply(obj, uint64(tx))
				ref.pendTx -= tx
				ref.complete()
			case 5:
				info := &mbarInfo{op: mbarCopies, noinc: r.IntN(2) == 0}
				next, _, wrong := info.apply(obj, 1)
				if (wrong != "") != (info.noinc && ref.pending == 0) {
					t.Fatalf("%+v of %+v: %q", *info, ref, wrong)
				}
				if wrong != "" {
					continue
				}
				obj = next
				if info.noinc {
					ref.pending--
					ref.complete()
				}
			case 6:
				if statePhase == ref.phase || statePhase == ref.phase-1 {
					if _, got, _ := (&mbarInfo{op: mbarWait}).apply(obj, uint64(state)); got != (statePhase < ref.phase) {
						t.Fatalf("wait for phase %d in phase %d: %v", statePhase, ref.phase, got)
					}
				}
				for parity := range 2 {
					// The phase of this parity among the current and the last one.
					done := ref.phase%2 != parity
					if _, got, _ := (&mbarInfo{op: mbarWaitParity}).apply(obj, uint64(parity)); got != done {
						t.Fatalf("parity %d in phase %d: %v", parity, ref.phase, got)
					}
				}
			}
			if obj.pending() != ref.pending || obj.expected() != ref.expected || obj.bytes() != ref.pendTx || int(obj.phase()) != ref.phase%8 {
				t.Fatalf("object %#x: %d of %d pending, %d bytes, phase %d, want %+v", uint64(obj), obj.pending(), obj.expected(), obj.bytes(), obj.phase(), ref)
			}
		}
	}
}

// exchangeKernel lets the threads of two warps write words of shared memory,
// meet at a memory barrier object twice, and read those of the other warp.
func exchangeKernel(wait string) string {
	return header + `
.visible .entry k(.param .u64 out) {
	.shared .align 8 .b64 bar; .shared .align 4 .b8 s[256];
	.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
	ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r6, %ntid.x;
	setp.ne.u32 %p1, %r1, 0;
	@!%p1 mbarrier.init.shared.b64 [bar], 64;
	bar.sync 0;
	mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; mad.lo.u32 %r4, %r1, 10, 7; st.shared.u32 [%r3], %r4;
	mbarrier.arrive.shared.b64 %rd2, [bar];
	mov.u32 %r8, 0;
W1:	` + wait + `
	@!%p2 bra W1;
	xor.b32 %r5, %r1, 32; mad.lo.u32 %r3, %r5, 4, %r2; ld.shared.u32 %r5, [%r3];
	mbarrier.arrive.shared.b64 %rd2, [bar];
	mov.u32 %r8, 1;
W2:	` + wait + `
	@!%p2 bra W2;
	mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; st.global.u32 [%rd1], %r5;
	ret;
}`
}

func TestMbarrierExchange(t *testing.T) {
	for _, wait := range []string{
		"mbarrier.test_wait.shared.b64 %p2, [bar], %rd2;",
		"mbarrier.test_wait.parity.shared.b64 %p2, [bar], %r8;",
		"mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], %r8, 100;",
		"cvta.shared.u64 %rd6, %rd7; mov.u64 %rd7, bar; cvta.shared.u64 %rd6, %rd7; mbarrier.try_wait.b64 %p2, [%rd6], %rd2;",
	} {
		for _, taint := range []bool{false, true} {
			k := launch(t, lower(t, exchangeKernel(wait), "k"), LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Options: Options{Taint: taint}, Args: []Arg{
				{Name: "out", Buffer: &Buffer{Contents: make([]byte, 256)}}}})
			b, err := k.NewBlock(0)
			if err != nil {
				t.Fatal(err)
			}
			yields := 0
			var n int64
			if err := simt.RunBlock(t.Context(), b, simt.Limits{MaxInstructions: 10000}, &n, func(_ int, s *simt.Step) {
				if s.Yield {
					yields++
				}
			}); err != nil {
				t.Fatal(err)
			}
			for i, got := range words(k.Buffer("out"), 64) {
				if want := uint32((i^32)*10 + 7); got != want {
					t.Fatalf("%s: thread %d read %d, want %d", wait, i, got, want)
				}
			}
			if yields < 4 {
				t.Errorf("%s: %d yields, want one a wait", wait, yields)
			}
			if !taint {
				continue
			}
			branches := 0
			for _, x := range k.Taints() {
				if x.Kind == simt.TaintBranch {
					branches++
				}
			}
			if branches != 2 {
				t.Errorf("%s: %d tainted branches, want both loops: %v", wait, branches, k.Taints())
			}
		}
	}
}

// An arrival on the completion of copies depends, to timing, on the copies.
func TestMbarrierCopies(t *testing.T) {
	src := header + `
.visible .entry k(.param .u64 in) {
	.shared .align 8 .b64 bar; .shared .align 16 .b8 s[16];
	.reg .b64 %rd<9>; .reg .b32 %r<9>;
	ld.param.u64 %rd1, [in]; mbarrier.init.shared.b64 [bar], 1;
	cp.async.ca.shared.global [s], [%rd1], 16;
	cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
	ret;
}`
	p := lower(t, src, "k")
	var copied string
	for _, in := range p.isa.Instructions {
		for _, r := range in.Writes {
			if strings.HasPrefix(in.Opcode, "cp.async.ca") {
				copied = p.isa.Registers[r]
			}
		}
		if strings.HasPrefix(in.Opcode, "cp.async.mbarrier") {
			found := false
			for _, r := range in.Reads {
				found = found || p.isa.Registers[r] == copied && copied != ""
			}
			if !found {
				t.Errorf("%s does not wait for the copy", in.Opcode)
			}
		}
	}
	k := launch(t, p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Args: []Arg{{Name: "in", Buffer: buffer(make([]byte, 16))}}})
	run(t, k)
}

func TestWrongMbarriers(t *testing.T) {
	for inst, want := range map[string]string{
		"mbarrier.arrive.shared.b64 %rd2, [s]":                                                              "it is not initialised",
		"mbarrier.init.shared.b64 [s], 0":                                                                   "a count of 0, expected 1",
		"mbarrier.init.shared.b64 [s+4], 1":                                                                 "not a multiple of 8",
		"mbarrier.init.shared.b64 [s], 1; mbarrier.arrive.shared.b64 _, [s], 2":                             "2 arrivals where 1 are pending",
		"mbarrier.init.shared.b64 [s], 1; mbarrier.inval.shared.b64 [s]; mbarrier.arrive.shared.b64 _, [s]": "it is not initialised",
		"mbarrier.init.shared.b64 [s], 1; mbarrier.arrive.noComplete.shared.b64 _, [s], 1":                  "completes the phase",
		"mbarrier.init.b64 [%rd1], 1":                                                                       "expected shared memory",
	} {
		k := launch(t, lower(t, tableKernel(inst), "k"), LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Args: []Arg{{Name: "out", Buffer: buffer(make([]byte, 64))}, {Bytes: make([]byte, 64)}}})
		b, _ := k.NewBlock(0)
		var n int64
		if err := simt.RunBlock(t.Context(), b, simt.Limits{}, &n, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", inst, err, want)
		}
	}
}
