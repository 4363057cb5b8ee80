package ptxexec

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// Texture is a texture of a launch. Its contents are its own: no store of the
// kernel reaches them, as PTX leaves open what a fetch returns of memory that
// was written in the same launch.
type Texture struct {
	Name string
	// Handle is the number that names the texture where it is no variable of the
	// module, if HasHandle.
	Handle    uint64
	HasHandle bool
	// Texels are the contents, row by row: Channels values of type Channel each,
	// one of u8, s8, u16, s16, u32, s32, f16 and f32.
	Texels   []byte
	Channel  ptx.Type
	Channels int
	Known    bool // an analysis may rely on the contents
	// Height is 0 where the texture has one dimension.
	Width, Height int64
	// Linear says that rows lie Pitch bytes apart in linear memory; the layout of
	// other textures is not known.
	Linear bool
	Pitch  int64
	// Normalized says that integers of 8 or 16 bits are read as numbers from 0 or
	// -1 to 1.
	Normalized bool
	Sampler

	any bool // nothing is known of it
}

// Sampler says how coordinates choose texels. The sampler of a Texture has no
// Name.
type Sampler struct {
	Name             string
	Handle           uint64
	HasHandle        bool
	Address          [2]AddressMode
	Filtered         bool // a fetch returns the mean of the texels around
	NormalizedCoords bool

	number uint64 // of the variable of the module, 0 where there is none
	any    bool   // nothing is known of it
}

// AddressMode says which texel a coordinate outside the texture names.
type AddressMode uint8

// The address modes.
const (
	AddressClamp AddressMode = iota
	AddressBorder
	AddressWrap
	AddressMirror
)

// Numbers that stand for the texture and sampler variables of a module, and
// addresses reported for texels. Neither is an address that a kernel can access.
const (
	textureNames  = 1 << 56
	textureMemory = 1 << 60
	// unplacedMemory are addresses reported of matrix fragments.
	unplacedMemory = 1 << 61
	texelSlot      = 256 // of accesses that share no segment; longer than any segment
)

// texel is one texel of a fetch; x is -1 where it lies outside, in the border.
type texel struct{ x, y int64 }

// fetch is what one lane of a texture instruction reads.
type fetch struct {
	n      int // texels: 1, 2 of one dimension, or 4
	texels [4]texel
	// alpha and beta are the weights of the right and of the upper texels, in
	// 1/256.
	alpha, beta int64
	// open says that PTX does not tell the texels: how precisely coordinates are
	// represented is not specified. Those that are multiples of 1/256 are exact.
	open bool
}

// axis finds the texels of one coordinate among size: index i, and of linear
// filtering i+1 with its weight.
func (s *Sampler) axis(coord uint32, float, both bool, mode AddressMode, size int64) (i, next, weight int64, open bool) {
	if !float {
		i = int64(int32(coord))
		return wrapIndex(i, size, min(mode, AddressBorder)), 0, 0, i < 0 || i >= size
	}
	x := float64(math.Float32frombits(coord))
	if x != x {
		x, open = 0, true
	}
	if s.NormalizedCoords {
		x *= float64(size) // exact: 24 bits times at most 28
	} else {
		mode = min(mode, AddressBorder)
	}
	const far = 1 << 40
	if x > far || x < -far {
		x, open = math.Copysign(far, x), true
	}
	fixed := x * 256
	open = open || fixed != math.Floor(fixed)
	if !both {
		return wrapIndex(int64(math.Floor(x)), size, mode), 0, 0, open
	}
	at := int64(math.RoundToEven(fixed)) - 128
	i = at >> 8
	return wrapIndex(i, size, mode), wrapIndex(i+1, size, mode), at & 255, open
}

