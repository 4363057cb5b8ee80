package propose

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/ptx"
)

// firstSide is the width and height proposed for a texture, in texels.
const firstSide = 64

// bound is a texture or sampler that the kernel fetches by, with what its fetches say
// of it.
type bound struct {
	name   string
	handle int // 0 for a variable of the module
	fetch
}

// fetch is what an instruction says of the texture.
type fetch struct {
	texel ptx.Type
	tall  bool // it has two dimensions
}

// bindings are the textures and samplers of a kernel, in the order of first use.
type bindings struct{ textures, samplers []*bound }

func (b *bindings) add(to *[]*bound, name string, handle int, f fetch) {
	i := slices.IndexFunc(*to, func(t *bound) bool { return t.name == name })
	if i < 0 {
		*to = append(*to, &bound{name: name, handle: handle, fetch: f})
	} else if f.tall {
		(*to)[i].tall = true
	}
}

// handle is the number of the texture or sampler object that a parameter passes.
func (b *bindings) handle(name string) (int, bool) {
	for _, t := range slices.Concat(b.textures, b.samplers) {
		if t.name == name && t.handle > 0 {
			return t.handle, true
		}
	}
	return 0, false
}

// bind finds the textures that a kernel and the functions of its module fetch from:
// variables by name, objects by the parameters that pass their handles.
func (w *writer) bind(m *ptx.File, entry *ptx.Func) {
	variables := map[string]ptx.Type{}
	for _, decl := range m.Decls {
		if d, ok := decl.(*ptx.VarDecl); ok && d.Type.Class() == ptx.ClassOpaque {
			for i := range d.Vars {
				variables[d.Vars[i].Name] = d.Type
			}
		}
	}
	handles := 0
	place := func(o *ptx.Operand, to *[]*bound, in *ptx.Inst, f fetch) {
		if _, ok := variables[o.Name]; ok {
			w.bound.add(to, o.Name, 0, f)
			return
		}
		for _, name := range w.handles[in][o.Name] {
			n, ok := w.bound.handle(name)
			if !ok {
				handles++
				n = handles
			}
			w.bound.add(to, name, n, f)
		}
	}
	for _, fn := range reached(m, entry) {
		eachStmt(fn.Body, func(s ptx.Stmt) {
			in, ok := s.(*ptx.Inst)
			if !ok || !fetches(in) {
				return
			}
			o := &in.Operands[1]
			f := fetch{tall: in.Op == "tld4" || slices.Contains(in.Mods, "2d")}
			if form, err := in.Form(); err == nil {
				f.texel = form.Type
			}
			place(o, &w.bound.textures, in, f)
			if len(o.Sub) > 1 && o.Sub[0].Kind == ptx.KindName {
				place(&o.Sub[0], &w.bound.samplers, in, fetch{})
			}
		})
	}
}

func fetches(in *ptx.Inst) bool {
	return (in.Op == "tex" || in.Op == "tld4") && len(in.Operands) > 1 && in.Operands[1].Kind == ptx.KindAddr
}

// reached are a kernel and the functions that it calls by name, and they, and so on.
func reached(m *ptx.File, entry *ptx.Func) []*ptx.Func {
	list := []*ptx.Func{entry}
	for i := 0; i < len(list); i++ {
		eachStmt(list[i].Body, func(s ptx.Stmt) {
			c, ok := s.(*ptx.Call)
			if !ok {
				return
			}
			if fn := m.Func(c.Callee.Name); fn != nil && fn.Body != nil && !slices.Contains(list, fn) {
				list = append(list, fn)
			}
		})
	}
	return list
}

// tables writes those of the textures and samplers.
func (w *writer) tables() {
	for _, t := range w.bound.textures {
		w.f("\n[[textures]]")
		w.f("name   = %s%s", quote(t.name), t.origin("texref"))
		w.object(t)
		w.f("type   = %q # of a channel as the host binds it; channels = 1, 2 or 4 of a texel", texelName(t.texel))
		w.f("width  = %d # texels", firstSide)
		if t.tall {
			w.f("height = %d", firstSide)
		}
		w.f("# layout = \"array\", or \"linear\" and pitch; read = \"element\" or \"normalized\"")
		if len(w.bound.samplers) == 0 {
			w.f("# address = [\"clamp\"], filter = \"point\", normalized_coordinates = false")
		}
		w.f("# init   = { value = 0 }, and known = true to rely on the contents")
	}
	for _, s := range w.bound.samplers {
		w.f("\n[[samplers]]")
		w.f("name   = %s%s", quote(s.name), s.origin("samplerref"))
		w.object(s)
		w.f("# address = [\"clamp\"], filter = \"point\", normalized_coordinates = false")
	}
}

func (w *writer) object(t *bound) {
	if t.handle > 0 {
		w.f("handle = %d # the value of the argument", t.handle)
	}
}

func (t *bound) origin(typ string) string {
	if t.handle > 0 {
		return ""
	}
	return fmt.Sprintf(" # .%s of the module", typ)
}

// texelName is the type of a channel that a fetch of some type returns as it is.
func texelName(t ptx.Type) string {
	switch t {
	case ptx.U32, ptx.S32:
		return t.String()
	}
	return "f32"
}
