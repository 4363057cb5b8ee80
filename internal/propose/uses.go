package propose

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/ptx"
)

// uses says of each parameter of a kernel what its bytes are used for.
type uses map[string]*use

// use is what becomes of a parameter, by the offset in it that is loaded.
type use struct{ parts map[int64]*part }

// part is what becomes of one load from a parameter.
type part struct {
	load     ptx.Type
	address  bool // it is an address, or the base of one
	elements map[ptx.Type]int
	order    []ptx.Type
}

// offsets lists those that are loaded, ascending.
func (u *use) offsets() []int64 {
	var list []int64
	for off := range u.parts {
		list = append(list, off)
	}
	slices.Sort(list)
	return list
}

// whole is what becomes of a parameter that is no structure.
func (u *use) whole() *part {
	if p := u.parts[0]; p != nil {
		return p
	}
	return &part{}
}

// element is the type most often accessed through an address, the first of equals;
// a byte where none is seen.
func (p *part) element() (string, bool) {
	best := ptx.TypeNone
	for _, t := range p.order {
		if best == ptx.TypeNone || p.elements[t] > p.elements[best] {
			best = t
		}
	}
	if best == ptx.TypeNone {
		return "b8", false
	}
	return typeName(best), true
}

// typeName is the name of a type in launch files, which have the bits of those
// that they do not name.
func typeName(t ptx.Type) string {
	switch t {
	case ptx.U8, ptx.U16, ptx.U32, ptx.U64, ptx.S8, ptx.S16, ptx.S32, ptx.S64, ptx.F16, ptx.F32, ptx.F64:
		return t.String()
	}
	switch n := t.Bits(); n {
	case 8, 16, 32:
		return fmt.Sprintf("b%d", n)
	}
	return "b64"
}

// usesOf follows parameters from the loads that read them through moves, sums and
// conversions of addresses to the accesses that use them. It knows no order: what a
// register holds somewhere it may hold anywhere, which is enough for a guess.
// Of each fetch from a texture it also says which parameters its registers hold.
func usesOf(m *ptx.File, entry *ptx.Func) (uses, map[*ptx.Inst]map[string][]string) {
	out, handles := uses{}, map[*ptx.Inst]map[string][]string{}
	var insts []*ptx.Inst
	eachStmt(entry.Body, func(s ptx.Stmt) {
		if in, ok := s.(*ptx.Inst); ok {
			insts = append(insts, in)
		}
	})
	names := map[string]bool{}
	for _, d := range m.KernelParams(entry) {
		for i := range d.Vars {
			names[d.Vars[i].Name] = true
		}
	}
	holds := map[string]map[*part]bool{} // by register
	for _, in := range insts {
		if in.Op != "ld" || len(in.Operands) != 2 || in.Operands[1].Kind != ptx.KindAddr || !names[in.Operands[1].Name] {
			continue
		}
		f, err := in.Form()
		if err != nil {
			continue
		}
		u := out[in.Operands[1].Name]
		if u == nil {
			u = &use{parts: map[int64]*part{}}
			out[in.Operands[1].Name] = u
		}
		for i, r := range registers(&in.Operands[0]) {
			off := int64(in.Operands[1].Imm) + int64(i*f.Type.Bytes())
			p := u.parts[off]
			if p == nil {
				p = &part{load: f.Type, elements: map[ptx.Type]int{}}
				u.parts[off] = p
			}
			hold(holds, r, p)
		}
	}
	follow(insts, holds)
	for _, in := range insts {
		if !fetches(in) {
			access(in, holds)
			continue
		}
		handles[in] = map[string][]string{}
		for _, o := range append([]ptx.Operand{in.Operands[1]}, in.Operands[1].Sub...) {
			for name, u := range out {
				if p := u.parts[0]; p != nil && holds[o.Name][p] {
					handles[in][o.Name] = append(handles[in][o.Name], name)
				}
			}
			slices.Sort(handles[in][o.Name])
		}
	}
	return out, handles
}

func registers(o *ptx.Operand) []string {
	if o.Kind != ptx.KindVec {
		return []string{o.Name}
	}
	var list []string
	for i := range o.Sub {
		list = append(list, o.Sub[i].Name)
	}
	return list
}

func hold(holds map[string]map[*part]bool, r string, p *part) (added bool) {
	if r == "" || holds[r][p] {
		return false
	}
	if holds[r] == nil {
		holds[r] = map[*part]bool{}
	}
	holds[r][p] = true
	return true
}

// follow passes on what registers hold until nothing changes. Products and shifts
// are offsets, not addresses: they are not followed, except what mad adds.
func follow(insts []*ptx.Inst, holds map[string]map[*part]bool) {
	for changed := true; changed; {
		changed = false
		for _, in := range insts {
			var from []ptx.Operand
			switch in.Op {
			case "mov", "cvta", "add", "sub", "cvt", "selp", "min", "max", "and":
				from = in.Operands[min(1, len(in.Operands)):]
			case "mad":
				from = in.Operands[min(3, len(in.Operands)):]
			default:
				continue
			}
			for i := range from {
				for p := range holds[from[i].Name] {
					changed = hold(holds, in.Operands[0].Name, p) || changed
				}
			}
		}
	}
}

// access notes what an instruction accesses through an address.
func access(in *ptx.Inst, holds map[string]map[*part]bool) {
	f, err := in.Form()
	if err != nil {
		return
	}
	for i := range in.Operands {
		o := &in.Operands[i]
		if o.Kind != ptx.KindAddr || f.Space.Base() == ptx.SpaceShared && i == 0 && in.Op == "cp" {
			continue
		}
		for p := range holds[o.Name] {
			p.address = true
			if f.Type.Bytes() == 0 || f.Type.Bytes() > 8 || f.Type.Class() == ptx.ClassPacked {
				continue
			}
			if p.elements[f.Type]++; p.elements[f.Type] == 1 {
				p.order = append(p.order, f.Type)
			}
		}
	}
}
