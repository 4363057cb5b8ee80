package launch_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/warpbound/warpbound/launch"
)

// head is a launch file without arguments; what follows it begins at line 4.
const head = "kernel = \"k.ptx\"\ngrid = [2]\nblock = [32]\n"

func arg(lines string) string { return head + "[[args]]\nname = \"x\"\n" + lines }

func parse(t *testing.T, text string) *launch.Launch {
	t.Helper()
	l, err := launch.Parse("t.toml", []byte(text), "dir")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestParse(t *testing.T) {
	l := parse(t, `
kernel = "sub/saxpy.ptx"
entry = "saxpy"
grid = [128, 2]
block = [16, 4, 2]
dynamic_shared_bytes = 64

[[args]]
name = "n"
type = "s32"
value = -5

[[args]]
name = "x"
type = "f32"
count = 10
init = { file = "x.npy" }
known = true

[[args]]
name = "cfg"
bytes = "/abs/cfg.bin"

[loops]
"$L__BB0_3" = 64
"k.cu:12" = 0
`)
	want := &launch.Launch{
		Path: "t.toml", Kernel: filepath.Join("dir", "sub", "saxpy.ptx"), Entry: "saxpy",
		Grid: [3]int{128, 2, 1}, Block: [3]int{16, 4, 2}, DynamicSharedBytes: 64,
		Args: []launch.Arg{
			{Name: "n", Kind: launch.Scalar, Type: launch.S32, Bits: 0xfffffffb},
			{Name: "x", Kind: launch.Buffer, Type: launch.F32, Count: 10, Known: true, Init: launch.Init{Kind: launch.File, File: filepath.Join("dir", "x.npy")}},
			{Name: "cfg", Kind: launch.Struct, File: "/abs/cfg.bin"},
		},
		Loops: map[string]int64{"$L__BB0_3": 64, "k.cu:12": 0},
		Facts: []launch.Fact{
			{Kind: launch.LoopEntry, Places: []string{"$L__BB0_3"}, Most: 64, Pos: launch.Pos{File: "t.toml", Line: 25, Col: 1}},
			{Kind: launch.LoopEntry, Places: []string{"k.cu:12"}, Pos: launch.Pos{File: "t.toml", Line: 26, Col: 1}},
		},
	}
	if diff := cmp.Diff(want, l, cmpopts.IgnoreUnexported(launch.Launch{}, launch.Arg{}, launch.Init{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadFiles(t *testing.T) {
	buffer := func(init string) string { return arg("type = \"s8\"\ncount = 4\ninit = " + init + "\n") }
	floats := func(init string) string { return arg("type = \"f32\"\ncount = 4\ninit = " + init + "\n") }
	for _, c := range []struct{ name, text, want string }{
		{"syntax", "kernel =", "t.toml:1:8: "},
		{"empty", "", `t.toml:1:1: no key "kernel", expected a string`},
		{"empty kernel", strings.Replace(head, "k.ptx", "", 1), "t.toml:1:10: kernel is empty, expected a string"},
		{"unknown key", head + "blocks = 3\n", `t.toml:4:1: unknown key "blocks", did you mean block?`},
		{"grid of none", strings.Replace(head, "[2]", "[]", 1), "t.toml:2:1: grid has 0 numbers, expected 1 to 3"},
		{"grid of four", strings.Replace(head, "[2]", "[1, 1, 1, 1]", 1), "grid has 4 numbers, expected 1 to 3"},
		{"grid of zero", strings.Replace(head, "[2]", "[0]", 1), "t.toml:2:9: grid.0 is 0, expected an integer from 1 to 2147483647"},
		{"grid deep", strings.Replace(head, "[2]", "[1, 1, 65536]", 1), "expected at most 65535 in y and z"},
		{"grid is a number", strings.Replace(head, "[2]", "2", 1), "t.toml:2:8: grid is an integer, expected an array"},
		{"block too deep", strings.Replace(head, "[32]", "[4, 2, 65]", 1), "t.toml:3:1: block is [4 2 65], expected at most 64 in z"},
		{"block too large", strings.Replace(head, "[32]", "[32, 33]", 1), "t.toml:3:1: block has 1056 threads, expected at most 1024"},
		{"negative shared memory", head + "dynamic_shared_bytes = -1\n", "t.toml:4:24: dynamic_shared_bytes is -1, expected an integer from 0 to"},
		{"loop without a name", head + "[loops]\n\"\" = 3\n", "t.toml:5:1: a loop without a name, expected a label or file:line"},
		{"negative loop bound", head + "[loops]\nx = -3\n", `t.toml:5:5: loops."x" is -3, expected an integer from 0 to`},
		{"loop bound is text", head + "[loops]\nx = \"3\"\n", `t.toml:5:5: loops."x" is a string, expected an integer`},
		{"argument without a name", head + "[[args]]\ntype = \"u32\"\nvalue = 1\n", `t.toml:4:3: no key "name" in args.0, expected a string`},
		{"argument name", head + "[[args]]\nname = \"a=b\"\ntype = \"u32\"\nvalue = 1\n", `t.toml:5:8: argument name "a=b", expected letters`},
		{"names twice", arg("type = \"u32\"\nvalue = 1\n[[args]]\nname = \"x\"\ntype = \"u32\"\nvalue = 1\n"), `t.toml:9:8: a second argument "x", expected another name`},
		{"nothing but a name", arg(""), "t.toml:4:3: args.x has none of value, count and bytes, expected exactly one"},
		{"value and count", arg("type = \"u32\"\nvalue = 1\ncount = 1\n"), "args.x has two of value, count and bytes, expected exactly one"},
		{"no type", arg("value = 1\n"), `t.toml:4:3: no key "type" in args.x, expected the name of a type`},
		{"unknown type", arg("type = \"u33\"\nvalue = 1\n"), `t.toml:6:8: args.x.type is "u33", did you mean u32`},
		{"type is a number", arg("type = 32\nvalue = 1\n"), "t.toml:6:8: args.x.type is an integer, expected the name of a type"},
		{"type with bytes", arg("type = \"u32\"\nbytes = \"f\"\n"), "t.toml:6:8: args.x.type is set, expected none with bytes"},
		{"empty bytes", arg("bytes = \"\"\n"), "t.toml:6:9: args.x.bytes is empty, expected a path"},
		{"bytes is a number", arg("bytes = 3\n"), "t.toml:6:9: args.x.bytes is an integer, expected a string"},
		{"known scalar", arg("type = \"u32\"\nvalue = 1\nknown = true\n"), "t.toml:8:9: args.x.known is set, expected it only with count"},
		{"scalar with init", arg("type = \"u32\"\nvalue = 1\ninit = { zero = true }\n"), "args.x.init is set, expected it only with count"},
		{"text for an integer", arg("type = \"u32\"\nvalue = \"1\"\n"), `t.toml:7:9: args.x.value is "1", expected an integer`},
		{"float for an integer", arg("type = \"u32\"\nvalue = 1.0\n"), "t.toml:7:9: args.x.value is 1.0, expected an integer"},
		{"u8 too large", arg("type = \"u8\"\nvalue = 256\n"), "args.x.value is 256, expected 0 to 255 for u8"},
		{"u8 negative", arg("type = \"u8\"\nvalue = -1\n"), "args.x.value is -1, expected 0 to 255 for u8"},
		{"s16 too small", arg("type = \"s16\"\nvalue = -32_769\n"), "args.x.value is -32_769, expected -32768 to 32767 for s16"},
		{"u64 too large", arg("type = \"u64\"\nvalue = 18446744073709551616\n"), "expected 0 to 18446744073709551615 for u64"},
		{"b8 too large", arg("type = \"b8\"\nvalue = 256\n"), "expected -128 to 255 for b8"},
		{"f32 too large", arg("type = \"f32\"\nvalue = 1e39\n"), "t.toml:7:9: args.x.value is 1e39, expected a number in the range of f32"},
		{"f16 too large", arg("type = \"f16\"\nvalue = 65520\n"), "expected a number in the range of f16"},
		{"f64 too large", arg("type = \"f64\"\nvalue = 1e309\n"), "expected a number in the range of f64"},
		{"text for a float", arg("type = \"f32\"\nvalue = \"1.5\"\n"), `"1.5", expected a number, or a string with a hexadecimal float`},
		{"bad hexadecimal float", arg("type = \"f32\"\nvalue = \"0x1.8\"\n"), `"0x1.8", expected a number in the range of f32`},
		{"boolean for a float", arg("type = \"f32\"\nvalue = true\n"), "true, expected a number"},
		{"date for a float", arg("type = \"f32\"\nvalue = 2020-01-01\n"), "expected a number"},
		{"array for an integer", arg("type = \"u32\"\nvalue = [1]\n"), "an array, expected an integer"},
		{"count of zero", arg("type = \"u32\"\ncount = 0\n"), "t.toml:7:9: args.x.count is 0, expected an integer from 1 to 4294967296"},
		{"count is text", arg("type = \"u32\"\ncount = \"4\"\n"), `args.x.count is "4", expected an integer from 1 to`},
		{"count too large", arg("type = \"u8\"\ncount = 17179869185\n"), "args.x.count is 17179869185, expected an integer from 1 to 17179869184"},
		{"all buffers too large", arg("type = \"u8\"\ncount = 17179869184\n[[args]]\nname = \"y\"\ntype = \"u8\"\ncount = 1\n"), "t.toml:11:9: y brings the buffers to 17179869185 bytes, expected at most 17179869184 in all"},
		{"init is a number", buffer("3"), "t.toml:8:8: args.x.init is an integer, expected a table"},
		{"init of nothing", buffer("{}"), "args.x.init has 0 keys, expected one of file, zero, value, iota, random or pointers"},
		{"init of two", buffer("{ zero = true, value = 1 }"), "args.x.init has 2 keys, expected one of"},
		{"unknown init", buffer("{ ones = true }"), `unknown key "ones" in args.x.init, expected one of`},
		{"zero is false", buffer("{ zero = false }"), "args.x.init.zero is false, expected true"},
		{"value beyond the type", buffer("{ value = 128 }"), "args.x.init.value is 128, expected -128 to 127 for s8"},
		{"empty file name", buffer("{ file = \"\" }"), "args.x.init.file is empty, expected a path"},
		{"iota without step", buffer("{ iota = { start = 1 } }"), `no key "step" in args.x.init.iota`},
		{"iota of fractions", buffer("{ iota = { start = 1.5, step = 1 } }"), "args.x.init.iota.start is 1.5, expected an integer, as the element type is"},
		{"iota beyond the type", buffer("{ iota = { start = 100, step = 10 } }"), "args.x.init.iota runs from 100 to 130, expected -128 to 127 for s8"},
		{"iota of text", floats("{ iota = { start = \"a\", step = 1 } }"), `args.x.init.iota.start is "a", expected a number`},
		{"iota of nan", floats("{ iota = { start = nan, step = 1 } }"), "args.x.init.iota.start is nan, expected a finite number"},
		{"random without seed", buffer("{ random = { low = 0, high = 1 } }"), `no key "seed" in args.x.init.random`},
		{"negative seed", buffer("{ random = { seed = -1, low = 0, high = 1 } }"), "args.x.init.random.seed is -1, expected a non-negative integer of at most 64 bits"},
		{"random of nothing", buffer("{ random = { seed = 1, low = 5, high = 5 } }"), "args.x.init.random.high is 5, expected more than low and at most 127 + 1 for s8"},
		{"random low beyond", buffer("{ random = { seed = 1, low = -129, high = 5 } }"), "args.x.init.random.low is -129, expected -128 to 127 for s8"},
		{"random high beyond", buffer("{ random = { seed = 1, low = 0, high = 129 } }"), "args.x.init.random.high is 129, expected more than low and at most 127 + 1"},
		{"random upside down", floats("{ random = { seed = 1, low = 1.0, high = 0.5 } }"), "args.x.init.random.high is 0.5, expected at least low = 1.0"},
		{"random beyond f32", floats("{ random = { seed = 1, low = 0.0, high = 1e39 } }"), "expected numbers and a difference in the range of f32"},
		{"random to inf", floats("{ random = { seed = 1, low = 0.0, high = inf } }"), "args.x.init.random.high is inf, expected a finite number"},
	} {
		_, err := launch.Parse("t.toml", []byte(c.text), ".")
		var list launch.ErrorList
		if !errors.As(err, &list) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got\n%v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestManyErrorsAtOnce(t *testing.T) {
	_, err := launch.Parse("t.toml", []byte("grid = [0]\nblock = [0]\n[[args]]\nname = \"x\"\n[[args]]\nname = \"y\"\n"), ".")
	var list launch.ErrorList
	if !errors.As(err, &list) || len(list) != 5 || list[0].Pos.Line != 1 || list[4].Pos.Line != 5 {
		t.Errorf("%v", err)
	}
}

// write puts files into a directory and returns the path of the launch file.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "l.toml")
}

const twoFloats = "\x93NUMPY\x01\x00\x38\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\x0a\x00\x00\x80\x3f\x00\x00\x00\x40"

func TestFiles(t *testing.T) {
	npyArg := arg("type = \"f32\"\ncount = 2\ninit = { file = \"x.npy\" }\n")
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // "" where the file loads
	}{
		{"everything there", map[string]string{"l.toml": npyArg, "k.ptx": "", "x.npy": twoFloats}, ""},
		{"no kernel", map[string]string{"l.toml": head}, "l.toml:1:10: kernel: "},
		{"no contents", map[string]string{"l.toml": npyArg, "k.ptx": ""}, "no such file, expected a path relative to the launch file"},
		{"not NPY", map[string]string{"l.toml": npyArg, "k.ptx": "", "x.npy": "hello, world, hello"}, "l.toml:8:8: args.x.init.file: "},
		{"count", map[string]string{"l.toml": strings.Replace(npyArg, "count = 2", "count = 3", 1), "k.ptx": "", "x.npy": twoFloats}, "2 elements, expected count = 3"},
		{"type", map[string]string{"l.toml": strings.Replace(npyArg, "f32", "s32", 1), "k.ptx": "", "x.npy": twoFloats}, `elements of type "<f4", expected <i4 for s32`},
		{"bits take floats", map[string]string{"l.toml": strings.Replace(npyArg, "f32", "b32", 1), "k.ptx": "", "x.npy": twoFloats}, ""},
		{"no structure", map[string]string{"l.toml": arg("bytes = \"s\"\n"), "k.ptx": ""}, "l.toml:4:3: args.x.bytes: "},
		{"empty structure", map[string]string{"l.toml": arg("bytes = \"s\"\n"), "k.ptx": "", "s": ""}, "0 bytes, expected 1 to 32764"},
		{"directory", map[string]string{"l.toml": arg("bytes = \".\"\n"), "k.ptx": ""}, "not a regular file"},
	} {
		_, err := launch.Load(write(t, c.files))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := launch.Load(filepath.Join(t.TempDir(), "none.toml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing launch file: %v", err)
	}
}

// Files that change between Load and Materialise are noticed.
func TestFileChanges(t *testing.T) {
	path := write(t, map[string]string{
		"l.toml": arg("bytes = \"s\"\n[[args]]\nname = \"y\"\ntype = \"f32\"\ncount = 2\ninit = { file = \"x.npy\" }\n"),
		"k.ptx":  "", "s": "abcd", "x.npy": twoFloats,
	})
	l, err := launch.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"abcd", "\x00\x00\x80\x3f\x00\x00\x00\x40"} {
		if data, err := l.Materialise(i); err != nil || string(data) != want || l.Args[i].Bytes() != int64(len(want)) {
			t.Errorf("argument %d: %q, %v", i, data, err)
		}
	}
	dir := filepath.Dir(path)
	for _, name := range []string{"s", "x.npy"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("changed since then"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range l.Args {
		if _, err := l.Materialise(i); err == nil || !strings.Contains(err.Error(), "l.toml:") {
			t.Errorf("argument %d: %v", i, err)
		}
	}
	if _, err := l.Materialise(2); err == nil {
		t.Error("an argument too many")
	}
}

func TestBind(t *testing.T) {
	u64 := launch.Param{Name: "p", Type: "u64", Bytes: 8, Align: 8}
	u32 := launch.Param{Name: "p", Type: "u32", Bytes: 4, Align: 4}
	f32 := launch.Param{Name: "p", Type: "f32", Bytes: 4, Align: 4}
	b32 := launch.Param{Name: "p", Type: "b32", Bytes: 4, Align: 4}
	four := launch.Param{Name: "p", Type: "b8", Bytes: 4, Align: 4}
	scalar := func(typ, value string) string { return arg("type = \"" + typ + "\"\nvalue = " + value + "\n") }
	for _, c := range []struct {
		name, text string
		params     []launch.Param
		want       string
	}{
		{"no arguments", head, nil, ""},
		{"scalar", scalar("s32", "-1"), []launch.Param{u32}, ""},
		{"bits into a float", scalar("b32", "1"), []launch.Param{f32}, ""},
		{"float into bits", scalar("f32", "1"), []launch.Param{b32}, ""},
		{"integer into a float", scalar("s32", "1"), []launch.Param{f32}, "t.toml:4:3: args.x is a scalar of type s32, expected parameter p (.f32, 4 bytes)"},
		{"float into an integer", scalar("f32", "1"), []launch.Param{u32}, "args.x is a scalar of type f32, expected parameter p (.u32, 4 bytes)"},
		{"scalar too narrow", scalar("u32", "1"), []launch.Param{u64}, "args.x is a scalar of type u32, expected parameter p (.u64, 8 bytes)"},
		{"scalar into an array", scalar("u32", "1"), []launch.Param{four}, "args.x is a scalar of type u32, expected parameter p (.b8, 4 bytes)"},
		{"buffer", arg("type = \"f32\"\ncount = 1\n"), []launch.Param{u64}, ""},
		{"buffer of a 32-bit module", arg("type = \"f32\"\ncount = 1\n"), []launch.Param{u32}, ""},
		{"buffer into a float", arg("type = \"f32\"\ncount = 1\n"), []launch.Param{f32}, "args.x is a buffer, passed as an address, expected parameter"},
		{"buffer into an array", arg("type = \"f32\"\ncount = 1\n"), []launch.Param{four}, "args.x is a buffer"},
		{"buffer into half an address", arg("type = \"f32\"\ncount = 1\n"), []launch.Param{{Name: "p", Type: "u32", Bytes: 4, AddressBytes: 8}}, "args.x is a buffer, passed as an address"},
		{"too few", scalar("u32", "1"), []launch.Param{u32, u64}, "t.toml:4:3: 1 arguments, expected 2: none for parameter p (.u64, 8 bytes)"},
		{"none", head, []launch.Param{u32}, "t.toml:1:10: 0 arguments, expected 1"},
		{"too many", scalar("u32", "1"), nil, "t.toml:4:3: 1 arguments, expected 0: args.x has no parameter"},
	} {
		err := parse(t, c.text).Bind(c.params)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	l, err := launch.Load(write(t, map[string]string{"l.toml": arg("bytes = \"s\"\n"), "k.ptx": "", "s": "abcd"}))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Bind([]launch.Param{four}); err != nil {
		t.Error(err)
	}
	if err := l.Bind([]launch.Param{u64}); err == nil || !strings.Contains(err.Error(), "args.x is 4 bytes from a file, expected parameter p (.u64, 8 bytes)") {
		t.Errorf("a structure of another size: %v", err)
	}
}
