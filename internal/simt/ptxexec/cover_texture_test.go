package ptxexec

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
	"pgregory.net/rapid"
)

// fetchSteps notes of each fetch what is told: its lanes, rows of texels, and segments of
// 128 and of 4 bytes; and whether there were forks.
type fetchSteps struct {
	nothing
	code  *Code
	out   strings.Builder
	forks int
}

func (f *fetchSteps) Step(_ int, s *simt.Step, _ *simt.Spread) {
	if x := f.code.code[s.PC].x; x != nil && x.tex != nil {
		fmt.Fprintf(&f.out, " %d*%d:%d/%d", bits.OnesCount32(uint32(s.Exec)), s.MoreCount+1, s.Segments(128), s.Segments(4))
	}
}

func (f *fetchSteps) Fork(int) { f.forks++ }

// nothing is a sink of what is not asked for.
type nothing struct{}

func (nothing) Step(int, *simt.Step, *simt.Spread) {}
func (nothing) Fork(int)                           {}
func (nothing) Next(int)                           {}
func (nothing) Join(int, simt.Joined)              {}
func (nothing) Loop(int)                           {}
func (nothing) Arrive(int)                         {}
func (nothing) EndLoop(int, *simt.LoopEnd)         {}

// Fetches from textures are covered, whatever is known of places and textures.
func TestCoverFetches(t *testing.T) { fetchesAreCovered(t) }

