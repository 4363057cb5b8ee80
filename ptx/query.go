package ptx

// Entries returns the kernels of f that have a body, in source order.
func (f *File) Entries() []*Func {
	var list []*Func
	for _, d := range f.Decls {
		if fn, ok := d.(*Func); ok && fn.Entry && fn.Body != nil {
			list = append(list, fn)
		}
	}
	return list
}

// Func returns the function or entry of that name that has a body, or nil.
func (f *File) Func(name string) *Func {
	for _, d := range f.Decls {
		if fn, ok := d.(*Func); ok && fn.Name == name && fn.Body != nil {
			return fn
		}
	}
	return nil
}

// KernelParams returns the parameters of an entry. Up to PTX 1.3 they are
// .param variables in the body instead of a list.
func (f *File) KernelParams(entry *Func) []*VarDecl {
	if entry.Params != nil || entry.Body == nil || f.Version.AtLeast(1, 4) {
		return entry.Params
	}
	var list []*VarDecl
	for _, s := range entry.Body.Stmts {
		if d, ok := s.(*VarDecl); ok && d.Space == SpaceParam {
			list = append(list, d)
		}
	}
	return list
}
