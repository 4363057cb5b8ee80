package launch_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/launch"
)

// elf is a launch file of a RISC-V program; what follows it begins at line 4.
const elf = "kernel = \"k.elf\"\nwarps = 4\nthreads = 8\n"

func TestRISCV(t *testing.T) {
	l := parse(t, "kernel = \"k.ELF\"\nentry = \"main\"\ncores = 2\nwarps = 4\nthreads = 8\nvariant = \"feb2024\"\nargument = \"a.bin\"\n")
	if want := (&launch.RISCV{Cores: 2, Warps: 4, Threads: 8, Variant: launch.Feb2024, Argument: "dir/a.bin"}); !l.IsELF() || l.Entry != "main" || !cmp.Equal(l.RISCV, want) {
		t.Errorf("%+v, %+v", l, l.RISCV)
	}
	if l.Grid != [3]int{2, 1, 1} || l.Block != [3]int{32, 1, 1} {
		t.Errorf("grid %v, block %v", l.Grid, l.Block)
	}
	l = parse(t, elf)
	if want := (&launch.RISCV{Cores: 1, Warps: 4, Threads: 8}); !cmp.Equal(l.RISCV, want) {
		t.Errorf("%+v", l.RISCV)
	}
	if l = parse(t, head); l.RISCV != nil || l.IsELF() {
		t.Errorf("a PTX kernel: %+v", l.RISCV)
	}
}

func TestBadRISCV(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no shape", "kernel = \"k.elf\"\n", `t.toml:1:1: no key "warps", expected an integer from 1 to 32`},
		{"no threads", "kernel = \"k.elf\"\nwarps = 1\n", `t.toml:1:1: no key "threads", expected an integer from 1 to 32`},
		{"grid", elf + "grid = [1]\n", "t.toml:4:1: grid is for PTX kernels, expected cores, warps and threads"},
		{"block", elf + "block = [1]\n", "t.toml:4:1: block is for PTX kernels, expected cores, warps and threads"},
		{"shared memory", elf + "dynamic_shared_bytes = 0\n", "t.toml:4:1: dynamic_shared_bytes is for PTX kernels"},
		{"no cores", elf + "cores = 0\n", "t.toml:4:9: cores is 0, expected an integer from 1 to 64"},
		{"too many warps", strings.Replace(elf, "= 4", "= 33", 1), "t.toml:2:9: warps is 33, expected an integer from 1 to 32"},
		{"negative threads", strings.Replace(elf, "= 8", "= -8", 1), "t.toml:3:11: threads is -8, expected an integer from 1 to 32"},
		{"threads as text", strings.Replace(elf, "= 8", "= \"8\"", 1), "t.toml:3:11: threads is a string, expected an integer"},
		{"another variant", elf + "variant = \"v2.1\"\n", `t.toml:4:11: variant is "v2.1", expected one of v2.2 or feb2024`},
		{"empty argument", elf + "argument = \"\"\n", "t.toml:4:12: argument is empty, expected a path"},
		{"argument as a number", elf + "argument = 3\n", "t.toml:4:12: argument is an integer, expected a string"},
		{"argument and args", elf + "argument = \"a\"\n[[args]]\nname = \"x\"\ntype = \"u32\"\nvalue = 1\n", "args is a second description of the argument block, expected argument or [[args]]"},
		{"more than memory", elf + "[[args]]\nname = \"x\"\ntype = \"u8\"\ncount = 2147418113\n", "t.toml:7:9: x brings the buffers to 2147418113 bytes, expected at most 2147352576 in all"},
		{"cores of PTX", head + "cores = 1\n", "t.toml:4:1: cores is for RISC-V programs (.elf), expected grid and block"},
		{"warps of PTX", head + "warps = 1\n", "t.toml:4:1: warps is for RISC-V programs"},
		{"threads of PTX", head + "threads = 1\n", "t.toml:4:1: threads is for RISC-V programs"},
		{"variant of PTX", head + "variant = \"v2.2\"\n", "t.toml:4:1: variant is for RISC-V programs"},
		{"argument of PTX", head + "argument = \"a\"\n", "t.toml:4:1: argument is for RISC-V programs (.elf), expected [[args]]"},
		{"PTX without a grid", "kernel = \"k.ptx\"\nblock = [1]\n", `t.toml:1:1: no key "grid", expected an array`},
		{"PTX without a block", "kernel = \"k.ptx\"\ngrid = [1]\n", `t.toml:1:1: no key "block", expected an array`},
	} {
		_, err := launch.Parse("t.toml", []byte(c.text), ".")
		var list launch.ErrorList
		if !errors.As(err, &list) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got\n%v\nwant %s", c.name, err, c.want)
		}
	}
}