func fetchesAreCovered(t rapid.TB) {
	const (
		unknown = "ld.global.u32 %r2, [%d3]; "
		branch  = " setp.ne.u32 %p7, %r4, 0; @%p7 bra END; add.u32 %r5, %r5, 1; END: ret;"
	)
	for name, c := range map[string]struct {
		body, want, err string
		forks           int
		any, closed     bool
	}{
		"known":                          {body: "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [lk, {%r1}];" + branch, want: "32*1:32/32"},
		"known, in linear memory":        {body: "tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [tk, {%r1, %r1}];" + branch, want: "32*1:32/32"},
		"contents unknown":               {body: "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [lu, {%r1}];" + branch, want: "32*1:32/32", forks: 1},
		"place unknown":                  {body: unknown + "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [lk, {%r2}];" + branch, want: "32*1:32/32", forks: 1},
		"place unknown, linear, wide":    {body: unknown + "tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [wk, {%r2, %r1}];" + branch, want: "32*1:32/128", forks: 1},
		"filtered, place unknown":        {body: unknown + "cvt.rn.f32.u32 %f0, %r2; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [fk, {%f0, %f0}]; cvt.rzi.u32.f32 %r4, %f1;" + branch, want: "32*4:128/128", forks: 1},
		"points by floats":               {body: unknown + "cvt.rn.f32.u32 %f0, %r2; tex.2d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [tk, {%f0, %f0}];" + branch, want: "32*1:32/32", forks: 1},
		"gathered":                       {body: unknown + "cvt.rn.f32.u32 %f0, %r2; tld4.r.2d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [tk, {%f0, %f0}];" + branch, want: "32*4:128/128", forks: 1},
		"channels that are not there":    {body: "tex.1d.v4.u32.s32 {%r5, %r4, %r6, %r7}, [lk, {%r1}];" + branch, want: "32*1:32/32", forks: 1},
		"unknown guard":                  {body: unknown + "setp.eq.u32 %p0, %r2, 3; setp.lt.u32 %p1, %r1, 8; and.pred %p0, %p0, %p1; mov.u32 %r4, 0; @%p0 tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [lk, {%r1}];" + branch, want: "8*1:8/8", forks: 1},
		"some places unknown":            {body: unknown + "setp.lt.u32 %p1, %r1, 8; selp.u32 %r3, %r2, 0, %p1; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [lk, {%r3}]; setp.lt.u32 %p2, %r1, 8; @%p2 ret; " + branch, want: "32*1:32/32"},
		"texture by data":                {body: unknown + "setp.eq.u32 %p0, %r2, 3; mov.u64 %d5, lk; mov.u64 %d6, lu; selp.u64 %d5, %d5, %d6, %p0; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r1}];" + branch, err: "which texture it fetches from depends on data"},
		"several sizes at known places":  {body: "setp.lt.u32 %p0, %r1, 8; mov.u64 %d5, tk; mov.u64 %d6, wk; selp.u64 %d5, %d5, %d6, %p0; tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {0, 0}];" + branch, want: "32*1:2/8"},
		"several sizes at unknown ones":  {body: unknown + "setp.lt.u32 %p0, %r1, 8; mov.u64 %d5, tk; mov.u64 %d6, wk; selp.u64 %d5, %d5, %d6, %p0; tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r2, 0}];" + branch, err: "lanes fetch texels of several sizes"},
		"a lane not there and no handle": {body: unknown + "setp.eq.u32 %p0, %r2, 3; mov.u64 %d5, lk; @%p0 bra A; setp.lt.u32 %p1, %r1, 8; selp.u64 %d5, 0, %d5, %p1; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r1}]; A: ret;", want: "24*1:24/24", forks: 1},
		"no handle":                      {body: "mov.u64 %d5, 0; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r1}]; ret;", err: "no texture has the handle 0x0"},
		"nothing known":                  {body: "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [lk, {%r1}];" + branch, any: true, want: "32*1:32/128", forks: 1},
		"nothing known, by floats":       {body: "cvt.rn.f32.u32 %f0, %r1; tex.1d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [lk, {%f0}];" + branch, any: true, want: "32*2:64/256", forks: 1},
		"nothing known, two dimensions":  {body: "cvt.rn.f32.u32 %f0, %r1; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [fk, {%f0, %f0}]; ret;", any: true, want: "32*4:128/512"},
		"a number that nobody declares":  {body: "mov.u64 %d5, 5; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r1}];" + branch, any: true, want: "32*1:32/128", forks: 1},
		"one of two that are unknown":    {body: "setp.lt.u32 %p0, %r1, 8; mov.u64 %d5, tk; mov.u64 %d6, wk; selp.u64 %d5, %d5, %d6, %p0; tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {0, 0}]; ret;", any: true, err: "which texture it fetches from depends on data"},
		"an object":                      {body: "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d7, {%r1}];" + branch, any: true, closed: true, want: "32*1:32/128", forks: 1},
		"an object of each lane":         {body: unknown + "cvt.u64.u32 %d5, %r2; add.u64 %d5, %d5, %d7; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%d5, {%r1}];" + branch, any: true, closed: true, err: "which texture it fetches from depends on data"},
	} {
		p, err := lowered(".version 8.0\n.target sm_80\n.address_size 64\n.global .texref lk, lu, tk, tu, wk, wu, fk, fu;\n" +
			".visible .entry k(.param .u64 pu, .param .u64 obj) {\n.reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<8>;\n" +
			"ld.param.u64 %d1, [pu]; ld.param.u64 %d7, [obj]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; mov.u32 %r5, 0;\n" + c.body + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		l := LaunchConfig{
			Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Options: Options{Taint: true}, AnyTextures: c.any,
			Args: []Arg{{Name: "unknown", Buffer: &Buffer{Contents: make([]byte, 4096), ElementBytes: 4}}, {Name: "obj", Bytes: make([]byte, 8)}},
		}
		if c.closed {
			l.Args[1].Range = &Integers{Min: -1 << 63, Max: 1<<63 - 1}
		}
		if !c.any {
			l.Textures = fetchedTextures()
		}
		k, err := NewKernel(p, l)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cover, err := k.Coverer(simt.CoverOptions{Closed: c.closed})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		told := &fetchSteps{code: p}
		var executed int64
		err = cover.Cover(context.Background(), 0, simt.Limits{}, &executed, told)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, expected %s", name, err, c.err)
			}
			continue
		}
		if got := strings.TrimSpace(told.out.String()); err != nil || got != c.want || told.forks != c.forks {
			t.Errorf("%s: %s with %d forks, %v, expected %s with %d", name, got, told.forks, err, c.want, c.forks)
		}
	}
}

// fetchedTextures are lines in unknown places, tables, wide ones, and filtered ones, each
// with known contents and with unknown.
func fetchedTextures() []Texture {
	var out []Texture
	for _, last := range []string{"k", "u"} {
		known := last == "k"
		out = append(out,
			Texture{Name: "l" + last, Known: known, Texels: make([]byte, 256), Channel: ptx.U32, Channels: 1, Width: 64},
			Texture{Name: "t" + last, Known: known, Texels: make([]byte, 64*32*4), Channel: ptx.U32, Channels: 1, Width: 32, Height: 64, Linear: true},
			Texture{Name: "w" + last, Known: known, Texels: make([]byte, 1024), Channel: ptx.U32, Channels: 4, Width: 8, Height: 8, Linear: true},
			Texture{Name: "f" + last, Known: known, Texels: make([]byte, 256), Channel: ptx.F32, Channels: 1, Width: 8, Height: 8, Sampler: Sampler{Filtered: true}})
	}
	return out
}
