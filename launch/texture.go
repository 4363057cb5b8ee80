package launch

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
)

// MaxTextureExtent is the most texels of a texture in one direction. CUDA C++
// Programming Guide, technical specifications per compute capability: a texture
// bound to linear memory has up to 2^28 texels.
const MaxTextureExtent int64 = 1 << 28

// Texture is a texture that the host bound before the launch: what PTX leaves
// to the program that launches the kernel.
type Texture struct {
	Name string
	// Handle is the number by which the kernel names the texture where it is no
	// variable of its module: a texture object. HasHandle says that there is one.
	Handle    uint64
	HasHandle bool
	// Texels has the type of the channels and the contents; Count is of channels.
	Texels        Arg
	Channels      int   // of a texel: 1, 2 or 4
	Width, Height int64 // in texels; Height is 0 of one dimension
	// Linear says that rows of texels lie in memory one after the other, Pitch
	// bytes apart. Otherwise the texture is an array, whose layout nobody knows.
	Linear bool
	Pitch  int64
	// Normalized says that a fetch returns integers of 8 or 16 bits as numbers in
	// [0, 1] or [-1, 1].
	Normalized bool
	Sampler
}

// Sampler says how coordinates choose texels.
type Sampler struct {
	Name             string // "" for the sampler of a texture
	Handle           uint64
	HasHandle        bool
	Address          [2]AddressMode // in x and y
	Filter           Filter
	NormalizedCoords bool
}

// AddressMode says which texel a coordinate outside the texture names.
type AddressMode uint8

// The address modes.
const (
	Clamp  AddressMode = iota // the nearest
	Border                    // none: zeros
	Wrap                      // that of the texture repeated
	Mirror                    // that of the texture and its mirror images in turn
)

// Filter says what a fetch returns.
type Filter uint8

// The filters.
const (
	Point    Filter = iota // a texel
	Bilinear               // a mean of the texels around, linear in each coordinate
)

type texture struct {
	Name       string     `toml:"name"`
	Handle     *conf.Node `toml:"handle,omitempty"`
	Type       *conf.Node `toml:"type"`
	Channels   int64      `toml:"channels,omitempty" range:"1..4"`
	Width      int64      `toml:"width" range:"1..268435456"`
	Height     int64      `toml:"height,omitempty" range:"1..268435456"`
	Layout     string     `toml:"layout,omitempty" oneof:"array,linear"`
	Pitch      int64      `toml:"pitch,omitempty" range:"1..4611686018427387904"`
	Read       string     `toml:"read,omitempty" oneof:"element,normalized"`
	Address    []string   `toml:"address,omitempty"`
	Filter     string     `toml:"filter,omitempty" oneof:"point,linear"`
	Normalized bool       `toml:"normalized_coordinates,omitempty"`
	Init       *initial   `toml:"init,omitempty"`
	Known      bool       `toml:"known,omitempty"`
}

type sampler struct {
	Name       string     `toml:"name"`
	Handle     *conf.Node `toml:"handle,omitempty"`
	Address    []string   `toml:"address,omitempty"`
	Filter     string     `toml:"filter,omitempty" oneof:"point,linear"`
	Normalized bool       `toml:"normalized_coordinates,omitempty"`
}

var addressModes = []string{"clamp", "border", "wrap", "mirror"}

// textureBytes is the size of a channel of a type that texels may have, 0 of
// any other.
func textureBytes(t Type) int64 {
	switch t {
	case U8, S8, U16, S16, U32, S32, F16, F32:
		return t.Bytes()
	}
	return 0
}

// textures reads the tables of textures and samplers.
func (l *Launch) textures(f *file, root *conf.Node, errs *conf.ErrorList) {
	var total int64
	names := map[string]bool{}
	named := func(name, where string, n *conf.Node) {
		if !argumentName.MatchString(name) {
			errs.Addf(place(n, "name"), "%s.name is %q, expected that of a variable", where, name)
		}
		if names[name] {
			errs.Addf(place(n, "name"), "a second texture or sampler %q, expected another name", name)
		}
		names[name] = true
	}
	for i := range f.Textures {
		t, n := &f.Textures[i], root.Get("textures").Items[i]
		where := "textures." + t.Name
		named(t.Name, where, n)
		out, ok := l.texture(t, n, where, errs)
		if !ok {
			continue
		}
		if total += out.Texels.Bytes(); total > MaxBufferBytes {
			errs.Addf(place(n, "width"), "%s brings the textures to %d bytes, expected at most %d in all", t.Name, total, MaxBufferBytes)
			total = 0
		}
		l.Textures = append(l.Textures, out)
	}
	for i := range f.Samplers {
		s, n := &f.Samplers[i], root.Get("samplers").Items[i]
		where := "samplers." + s.Name
		named(s.Name, where, n)
		out := sampling(s.Address, s.Filter, s.Normalized, n, where, errs)
		out.Name = s.Name
		out.Handle, out.HasHandle = handle(s.Handle, where, errs)
		l.Samplers = append(l.Samplers, out)
	}
}

