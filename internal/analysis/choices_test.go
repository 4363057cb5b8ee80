package analysis

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// TestWarpsWithSeveralPaths: where every section of a warp may also be left out,
// SUM, FUA and the serial bound are what they are of the recorded path, and every
// other method is refused.
func TestWarpsWithSeveralPaths(t *testing.T) {
	l := kernel(t, "\tld.param.u64 %rd1, [p];\n\tld.global.u32 %r1, [%rd1];\n\tbar.sync 0;\n\tadd.u32 %r1, %r1, 1;\n\tst.global.u32 [%rd1], %r1;\n", "5", "96")
	m := gpus.Preset(t, "ecrts2025-200")
	want := analysed(t, l, m)
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Record(context.Background(), k, k, m, simt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	b := choice.NewBuilder()
	changed := map[*path.Warp]*path.Warp{}
	for _, c := range f.Path.Classes {
		for i := range c.Warps {
			w := c.Warps[i].Warp
			if changed[w] == nil {
				x := &path.Warp{Instructions: w.Instructions, Barriers: w.Barriers}
				for _, s := range w.Sections {
					e, err := b.FromSeq(s)
					if err != nil {
						t.Fatal(err)
					}
					if e, err = b.AtMost(1, e); err != nil {
						t.Fatal(err)
					}
					x.Choices = append(x.Choices, e)
				}
				if x.WholeChoice, err = b.Concat(x.Choices...); err != nil {
					t.Fatal(err)
				}
				changed[w] = x
			}
			c.Warps[i].Warp = changed[w]
		}
	}
	r := &Report{Facts: f}
	for _, m := range Table {
		if m.Machine == method.Plain {
			r.methods = append(r.methods, m)
		}
	}
	holds := map[string]bool{"sum": true, "fua": true, "serial": true}
	seen := map[string]bool{}
	for _, scope := range r.scopes() {
		got, err := r.result(context.Background(), method.Part{Scope: scope, Index: method.Slowest})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range got.Bounds {
			seen[b.Method] = true
			if w := want.Scope(scope).Bound(b.Method); !holds[b.Method] || w == nil || b.Cycles != w.Cycles || !strings.HasSuffix(b.Theorem, "theorem 41") {
				t.Errorf("%s of a %s: %d cycles by %s, want those of the recorded path", b.Method, scope, b.Cycles, b.Theorem)
			}
		}
		for _, no := range got.Refused {
			if !holds[no.Method] && (no.Assumption != bound.PathCovers || !strings.Contains(no.Reason, "several paths")) {
				t.Errorf("%s of a %s: refused because %s (%s)", no.Method, scope, no.Reason, no.Assumption)
			}
			if want.Scope(scope).Bound(no.Method) != nil && holds[no.Method] {
				t.Errorf("%s of a %s: refused because %s (%s)", no.Method, scope, no.Reason, no.Assumption)
			}
		}
	}
	if len(seen) != len(holds) {
		t.Errorf("bounds by %v, want sum, fua and serial", seen)
	}
}
