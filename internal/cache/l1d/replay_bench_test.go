package l1d

import (
	"context"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
)

// largeKernels are kernels over a buffer of words and a number n, with a guard at
// the end of the range.
var largeKernels = map[string]string{
	// y[i] = a x[i] + y[i], i < n
	"saxpy": `
	mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r0, %r0, %r1, %r2;
	setp.ge.s32 %p0, %r0, %n; @%p0 bra E;
	mul.wide.s32 %a, %r0, 4; add.s64 %a, %a, %base; mul.wide.s32 %b, %n, 4; add.s64 %b, %b, %a;
	ld.global.f32 %f0, [%a]; ld.global.f32 %f1, [%b]; fma.rn.f32 %f1, %f0, 0f40000000, %f1; st.global.f32 [%b], %f1;
E:	ret;`,
	// c[y][x] = sum over k of a[y][k] b[k][x], x, y, k < n
	"gemm": `
	mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r0, %r0, %r1, %r2;
	mov.u32 %r3, %ctaid.y; mov.u32 %r4, %ntid.y; mov.u32 %r5, %tid.y; mad.lo.s32 %r3, %r3, %r4, %r5;
	setp.ge.s32 %p0, %r0, %n; @%p0 bra E; setp.ge.s32 %p0, %r3, %n; @%p0 bra E;
	mul.lo.s32 %r6, %n, %n; mul.wide.s32 %c, %r6, 4;
	mul.lo.s32 %r7, %r3, %n; mul.wide.s32 %a, %r7, 4; add.s64 %a, %a, %base;
	mul.wide.s32 %b, %r0, 4; add.s64 %b, %b, %base; add.s64 %b, %b, %c;
	mul.wide.s32 %d, %n, 4; mov.u32 %r8, 0; mov.f32 %f2, 0f00000000;
L:	ld.global.f32 %f0, [%a]; ld.global.f32 %f1, [%b]; fma.rn.f32 %f2, %f0, %f1, %f2;
	add.s64 %a, %a, 4; add.s64 %b, %b, %d; add.s32 %r8, %r8, 1; setp.lt.s32 %p0, %r8, %n; @%p0 bra L;
	add.s32 %r7, %r7, %r0; mul.wide.s32 %a, %r7, 4; add.s64 %a, %a, %base; add.s64 %a, %a, %c; add.s64 %a, %a, %c;
	st.global.f32 [%a], %f2;
E:	ret;`,
	// out[y][x] from its neighbours, in rows of n, but not on the rim
	"stencil": `
	mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r0, %r0, %r1, %r2;
	mov.u32 %r3, %ctaid.y; mov.u32 %r4, %ntid.y; mov.u32 %r5, %tid.y; mad.lo.s32 %r3, %r3, %r4, %r5;
	sub.s32 %r6, %n, 1;
	setp.lt.s32 %p0, %r0, 1; @%p0 bra E; setp.ge.s32 %p0, %r0, %r6; @%p0 bra E;
	setp.lt.s32 %p0, %r3, 1; @%p0 bra E; setp.ge.s32 %p0, %r3, %r6; @%p0 bra E;
	mad.lo.s32 %r7, %r3, %n, %r0; mul.wide.s32 %a, %r7, 4; add.s64 %a, %a, %base; mul.wide.s32 %d, %n, 4;
	sub.s64 %b, %a, %d; add.s64 %c, %a, %d;
	ld.global.f32 %f0, [%a]; ld.global.f32 %f1, [%a+-4]; add.f32 %f0, %f0, %f1; ld.global.f32 %f1, [%a+4]; add.f32 %f0, %f0, %f1;
	ld.global.f32 %f1, [%b]; add.f32 %f0, %f0, %f1; ld.global.f32 %f1, [%c]; add.f32 %f0, %f0, %f1;
	mul.lo.s32 %r8, %n, %n; mul.wide.s32 %d, %r8, 4; add.s64 %a, %a, %d; st.global.f32 [%a], %f0;
E:	ret;`,
}

