package launch

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/filekind"
)

// file is a launch file as it is written.
type file struct {
	Kernel             string     `toml:"kernel"`
	Entry              string     `toml:"entry,omitempty"`
	Grid               []int64    `toml:"grid,omitempty" range:"1..2147483647"`
	Block              []int64    `toml:"block,omitempty" range:"1..1024"`
	Cores              int        `toml:"cores,omitempty" range:"1..64"`
	Warps              int        `toml:"warps,omitempty" range:"1..32"`
	Threads            int        `toml:"threads,omitempty" range:"1..32"`
	Variant            string     `toml:"variant,omitempty" oneof:"v2.2,feb2024"`
	Argument           string     `toml:"argument,omitempty"`
	DynamicSharedBytes int64      `toml:"dynamic_shared_bytes,omitempty" range:"0..16777216"`
	Args               []argument `toml:"args,omitempty"`
	Buffers            []argument `toml:"buffers,omitempty"`
	Variables          []argument `toml:"variables,omitempty"`
	Textures           []texture  `toml:"textures,omitempty"`
	Samplers           []sampler  `toml:"samplers,omitempty"`
	Loops              *conf.Node `toml:"loops,omitempty"`
	Facts              *factTable `toml:"facts,omitempty"`
}

type argument struct {
	Name  string     `toml:"name"`
	Type  *conf.Node `toml:"type,omitempty"`
	Value *conf.Node `toml:"value,omitempty"`
	Count *conf.Node `toml:"count,omitempty"`
	Init  *initial   `toml:"init,omitempty"`
	Known bool       `toml:"known,omitempty"`
	// Range is what a scalar, or an element of a buffer, may be.
	Range  *rangeTable `toml:"range,omitempty"`
	Before int64       `toml:"before,omitempty" range:"0..1073741824"`
	After  int64       `toml:"after,omitempty" range:"0..1073741824"`
	Bytes  string      `toml:"bytes,omitempty"`
	Fields []field     `toml:"fields,omitempty"`
}