// wrapIndex applies an address mode to the index of a texel among size; -1 is
// the border.
func wrapIndex(i, size int64, mode AddressMode) int64 {
	if i >= 0 && i < size {
		return i
	}
	switch mode {
	case AddressBorder:
		return -1
	case AddressWrap:
		i %= size
		if i < 0 {
			i += size
		}
		return i
	case AddressMirror:
		i %= 2 * size
		if i < 0 {
			i += 2 * size
		}
		if i >= size {
			i = 2*size - 1 - i
		}
		return i
	}
	return max(0, min(i, size-1))
}

// fetch finds the texels of a lane. Integer coordinates are neither normalized
// nor filtered; gather wants the four texels around.
func (t *Texture) fetch(s *Sampler, coords [2]uint32, float, gather bool) fetch {
	both := float && (s.Filtered || gather)
	var f fetch
	x, right, alpha, open := s.axis(coords[0], float, both, s.Address[0], t.Width)
	f.alpha, f.open = alpha, open
	if t.Height == 0 {
		if !float && t.Linear && open {
			x = -1 // linear memory fetched by integers: zero outside
		}
		f.texels = [4]texel{{x, 0}, {right, 0}}
		f.n = 1
		if both {
			f.n = 2
		}
		return f
	}
	y, up, beta, open := s.axis(coords[1], float, both, s.Address[1], t.Height)
	f.beta, f.open = beta, f.open || open
	f.texels = [4]texel{{x, y}, {right, y}, {x, up}, {right, up}}
	f.n = 1
	if both {
		f.n = 4
	}
	return f
}

// channel reads a channel of a texel as a fetch returns it: a float, or an
// integer extended to 32 bits. The border, and channels that the texture has
// not, are zero, the fourth channel one.
func (t *Texture) channel(at texel, c int) uint32 {
	float := t.Channel.Float() || t.Normalized
	if c >= t.Channels {
		switch {
		case c < 3:
			return 0
		case float:
			return math.Float32bits(1)
		}
		return 1
	}
	if at.x < 0 || at.y < 0 {
		return 0
	}
	size := int64(t.Channel.Bytes())
	v := readBytes(t.Texels[at.y*t.Pitch+(at.x*int64(t.Channels)+int64(c))*size:], uint64(size))
	switch {
	case t.Channel == ptx.F16:
		return uint32(fp.F32.Convert(fp.RN, fp.F16, v))
	case t.Normalized && t.Channel.Signed():
		most := float64(int64(1)<<(8*size-1) - 1)
		return math.Float32bits(float32(max(float64(signExtend(v, int(8*size)))/most, -1)))
	case t.Normalized:
		return math.Float32bits(float32(float64(v) / float64(int64(1)<<(8*size)-1)))
	case t.Channel.Signed():
		return uint32(signExtend(v, int(8*size)))
	}
	return uint32(v)
}

// blend is the mean of the texels of a fetch, in double precision and rounded
// once; PTX does not say how precise it is.
func (t *Texture) blend(f *fetch, c int) uint32 {
	if f.n == 1 || c >= t.Channels {
		return t.channel(f.texels[0], c)
	}
	wx := [2]float64{float64(256-f.alpha) / 256, float64(f.alpha) / 256}
	wy := [2]float64{1, 0}
	if f.n == 4 {
		wy = [2]float64{float64(256-f.beta) / 256, float64(f.beta) / 256}
	}
	sum := 0.0
	for k := range f.n {
		if w := wx[k&1] * wy[k>>1]; w != 0 {
			sum += float64(w * float64(math.Float32frombits(t.channel(f.texels[k], c))))
		}
	}
	return uint32(bits32(float32(sum)))
}

// address is the place reported of texel k of a fetch by lane. What shares a
// segment with it in the layout that nobody knows is not known either, so each
// texel then has a segment of its own; and each lane, where it is open which
// texels are read.
func (t *Texture) address(number int, f *fetch, k, lane int) uint64 {
	base := uint64(textureMemory + number<<48)
	at := f.texels[k]
	switch {
	case f.open || at.x < 0 || at.y < 0:
		return base + 1<<47 + uint64(lane*4+k)*texelSlot
	case t.Linear:
		return base + uint64(at.y*t.Pitch+at.x*int64(t.Channels*t.Channel.Bytes()))
	}
	return base + uint64(at.y*t.Width+at.x)*texelSlot
}