// largeLaunch is a launch of one of them over n, or n x n, threads.
func largeLaunch(t testing.TB, name string, n int) (l launched, grid [3]int) {
	t.Helper()
	file, err := ptx.Parse("large.ptx", []byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 buffer, .param .u32 count) {\n"+
		".reg .b64 %base, %a, %b, %c, %d; .reg .b32 %r<9>, %n; .reg .f32 %f<3>; .reg .pred %p0;\nld.param.u64 %base, [buffer]; ld.param.u32 %n, [count];\n"+largeKernels[name]+"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptxexec.Lower(file, "k")
	if err != nil {
		t.Fatal(err)
	}
	block, words := [3]int{256, 1, 1}, 2*n
	grid = [3]int{(n + 255) / 256, 1, 1}
	if name != "saxpy" {
		block, words = [3]int{32, 8, 1}, 3*n*n
		grid = [3]int{(n + 31) / 32, (n + 7) / 8, 1}
	}
	contents := make([]byte, 4*words)
	return func(taint bool) (*ptxexec.Kernel, error) {
		return ptxexec.NewKernel(p, ptxexec.LaunchConfig{
			Grid: grid, Block: block, Options: ptxexec.Options{Taint: taint},
			Args: []ptxexec.Arg{
				{Name: "buffer", Buffer: &ptxexec.Buffer{Contents: contents, ElementBytes: 4}},
				{Name: "count", Bytes: binary.LittleEndian.AppendUint32(nil, uint32(n))},
			},
		})
	}, grid
}

// The large kernels, with guards that cut through blocks, are replayed as executed.
func TestReplayIsWhatIsExecutedOnLargeKernels(t *testing.T) {
	for name, n := range map[string]int{"saxpy": 5003, "gemm": 45, "stencil": 130} {
		l, _ := largeLaunch(t, name, n)
		classes, why := replaySame(t, l)
		if why != nil || classes > 9 {
			t.Errorf("%s: %d classes, %v", name, classes, why)
		}
	}
}

// BenchmarkReplay analyses and estimates launches of many blocks with one 16 kB
// cache an SM, by replaying and by executing every block. A request is a segment
// that an access touches.
func BenchmarkReplay(b *testing.B) {
	caches := []cache.Config{{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, WriteEvict: true}}
	for _, c := range []struct {
		name string
		n    int
	}{{"saxpy", 1 << 22}, {"gemm", 256}, {"stencil", 1024}} {
		l, grid := largeLaunch(b, c.name, c.n)
		r := Residency{Blocks: simt.NumBlocks(grid), SMs: 15, BlocksPerSM: 6}
		for _, way := range []string{"execute", "replay"} {
			b.Run(c.name+"/"+way, func(b *testing.B) {
				requests := int64(0)
				for range b.N {
					requests += estimateLarge(b, l, r, caches, way == "replay")
				}
				b.ReportMetric(float64(requests)/b.Elapsed().Seconds(), "requests/s")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(requests), "ns/request")
			})
		}
	}
}

func estimateLarge(t testing.TB, l launched, r Residency, caches []cache.Config, replay bool) (requests int64) {
	t.Helper()
	var a *Analysis
	var err error
	if replay {
		k, failed := l(true)
		if failed != nil {
			t.Fatal(failed)
		}
		a, err = followedAnalysis(t, k, maxClasses)
	} else {
		a, err = executedAnalysis(t, l)
	}
	if err != nil {
		t.Fatal(err)
	}
	e, err := a.Estimate(context.Background(), func() (simt.Kernel, error) { return l(false) }, r, caches, EstimateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.Instructions {
		requests += e.Instructions[i].Segments
	}
	return requests
}

// BenchmarkHundredMillion replays a product of matrices whose warps make more than
// 10^8 accesses, and says what is allocated beside the buffers.
func BenchmarkHundredMillion(b *testing.B) {
	const n = 1184
	l, grid := largeLaunch(b, "gemm", n)
	caches := []cache.Config{{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, WriteEvict: true}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	requests := int64(0)
	for range b.N {
		requests += estimateLarge(b, l, Residency{Blocks: simt.NumBlocks(grid), SMs: 15, BlocksPerSM: 6}, caches, true)
	}
	runtime.ReadMemStats(&after)
	// The launch is made twice: to analyse and to record.
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)-2*4*3*n*n, "B-beside-buffers/op")
	b.ReportMetric(float64(requests)/float64(b.N), "requests/op")
	b.ReportMetric(float64(requests)/b.Elapsed().Seconds(), "requests/s")
}
