package launch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
)

// Pointer is an address inside the contents of an argument: that of a buffer or
// module variable, Add bytes further on.
type Pointer struct {
	At     int64  // byte of the contents
	Bytes  int64  // size of the address, 4 or 8
	Target string // "" for the address 0
	Add    int64
}

// Range is the bytes from From to before To.
type Range struct{ From, To int64 }

// Variable is a variable of the kernel's module.
type Variable struct {
	Name  string
	Bytes int64
}

// target is a pointer as it is written: "x", "x+64", "x-8" or "0".
type target struct {
	name string
	add  int64
	pos  Pos
}

// pointers reads init.pointers: a list with a target for every element, or for
// all of them, or a table of the target of the first and the bytes from one to
// the next.
func (in *Init) pointers(n *conf.Node, a *Arg, where string, errs *conf.ErrorList) {
	in.Kind = Pointers
	if d := types[a.Type].domain; a.Type.Bytes() < 4 || d != unsigned && d != untyped {
		errs.Addf(n.Pos, "%s is set and the type is %s, expected u64, or u32 in a module with 32-bit addresses", where, a.Type)
		return
	}
	items := n.Items
	switch n.Kind {
	case conf.Array:
	case conf.Table:
		for _, e := range n.Entries {
			if e.Key != "to" && e.Key != "step" {
				errs.Addf(e.Pos, "unknown key %q in %s, expected to and step", e.Key, where)
			}
		}
		to, step := n.Get("to"), n.Get("step")
		if to == nil || step == nil {
			errs.Addf(n.Pos, "%s has no to or no step, expected both", where)
			return
		}
		var err error
		if in.stride, err = step.Int(); err != nil {
			errs.Addf(step.Pos, "%s.step is %v", where, err)
		}
		items = []*conf.Node{to}
	default:
		errs.Addf(n.Pos, "%s is %s, expected a list of names or a table of to and step", where, n.Kind)
		return
	}
	if int64(len(items)) != a.Count && len(items) != 1 {
		errs.Addf(n.Pos, "%s has %d targets, expected %d, or one for all", where, len(items), a.Count)
		return
	}
	for _, item := range items {
		t, ok := readTarget(item)
		if !ok {
			errs.Addf(item.Pos, "%s has %s, expected the name of a buffer or module variable such as \"x\" or \"x+64\", or \"0\"", where, item.Describe())
		}
		in.targets = append(in.targets, t)
	}
}

func readTarget(n *conf.Node) (target, bool) {
	t := target{pos: n.Pos}
	if n.Kind != conf.String {
		return t, false
	}
	if n.Text == "0" {
		return t, true
	}
	t.name = n.Text
	if i := strings.LastIndexAny(n.Text, "+-"); i > 0 {
		if add, err := strconv.ParseInt(strings.ReplaceAll(n.Text[i:], " ", ""), 0, 64); err == nil {
			t.name, t.add = strings.TrimSpace(n.Text[:i]), add
		}
	}
	return t, argumentName.MatchString(t.name)
}

// at lists the pointers of elements of bytes each, the first at byte from and
// stride bytes from one to the next, per of them in a row.
func (in *Init) at(list []Pointer, count, bytes int64, place func(i int64) int64) []Pointer {
	for i := range count {
		t := in.targets[0]
		if len(in.targets) > 1 {
			t = in.targets[i]
		}
		list = append(list, Pointer{At: place(i), Bytes: bytes, Target: t.name, Add: t.add + in.stride*i})
	}
	return list
}

// Pointers lists the addresses in the contents, which Contents leaves at zero.
func (a *Arg) Pointers() []Pointer {
	if a.Init.Kind == Pointers {
		return a.Init.at(nil, a.Count, a.Type.Bytes(), func(i int64) int64 { return i * a.Type.Bytes() })
	}
	var list []Pointer
	for k := range a.Fields {
		f := &a.Fields[k]
		if f.Init.Kind == Pointers {
			list = f.Init.at(list, f.Count, f.Type.Bytes(), func(i int64) int64 { return a.place(f, i) })
		}
	}
	return list
}

// targets lists where the pointers of an argument are written.
func (a *Arg) targets() []target {
	list := a.Init.targets
	for i := range a.Fields {
		list = slices.Concat(list, a.Fields[i].Init.targets)
	}
	return list
}