// Arguments lie as the members of a C structure do, and buffers in lines of
// memory of their own.
func TestPlace(t *testing.T) {
	file := write(t, map[string]string{"k.elf": "", "s": "abcde", "l.toml": elf + `
[[args]]
name = "a"
type = "u8"
value = 1
[[args]]
name = "b"
type = "u16"
value = 0x302
[[args]]
name = "x"
type = "u8"
count = 65
init = { iota = { start = 0, step = 1 } }
[[args]]
name = "c"
type = "u8"
value = 4
[[args]]
name = "d"
type = "u64"
value = 5
[[args]]
name = "y"
type = "u32"
count = 1
init = { value = 9 }
[[args]]
name = "s"
bytes = "s"
`})
	l, err := launch.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	block, buffers, err := l.Place()
	if err != nil {
		t.Fatal(err)
	}
	want := "\x01\x00\x02\x03" + "\x00\x00\x01\x00" + "\x04\x00\x00\x00\x00\x00\x00\x00" + "\x05\x00\x00\x00\x00\x00\x00\x00" + "\x80\x00\x01\x00" + "abcde"
	if string(block) != want {
		t.Errorf("argument block\n%q, want\n%q", block, want)
	}
	if len(buffers) != 2 || buffers[0].Addr != 0x10000 || buffers[1].Addr != 0x10080 || buffers[0].Arg.Name != "x" || buffers[1].Arg.Name != "y" ||
		len(buffers[0].Data) != 65 || buffers[0].Data[64] != 64 || binary.LittleEndian.Uint32(buffers[1].Data) != 9 {
		t.Errorf("%+v", buffers)
	}
	if _, _, err := parse(t, head).Place(); err == nil {
		t.Error("a PTX kernel has been placed")
	}
}

func TestArgumentFile(t *testing.T) {
	text := elf + "argument = \"a.bin\"\n"
	l, err := launch.Load(write(t, map[string]string{"l.toml": text, "k.elf": "", "a.bin": "\x01\x02\x03"}))
	if err != nil {
		t.Fatal(err)
	}
	if block, buffers, err := l.Place(); err != nil || string(block) != "\x01\x02\x03" || buffers != nil {
		t.Errorf("%q, %v, %v", block, buffers, err)
	}
	for name, c := range map[string]struct{ contents, want string }{
		"empty": {"", "l.toml:4:12: argument: "}, "long": {strings.Repeat("x", 4097), "more than 4096 bytes, expected 1 to 4096 bytes"},
	} {
		if _, err := launch.Load(write(t, map[string]string{"l.toml": text, "k.elf": "", "a.bin": c.contents})); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := launch.Load(write(t, map[string]string{"l.toml": text, "k.elf": ""})); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("none: %v", err)
	}
}

func TestTooManyArguments(t *testing.T) {
	text := elf
	for i := range 513 {
		text += fmt.Sprintf("[[args]]\nname = \"a%d\"\ntype = \"u64\"\nvalue = 1\n", i)
	}
	_, _, err := parse(t, text).Place()
	var at *launch.Error
	if !errors.As(err, &at) || at.Pos.Line != 4+4*512 || !strings.Contains(at.Msg, "args.a512 brings the arguments to 4104 bytes, expected at most 4096") {
		t.Errorf("%v", err)
	}
}
