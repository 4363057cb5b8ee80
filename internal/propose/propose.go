// Package propose writes launch files for kernels of PTX modules: every parameter
// with a first value, every buffer with a first size, commented, for a user to
// correct. What a parameter is for is guessed from how the kernel uses it; the
// text is complete and opens, but only its user knows the numbers.
package propose

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/ptx"
)

// First values, chosen such that most kernels run with them.
const (
	firstCount   = 1024
	firstThreads = 128
	firstDynamic = 4096
)

// Launch writes a launch file for an entry of a module; kernel is the path of the
// module as the file is to name it.
func Launch(m *ptx.File, entry *ptx.Func, kernel string) []byte {
	w := &writer{}
	w.uses, w.handles = usesOf(m, entry)
	w.bind(m, entry)
	params := m.KernelParams(entry)
	w.f("# A launch of %s, to be corrected: sizes and values are guesses.", entry.Name)
	w.f("# Format: docs/launch-format.md. Check it with `warpbound check`.")
	w.f("kernel = %s", quote(kernel))
	if len(m.Entries()) > 1 {
		w.f("entry  = %s", quote(entry.Name))
	}
	w.f("grid   = [1] # blocks in x, y, z")
	w.f("block  = %s", block(entry))
	if name := dynamicShared(m, entry); name != "" {
		w.f("dynamic_shared_bytes = %d # %s has no size of its own", firstDynamic, name)
	}
	for _, d := range params {
		for i := range d.Vars {
			w.parameter(m, d, &d.Vars[i])
		}
	}
	w.buffers()
	w.tables()
	w.variables(m)
	w.loops(entry)
	return w.Bytes()
}

type writer struct {
	bytes.Buffer
	uses uses
	// handles are the parameters that registers of fetches from textures hold.
	handles map[*ptx.Inst]map[string][]string
	bound   bindings
	// pools are the buffers that members of structures point to.
	pools []string
}

