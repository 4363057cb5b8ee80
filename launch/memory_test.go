package launch_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/launch"
)

// Structures lie as in C, their members filled each for itself.
func TestStructures(t *testing.T) {
	l := parse(t, head+`
[[buffers]]
name = "pool"
type = "u8"
count = 100

[[args]]
name = "s"
count = 3
fields = [
  { name = "tag", type = "u8", init = { iota = { start = 1, step = 1 } } },
  { name = "next", type = "u64", init = { pointers = ["pool", "pool+16", "0"] }, known = true },
  { name = "xy", type = "f32", count = 2, init = { iota = { start = 0, step = 0.5 } } },
  { type = "s16", value = -2 },
]

[[args]]
name = "box"
fields = [{ type = "f32", value = 1.5 }, { type = "u64", init = { pointers = ["s-8"] } }]

[[args]]
name = "rows"
type = "b64"
count = 4
init = { pointers = { to = "pool+4", step = 10 } }
known = true
before = 2
after = 3
`)
	data, err := l.Materialise(0)
	if err != nil {
		t.Fatal(err)
	}
	const stride = 32 // 1, pad 7, 8, 8, 2, pad 6
	if len(data) != 3*stride || l.Args[0].Stride != stride || l.Args[0].Bytes() != 3*stride || l.Args[0].ElementBytes() != stride {
		t.Fatalf("%d bytes of stride %d", len(data), l.Args[0].Stride)
	}
	for i := range 3 {
		s := data[i*stride:]
		x, y := math.Float32frombits(binary.LittleEndian.Uint32(s[16:])), math.Float32frombits(binary.LittleEndian.Uint32(s[20:]))
		if s[0] != byte(i+1) || x != float32(i) || y != float32(i)+0.5 || int16(binary.LittleEndian.Uint16(s[24:])) != -2 || binary.LittleEndian.Uint64(s[8:]) != 0 {
			t.Errorf("structure %d is % x", i, s[:stride])
		}
	}
	for i, want := range []string{"[{8 8 pool 0} {40 8 pool 16} {72 8  0}]", "[{8 8 s -8}]", "[{0 8 pool 4} {8 8 pool 14} {16 8 pool 24} {24 8 pool 34}]"} {
		var got []string
		for _, p := range l.Args[i].Pointers() {
			got = append(got, fmt.Sprintf("{%d %d %s %d}", p.At, p.Bytes, p.Target, p.Add))
		}
		if s := "[" + strings.Join(got, " ") + "]"; s != want {
			t.Errorf("argument %d: pointers %s, want %s", i, s, want)
		}
	}
	if u := l.Args[0].Unknown(); !l.Args[0].Known || len(u) != 12 || u[0] != (launch.Range{From: 0, To: 1}) || u[3] != (launch.Range{From: 16, To: 20}) {
		t.Errorf("known %v, unknown %v", l.Args[0].Known, u)
	}
	if box, err := l.Materialise(1); err != nil || fmt.Sprintf("%x", box) != "0000c03f"+"00000000"+"0000000000000000" || l.Args[1].Kind != launch.Struct {
		t.Errorf("box %x, %v", box, err)
	}
	if a := l.Args[2]; a.Before != 2 || a.After != 3 || len(a.Unknown()) != 0 {
		t.Errorf("rows %+v", a)
	}
}