func handle(n *conf.Node, where string, errs *conf.ErrorList) (uint64, bool) {
	if n == nil {
		return 0, false
	}
	v, err := n.Uint()
	if err != nil {
		errs.Addf(n.Pos, "%s.handle is %v", where, err)
	}
	return v, true
}

func (l *Launch) texture(f *texture, n *conf.Node, where string, errs *conf.ErrorList) (t Texture, ok bool) {
	t = Texture{Name: f.Name, Channels: int(max(f.Channels, 1)), Width: f.Width, Height: f.Height, Linear: f.Layout == "linear", Normalized: f.Read == "normalized"}
	t.Texels = Arg{Name: f.Name, Kind: Buffer, Known: f.Known, key: where, pos: n.Pos}
	if f.Type == nil || f.Width == 0 {
		return t, false
	}
	a := &t.Texels
	if a.Type = typeNamed(f.Type, where+".type", errs); a.Type == NoType {
		return t, false
	}
	size := textureBytes(a.Type)
	if size == 0 {
		errs.Addf(f.Type.Pos, "%s.type is %s, expected u8, s8, u16, s16, u32, s32, f16 or f32", where, a.Type)
		return t, false
	}
	if t.Channels == 3 {
		errs.Addf(place(n, "channels"), "%s.channels is 3, expected 1, 2 or 4", where)
	}
	if t.Normalized && (a.Type.IsFloat() || size > 2) {
		errs.Addf(place(n, "read"), "%s.read is normalized for %s, expected integers of 8 or 16 bits", where, a.Type)
	}
	texel := size * int64(t.Channels)
	t.Pitch = t.Width * texel
	if v := n.Get("pitch"); v != nil {
		switch {
		case !t.Linear || t.Height == 0:
			errs.Addf(v.Pos, "%s.pitch is set, expected it only with layout linear and a height", where)
		case f.Pitch < t.Pitch || f.Pitch%texel != 0 || f.Pitch > MaxTextureExtent*16:
			errs.Addf(v.Pos, "%s.pitch is %d, expected a multiple of %d, the bytes of a texel, from %d, those of a row", where, f.Pitch, texel, t.Pitch)
		default:
			t.Pitch = f.Pitch
		}
	}
	rows := max(t.Height, 1)
	if rows > MaxBufferBytes/t.Pitch {
		errs.Addf(place(n, "height"), "%s has %d rows of %d bytes, expected at most %d bytes", where, rows, t.Pitch, MaxBufferBytes)
		return t, false
	}
	a.Count = rows * t.Pitch / size
	a.Init = l.initial(f.Init, n, a, where+".init", errs)
	t.Handle, t.HasHandle = handle(f.Handle, where, errs)
	t.Sampler = sampling(f.Address, f.Filter, f.Normalized, n, where, errs)
	if t.Filter == Bilinear && !a.Type.IsFloat() && !t.Normalized {
		errs.Addf(place(n, "filter"), "%s.filter is linear for texels read as %s, expected floats, or read = \"normalized\"", where, a.Type)
	}
	return t, true
}

func sampling(address []string, filter string, normalized bool, n *conf.Node, where string, errs *conf.ErrorList) Sampler {
	s := Sampler{NormalizedCoords: normalized}
	if filter == "linear" {
		s.Filter = Bilinear
	}
	if len(address) > 2 {
		errs.Addf(place(n, "address"), "%s.address has %d modes, expected one or two", where, len(address))
		return s
	}
	for i, name := range address {
		k := slices.Index(addressModes, name)
		if k < 0 {
			errs.Addf(place(n, "address"), "%s.address is %q, %s", where, name, conf.Suggest(name, addressModes))
			continue
		}
		if !normalized && AddressMode(k) >= Wrap {
			errs.Addf(place(n, "address"), "%s.address is %s, expected it only with normalized_coordinates", where, name)
		}
		s.Address[i] = AddressMode(k)
		if i == 0 {
			s.Address[1] = s.Address[0]
		}
	}
	return s
}

// MaterialiseTexture makes the bytes of texture i, little endian, row by row.
func (l *Launch) MaterialiseTexture(i int) ([]byte, error) {
	if i < 0 || i >= len(l.Textures) {
		return nil, fmt.Errorf("%s: texture %d of %d", l.Path, i, len(l.Textures))
	}
	return l.Textures[i].Texels.Contents()
}
