package ptxexec

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// followBlock follows block i of a kernel with a buffer of 1024 words and a grid
// of 10 x 4 blocks of 32 threads.
func followBlock(t *testing.T, body string, i int64) (*Kernel, simt.BlockClass, error) {
	t.Helper()
	p := lower(t, header+`.global .align 4 .u32 table[4] = {1, 2, 3, 4};
.const .align 4 .u32 given[4] = {1, 2, 3, 4};
.visible .entry k(.param .u64 buffer, .param .u32 n) {
	.reg .b64 %base, %a, %b; .reg .b32 %x, %y, %t, %n, %i<8>; .reg .b16 %h; .reg .pred %p<4>; .shared .align 4 .b8 s[128];
	ld.param.u64 %base, [buffer]; ld.param.u32 %n, [n]; mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; mov.u32 %t, %tid.x;
	`+body+"\nret;\n}\n", "k")
	k, err := NewKernel(p, LaunchConfig{Grid: [3]int{10, 4, 1}, Block: [3]int{32, 1, 1}, Args: []Arg{
		{Name: "buffer", Buffer: &Buffer{Contents: make([]byte, 4096), ElementBytes: 4}}, {Name: "n", Bytes: []byte{100, 0, 0, 0}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := k.Follower()
	if err != nil {
		return k, simt.BlockClass{}, err
	}
	b, err := f.Follow(i)
	if err != nil {
		t.Fatal(err)
	}
	executed := int64(0)
	err = simt.RunBlock(context.Background(), b, simt.Limits{}, &executed, nil)
	b.Release()
	return k, f.Class(), err
}

const toAddress = "mul.wide.s32 %a, %i0, 4; add.s64 %a, %a, %base; ld.global.u32 %i7, [%a];"

// The blocks of a grid of 10 x 4 that share the path of the one followed, and the
// shift of the last access.
func TestFollowedClasses(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		block  int64
		blocks int
		shift  [3]int64
	}{
		"sum":             {"mad.lo.s32 %i0, %x, 32, %t; mad.lo.s32 %i0, %y, 8, %i0;" + toAddress, 0, 40, [3]int64{128, 32, 0}},
		"negative":        {"sub.s32 %i0, 9, %x; mad.lo.s32 %i0, %i0, 32, %t;" + toAddress, 3, 40, [3]int64{-128, 0, 0}},
		"guard":           {"mad.lo.s32 %i0, %x, 32, %t; setp.ge.s32 %p0, %i0, %n; @%p0 ret;" + toAddress, 0, 12, [3]int64{128, 0, 0}},
		"behind it":       {"mad.lo.s32 %i0, %x, 32, %t; setp.ge.s32 %p0, %i0, %n; @%p0 ret;" + toAddress, 4, 24, [3]int64{0, 0, 0}},
		"at it":           {"mad.lo.s32 %i0, %x, 32, %t; setp.ge.s32 %p0, %i0, %n; @%p0 ret;" + toAddress, 3, 4, [3]int64{128, 0, 0}},
		"equal":           {"mov.u32 %i0, %t; setp.eq.s32 %p0, %x, 4; @%p0 add.s32 %i0, %t, %x;" + toAddress, 0, 16, [3]int64{0, 0, 0}},
		"quotient":        {"shr.u32 %i0, %x, 2; mad.lo.s32 %i0, %i0, 32, %t;" + toAddress, 0, 16, [3]int64{0, 0, 0}},
		"even":            {"shl.b32 %i0, %x, 3; shr.u32 %i0, %i0, 2; add.s32 %i0, %i0, %t;" + toAddress, 0, 40, [3]int64{8, 0, 0}},
		"remainder":       {"rem.u32 %i0, %x, 3; mad.lo.s32 %i0, %i0, 32, %t;" + toAddress, 0, 12, [3]int64{128, 0, 0}},
		"minimum":         {"mad.lo.s32 %i0, %x, 32, %t; min.s32 %i0, %i0, 160;" + toAddress, 9, 16, [3]int64{0, 0, 0}},
		"bounds":          {"mad.lo.s32 %i0, %y, 256, %t;" + toAddress, 0, 40, [3]int64{0, 1024, 0}},
		"wraps":           {"sub.u32 %i0, %x, 5; cvt.u64.u32 %b, %i0; and.b64 %b, %b, 63; shl.b64 %b, %b, 2; add.u64 %a, %b, %base; ld.global.u32 %i7, [%a];", 7, 20, [3]int64{4, 0, 0}},
		"halves":          {"mul.lo.s32 %i0, %x, 9000; cvt.u16.u32 %h, %i0; cvt.u32.u16 %i0, %h; and.b32 %i0, %i0, 7;" + toAddress, 0, 32, [3]int64{0, 0, 0}},
		"two factors":     {"mul.lo.s32 %i0, %x, %y; add.s32 %i0, %i0, %t;" + toAddress, 21, 10, [3]int64{8, 0, 0}},
		"given":           {"ld.const.u32 %i0, [given+4]; add.s32 %i0, %i0, %x;" + toAddress, 0, 40, [3]int64{4, 0, 0}},
		"trap":            {"mad.lo.s32 %i0, %x, 32, %t; setp.ge.s32 %p0, %i0, %n; @%p0 trap; mov.u32 %i0, %t;" + toAddress, 0, 12, [3]int64{0, 0, 0}},
		"members":         {"setp.lt.s32 %p0, %x, 5; selp.b32 %i1, -1, 1, %p0; @%p0 shfl.sync.idx.b32 %i6, %t, 0, 31, %i1; mov.u32 %i0, %t;" + toAddress, 0, 20, [3]int64{0, 0, 0}},
		"does not matter": {"mul.lo.s32 %i6, %x, %y; st.shared.u32 [s], %i6; mov.u32 %i0, %t;" + toAddress, 0, 40, [3]int64{0, 0, 0}},
	} {
		k, class, err := followBlock(t, c.body, c.block)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		blocks := 0
		for i := range simt.NumBlocks(k.Grid()) {
			if class.Holds(simt.BlockAt(k.Grid(), i)) {
				blocks++
			}
		}
		var shift [3]int64
		for _, s := range class.Shifts {
			if s != [3]int64{} {
				shift = s
			}
		}
		if blocks != c.blocks || shift != c.shift {
			t.Errorf("%s: %d blocks and a shift of %v, want %d and %v; conditions %+v", name, blocks, shift, c.blocks, c.shift, class.Conditions)
		}
	}
}

func TestNotFollowed(t *testing.T) {
	for body, want := range map[string]string{
		"ld.global.u32 %i0, [%base];" + toAddress:                "a value from memory reaches",
		"ld.shared.u32 %i0, [s];" + toAddress:                    "a value from memory reaches",
		"ld.global.u32 %i0, [table];" + toAddress:                "a value from memory reaches",
		"atom.global.add.u32 %i0, [%base], 1;" + toAddress:       "a value from memory reaches",
		"shfl.sync.idx.b32 %i0, %t, 0, 31, -1;" + toAddress:      "a value from other lanes reaches",
		"tex.1d.v4.u32.s32 {%i0, %i1, %i2, %i3}, [%base, {%t}];": "an instruction that is not followed",
		"sub.u32 %i0, %x, 0; cvt.rn.f32.u32 %i1, %i0; ex2.approx.f32 %i1, %i1; cvt.rzi.u32.f32 %i0, %i1; and.b32 %i0, %i0, 7;" + toAddress: "leaves open",
		"mov.u32 %i0, %clock; setp.eq.s32 %p0, %i0, 5; @%p0 ret;":                                                                          "a path that is not known",
		"mov.u32 %i0, %smid;" + toAddress:                                             "an address that is not known",
		"mov.u32 %i0, %i5;" + toAddress:                                               "an address that is not known",
		"mov.u32 %i0, %i5; setp.eq.s32 %p0, %i0, 5; @%p0 ld.global.u32 %i1, [%base];": "a condition that is not known",
		"ld.global.u32 %i0, [%base]; setp.gt.s32 %p0, %i0, 5; @%p0 trap;":             "a value from memory reaches",
		"mov.u32 %i0, 5000;" + toAddress:                                              "an access that is wrong",
		"add.u64 %a, %base, 2; ld.global.u32 %i7, [%a];":                              "an access that is wrong",
		"mov.u32 %i0, %i5; bar.sync %i0;":                                             "a barrier on a value",
		"cvt.u64.u32 %a, %x; mul.lo.u64 %a, %a, 0x123456789abcdef1; shr.u64 %b, %a, 60; add.u64 %b, %b, %base; ld.global.u8 %h, [%b];": "grows too fast",
	} {
		_, _, err := followBlock(t, body, 0)
		if !errors.Is(err, simt.ErrNotFollowed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}