// texInfo says what a texture instruction does.
type texInfo struct {
	dims    int
	float   bool     // coordinates are floats
	integer bool     // the result is written as .s32 or .u32
	gather  int      // tld4: the component; -1 of tex
	coords  [2]int32 // registers
	sampler int32    // register, -1 where the texture's own is used
	dst     [4]int32 // registers, -1 for a sink
}

// texture lowers tex and tld4 of one or two dimensions.
func (l *lowerer) texture(s *ptx.Inst, f *ptx.Form) {
	info := &texInfo{dims: 1, gather: -1, sampler: -1, float: f.Type2 == ptx.F32, integer: !f.Type.Float(), coords: [2]int32{}, dst: [4]int32{-1, -1, -1, -1}}
	for _, m := range f.Other {
		switch m {
		case "2d":
			info.dims = 2
		case "r", "g", "b", "a":
			info.gather = map[string]int{"r": 0, "g": 1, "b": 2, "a": 3}[m]
		}
	}
	l.in.group, l.in.flow = gMem, flowOwn
	l.in.x, l.in.open = &extra{tex: info, taint: textureTaint}, textureOpen
	l.is.Kind = isa.Load
	l.is.WidthBytes = 16
	l.is.Class.Space = isa.Global
	l.is.Unplaced = true
	from := &s.Operands[1]
	if from.Kind != ptx.KindAddr || len(from.Sub) < 1 || len(from.Sub) > 2 || from.Imm != 0 || from.Name == "" {
		l.errorf(from.Pos, "expected a texture and coordinates, such as [t, {%%f1, %%f2}]")
		return
	}
	l.in.a = l.textureName(&ptx.Operand{Kind: ptx.KindName, Name: from.Name, Pos: from.Pos}, ptx.TexRef)
	if len(from.Sub) == 2 {
		info.sampler = l.textureName(&from.Sub[0], ptx.SamplerRef)
	}
	coords := l.vector(&from.Sub[len(from.Sub)-1])
	if n := len(coords); n != info.dims && n != 4 {
		l.errorf(from.Pos, "%d coordinates, expected %d", n, info.dims)
		return
	}
	for i := range info.dims {
		info.coords[i] = l.src(&coords[i], f.Type2)
	}
	dst := l.vector(&s.Operands[0])
	if len(dst) != 4 {
		l.errorf(s.Operands[0].Pos, "%d destinations, expected 4 in braces", len(dst))
		return
	}
	for i := range dst {
		if dst[i].Kind != ptx.KindSink {
			info.dst[i] = l.dst(&dst[i])
		}
	}
	l.in.run = runTexture
}

// textureName is the register with the number of a texture or sampler.
func (l *lowerer) textureName(o *ptx.Operand, t ptx.Type) int32 {
	if sym := l.sc.find(o.Name); sym != nil && sym.kind == symTexture {
		if sym.typ != t {
			l.errorf(o.Pos, "%s is a .%s, expected a .%s", o.Name, sym.typ, t)
		}
	}
	return l.src(o, ptx.U64)
}

// useTexture makes a launch declare a texture or sampler variable.
func (l *lowerer) useTexture(sym *symbol) {
	if sym.pending {
		sym.pending = false
		sym.addr = textureNames + uint64(len(l.out.textures))
		l.out.textures = append(l.out.textures, textureVariable{name: sym.name, sampler: sym.typ == ptx.SamplerRef})
	}
}

// textureVariable is a texture or sampler variable that the kernel uses; its
// number is textureNames and its index.
type textureVariable struct {
	name    string
	sampler bool
}

