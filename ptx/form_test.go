package ptx

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// form resolves "opcode n", n the number of operands.
func form(t *testing.T, text string, operands int) (Form, error) {
	t.Helper()
	parts := strings.Split(text, ".")
	in := Inst{Op: parts[0], Mods: parts[1:], Operands: make([]Operand, operands)}
	return in.Form()
}

func TestForm(t *testing.T) {
	for _, c := range []struct {
		op       string
		operands int
		want     Form
		state    State
	}{
		{"add.s32", 3, Form{Type: S32}, Executed},
		{"add.cc.u32", 3, Form{Type: U32, CC: true}, Executed},
		{"add.rz.ftz.sat.f32", 3, Form{Type: F32, Round: RZ, Ftz: true, Sat: true}, Executed},
		{"add.f16x2", 3, Form{Type: F16x2}, Executed},
		{"mul.wide.s32", 3, Form{Type: S32, Mul: MulWide}, Executed},
		{"mad.hi.sat.s32", 4, Form{Type: S32, Mul: MulHi, Sat: true}, Executed},
		{"madc.lo.cc.u32", 4, Form{Type: U32, Mul: MulLo, CC: true}, Executed},
		{"setp.lt.and.u32", 4, Form{Type: U32, Cmp: CmpLT, Bool: BoolAnd}, Executed},
		{"setp.hi.u16", 3, Form{Type: U16, Cmp: CmpHI}, Executed},
		{"set.neu.ftz.u32.f32", 3, Form{Type: U32, Type2: F32, Cmp: CmpNEU, Ftz: true}, Executed},
		{"slct.f32.s32", 4, Form{Type: F32, Type2: S32}, Executed},
		{"div.full.f32", 3, Form{Type: F32, Full: true}, Executed},
		{"rcp.approx.ftz.f64", 2, Form{Type: F64, Approx: true, Ftz: true}, Executed},
		{"min.ftz.NaN.xorsign.abs.f32", 3, Form{Type: F32, Ftz: true, NaN: true, XorSign: true, Abs: true}, Executed},
		{"min.f32", 4, Form{Type: F32}, Refused},
		{"cvt.rni.sat.s8.f32", 2, Form{Type: S8, Type2: F32, Round: RNI, Sat: true}, Executed},
		{"cvt.f32.f32.rp", 2, Form{Type: F32, Type2: F32, Round: RP}, Executed},
		{"cvt.rn.bf16.f32", 2, Form{Type: BF16, Type2: F32, Round: RN}, Executed},
		{"cvt.pack.sat.u8.s32.b32", 4, Form{Type: U8, Type2: S32, Type3: B32, Sat: true, Action: "pack"}, Executed},
		{"shf.r.wrap.b32", 4, Form{Type: B32, Shift: ShiftWrap, ShiftRight: true}, Executed},
		{"bfind.shiftamt.u64", 2, Form{Type: U64, ShiftAmt: true}, Executed},
		{"prmt.b32.rc16", 4, Form{Type: B32, Prmt: PrmtRC16}, Executed},
		{"shfl.sync.bfly.b32", 5, Form{Type: B32, Shfl: ShflBfly, Sync: true}, Executed},
		{"vote.sync.ballot.b32", 3, Form{Type: B32, Vote: VoteBallot, Sync: true}, Executed},
		{"match.all.sync.b64", 3, Form{Type: B64, Vote: VoteAll, Sync: true}, Executed},
		{"redux.sync.max.s32", 3, Form{Type: S32, Atom: AtomMax, Sync: true}, Executed},
		{"ld.volatile.shared.v2.f64", 2, Form{Type: F64, Space: SpaceShared, Vec: 2, Volatile: true}, Executed},
		{"ld.global.nc.L1::no_allocate.v4.u32", 2,
			Form{Type: U32, Space: SpaceGlobal, NC: true, Vec: 4, Other: []string{"L1::no_allocate"}}, Executed},
		{"ld.acquire.gpu.u32", 2, Form{Type: U32, Sem: SemAcquire, Scope: ScopeGPU}, Executed},
		{"ld.global.relaxed.cta.u32", 2, Form{Type: U32, Space: SpaceGlobal, Sem: SemRelaxed, Scope: ScopeCTA}, Executed},
		{"ld.global.L2::cache_hint.u8", 3, Form{Type: U8, Space: SpaceGlobal, CacheHint: true}, Executed},
		{"ld.param::func.b64", 2, Form{Type: B64, Space: SpaceParamFunc}, Executed},
		{"ld.shared::cluster.u32", 2, Form{Type: U32, Space: SpaceSharedCluster}, Refused},
		{"st.wt.global.u8", 2, Form{Type: U8, Space: SpaceGlobal, Cache: CacheWT}, Executed},
		{"st.async.weak.shared::cluster.b64", 3, Form{Action: "async", Other: []string{"weak", "shared::cluster", "b64"}}, Refused},
		{"atom.global.acq_rel.gpu.cas.b64", 4, Form{Type: B64, Space: SpaceGlobal, Sem: SemAcqRel, Scope: ScopeGPU, Atom: AtomCas}, Executed},
		{"atom.global.v8.f16.max.noftz", 3, Form{Type: F16, Space: SpaceGlobal, Vec: 8, Atom: AtomMax, Noftz: true}, Refused},
		{"red.shared.add.f64", 2, Form{Type: F64, Space: SpaceShared, Atom: AtomAdd}, Executed},
		{"membar.gl", 0, Form{Scope: ScopeGPU}, Executed},
		{"fence.acq_rel.sys", 0, Form{Sem: SemAcqRel, Scope: ScopeSys}, Executed},
		{"bar.red.popc.u32", 3, Form{Type: U32, Action: "red", Atom: AtomPopc}, Executed},
		{"bar.warp.sync", 1, Form{Action: "warp", Action2: "sync"}, Executed},
		{"barrier.cta.sync.aligned", 1, Form{Action: "sync", Aligned: true, Other: []string{"cta"}}, Executed},
		{"barrier.cluster.arrive.aligned", 0, Form{Action: "cluster", Action2: "arrive", Aligned: true}, Refused},
		{"cvta.to.global.u64", 2, Form{Type: U64, Space: SpaceGlobal, To: true}, Executed},
		{"cp.async.ca.shared.global.L2::128B", 3,
			Form{Action: "async", Cache: CacheCA, Space: SpaceShared, Space2: SpaceGlobal, Other: []string{"L2::128B"}}, Executed},
		{"cp.async.wait_group", 1, Form{Action: "async", Action2: "wait_group"}, Executed},
		{"cp.async.bulk.commit_group", 0, Form{Action: "async", Action2: "bulk", Other: []string{"commit_group"}}, Refused},
		{"bra.uni", 1, Form{Uni: true}, Executed},
		{"brx.idx", 2, Form{Action: "idx"}, Executed},
		{"testp.subnormal.f32", 2, Form{Type: F32, Test: "subnormal"}, Executed},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", 7,
			Form{Action: "mma_async", Type: F32, Type2: F16, Type3: F16, Sync: true, Aligned: true, Other: []string{"m64n8k16"}}, Refused},
	} {
		got, err := form(t, c.op, c.operands)
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		if d := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Form{}, "Info", "Variant")); d != "" {
			t.Errorf("%s: %s", c.op, d)
		}
		if s, reason := got.State(); s != c.state || (s == Refused) != (reason != "") {
			t.Errorf("%s is %s (%q), want %s", c.op, s, reason, c.state)
		}
	}
}

