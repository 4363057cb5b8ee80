package propose

import "github.com/warpbound/warpbound/ptx"

// Param is a parameter of a kernel, as it is used.
type Param struct {
	Name string
	Type string // a type of launch files; "" for a structure
	// Pointer says that the kernel uses it as an address.
	Pointer bool
	// Texture says that fetches take it for the object of a texture or sampler.
	Texture bool
	Float   bool
	// Unused says that no instruction names it.
	Unused bool
}

// Signature lists the parameters of an entry.
func Signature(m *ptx.File, entry *ptx.Func) []Param {
	uses, fetched := usesOf(m, entry)
	objects := map[string]bool{}
	for _, registers := range fetched {
		for _, names := range registers {
			for _, name := range names {
				objects[name] = true
			}
		}
	}
	named := mentioned(entry)
	var out []Param
	for _, d := range m.KernelParams(entry) {
		for i := range d.Vars {
			v := &d.Vars[i]
			p := Param{Name: v.Name, Type: typeName(d.Type), Float: d.Type.Float(), Unused: !named[v.Name], Texture: objects[v.Name]}
			switch {
			case len(v.Dims) > 0 || d.Vec > 1:
				p.Type = ""
			case isPointer(m, d, uses[v.Name]):
				p.Pointer = true
			}
			out = append(out, p)
		}
	}
	return out
}

// mentioned is what operands of an entry's instructions name.
func mentioned(entry *ptx.Func) map[string]bool {
	out := map[string]bool{}
	var visit func(list []ptx.Operand)
	visit = func(list []ptx.Operand) {
		for i := range list {
			out[list[i].Name] = true
			visit(list[i].Sub)
		}
	}
	eachStmt(entry.Body, func(s ptx.Stmt) {
		if in, ok := s.(*ptx.Inst); ok {
			visit(in.Operands)
		}
	})
	return out
}

// isPointer says that a parameter is an address: it says so itself, or is used as one.
func isPointer(m *ptx.File, d *ptx.VarDecl, u *use) bool {
	wide := int64(d.Type.Bytes())*int64(max(d.Vec, 1)) == int64(m.AddressSize/8)
	return d.Ptr != nil || wide && !d.Type.Float() && u != nil && u.whole().address
}
