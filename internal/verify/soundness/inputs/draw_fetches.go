package inputs

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
)

// fetchModule declares the textures of DrawFetches: the last letter says whether the
// contents are known, the first one l for lines of texels that nobody knows where they lie,
// t for tables in linear memory, w for wide texels, f for filtered ones.
const fetchModule = ".global .texref lk, lu, tk, tu, wk, wu, fk, fu;\n"

const fetchRegisters = "\t.reg .f32 %g<4>; .reg .b32 %m<4>; .reg .b64 %h<2>;\n"

// textureSide is the width and height of textures of two dimensions, in texels.
const textureSide = 8

// DrawFetches makes the case of a seed: a kernel that fetches from textures, at known and
// unknown places, by points, filtered and gathered. Of every other one closed covering
// executions know no texture at all.
func DrawFetches(seed uint64) Case {
	rng := rand.New(rand.NewPCG(seed, 0x66657463686573))
	g := &generator{rng: rng, barriers: rng.IntN(3) == 0, apart: rng.IntN(4) == 0, exits: []int{0, 0, 0, 12}[rng.IntN(4)]}
	g.statements = append(g.statements, fetches, fetches)
	for range rng.IntN(3) {
		g.statements = append(g.statements, kinds[rng.IntN(len(kinds))])
	}
	g.kernel()
	c := Case{
		Seed: seed, Grid: []int{1, 1, 2, 4}[rng.IntN(4)], Block: []int{4, 20, 32, 32, 33, 64}[rng.IntN(6)],
		GPU: []string{"gtx480", "ecrts2025-200"}[rng.IntN(2)], Bounds: g.bounds, AllBounds: true,
		Textures: true, AnyTextures: seed%2 == 1,
	}
	c.PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" + fetchModule + functions + ".visible .entry k(.param .u64 pa, .param .u64 pu, .param .u32 n) {\n" + fetchRegisters + prologue + g.out.String() + "\tret;\n}\n"
	return c
}

// fetches reads a texture at coordinates that are known, or of which some are not.
func fetches(g *generator) {
	g.one("and.b32 %%x, %s, 7;", g.pick("%lane", "%lane", "%b", g.r(), g.r()))
	g.one("and.b32 %%c, %s, 7;", g.pick("%lane", "%w", "1", g.r()))
	to := fmt.Sprintf("{%s, %%m1, %%m2, %%m3}", g.r())
	floats := "cvt.rn.f32.u32 %g0, %x; cvt.rn.f32.u32 %g1, %c;"
	guard := g.guard()
	switch g.rng.IntN(8) {
	case 0, 1:
		g.one("%stex.1d.v4.u32.s32 %s, [%s, {%%x}];", guard, to, g.pick("lk", "lu"))
	case 2, 3:
		g.one("%stex.2d.v4.u32.s32 %s, [%s, {%%x, %%c}];", guard, to, g.pick("tk", "tu", "wk", "wu"))
	case 4:
		g.one("%s %stld4.r.2d.v4.u32.f32 %s, [%s, {%%g0, %%g1}];", floats, guard, to, g.pick("tk", "tu"))
	case 5:
		g.one("%s mul.f32 %%g0, %%g0, 0f3e99999a; %stex.2d.v4.u32.f32 %s, [%s, {%%g0, %%g1}];", floats, guard, to, g.pick("tk", "tu"))
	case 6:
		g.one("mov.u64 %%h0, %s; mov.u64 %%h1, %s; selp.b64 %%h0, %%h0, %%h1, %s; %stex.2d.v4.u32.s32 %s, [%%h0, {%%x, %%c}];", g.pick("tk", "tu"), g.pick("tu", "tu", "wu"), g.pick("%p2", "%p3", "%p1", "%p5"), guard, to)
	default:
		g.one("%s %stex.2d.v4.f32.f32 {%%g0, %%g1, %%g2, %%g3}, [%s, {%%g0, %%g1}]; cvt.rzi.s32.f32 %s, %%g0;", floats, guard, g.pick("fk", "fu"), g.r())
	}
}

// textures are those of fetchModule: of small numbers, by what the words of the buffers
// hold.
func textures(known, unknown []byte) []ptxexec.Texture {
	const words = textureSide * textureSide
	var out []ptxexec.Texture
	for _, of := range []struct {
		last string
		data []byte
	}{{"k", known}, {"u", unknown}} {
		var ints, floats []byte
		for i := range 4 * words {
			n := of.data[4*(i%(len(of.data)/4))]
			ints = append(ints, n, 0, 0, 0)
			floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(float32(n)))
		}
		is := of.last == "k"
		out = append(out,
			ptxexec.Texture{Name: "l" + of.last, Known: is, Texels: ints[:4*words], Channel: ptx.U32, Channels: 1, Width: words},
			ptxexec.Texture{Name: "t" + of.last, Known: is, Texels: ints[:4*words], Channel: ptx.U32, Channels: 1, Width: textureSide, Height: textureSide, Linear: true},
			ptxexec.Texture{Name: "w" + of.last, Known: is, Texels: ints, Channel: ptx.U32, Channels: 4, Width: textureSide, Height: textureSide, Linear: true},
			ptxexec.Texture{Name: "f" + of.last, Known: is, Texels: floats[:4*words], Channel: ptx.F32, Channels: 1, Width: textureSide, Height: textureSide, Sampler: ptxexec.Sampler{Filtered: true}})
	}
	return out
}
