package ptxexec

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

// FuzzExecute runs what it is given as the body of a kernel. Nothing may
// panic; errors must be those of the machine; and following taint must not
// change what happens.
func FuzzExecute(f *testing.F) {
	for _, body := range []string{
		"st.global.u32 [%o], %t; ret;",
		"and.b32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; bar.sync 0; L: exit;",
		"L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %t; @%p1 bra L; brx.idx %r1, T; T: .branchtargets L, M; M: ret;",
		".shared .align 16 .b8 s[64]; .local .u32 l; st.local.u32 [l], %t; ld.shared.v4.u32 {%r1,_,%r2,%r3}, [s+16]; cp.async.ca.shared.global [s], [%o], 4;",
		"shfl.sync.bfly.b32 %r1|%p1, %t, 1, 31, -1; vote.sync.ballot.b32 %r2, %p1, -1; match.any.sync.b32 %r3, %r1, -1; redux.sync.add.u32 %r4, %t, -1;",
		"mov.b64 %rd1, {%r1, %t}; mov.b64 {%r2, _}, %rd1; add.cc.u32 %r1, %r1, %t; addc.u32 %r2, %r2, 0; cvt.rzi.s32.f32 %r3, %f1; div.s32 %r1, %r2, %r3;",
		".global .align 4 .b8 g[2][3] = {{1,2},{3}}; mov.u64 %rd1, g; ld.u8 %r1, [%rd1+5]; atom.global.add.u32 %r2, [%o], 1; red.global.inc.u32 [%o], 7; trap;",
		"} .func (.param .b32 r) f (.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; st.param.b32 [r], x; call (r), f, (a); ret; } .entry other () { .param .b32 q; call (q), f, (q); ret;",
		"mov.u32 %r1, %clock; sin.approx.f32 %f1, %f2; fma.rm.f32 %f1, %f1, %f2, %f1; rem.u64 %rd1, %rd2, %rd3; bfe.s64 %rd1, %rd2, %r1, %r2; bar.red.popc.u32 %r1, 1, %p1;",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 4096 {
			return
		}
		file, err := ptx.Parse("fuzz.ptx", []byte(kernel(body)))
		if err != nil {
			return
		}
		for _, entry := range file.Entries() {
			p, err := Lower(file, entry.Name)
			if err != nil {
				continue
			}
			outcome := func(taint bool) ([]byte, error) {
				args := make([]Arg, len(p.params))
				for i, q := range p.params {
					args[i].Bytes = make([]byte, q.bytes)
				}
				if len(args) > 0 && p.params[0].bytes == 8 {
					args[0] = Arg{Name: "out", Buffer: &Buffer{Contents: make([]byte, 512), Known: true}}
				}
				k, err := NewKernel(p, LaunchConfig{Grid: [3]int{2, 1, 1}, Block: [3]int{20, 2, 1}, Args: args, Options: Options{Taint: taint, MaxBufferBytes: 1 << 22}})
				if err != nil {
					return nil, err
				}
				_, err = simt.Run(context.Background(), k, simt.Limits{MaxInstructions: 5000})
				return k.Buffer("out"), err
			}
			plain, err := outcome(false)
			var re *simt.RuntimeError
			if err != nil && plain != nil && !errors.As(err, &re) {
				t.Fatalf("an error of another kind: %v", err)
			}
			followed, err2 := outcome(true)
			if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() || !bytes.Equal(plain, followed) {
				t.Fatalf("taint mode differs: %v and %v", err, err2)
			}
		}
	})
}
