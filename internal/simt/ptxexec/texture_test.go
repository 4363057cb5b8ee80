package ptxexec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

// textureKernel fetches with two coordinates a thread from in and stores the
// four results.
func textureKernel(declare, inst string) string {
	return header + declare + `
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 handle) {
	.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;
	ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd5, [handle];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 8; add.u64 %rd1, %rd1, %rd3;
	mul.wide.u32 %rd3, %r1, 16; add.u64 %rd2, %rd2, %rd3;
	ld.global.v2.u32 {%r2, %r3}, [%rd1];
	` + inst + `
	st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};
	ret;
}`
}

func textureLaunch(t testing.TB, declare, inst string, coords []uint32, textures []Texture, samplers []Sampler, o Options) *Kernel {
	t.Helper()
	n := len(coords) / 2
	k, err := NewKernel(lower(t, textureKernel(declare, inst), "k"), LaunchConfig{
		Grid: [3]int{1, 1, 1}, Block: [3]int{n, 1, 1}, Textures: textures, Samplers: samplers, Options: o,
		Args: []Arg{{Name: "in", Buffer: &Buffer{Contents: u32bytes(coords...), Known: true}}, {Name: "out", Buffer: &Buffer{Contents: make([]byte, 16*n)}}, {Bytes: u64bytes([]uint64{77})}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// sampleReference is the section "Texture Fetching" of the CUDA C++ Programming
// Guide for one coordinate: the texels and their weights, by real numbers. The
// fraction has 8 bits.
func sampleReference(x float64, size int, mode AddressMode, normalized, linear bool) (index [2]int, weight [2]float64) {
	if normalized {
		x *= float64(size)
	}
	place := func(i int) int {
		switch mode {
		case AddressClamp:
			return int(math.Max(0, math.Min(float64(i), float64(size-1))))
		case AddressBorder:
			if i < 0 || i >= size {
				return -1
			}
			return i
		case AddressWrap: // the fraction of i/size
			f := float64(i) / float64(size)
			return int(math.Round((f - math.Floor(f)) * float64(size)))
		}
		for i < 0 {
			i += 2 * size
		}
		if i %= 2 * size; i >= size {
			return 2*size - i - 1
		}
		return i
	}
	if !linear {
		i := place(int(math.Floor(x)))
		return [2]int{i, i}, [2]float64{1, 0}
	}
	b := math.RoundToEven(x*256)/256 - 0.5
	i := math.Floor(b)
	return [2]int{place(int(i)), place(int(i) + 1)}, [2]float64{1 - (b - i), b - i}
}

func TestTexturesAgainstTheGuide(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 300 {
		w, h := 1+r.IntN(9), r.IntN(7)
		dims := 1 + min(h, 1)
		channels := []int{1, 2, 4}[r.IntN(3)]
		normalized, linear := r.IntN(2) == 0, r.IntN(2) == 0
		modes := [2]AddressMode{}
		for i := range modes {
			modes[i] = AddressMode(r.IntN(2))
			if normalized {
				modes[i] = AddressMode(r.IntN(4))
			}
		}
		kind := []ptx.Type{ptx.F32, ptx.U8, ptx.S16, ptx.F16}[r.IntN(4)]
		values := make([]float64, w*max(h, 1)*channels)
		var data []byte
		for i := range values {
			var raw uint64
			switch kind {
			case ptx.F32:
				v := float32(r.IntN(2000)-1000) / 16
				raw, values[i] = uint64(math.Float32bits(v)), float64(v)
			case ptx.U8:
				raw = uint64(r.IntN(256))
				values[i] = float64(float32(float64(raw) / 255))
			case ptx.S16:
				v := int16(r.Uint32())
				raw = uint64(uint16(v))
				values[i] = float64(float32(math.Max(float64(v)/32767, -1)))
			case ptx.F16:
				v := float64(r.IntN(200)-100) / 4
				raw, values[i] = fp16(v), v
			}
			b := make([]byte, kind.Bytes())
			writeBytes(b, uint64(len(b)), raw)
			data = append(data, b...)
		}
		tex := Texture{Name: "t", Texels: data, Channel: kind, Channels: channels, Width: int64(w), Height: int64(h), Normalized: !kind.Float(), Linear: r.IntN(2) == 0,
			Sampler: Sampler{Address: modes, Filtered: linear, NormalizedCoords: normalized}}
		gather := dims == 2 && r.IntN(4) == 0
		comp := r.IntN(channels)
		n := 32
		coords := make([]uint32, 2*n)
		for i := range coords {
			x := float32(r.Float64()*3-1) * float32([]int{w, max(h, 1)}[i%2])
			if r.IntN(2) == 0 {
				x = float32(math.Floor(float64(x)*4) / 4)
			}
			if normalized {
				x /= float32([]int{w, max(h, 1)}[i%2])
			}
			coords[i] = math.Float32bits(x)
		}
		inst := "tex.2d.v4.f32.f32 {%r4,%r5,%r6,%r7}, [t, {%r2,%r3}];"
		if dims == 1 {
			inst = "tex.1d.v4.f32.f32 {%r4,%r5,%r6,%r7}, [t, {%r2}];"
		}
		if gather {
			inst = fmt.Sprintf("tld4.%c.2d.v4.f32.f32 {%%r4,%%r5,%%r6,%%r7}, [t, {%%r2,%%r3}];", "rgba"[comp])
		}
		k := textureLaunch(t, ".global .texref t;", inst, coords, []Texture{tex}, nil, Options{})
		run(t, k)
		out := k.Buffer("out")
		value := func(x, y, c int) float64 {
			if x < 0 || y < 0 {
				return 0
			}
			return values[(y*w+x)*channels+c]
		}
		for i := range n {
			xi, wx := sampleReference(float64(math.Float32frombits(coords[2*i])), w, modes[0], normalized, linear || gather)
			yi, wy := [2]int{}, [2]float64{1, 0}
			if dims == 2 {
				yi, wy = sampleReference(float64(math.Float32frombits(coords[2*i+1])), h, modes[1], normalized, linear || gather)
			}
			for c := range 4 {
				got := float64(f32(readBytes(out[16*i+4*c:], 4)))
				var want float64
				switch {
				case gather:
					at := [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}}[c]
					want = value(xi[at[0]], yi[at[1]], comp)
				case c >= channels:
					want = [4]float64{0, 0, 0, 1}[c]
				default:
					for a := range 2 {
						for b := range 2 {
							if wx[a]*wy[b] != 0 {
								want += wx[a] * wy[b] * value(xi[a], yi[b], c)
							}
						}
					}
				}
				if math.Abs(got-want) > 1e-6*math.Max(1, math.Abs(want)) {
					t.Fatalf("%s %dx%d %v modes %v normalized %v linear %v: channel %d at %v is %v, want %v",
						inst, w, h, kind, modes, normalized, linear, c, [2]float32{math.Float32frombits(coords[2*i]), math.Float32frombits(coords[2*i+1])}, got, want)
				}
			}
		}
	}
}

// fp16 is the half of a number that is one.
func fp16(v float64) uint64 { return format(ptx.F16).Convert(0, format(ptx.F64), math.Float64bits(v)) }

func words(b []byte, n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(readBytes(b[4*i:], 4))
	}
	return out
}

// Integer coordinates, element reads, handles and explicit samplers.
func TestTexturesByHandle(t *testing.T) {
	texels := make([]byte, 40)
	for i := range texels {
		texels[i] = byte(200 + i)
	}
	tex := Texture{Name: "host", Handle: 77, HasHandle: true, Texels: texels, Channel: ptx.S8, Channels: 2, Width: 5, Height: 4}
	near := Sampler{Name: "near", Address: [2]AddressMode{AddressBorder, AddressClamp}}
	coords := []uint32{0, 0, 4, 3, math.MaxUint32, 1, 2, 9}
	at := func(x, y int) [4]uint32 {
		return [4]uint32{uint32(int8(texels[y*10+2*x])), uint32(int8(texels[y*10+2*x+1])), 0, 1}
	}
	k := textureLaunch(t, ".global .samplerref near;", "tex.2d.v4.s32.s32 {%r4,%r5,%r6,%r7}, [%rd5, near, {%r2,%r3}];", coords, []Texture{tex}, []Sampler{near}, Options{})
	run(t, k)
	got := words(k.Buffer("out"), 16)
	for i, want := range [][4]uint32{at(0, 0), at(4, 3), {0, 0, 0, 1}, at(2, 3)} {
		if [4]uint32(got[4*i:]) != want {
			t.Errorf("fetch %d is %#x, want %#x", i, got[4*i:4*i+4], want)
		}
	}
	// A variable's address is a handle, too.
	tex = Texture{Name: "t", Texels: u32bytes(5, 6, 7), Channel: ptx.U32, Channels: 1, Width: 3, Linear: true}
	k = textureLaunch(t, ".tex .u32 t;", "mov.u64 %rd6, t; tex.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [%rd6, {%r2}];", []uint32{2, 0, 7, 0}, []Texture{tex}, nil, Options{})
	run(t, k)
	if got := words(k.Buffer("out"), 8); got[0] != 7 || got[4] != 0 {
		t.Errorf("fetched %v, want 7 and, outside, 0", got)
	}
}

func TestWrongTextures(t *testing.T) {
	one := Texture{Name: "t", Texels: make([]byte, 32), Channel: ptx.U32, Channels: 1, Width: 8}
	for _, c := range []struct {
		inst     string
		textures []Texture
		want     string
	}{
		{"tex.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [%rd5, {%r2}];", nil, "no texture has the handle 0x4d"},
		{"tex.2d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [t, {%r2,%r3}];", []Texture{one}, "has 1 dimensions"},
		{"tex.1d.v4.f32.s32 {%r4,%r5,%r6,%r7}, [t, {%r2}];", []Texture{one}, "holds u32"},
	} {
		k := textureLaunch(t, ".global .texref t;", c.inst, make([]uint32, 2), c.textures, nil, Options{})
		b, err := k.NewBlock(0)
		if err == nil {
			var n int64
			err = simt.RunBlock(t.Context(), b, simt.Limits{}, &n, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.inst, err, c.want)
		}
	}
	p := lower(t, textureKernel(".global .texref t;", "tex.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [t, {%r2}];"), "k")
	for _, c := range []struct {
		textures []Texture
		want     string
	}{
		{nil, "uses texture t, which the launch does not declare"},
		{[]Texture{{Name: "t", Texels: make([]byte, 31), Channel: ptx.U32, Channels: 1, Width: 8}}, "has 31 bytes, expected 32"},
	} {
		_, err := NewKernel(p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Textures: c.textures,
			Args: []Arg{{Name: "in", Buffer: buffer(make([]byte, 8))}, {Name: "out", Buffer: buffer(make([]byte, 16))}, {Bytes: make([]byte, 8)}}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// stepOf executes the kernel's first block and returns the step of its texture
// instruction.
func stepOf(t *testing.T, k *Kernel) simt.Step {
	t.Helper()
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	var out simt.Step
	var n int64
	err = simt.RunBlock(t.Context(), b, simt.Limits{}, &n, func(_ int, s *simt.Step) {
		if strings.HasPrefix(k.Program().Instructions[s.PC].Opcode, "t") {
			out = *s
			if s.More != nil {
				more := *s.More
				out.More = &more
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What timing sees: rows of linear memory coalesce, every texel of an array has
// a segment of its own, and where it is open which texels a lane reads it reads
// its own.
func TestTextureTransactions(t *testing.T) {
	float := func(f func(i int) (x, y float32)) []uint32 {
		var c []uint32
		for i := range 32 {
			x, y := f(i)
			c = append(c, math.Float32bits(x), math.Float32bits(y))
		}
		return c
	}
	row := float(func(i int) (x, y float32) { return float32(i) + 0.5, 1.5 })
	between := float(func(i int) (x, y float32) { return float32(i) + 0.1, 1.5 })
	same := float(func(int) (x, y float32) { return 3.5, 3.5 })
	for _, c := range []struct {
		name                   string
		coords                 []uint32
		layoutLinear, filtered bool
		segments, open, texel  int
	}{
		{"a row of linear memory", row, true, false, 4, 0, 1},
		{"a row of an array", row, false, false, 32, 0, 1},
		{"one texel of an array", same, false, false, 1, 0, 1},
		{"coordinates that are not exact", between, true, false, 32, 1, 1},
		{"a filtered row of linear memory", row, true, true, 10, 1, 4}, // 33 texels of two rows
		{"a filtered row of an array", row, false, true, 66, 1, 4},
		{"filtered, not exact", between, false, true, 128, 1, 4},
	} {
		tex := Texture{Name: "t", Texels: make([]byte, 64*64*4), Channel: ptx.F32, Channels: 1, Width: 64, Height: 64, Known: true, Linear: c.layoutLinear, Sampler: Sampler{Filtered: c.filtered}}
		k := textureLaunch(t, ".global .texref t;", "tex.2d.v4.f32.f32 {%r4,_,_,_}, [t, {%r2,%r3}]; setp.eq.u32 %p1, %r4, 5; @%p1 bra L; L: mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0;", c.coords, []Texture{tex}, nil, Options{Taint: true})
		s := stepOf(t, k)
		if got := s.Segments(32); got != c.segments || s.MoreCount != c.texel-1 {
			t.Errorf("%s: %d segments and %d more texels, want %d and %d", c.name, got, s.MoreCount, c.segments, c.texel-1)
		}
		if got := k.Taints(); len(got) != 0 {
			t.Errorf("%s: taints %v", c.name, got)
		}
		depend, results := k.Open()
		if len(depend) != c.open || len(results) != c.open || c.open > 0 && depend[0].Kind != simt.TaintBranch {
			t.Errorf("%s: %v depend on open results, of %v, want %d", c.name, depend, results, c.open)
		}
	}
	// Unknown contents, and coordinates that depend on them.
	tex := Texture{Name: "t", Texels: make([]byte, 64), Channel: ptx.U32, Channels: 1, Width: 16}
	k := textureLaunch(t, ".global .texref t;", "tex.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [t, {%r2}]; tex.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [t, {%r4}];", make([]uint32, 64), []Texture{tex}, nil, Options{Taint: true})
	stepOf(t, k)
	if got := k.Taints(); len(got) != 1 || got[0].Kind != simt.TaintAddress {
		t.Errorf("taints %v, want one address", got)
	}
}