func (w *writer) f(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// quote writes a TOML string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// block proposes threads: what the kernel demands, or no more than it admits.
func block(entry *ptx.Func) string {
	if n, ok := entry.Directive("reqntid"); ok {
		return list(n) + " # threads of a block, as .reqntid wants"
	}
	if n, ok := entry.Directive("maxntid"); ok {
		all := int64(1)
		for _, k := range n {
			all *= k
		}
		return fmt.Sprintf("[%d] # threads of a block in x, y, z: at most %d in all (.maxntid)", max(1, min(all, firstThreads)), all)
	}
	return fmt.Sprintf("[%d] # threads of a block in x, y, z", firstThreads)
}

func list(n []int64) string { return strings.ReplaceAll(fmt.Sprint(n), " ", ", ") }

// dynamicShared is the name of a shared variable without a size that the module
// or the kernel declares.
func dynamicShared(m *ptx.File, entry *ptx.Func) string {
	name := ""
	look := func(d *ptx.VarDecl) {
		for i := range d.Vars {
			if v := &d.Vars[i]; d.Space.Base() == ptx.SpaceShared && len(v.Dims) > 0 && v.Dims[0] < 0 {
				name = v.Name
			}
		}
	}
	for _, d := range m.Decls {
		if v, ok := d.(*ptx.VarDecl); ok {
			look(v)
		}
	}
	eachStmt(entry.Body, func(s ptx.Stmt) {
		if v, ok := s.(*ptx.VarDecl); ok {
			look(v)
		}
	})
	return name
}

// parameter writes the argument of one parameter.
func (w *writer) parameter(m *ptx.File, d *ptx.VarDecl, v *ptx.Var) {
	u := w.uses[v.Name]
	width := int64(d.Type.Bytes()) * int64(max(d.Vec, 1))
	w.f("\n[[args]]")
	w.f("name  = %s # .%s", quote(v.Name), describe(d, v))
	if n, ok := w.bound.handle(v.Name); ok {
		w.f("type  = %q", typeName(d.Type))
		w.f("value = %d # handle of a texture or sampler below", n)
		return
	}
	switch {
	case len(v.Dims) > 0 || d.Vec > 1:
		total := width
		for _, n := range v.Dims {
			total *= max(n, 1)
		}
		w.f("fields = [ # %d bytes passed by value", total)
		w.members(v.Name, u, total, int64(m.AddressSize/8))
		w.f("]")
	case isPointer(m, d, u):
		t, known := "b8", false
		if u != nil {
			t, known = u.whole().element()
		}
		note := ""
		if !known {
			note = " # not seen how the kernel uses it"
		}
		w.f("type  = %q%s", t, note)
		w.f("count = %d # elements; contents: init = { ... }, and known = true to rely on them", firstCount)
	default:
		w.f("type  = %q", typeName(d.Type))
		w.f("value = 1")
	}
}

func describe(d *ptx.VarDecl, v *ptx.Var) string {
	s := d.Type.String()
	for _, n := range v.Dims {
		s += fmt.Sprintf("[%d]", n)
	}
	return s
}

// members writes the fields of a structure: what the kernel loads of it, and bytes
// for the rest.
func (w *writer) members(name string, u *use, total, address int64) {
	at := int64(0)
	gap := func(to int64) {
		if to > at {
			w.f("  { type = \"b8\", count = %d }, # bytes %d to %d: not read", to-at, at, to-1)
		}
	}
	if u != nil {
		for _, off := range u.offsets() {
			p := u.parts[off]
			size := int64(p.load.Bytes())
			if off < at || off%size != 0 || off+size > total {
				continue
			}
			gap(off)
			if p.address && size == address {
				pool := fmt.Sprintf("%s_%d", name, off)
				t, _ := p.element()
				w.pools = append(w.pools, fmt.Sprintf("name  = %s\ntype  = %q\ncount = %d", quote(pool), t, firstCount))
				w.f("  { type = \"u%d\", init = { pointers = [%s] } }, # byte %d", 8*size, quote(pool), off)
			} else {
				w.f("  { type = %q, value = 1 }, # byte %d", typeName(p.load), off)
			}
			at = off + size
		}
	}
	gap(total)
}

// buffers writes those that only members of structures point to.
func (w *writer) buffers() {
	for _, p := range w.pools {
		w.f("\n[[buffers]]\n%s", p)
	}
}

// variables writes, as comments, those of the module that have no contents.
func (w *writer) variables(m *ptx.File) {
	for _, decl := range m.Decls {
		d, ok := decl.(*ptx.VarDecl)
		if !ok || d.Linkage == ptx.LinkExtern || d.Type.Class() == ptx.ClassOpaque {
			continue
		}
		if s := d.Space.Base(); s != ptx.SpaceGlobal && s != ptx.SpaceConst {
			continue
		}
		for i := range d.Vars {
			v := &d.Vars[i]
			if v.Init != nil {
				continue
			}
			count := int64(max(d.Vec, 1))
			for _, n := range v.Dims {
				count *= n
			}
			w.f("\n# Zero unless the host fills it:\n# [[variables]]\n# name  = %s\n# type  = %q\n# count = %d\n# init  = { value = 0 }\n# known = true", quote(v.Name), typeName(d.Type), count)
		}
	}
}

// loops writes, as a comment, the labels to which a branch jumps back.
func (w *writer) loops(entry *ptx.Func) {
	var heads []string
	seen := map[string]bool{}
	eachStmt(entry.Body, func(s ptx.Stmt) {
		switch s := s.(type) {
		case *ptx.Label:
			seen[s.Name] = true
		case *ptx.Inst:
			if s.Op == "bra" && len(s.Operands) > 0 && seen[s.Operands[0].Name] && !slices.Contains(heads, s.Operands[0].Name) {
				heads = append(heads, s.Operands[0].Name)
			}
		}
	})
	if len(heads) == 0 {
		return
	}
	w.f("\n# Most times that a loop goes back to its head, for loops that data alone end:\n# [loops]")
	for _, h := range heads {
		w.f("# %s = 1", quote(h))
	}
}

// eachStmt visits the statements of a block and of those inside it.
func eachStmt(b *ptx.Block, visit func(ptx.Stmt)) {
	if b == nil {
		return
	}
	for _, s := range b.Stmts {
		if inner, ok := s.(*ptx.Block); ok {
			eachStmt(inner, visit)
			continue
		}
		visit(s)
	}
}