// bindTextures gives the kernel the textures and samplers of its launch.
func (k *Kernel) bindTextures(textures []Texture, samplers []Sampler) error {
	k.textures, k.samplers = append([]Texture(nil), textures...), append([]Sampler(nil), samplers...)
	for i := range k.textures {
		t := &k.textures[i]
		if t.Pitch == 0 {
			t.Pitch = t.Width * int64(t.Channels*t.Channel.Bytes())
		}
		if need := t.Pitch * max(t.Height, 1); t.Width < 1 || t.Width > 1<<28 || t.Height < 0 || t.Height > 1<<28 || int64(len(t.Texels)) != need {
			return fmt.Errorf("texture %s of %d times %d texels has %d bytes, expected %d", t.Name, t.Width, max(t.Height, 1), len(t.Texels), need)
		}
	}
	for number, v := range k.prog.textures {
		found := false
		if v.sampler {
			for i := range k.samplers {
				if s := &k.samplers[i]; s.Name == v.name {
					s.number, found = textureNames+uint64(number), true
				}
			}
		} else {
			for i := range k.textures {
				if t := &k.textures[i]; t.Name == v.name {
					t.number, found = textureNames+uint64(number), true
				}
			}
		}
		if !found && k.anyTextures {
			s := Sampler{Name: v.name, number: textureNames + uint64(number), any: true}
			if found = true; v.sampler {
				k.samplers = append(k.samplers, s)
			} else {
				k.textures = append(k.textures, Texture{Name: v.name, Sampler: s, any: true})
			}
		}
		if !found {
			what, list := "texture", "[[textures]]"
			if v.sampler {
				what, list = "sampler", "[[samplers]]"
			}
			return fmt.Errorf("the kernel uses %s %s, which the launch does not declare, expected it under %s of a launch file", what, v.name, list)
		}
	}
	return nil
}

// textureNamed returns the index of the texture that a number stands for, -1 where
// there is none.
func (k *Kernel) textureNamed(number uint64) int {
	for i := range k.textures {
		if t := &k.textures[i]; number >= textureNames && t.number == number || t.HasHandle && t.Handle == number {
			return i
		}
	}
	return -1
}

func (k *Kernel) samplerNamed(number uint64) *Sampler {
	for i := range k.samplers {
		if s := &k.samplers[i]; number >= textureNames && s.number == number || s.HasHandle && s.Handle == number {
			return s
		}
	}
	return nil
}

// anyTexture is one of which nothing is known.
var anyTexture = Texture{any: true, Sampler: Sampler{any: true}}

// lookup finds the texture and the sampler of a lane; number is the texture's
// index.
func (w *warp) lookup(in *instr, i int) (t *Texture, s *Sampler, number int, err error) {
	info := in.x.tex
	handle := w.src(in.a)[i]
	number = w.blk.k.textureNamed(handle)
	if number < 0 && w.blk.k.anyTextures {
		return &anyTexture, &anyTexture.Sampler, 0, nil
	}
	if number < 0 {
		return nil, nil, 0, w.fault(simt.ErrInvalid, i, fmt.Sprintf("no texture has the handle %#x", handle))
	}
	t = &w.blk.k.textures[number]
	s = &t.Sampler
	if info.sampler >= 0 {
		if s = w.blk.k.samplerNamed(w.src(info.sampler)[i]); s == nil && w.blk.k.anyTextures {
			s = &anyTexture.Sampler
		}
		if s == nil {
			return nil, nil, 0, w.fault(simt.ErrInvalid, i, fmt.Sprintf("no sampler has the handle %#x", w.src(info.sampler)[i]))
		}
	}
	switch dims := 1 + min(int(t.Height), 1); {
	case t.any: // whatever the instruction asks for
	case dims != info.dims:
		err = w.fault(simt.ErrInvalid, i, fmt.Sprintf("texture %s has %d dimensions, the instruction reads one of %d", t.Name, dims, info.dims))
	case info.float && s.Filtered && info.gather < 0 && !t.Channel.Float() && !t.Normalized:
		err = w.fault(simt.ErrInvalid, i, fmt.Sprintf("texture %s is filtered and holds integers", t.Name))
	case !info.integer && !t.Channel.Float() && !t.Normalized:
		err = w.fault(simt.ErrInvalid, i, fmt.Sprintf("texture %s holds %s, the instruction reads floats", t.Name, t.Channel))
	}
	return t, s, number, err
}

