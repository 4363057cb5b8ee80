package ptxexec

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// Sums in place of a source, and vector registers packed as a whole.
func TestSumsAndVectorRegisters(t *testing.T) {
	for inst, want := range map[string]func(i uint32) uint32{
		"st.global.u32 [%o], %t + 7":                                                      func(i uint32) uint32 { return i + 7 },
		"st.global.u32 [%o], %t + -2":                                                     func(i uint32) uint32 { return i - 2 },
		"add.u32 %r1, %t+4, %t+9; st.global.u32 [%o], %r1":                                func(i uint32) uint32 { return 2*i + 13 },
		"cvt.u16.u32 %h, %t; mov.u32 %r1, 0; cvt.u32.u16 %r1, %h+65535; st.u32 [%o], %r1": func(i uint32) uint32 { return uint32(uint16(i - 1)) },
		"mov.u32 %t, %t+1; mov.u32 %t, %t+1; st.global.u32 [%o], %t":                      func(i uint32) uint32 { return i + 2 },
		"setp.gt.u32 %p1, %t, 4; mov.u32 %r1, 1; @%p1 mov.u32 %r1, %t+3; st.global.u32 [%o], %r1": func(i uint32) uint32 {
			if i > 4 {
				return i + 3
			}
			return 1
		},
		"st.shared.v2.u32 [s], {%t+1, %t+2}; bar.sync 0; ld.shared.u32 %r1, [s+4]; sub.u32 %r1, %r1, %t; mov.u32 %r1, 5; st.global.u32 [%o], %r1":                func(uint32) uint32 { return 5 },
		"cvt.u64.u32 %rd1, %t; shl.b64 %rd1, %rd1, 32; add.u64 %rd1, %rd1, 3; mov.b64 v, %rd1; add.u32 %r1, v.x, v.y; st.global.u32 [%o], %r1":                   func(i uint32) uint32 { return i + 3 },
		"mov.u32 v.x, %t; mov.u32 v.y, 9; mov.b64 %rd1, v; shr.u64 %rd1, %rd1, 32; mad.lo.u64 %rd1, %rd1, 10, 1; cvt.u32.u64 %r1, %rd1; st.global.u32 [%o], %r1": func(uint32) uint32 { return 91 },
		"mov.b64 %rd1, 0x4000300020001; mov.b64 q, %rd1; cvt.u32.u16 %r1, q.z; st.global.u32 [%o], %r1":                                                          func(uint32) uint32 { return 3 },
	} {
		src := header + `.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b64 %o, %rd<9>; .reg .b32 %t, %r<9>; .reg .b16 %h; .reg .pred %p<4>; .reg .v2 .b32 v; .reg .v4 .u16 q;
	.shared .align 16 .b8 s[64];
	ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %rd1, %t, 4; add.u64 %o, %o, %rd1;
	` + inst + ";\nret; }\n"
		k := bodyKernel(t, src, 40, 40)
		if _, err := simt.Run(context.Background(), k, simt.Limits{MaxInstructions: 1 << 20}); err != nil {
			t.Errorf("%s: %v", inst, err)
			continue
		}
		for i, got := range u32s(k.Buffer("out")) {
			if got != want(uint32(i)) {
				t.Errorf("%s: thread %d has %d, want %d", inst, i, got, want(uint32(i)))
				break
			}
		}
	}
}

// Shared variables that a function declares take space whether it uses them or
// not, as ptxas gives it to them; those of the module only where they are used.
func TestSharedBytes(t *testing.T) {
	const f = ".func f() { .shared .b8 y[200]; ret; }\n"
	for _, c := range []struct {
		src  string
		want int64
	}{
		{".entry k() { .shared .b8 x[100]; ret; }", 100},
		{".shared .b8 m[1000]; .entry k() { ret; }", 0},
		{".shared .b8 m[1000]; .entry k() { .reg .u32 r; mov.u32 r, m; ret; }", 1000},
		{f + ".entry k() { .shared .b8 x[100]; call f; ret; }", 300},
		{f + ".entry k() { .shared .b8 x[100]; ret; }", 100},
		{".extern .shared .b8 d[]; .entry k() { .shared .b8 x[100]; ret; }", 100},
		{".entry k() { { .shared .b8 x[49152]; } ret; }", 49152},
	} {
		if got := lower(t, header+c.src, "k").isa.SharedBytes; got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.src, got, c.want)
		}
	}
	_, err := Lower(parse(t, header+".entry k() { .shared .b8 x[16777216];\n.shared .b8 y[1]; ret; }"), "k")
	if want := "t.ptx:5:13: with y the shared variables take 16777217 bytes, expected at most 16777216"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("too much: %v, want %q", err, want)
	}
}
