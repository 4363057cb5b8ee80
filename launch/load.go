package launch

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
)

// file is a launch file as it is written.
type file struct {
	Kernel             string           `toml:"kernel"`
	Entry              string           `toml:"entry,omitempty"`
	Grid               []int64          `toml:"grid,omitempty" range:"1..2147483647"`
	Block              []int64          `toml:"block,omitempty" range:"1..1024"`
	Cores              int              `toml:"cores,omitempty" range:"1..64"`
	Warps              int              `toml:"warps,omitempty" range:"1..32"`
	Threads            int              `toml:"threads,omitempty" range:"1..32"`
	Variant            string           `toml:"variant,omitempty" oneof:"v2.2,feb2024"`
	Argument           string           `toml:"argument,omitempty"`
	DynamicSharedBytes int64            `toml:"dynamic_shared_bytes,omitempty" range:"0..16777216"`
	Args               []argument       `toml:"args,omitempty"`
	Loops              map[string]int64 `toml:"loops,omitempty" range:"0..4611686018427387904"`
}

type argument struct {
	Name  string     `toml:"name"`
	Type  *conf.Node `toml:"type,omitempty"`
	Value *conf.Node `toml:"value,omitempty"`
	Count *conf.Node `toml:"count,omitempty"`
	Init  *initial   `toml:"init,omitempty"`
	Known bool       `toml:"known,omitempty"`
	Bytes string     `toml:"bytes,omitempty"`
}

// Load reads a launch file and checks that the files it names are there and
// hold what the arguments need. The error, where the file is to blame, is an
// ErrorList.
func Load(path string) (*Launch, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("launch file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, conf.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("launch file: %w", err)
	}
	l, err := Parse(path, data, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if err := l.checkFiles(); err != nil {
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
	l := &Launch{Path: name, Entry: f.Entry, DynamicSharedBytes: f.DynamicSharedBytes, Loops: f.Loops, dir: dir, kernelPos: place(root, "kernel")}
	l.Kernel = l.resolve(f.Kernel)
	limit := MaxBufferBytes
	if isELF(f.Kernel) {
		l.riscv(&f, root, &errs)
		limit = MaxUserBytes
	} else {
		l.extents(&f, root, &errs)
	}
	var total int64
	for i := range f.Args {
		node := root.Get("args").Items[i]
		arg := l.argument(&f.Args[i], node, &errs)
		if slices.ContainsFunc(l.Args, func(o Arg) bool { return o.Name == arg.Name }) {
			errs.Addf(place(node, "name"), "a second argument %q, expected another name", arg.Name)
		}
		if arg.Kind == Buffer {
			if total += arg.Bytes(); total > limit {
				errs.Addf(place(node, "count"), "%s brings the buffers to %d bytes, expected at most %d in all", arg.Name, total, limit)
				total = 0
			}
		}
		l.Args = append(l.Args, arg)
	}
	for _, e := range loopEntries(root) {
		if e.Key == "" {
			errs.Addf(e.Pos, "a loop without a name, expected a label or file:line")
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return l, nil
}

func loopEntries(root *conf.Node) []conf.Entry {
	if loops := root.Get("loops"); loops != nil {
		return loops.Entries
	}
	return nil
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

func (l *Launch) argument(f *argument, n *conf.Node, errs *conf.ErrorList) Arg {
	a := Arg{Name: f.Name, Known: f.Known, pos: n.Pos}
	where := "args." + f.Name
	if f.Name != "" && !argumentName.MatchString(f.Name) {
		errs.Addf(place(n, "name"), "argument name %q, expected letters, digits, _ $ %% . and -, no digit first", f.Name)
	}
	var forms []string
	for _, key := range []string{"value", "count", "bytes"} {
		if n.Get(key) != nil {
			forms = append(forms, key)
		}
	}
	if len(forms) != 1 {
		errs.Addf(n.Pos, "%s has %s of value, count and bytes, expected exactly one", where, countWord(len(forms)))
		return a
	}
	refuse := func(keys ...string) {
		for _, key := range keys {
			if v := n.Get(key); v != nil {
				errs.Addf(v.Pos, "%s.%s is set, expected it only with count", where, key)
			}
		}
	}
	if forms[0] == "bytes" {
		refuse("init", "known")
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
		refuse("init", "known")
		bits, err := scalarBits(f.Value, a.Type)
		if err != nil {
			errs.Addf(f.Value.Pos, "%s.value is %v", where, err)
		}
		a.Bits = bits & (1<<a.Type.Bits() - 1)
		return a
	}
	a.Kind = Buffer
	count, err := f.Count.Int()
	if largest := MaxBufferBytes / a.Type.Bytes(); err != nil || count < 1 || count > largest {
		errs.Addf(f.Count.Pos, "%s.count is %s, expected an integer from 1 to %d", where, f.Count.Describe(), largest)
		return a
	}
	a.Count = count
	a.Init = l.initial(f.Init, n, &a, where+".init", errs)
	return a
}

func countWord(n int) string {
	return [...]string{"none", "one", "two", "all three"}[n]
}