// Load reads a launch file and checks that the files it names are there and
// hold what the arguments need. The error, where the file is to blame, is an
// ErrorList.
func Load(path string) (*Launch, error) {
	data, err := conf.Read(path)
	if err != nil {
		return nil, fmt.Errorf("launch file: %w", err)
	}
	switch kind := filekind.Of(path, data); kind {
	case filekind.Launch, filekind.GPU, filekind.Unknown:
	case filekind.PTX:
		return nil, conf.ErrorList{{Pos: Pos{File: path, Line: 1, Col: 1}, Msg: fmt.Sprintf("this is PTX, expected a launch file that names it: `warpbound init %s` writes one", path)}}
	default:
		return nil, conf.ErrorList{{Pos: Pos{File: path, Line: 1, Col: 1}, Msg: fmt.Sprintf("this is %s, expected a launch file (docs/launch-format.md)", kind)}}
	}
	l, err := Parse(path, data, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if err := l.checkFiles(); err != nil {
		return nil, err
	}
	if err := l.readFacts(); err != nil {
		return nil, err
	}
	return l, nil
}

// Parse reads the text of a launch file without opening any file. The name is
// used in messages; paths in the text are relative to dir. The error, where
// there is one, is an ErrorList.
func Parse(name string, data []byte, dir string) (*Launch, error) {
	root, err := conf.Parse(name, data)
	if err != nil {
		return nil, err
	}
	var errs conf.ErrorList
	var f file
	conf.Bind(root, &f, "", &errs)
	l := &Launch{Path: name, Entry: f.Entry, DynamicSharedBytes: f.DynamicSharedBytes, dir: dir, kernelPos: place(root, "kernel")}
	l.Kernel = l.resolve(f.Kernel)
	limit := MaxBufferBytes
	if isELF(f.Kernel) {
		l.riscv(&f, root, &errs)
		limit = MaxUserBytes
	} else {
		l.extents(&f, root, &errs)
	}
	for i := range f.Args {
		node := root.Get("args").Items[i]
		arg := l.argument(&f.Args[i], "args", node, &errs)
		if slices.ContainsFunc(l.Args, func(o Arg) bool { return o.Name == arg.Name }) {
			errs.Addf(place(node, "name"), "a second argument %q, expected another name", arg.Name)
		}
		l.Args = append(l.Args, arg)
	}
	if isELF(f.Kernel) {
		refuseKeys(root, &errs, "is for PTX kernels, expected none", "textures", "samplers")
	} else {
		l.textures(&f, root, &errs)
	}
	l.Buffers, l.Variables = l.memory(f.Buffers, root, "buffers", &errs), l.memory(f.Variables, root, "variables", &errs)
	if l.RISCV != nil {
		l.outside(&errs)
	}
	l.total(limit, &errs)
	l.addFacts(loopFacts(f.Loops, &errs))
	l.addFacts(otherFacts(f.Facts, root.Get("facts"), &errs))
	if f.Facts != nil && f.Facts.File != "" {
		l.factsFile, l.factsPos = l.resolve(f.Facts.File), root.Get("facts").Get("file").Pos
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return l, nil
}

// total bounds what the buffers take together.
func (l *Launch) total(limit int64, errs *conf.ErrorList) {
	var total int64
	for _, list := range [][]Arg{l.Args, l.Buffers} {
		for i := range list {
			a := &list[i]
			if a.Kind != Buffer {
				continue
			}
			if around := a.Before + a.After; around > 0 && around > limit/a.ElementBytes() {
				total = limit // and more: what is too large must not overflow
			} else {
				total += around * a.ElementBytes()
			}
			if total += a.Bytes(); total > limit {
				errs.Addf(a.countPos, "%s brings the buffers to %d bytes, expected at most %d in all", a.Name, total, limit)
				total = 0
			}
		}
	}
}

// place is where a key's value is, or else its table.
func place(n *conf.Node, key string) Pos {
	if v := n.Get(key); v != nil {
		return v.Pos
	}
	return n.Pos
}

func (l *Launch) resolve(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(l.dir, filepath.FromSlash(path))
}

// extents reads what a PTX kernel is launched with.
func (l *Launch) extents(f *file, root *conf.Node, errs *conf.ErrorList) {
	refuseKeys(root, errs, "is for RISC-V programs (.elf), expected grid and block", "cores", "warps", "threads", "variant")
	refuseKeys(root, errs, "is for RISC-V programs (.elf), expected [[args]]", "argument")
	needKeys(root, errs, "an array", "grid", "block")
	l.Grid = extents(f.Grid, place(root, "grid"), "grid", errs)
	l.Block = extents(f.Block, place(root, "block"), "block", errs)
	if y, z := l.Grid[1], l.Grid[2]; y > 65535 || z > 65535 {
		errs.Addf(place(root, "grid"), "grid is %v, expected at most 65535 in y and z", f.Grid)
	}
	if z := l.Block[2]; z > MaxBlockDepth {
		errs.Addf(place(root, "block"), "block is %v, expected at most %d in z", f.Block, MaxBlockDepth)
	}
	if threads := int64(l.Block[0]) * int64(l.Block[1]) * int64(l.Block[2]); threads > MaxThreadsPerBlock {
		errs.Addf(place(root, "block"), "block has %d threads, expected at most %d", threads, MaxThreadsPerBlock)
	}
}

// refuseKeys reports keys that a launch of this kind of kernel does not take.
func refuseKeys(root *conf.Node, errs *conf.ErrorList, why string, keys ...string) {
	for _, e := range root.Entries {
		if slices.Contains(keys, e.Key) {
			errs.Addf(e.Pos, "%s %s", e.Key, why)
		}
	}
}

// needKeys reports keys that are missing.
func needKeys(root *conf.Node, errs *conf.ErrorList, what string, keys ...string) {
	for _, key := range keys {
		if root.Get(key) == nil {
			errs.Addf(root.Pos, "no key %q, expected %s", key, what)
		}
	}
}

func extents(list []int64, pos Pos, key string, errs *conf.ErrorList) [3]int {
	e := [3]int{1, 1, 1}
	if list != nil && len(list) == 0 || len(list) > 3 {
		errs.Addf(pos, "%s has %d numbers, expected 1 to 3", key, len(list))
		return e
	}
	for i, n := range list {
		e[i] = int(n)
	}
	return e
}

var argumentName = regexp.MustCompile(`^[A-Za-z_$%][A-Za-z0-9_$%.-]*$`)

// argument reads an entry of the list named kind.
func (l *Launch) argument(f *argument, kind string, n *conf.Node, errs *conf.ErrorList) Arg {
	where := kind + "." + f.Name
	a := Arg{Name: f.Name, Known: f.Known, Before: f.Before, After: f.After, key: where, pos: n.Pos, countPos: place(n, "count")}
	if f.Name != "" && !argumentName.MatchString(f.Name) {
		errs.Addf(place(n, "name"), "argument name %q, expected letters, digits, _ $ %% . and -, no digit first", f.Name)
	}
	var forms []string
	for _, key := range []string{"value", "count", "bytes"} {
		if n.Get(key) != nil {
			forms = append(forms, key)
		}
	}
	structure := n.Get("fields") != nil
	if len(forms) == 0 && structure {
		forms = []string{"fields"}
	}
	if len(forms) != 1 {
		errs.Addf(n.Pos, "%s has %s of value, count and bytes, expected exactly one, or fields", where, countWord(len(forms)))
		return a
	}
	refuse := func(keys ...string) {
		for _, key := range keys {
			if v := n.Get(key); v != nil {
				errs.Addf(v.Pos, "%s.%s is set, expected it only with count", where, key)
			}
		}
	}
	if structure {
		for _, key := range []string{"type", "init", "value", "bytes", "range"} {
			if v := n.Get(key); v != nil {
				errs.Addf(v.Pos, "%s.%s is set, expected it in the fields", where, key)
				return a
			}
		}
		count := int64(1)
		if a.Kind = Struct; forms[0] == "count" {
			var ok bool
			if count, ok = elements(f.Count, 1, where, errs); !ok {
				return a
			}
			a.Kind, a.Type = Buffer, B8
		} else {
			refuse("known", "before", "after")
		}
		l.fields(f.Fields, count, n, &a, where, errs)
		if a.Kind == Buffer {
			a.Count = count * a.Stride
		} else if a.Stride > MaxStructBytes {
			errs.Addf(n.Pos, "%s has %d bytes, expected at most %d", where, a.Stride, MaxStructBytes)
		}
		return a
	}
	if forms[0] == "bytes" {
		refuse("init", "known", "before", "after", "range")
		if v := n.Get("type"); v != nil {
			errs.Addf(v.Pos, "%s.type is set, expected none with bytes", where)
		}
		if v := n.Get("bytes"); v.Kind == conf.String && v.Text == "" {
			errs.Addf(v.Pos, "%s.bytes is empty, expected a path", where)
		}
		a.Kind, a.File = Struct, l.resolve(f.Bytes)
		return a
	}
	if f.Type == nil {
		errs.Addf(n.Pos, "no key \"type\" in %s, expected the name of a type", where)
		return a
	}
	if a.Type = typeNamed(f.Type, where+".type", errs); a.Type == NoType {
		return a
	}
	if forms[0] == "value" {
		refuse("init", "before", "after")
		if kind == "args" {
			refuse("known")
			a.Range = f.Range.within(n, &a, where, errs)
		} else if v := n.Get("range"); v != nil {
			errs.Addf(v.Pos, "%s.range is set, expected it for arguments and buffers", where)
		}
		bits, err := scalarBits(f.Value, a.Type)
		if err != nil {
			errs.Addf(f.Value.Pos, "%s.value is %v", where, err)
		}
		a.Bits = bits & (1<<a.Type.Bits() - 1)
		if data, err := a.Contents(); err == nil && a.Range != nil {
			if err := a.CheckRange(data); err != nil {
				errs.Addf(f.Value.Pos, "%v", err)
			}
		}
		return a
	}
	a.Kind = Buffer
	var ok bool
	if a.Count, ok = elements(f.Count, a.Type.Bytes(), where, errs); !ok {
		return a
	}
	a.Init = l.initial(f.Init, n, &a, where+".init", errs)
	a.Range = f.Range.within(n, &a, where, errs)
	return a
}

// elements reads the number of elements of a buffer.
func elements(n *conf.Node, bytes int64, where string, errs *conf.ErrorList) (int64, bool) {
	count, err := n.Int()
	if largest := MaxBufferBytes / bytes; err != nil || count < 1 || count > largest {
		errs.Addf(n.Pos, "%s.count is %s, expected an integer from 1 to %d", where, n.Describe(), largest)
		return 0, false
	}
	return count, true
}

// ElementBytes is the size of what a buffer is made of.
func (a *Arg) ElementBytes() int64 {
	if len(a.Fields) > 0 {
		return a.Stride
	}
	return a.Type.Bytes()
}

func countWord(n int) string {
	return [...]string{"none", "one", "two", "all three"}[n]
}
