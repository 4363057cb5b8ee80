package launch

import (
	"github.com/warpbound/warpbound/internal/conf"
)

// Field is a member of a structure, or an array that is one. Its contents are
// those of all structures of the argument one after the other, Count elements.
type Field struct {
	Name   string
	Type   Type
	Offset int64 // in the structure
	Per    int64 // elements in one structure
	Count  int64 // in all structures together
	Init   Init
	Known  bool
}

// maxFields bounds the members of a structure.
const maxFields = 4096

// field is a member as it is written.
type field struct {
	Name  string     `toml:"name,omitempty"`
	Type  *conf.Node `toml:"type,omitempty"`
	Value *conf.Node `toml:"value,omitempty"`
	Count *conf.Node `toml:"count,omitempty"`
	Init  *initial   `toml:"init,omitempty"`
	Known *conf.Node `toml:"known,omitempty"`
}

// place is the byte of the argument's contents where element i of a field is.
func (a *Arg) place(f *Field, i int64) int64 {
	return i/f.Per*a.Stride + f.Offset + i%f.Per*f.Type.Bytes()
}

// fields reads the members of a structure, of which there are n, and lays them
// out as C does.
func (l *Launch) fields(list []field, n int64, table *conf.Node, a *Arg, where string, errs *conf.ErrorList) {
	node := table.Get("fields")
	if len(list) == 0 || len(list) > maxFields {
		errs.Addf(node.Pos, "%s.fields has %d members, expected 1 to %d", where, len(list), maxFields)
		return
	}
	align, known := int64(1), a.Known
	for i := range list {
		f := Field{Name: list[i].Name, Per: 1, Known: known}
		if ok := l.field(&list[i], node.Items[i], n, a, &f, where, errs); !ok {
			return
		}
		size := f.Type.Bytes()
		align = max(align, size)
		a.Stride = (a.Stride + size - 1) / size * size
		f.Offset = a.Stride
		a.Stride += f.Per * size
		a.Known = a.Known || f.Known
		a.Fields = append(a.Fields, f)
		if a.Stride > MaxBufferBytes/max(n, 1) {
			errs.Addf(node.Items[i].Pos, "%s.fields take %d bytes, expected at most %d", where, a.Stride, MaxBufferBytes/max(n, 1))
			return
		}
	}
	a.Stride = (a.Stride + align - 1) / align * align
}

func (l *Launch) field(in *field, node *conf.Node, n int64, a *Arg, f *Field, where string, errs *conf.ErrorList) bool {
	where += ".fields"
	if f.Name != "" {
		where += "." + f.Name
	}
	if in.Type == nil {
		errs.Addf(node.Pos, "no key \"type\" in %s, expected the name of a type", where)
		return false
	}
	if f.Type = typeNamed(in.Type, where+".type", errs); f.Type == NoType {
		return false
	}
	if in.Count != nil {
		per, err := in.Count.Int()
		if largest := MaxBufferBytes / f.Type.Bytes() / n; err != nil || per < 1 || per > largest {
			errs.Addf(in.Count.Pos, "%s.count is %s, expected an integer from 1 to %d", where, in.Count.Describe(), largest)
			return false
		}
		f.Per = per
	}
	f.Count = f.Per * n
	if in.Known != nil {
		switch {
		case in.Known.Kind != conf.Bool:
			errs.Addf(in.Known.Pos, "%s.known is %s, expected true or false", where, in.Known.Kind)
		case a.Kind == Struct:
			errs.Addf(in.Known.Pos, "%s.known is set, expected it only with count: a structure passed by value is known", where)
		}
		f.Known = in.Known.Text == "true"
	}
	if in.Value != nil {
		bits, err := scalarBits(in.Value, f.Type)
		if err != nil {
			errs.Addf(in.Value.Pos, "%s.value is %v", where, err)
		}
		if in.Init != nil {
			errs.Addf(in.Value.Pos, "%s has value and init, expected one of them", where)
		}
		f.Init = Init{Kind: Value, Bits: bits, pos: in.Value.Pos}
		return true
	}
	f.Init = l.initial(in.Init, node, &Arg{Name: a.Name, Kind: Buffer, Type: f.Type, Count: f.Count}, where+".init", errs)
	return true
}

// member is a buffer of what a member is in all the structures.
func (a *Arg) member(f *Field) Arg {
	return Arg{Name: a.Name, Kind: Buffer, Type: f.Type, Count: f.Count, Init: f.Init, key: a.key + ".fields"}
}

// structures makes the contents of structures from those of their members.
func (a *Arg) structures() ([]byte, error) {
	data := make([]byte, a.Bytes())
	for k := range a.Fields {
		f := &a.Fields[k]
		whole := a.member(f)
		members, err := whole.contents()
		if err != nil {
			return nil, err
		}
		size := f.Type.Bytes()
		for i := range f.Count {
			copy(data[a.place(f, i):], members[i*size:(i+1)*size])
		}
	}
	return data, nil
}