// TestTableReachable resolves every value of every slot of every line of the
// table: each must lead to a line of the same state, or the line is shadowed.
func TestTableReachable(t *testing.T) {
	for _, op := range Opcodes() {
		info := Lookup(op)
		for i := range info.Variants {
			v := &info.Variants[i]
			if v.PTX < 10 || v.SM < 10 {
				if v.State == Executed {
					t.Errorf("%s, line %d: no PTX version or architecture", op, i)
				}
			}
			for s := range v.Slots {
				for _, value := range v.Slots[s].Values {
					for _, all := range []bool{false, true} {
						checkReachable(t, op, v, s, value, all)
					}
				}
			}
		}
	}
}

// checkReachable resolves the variant with value in slot s, the first value
// in the other required slots and, if all, in the optional ones.
func checkReachable(t *testing.T, op string, v *Variant, s int, value string, all bool) {
	t.Helper()
	var mods []string
	for k, slot := range v.Slots {
		switch {
		case k == s:
			mods = append(mods, value)
		case slot.Kind != SlotAny && (all || !slot.Opt):
			mods = append(mods, slot.Values[0])
		}
	}
	n := len(v.Operands[0])
	if n > 0 && v.Operands[0][n-1].Kind == OperandRest {
		n--
	}
	f, err := resolve(op, mods, n, Pos{})
	if err != nil {
		t.Errorf("%v", err)
	} else if f.Variant.State != v.State {
		t.Errorf("%s resolves to a line that is %s (%s), want %s (%s)", joinOpcode(op, mods), f.Variant.State, f.Variant.Reason, v.State, v.Reason)
	}
}

func TestLookup(t *testing.T) {
	if Lookup("nosuch") != nil {
		t.Error("Lookup finds an opcode that is none")
	}
	// Every instruction of PTX has a line, counted over the ISA's chapters.
	for _, op := range strings.Fields(`abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev
		brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence
		fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min
		mma mov movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad
		selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix sub subc suld suq sured sust szext
		tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vadd vmad vmax vmin vote vset vshl vshr vsub vadd2 vadd4 wgmma wmma xor`) {
		if Lookup(op) == nil {
			t.Errorf("opcode %s is missing", op)
		}
	}
}

func TestSpecialRegister(t *testing.T) {
	typ, n, ok := SpecialRegister("%tid")
	if typ != U32 || n != 4 || !ok {
		t.Errorf("%%tid is .%s with %d components, %v", typ, n, ok)
	}
	for name, want := range map[string]bool{"%laneid": true, "%envreg0": true, "%envreg31": true, "%envreg32": false, "%envreg4": true,
		"%envreg40": false, "%clock64": true, "tid": false, "%r1": false} {
		if _, _, ok := SpecialRegister(name); ok != want {
			t.Errorf("SpecialRegister(%q) is %v, want %v", name, ok, want)
		}
	}
}