func TestBadMemory(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"pointer type", arg("type = \"f32\"\ncount = 1\ninit = { pointers = [\"x\"] }\n"), "t.toml:8:10: args.x.init.pointers is set and the type is f32, expected u64"},
		{"pointer count", arg("type = \"u64\"\ncount = 3\ninit = { pointers = [\"x\", \"x\"] }\n"), "args.x.init.pointers has 2 targets, expected 3, or one for all"},
		{"pointer text", arg("type = \"u64\"\ncount = 1\ninit = { pointers = [5] }\n"), "t.toml:8:22: args.x.init.pointers has"},
		{"pointer table", arg("type = \"u64\"\ncount = 1\ninit = { pointers = { to = \"x\" } }\n"), "has no to or no step"},
		{"fields and type", arg("type = \"u64\"\nfields = [{ type = \"u8\" }]\n"), "t.toml:6:8: args.x.type is set, expected it in the fields"},
		{"field without type", arg("fields = [{ value = 1 }]\n"), "no key \"type\" in args.x.fields"},
		{"field of two", arg("fields = [{ type = \"u8\", value = 1, init = { zero = true } }]\n"), "has value and init"},
		{"field value", arg("fields = [{ name = \"b\", type = \"u8\", value = 300 }]\n"), "args.x.fields.b.value is 300, expected 0 to 255"},
		{"known by value", arg("fields = [{ type = \"u8\", known = true }]\n"), "a structure passed by value is known"},
		{"no fields", arg("fields = []\n"), "has 0 members"},
		{"large structure", arg("fields = [{ type = \"u8\", count = 40000 }]\n"), "has 40000 bytes, expected at most 32764"},
		{"slack of a scalar", arg("type = \"u8\"\nvalue = 1\nbefore = 2\n"), "args.x.before is set, expected it only with count"},
		{"slack too large", arg("count = 1\nbefore = 1073741824\nfields = [{ type = \"u8\", count = 1000 }]\n"), "brings the buffers to"},
		{"buffer without count", head + "[[buffers]]\nname = \"b\"\ntype = \"u8\"\nvalue = 1\n", "t.toml:4:3: buffers.b is no buffer"},
		{"buffer twice", head + strings.Repeat("[[buffers]]\nname = \"b\"\ntype = \"u8\"\ncount = 1\n", 2), "t.toml:9:8: a second table \"b\" in buffers"},
		{"buffer and argument", arg("type = \"u8\"\nvalue = 1\n") + "[[buffers]]\nname = \"x\"\ntype = \"u8\"\ncount = 1\n", "\"x\" is an argument already"},
		{"variable with slack", head + "[[variables]]\nname = \"b\"\ntype = \"u8\"\ncount = 1\nafter = 1\n", "expected them of buffers only"},
		{"RISC-V", "kernel = \"k.elf\"\nwarps = 1\nthreads = 1\n[[buffers]]\nname = \"b\"\ntype = \"u8\"\ncount = 1\n", "buffers is for PTX kernels"},
		{"RISC-V ranges", "kernel = \"k.elf\"\nwarps = 1\nthreads = 1\n[[args]]\nname = \"n\"\ntype = \"u32\"\nvalue = 1\nrange = { min = 1, max = 2 }\n", "t.toml:4:3: args.n has a range, expected it with PTX only"},
		{"RISC-V pointers", "kernel = \"k.elf\"\nwarps = 1\nthreads = 1\n[[args]]\nname = \"b\"\ntype = \"u32\"\ncount = 1\ninit = { pointers = [\"b\"] }\n", "t.toml:8:22: args.b holds pointers, expected them with PTX only"},
	} {
		_, err := launch.Parse("t.toml", []byte(c.text), "dir")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestBindVariables(t *testing.T) {
	l := parse(t, arg("type = \"u64\"\ncount = 2\ninit = { pointers = [\"coef+4\", \"nothing\"] }\n")+
		"[[variables]]\nname = \"coef\"\ntype = \"f32\"\ncount = 3\n[[variables]]\nname = \"other\"\ntype = \"f32\"\nvalue = 3\n[loops]\n\"L1\" = 3\n\"L2\" = 4\n")
	err := l.BindVariables([]launch.Variable{{Name: "coef", Bytes: 16}, {Name: "another", Bytes: 4}})
	for _, want := range []string{"t.toml:9:3: variables.coef has 12 bytes, expected 16", "t.toml:13:3: the module has no variable \"other\", did you mean another", "t.toml:8:32: there is no buffer or variable \"nothing\""} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	_, err = l.BindFacts(program{})
	if want := "t.toml:19:1: the kernel has no label or line \"L2\", did you mean L1?"; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// program is one with a loop at the label L1, and nothing else.
type program struct{}

func (program) Heads(place string) ([]int32, bool)        { return []int32{7}, place == "L1" }
func (program) Branches(place string) ([]int32, bool)     { return []int32{9}, place == "L1" }
func (program) Instructions(place string) ([]int32, bool) { return []int32{7}, place == "L1" }
func (program) Labels() []string                          { return []string{"L1"} }
