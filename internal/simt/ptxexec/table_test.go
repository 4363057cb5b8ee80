package ptxexec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

// forms calls visit with modifiers of each line of the opcode table that is
// executed, such that every value of every modifier appears.
func forms(visit func(op string, v *ptx.Variant, mods []string)) {
	for _, op := range ptx.Opcodes() {
		info := ptx.Lookup(op)
		for i := range info.Variants {
			v := &info.Variants[i]
			if v.State != ptx.Executed {
				continue
			}
			seen := map[string]bool{}
			try := func(slot, value int, optional bool) {
				var mods []string
				for k, s := range v.Slots {
					switch {
					case k == slot:
						mods = append(mods, s.Values[value])
					case (!s.Opt || optional) && len(s.Values) > 0:
						mods = append(mods, s.Values[0])
					}
				}
				if key := strings.Join(mods, "."); !seen[key] {
					seen[key] = true
					visit(op, v, mods)
				}
			}
			try(-1, 0, false)
			try(-1, 0, true)
			for k, s := range v.Slots {
				for value := range s.Values {
					try(k, value, false)
					try(k, value, true)
				}
			}
		}
	}
}

// operandText writes an operand for a place; the registers are those of
// tableKernel.
func operandText(p ptx.OperandSpec, f *ptx.Form, op string, n int) string {
	reg := func(t ptx.Type) string {
		if p.Rule == ptx.RuleAddress {
			return "%rd5"
		}
		switch {
		case t == ptx.Pred:
			return fmt.Sprintf("%%p%d", 2+n)
		case t.Bits() == 64:
			return fmt.Sprintf("%%rd%d", 2+n)
		case t.Bits() == 32:
			return fmt.Sprintf("%%r%d", 2+n)
		}
		return fmt.Sprintf("%%h%d", 2+n)
	}
	t := operandType(p, f)
	switch p.Kind {
	case ptx.OperandDst, ptx.OperandSrc:
		return reg(t)
	case ptx.OperandDstVec, ptx.OperandSrcVec:
		if f.Vec == 0 {
			return reg(t)
		}
		var parts []string
		for i := range int(f.Vec) {
			n = i + 2
			parts = append(parts, reg(t))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case ptx.OperandDstPair:
		return reg(t) + "|%p4"
	case ptx.OperandPredPair:
		return "%p2|%p3"
	case ptx.OperandPred:
		return "!%p5"
	case ptx.OperandImm:
		return "4"
	case ptx.OperandLabel:
		return "L"
	case ptx.OperandAddr:
		space := f.Space
		if op == "cp" && n == 1 {
			space = f.Space2
		}
		switch space {
		case ptx.SpaceShared, ptx.SpaceSharedCTA:
			return "[s]"
		case ptx.SpaceConst:
			return "[c]"
		case ptx.SpaceLocal:
			return "[l]"
		case ptx.SpaceParam, ptx.SpaceParamFunc:
			return "[q]"
		case ptx.SpaceParamEntry:
			return "[in]"
		}
		return "[%rd1]"
	}
	if op == "mma" {
		shape := map[string][2]int{"m16n8k4": {16, 4}, "m16n8k8": {16, 8}, "m16n8k16": {16, 16}, "m16n8k32": {16, 32}, "m8n8k4": {8, 4}, "m8n8k16": {8, 16}}[f.Other[0]]
		m, k := shape[0], shape[1]
		elements, t := [4]int{m * 8, m * k, k * 8, m * 8}[n], [4]ptx.Type{f.Type, f.Type2, f.Type3, f.Type4}[n]
		return registerList(registersOf(elements, t), t)
	}
	if op == "wmma" && p.Kind == ptx.OperandAny {
		var shape [3]int
		for _, m := range f.Other {
			if s, ok := wmmaSizes[m]; ok {
				shape = s
			}
		}
		letter, t := f.Action2, f.Type
		if f.Action == "mma" {
			letter, t = string("dabc"[n]), [4]ptx.Type{f.Type, f.Type2, f.Type3, f.Type4}[n]
			if f.Type3 == ptx.TypeNone {
				t = [4]ptx.Type{f.Type, ptx.F16, ptx.F16, f.Type2}[n]
			}
		}
		return registerList(wmmaFragment(shape, letter, t).regs, t)
	}
	if op == "ldmatrix" && n == 0 {
		return registerList(int(f.Other[1][1]-'0'), ptx.B32)
	}
	switch {
	case op == "brx":
		return "T"
	case (op == "tex" || op == "tld4") && n == 0:
		return "{%r3,%r4,%r5,_}"
	case op == "tex" && f.Other[0] == "1d":
		return "[one, {%r2}]"
	case op == "tex" || op == "tld4":
		return "[two, {%r2, %r3}]"
	}
	return "%r3"
}

// registerList writes a vector of n registers that hold values of type t.
func registerList(n int, t ptx.Type) string {
	name := "%r"
	if t.Bits() == 64 {
		name = "%rd"
	}
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprint(name, 2+i))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func tableKernel(inst string) string {
	return header + `.global .texref one, two;
.const .align 32 .b8 c[64] = {1,2,3,4,5,6,7,8};
.visible .entry k(.param .u64 out, .param .align 32 .b8 in[64]) {
	.reg .pred %p<12>; .reg .b16 %h<12>; .reg .b32 %r<12>; .reg .b64 %rd<12>;
	.shared .align 32 .b8 s[64]; .local .align 32 .b8 l[64]; .param .align 32 .b8 q[64];
	T: .branchtargets L, L;
	ld.param.u64 %rd1, [out]; mov.u32 %r2, %tid.x; mov.u32 %r3, 3; mov.u32 %r4, -5; mov.u32 %r5, -1;
	cvt.u64.u32 %rd2, %r2; mov.u64 %rd3, 9; mov.u64 %rd4, -7; mov.f64 %rd5, 1.5; cvt.u16.u32 %h3, %r2; mov.u16 %h2, 0x3c00; mov.u16 %h4, 7;
	setp.gt.u32 %p5, %r2, 3; setp.gt.u32 %p3, %r2, 9;
	` + inst + `;
L:	ret;
}`
}

// Every form the table calls executed is lowered, to a valid program, and runs
// without a panic, with and without taint; those the table refuses are refused.
func TestEveryExecutedFormRuns(t *testing.T) {
	count := 0
	forms(func(op string, v *ptx.Variant, mods []string) {
		if op == "call" {
			return
		}
		for _, places := range v.Operands {
			form, err := (&ptx.Inst{Op: op, Mods: mods, Operands: make([]ptx.Operand, len(places))}).Form()
			if err != nil {
				t.Errorf("%s.%s: %v", op, strings.Join(mods, "."), err)
				return
			}
			if form.Variant.State != ptx.Executed {
				// Another line of the table takes this combination, and refuses it.
				return
			}
			inst := strings.Join(append([]string{op}, mods...), ".")
			for i, p := range places {
				if i > 0 {
					inst += ","
				}
				inst += " " + operandText(p, &form, op, i)
			}
			count++
			file, err := ptx.Parse("t.ptx", []byte(tableKernel(inst)))
			if err != nil {
				t.Fatalf("%s: %v", inst, err)
			}
			p, err := Lower(file, "k")
			if err != nil {
				t.Errorf("%s: %v", inst, err)
				continue
			}
			if p.isa.Instructions[len(p.code)-2].Class.Family == 0 {
				t.Errorf("%s has no timing family", inst)
			}
			for _, taint := range []bool{false, true} {
				k := launch(t, p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{40, 1, 1}, Options: Options{Taint: taint}, Textures: []Texture{
					{Name: "one", Texels: make([]byte, 32), Channel: ptx.F32, Channels: 1, Width: 8, Known: true},
					{Name: "two", Texels: make([]byte, 64), Channel: ptx.F16, Channels: 2, Width: 4, Height: 4, Sampler: Sampler{Filtered: true}},
				}, Args: []Arg{{Name: "out", Buffer: buffer(make([]byte, 64))}, {Bytes: make([]byte, 64)}}})
				_, err := simt.Run(context.Background(), k, simt.Limits{MaxInstructions: 1000})
				var re *simt.RuntimeError
				if err != nil && !errors.As(err, &re) {
					t.Errorf("%s: %v", inst, err)
				}
			}
		}
	})
	if count < 1500 {
		t.Errorf("only %d forms tried", count)
	}
}

func TestRefusedFormsAreRefused(t *testing.T) {
	for inst, want := range map[string]string{
		"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r2},{%r3},{%r4},{%r5}": "matrix",
		"tex.3d.v4.f32.s32 {%r2,%r3,%r4,%r5}, [%rd1, {%r2,%r3,%r4,%r5}]":          "textures",
		"cp.async.bulk.commit_group":                                              "bulk copies",
		"add.f32x2 %rd2, %rd3, %rd4":                                              "packed",
	} {
		_, err := Lower(parse(t, tableKernel(inst)), "k")
		if !errors.Is(err, simt.ErrUnsupported) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "t.ptx:13:2: instruction "+strings.Fields(inst)[0]) {
			t.Errorf("%s: %v", inst, err)
		}
	}
}