// texels is the fetch of lane i.
func (w *warp) texels(in *instr, t *Texture, s *Sampler, i int) fetch {
	info := in.x.tex
	c := [2]uint32{uint32(w.src(info.coords[0])[i])}
	if info.dims > 1 {
		c[1] = uint32(w.src(info.coords[1])[i])
	}
	return t.fetch(s, c, info.float, info.gather >= 0)
}

// runTexture executes tex and tld4. The step reports the texels that lanes
// read.
func runTexture(w *warp, in *instr, m uint32) error {
	info := in.x.tex
	step := w.step
	step.Space, step.WidthBytes = isa.Global, 1
	if m == 0 {
		return nil
	}
	step.More = w.blk.moreAddresses()
	var out [4]lanes
	channels := 4
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		t, s, number, err := w.lookup(in, i)
		if err != nil {
			return err
		}
		channels = min(channels, t.Channels)
		f := w.texels(in, t, s, i)
		step.WidthBytes = max(step.WidthBytes, int32(t.Channels*t.Channel.Bytes()))
		step.MoreCount = max(step.MoreCount, f.n-1)
		step.Addresses[i] = t.address(number, &f, 0, i)
		for k := 1; k < 4; k++ {
			step.More[k-1][i] = step.Addresses[i]
			if k < f.n {
				step.More[k-1][i] = t.address(number, &f, k, i)
			}
		}
		if info.gather >= 0 {
			// Counter-clockwise from the lower left, where y grows downwards.
			for k, at := range [4]int{2, 3, 1, 0} {
				out[k][i] = uint64(t.channel(f.texels[at], info.gather))
			}
			continue
		}
		for c := range out {
			out[c][i] = uint64(t.blend(&f, c))
		}
	}
	for c, r := range info.dst {
		if r < 0 {
			continue
		}
		d := w.dst(r, m)
		for left := m; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			d[i] = out[c][i]
		}
	}
	if info.gather < 0 {
		w.blk.k.vary.texel(w, info.dst[channels:], m)
	}
	return nil
}

// textureTaint is the taint of what tex and tld4 return: of their operands and
// the texture's contents, and in the account of what PTX leaves open of textureOpen.
func textureTaint(t *warpTaint, w *warp, in *instr, m, g uint32) {
	t.address(w, in, in.a, m, g)
	for _, r := range in.rv {
		t.address(w, in, r, m, g)
	}
	texelTaint(t, w, in, m, g)
}

// texelTaint is the taint of what lanes fetch from textures whose names are known.
func texelTaint(t *warpTaint, w *warp, in *instr, m, g uint32) {
	s := t.sources(in)
	channels := 4
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		tex, _, _, err := w.lookup(in, i)
		if err != nil {
			return // the instruction fails
		}
		if !tex.Known {
			s |= 1 << i
		}
		channels = min(channels, tex.Channels)
	}
	t.results(in, m, s|t.leftOpen(w, in, m))
	if t.view == viewOpen && in.x.tex.gather < 0 {
		// Compilers name four registers and use those of the channels there are.
		for _, r := range in.x.tex.dst[channels:] {
			if r >= 0 {
				t.vals[r] |= m
			}
		}
	}
	t.results(in, g, g)
}

// textureOpen is the lanes of m in which PTX leaves open which texels are read, or
// what filtering and normalizing make of them, or in which tld4 wants a channel
// that the texture has not.
func textureOpen(w *warp, in *instr, m uint32) (open uint32) {
	info := in.x.tex
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		tex, smp, _, err := w.lookup(in, i)
		if err != nil {
			return open // the instruction fails
		}
		f := w.texels(in, tex, smp, i)
		if f.open || tex.Normalized || f.n > 1 && info.gather < 0 || info.gather >= tex.Channels {
			open |= 1 << i
		}
	}
	return open
}
