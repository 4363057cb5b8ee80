package ptxexec

import (
	"slices"
	"testing"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// As nvcc -lineinfo writes it: inner is inlined into outer, and outer into the kernel.
const inlinedModule = `
.version 7.8
.target sm_80
.address_size 64
.visible .entry k() {
	.reg .b32 %r<8>;
	.loc 1 8 0
	mov.u32 %r0, 0;
	.loc 1 11 18
	.loc 1 5 13, function_name $L__info_string0, inlined_at 1 11 18
	.loc 1 2 3, function_name $L__info_string1, inlined_at 1 5 13
	mov.u32 %r1, 1;
	.loc 1 6 3, function_name $L__info_string0, inlined_at 1 11 18
	mov.u32 %r2, 2;
	.loc 1 13 31
	.loc 1 2 3, function_name $L__info_string0+6, inlined_at 1 13 31
	mov.u32 %r3, 3;
	.loc 1 2 3, function_name nowhere, inlined_at 1 99 9
	mov.u32 %r4, 4;
	.loc 1 2 3, inlined_at 7 13 31
	ret;
}
.file 1 "k.cu"
.section .debug_str
{
$L__info_string0:
.b8 111,117,116
.b8 101,114,0,105,110,0
$L__info_string1:
.b8 0x69,110,110,101,114,0
}
`

func TestInlinedCalls(t *testing.T) {
	f, err := ptx.Parse("k.ptx", []byte(inlinedModule))
	if err != nil {
		t.Fatal(err)
	}
	code, err := Lower(f, "k")
	if err != nil {
		t.Fatal(err)
	}
	at := func(line, col int) isa.Position { return isa.Position{File: "k.cu", Line: line, Col: col} }
	want := [][]isa.Inlined{
		nil,
		{{Function: "inner", At: at(5, 13)}, {Function: "outer", At: at(11, 18)}},
		{{Function: "outer", At: at(11, 18)}},
		{{Function: "in", At: at(13, 31)}},
		{{At: at(99, 9)}},
		nil,
	}
	for i, in := range code.isa.Instructions {
		if !slices.Equal(in.Inlined, want[i]) {
			t.Errorf("%s: %+v, expected %+v", in.Pos, in.Inlined, want[i])
		}
	}
}