// memory reads the tables [[buffers]] and [[variables]], which are like those of
// arguments.
func (l *Launch) memory(list []argument, root *conf.Node, key string, errs *conf.ErrorList) (out []Arg) {
	for i := range list {
		node := root.Get(key).Items[i]
		a := l.argument(&list[i], key, node, errs)
		if key == "buffers" && a.Kind != Buffer {
			errs.Addf(node.Pos, "%s.%s is no buffer, expected a count", key, a.Name)
		}
		if key == "variables" && (a.Before > 0 || a.After > 0) {
			errs.Addf(node.Pos, "%s.%s has elements before or after it, expected them of buffers only", key, a.Name)
		}
		if slices.ContainsFunc(out, func(o Arg) bool { return o.Name == a.Name }) {
			errs.Addf(place(node, "name"), "a second table %q in %s, expected another name", a.Name, key)
		}
		if key == "buffers" && slices.ContainsFunc(l.Args, func(o Arg) bool { return o.Name == a.Name }) {
			errs.Addf(place(node, "name"), "%q is an argument already, expected another name", a.Name)
		}
		out = append(out, a)
	}
	return out
}

// BindVariables checks what the file says of the module's memory: the variables
// that it fills are there and as large, and pointers lead to buffers or
// variables. The error is an ErrorList.
func (l *Launch) BindVariables(variables []Variable) error {
	var errs conf.ErrorList
	var names, all []string
	for _, v := range variables {
		names = append(names, v.Name)
	}
	for i := range l.Variables {
		a := &l.Variables[i]
		k := slices.Index(names, a.Name)
		switch {
		case k < 0 && len(names) == 0:
			errs.Addf(a.pos, "variables.%s: the module has no variables in global or constant memory", a.Name)
		case k < 0:
			errs.Addf(a.pos, "the module has no variable %q, %s", a.Name, conf.Suggest(a.Name, names))
		case variables[k].Bytes != a.Bytes():
			errs.Addf(a.pos, "variables.%s has %d bytes, expected %d as in the module", a.Name, a.Bytes(), variables[k].Bytes)
		}
	}
	all = names
	for _, list := range [][]Arg{l.Args, l.Buffers} {
		for i := range list {
			if list[i].Kind == Buffer {
				all = append(all, list[i].Name)
			}
		}
	}
	for _, list := range [][]Arg{l.Args, l.Buffers, l.Variables} {
		for i := range list {
			for _, t := range list[i].targets() {
				if t.name != "" && !slices.Contains(all, t.name) {
					errs.Addf(t.pos, "there is no buffer or variable %q, %s", t.name, suggest(t.name, all))
				}
			}
		}
	}
	return errs.Err()
}

func suggest(name string, names []string) string {
	if len(names) == 0 {
		return "expected one that the file declares"
	}
	return conf.Suggest(name, names)
}

// outside refuses what only PTX kernels can be launched with.
func (l *Launch) outside(errs *conf.ErrorList) {
	for i := range l.Args {
		a := &l.Args[i]
		if a.Before > 0 || a.After > 0 {
			errs.Addf(a.pos, "args.%s has elements before or after it, expected them with PTX only", a.Name)
		}
		if a.Range != nil {
			errs.Addf(a.pos, "args.%s has a range, expected it with PTX only", a.Name)
		}
		if list := a.targets(); len(list) > 0 {
			errs.Addf(list[0].pos, "args.%s holds pointers, expected them with PTX only", a.Name)
		}
	}
}

// unknown lists the parts of contents that an analysis must not rely on, though
// it may on the rest.
func (a *Arg) unknown() (list []Range) {
	for k := range a.Fields {
		f := &a.Fields[k]
		if f.Known {
			continue
		}
		for i := range f.Count {
			from := a.place(f, i)
			list = append(list, Range{from, from + f.Type.Bytes()})
		}
	}
	return list
}

// Unknown is what of a known argument's contents an analysis must not rely on.
func (a *Arg) Unknown() []Range {
	if !a.Known {
		return nil
	}
	return a.unknown()
}

func (p Pointer) String() string { return fmt.Sprintf("%s%+d", p.Target, p.Add) }
