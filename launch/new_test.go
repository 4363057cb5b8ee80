package launch

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A launch that a program states is that which a file says.
func TestNew(t *testing.T) {
	dir := t.TempDir()
	kernel := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(kernel, []byte(".version 7.0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	read, err := Parse("k.toml", []byte(`kernel = "k.ptx"
grid = [3]
block = [16, 2]
args = [
  { name = "x", type = "f32", count = 5, init = { iota = { start = 1, step = 2 } } },
  { name = "n", type = "s32", value = -4 },
]`), dir)
	if err != nil {
		t.Fatal(err)
	}
	args := []Arg{
		{Name: "x", Kind: Buffer, Type: F32, Count: 5, Init: Init{Kind: Iota, FloatStart: 1, FloatStep: 2}},
		{Name: "n", Type: S32, Bits: read.Args[1].Bits},
	}
	stated, err := New(Launch{Kernel: kernel, Grid: [3]int{3}, Block: [3]int{16, 2}, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	if stated.Grid != read.Grid || stated.Block != read.Block || stated.Kernel != read.Kernel || stated.Path != kernel {
		t.Errorf("%+v, expected %+v", stated, read)
	}
	for i := range args {
		a, errA := stated.Materialise(i)
		b, errB := read.Materialise(i)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("argument %d: %v, %v; %v, %v", i, a, b, errA, errB)
		}
	}
	if args[0].pos != (Pos{}) {
		t.Error("New changed the caller's arguments")
	}
	elf := filepath.Join(dir, "k.elf")
	if err := os.WriteFile(elf, []byte("\x7fELF"), 0o666); err != nil {
		t.Fatal(err)
	}
	if l, err := New(Launch{Kernel: elf, RISCV: &RISCV{Warps: 2, Threads: 4}}); err != nil || l.Grid != [3]int{1, 1, 1} || l.Block != [3]int{8, 1, 1} {
		t.Errorf("%+v, %v", l, err)
	}
	for want, of := range map[string]Launch{
		"no Kernel":                           {},
		"no such file":                        {Kernel: filepath.Join(dir, "none.ptx")},
		"at most 1024 threads":                {Kernel: kernel, Block: [3]int{1024, 2}},
		"at most 64 in z":                     {Kernel: kernel, Block: [3]int{1, 1, 65}},
		"grid is [-1 1 1]":                    {Kernel: kernel, Grid: [3]int{-1}},
		"grid is [1 70000 1]":                 {Kernel: kernel, Grid: [3]int{1, 70000}},
		"dynamic shared memory":               {Kernel: kernel, DynamicSharedBytes: -1},
		"named \"\"":                          {Kernel: kernel, Args: []Arg{{Type: F32}}},
		"args.x has no type":                  {Kernel: kernel, Args: []Arg{{Name: "x"}}},
		"args.x is given twice":               {Kernel: kernel, Args: []Arg{{Name: "x", Type: F32}, {Name: "x", Type: F32}}},
		"args.x has a count of 0":             {Kernel: kernel, Args: []Arg{{Name: "x", Kind: Buffer, Type: F32}}},
		"in all":                              {Kernel: kernel, Buffers: []Arg{{Name: "x", Kind: Buffer, Type: F64, Count: 2 << 30, After: 1}}},
		"args.x is a structure with":          {Kernel: kernel, Args: []Arg{{Name: "x", Kind: Struct}}},
		"args.x has members or":               {Kernel: kernel, Args: []Arg{{Name: "x", Kind: Buffer, Type: U64, Count: 1, Init: Init{Kind: Pointers}}}},
		"of kind 9":                           {Kernel: kernel, Args: []Arg{{Name: "x", Kind: 9, Type: F32}}},
		"elements before":                     {Kernel: kernel, Args: []Arg{{Name: "x", Kind: Buffer, Type: F32, Count: 1, Before: -1}}},
		"expected RISCV with a file":          {Kernel: elf},
		"and with no other":                   {Kernel: kernel, RISCV: &RISCV{}},
		"33 warps":                            {Kernel: elf, RISCV: &RISCV{Warps: 33}},
		"variant is \"v3\"":                   {Kernel: elf, RISCV: &RISCV{Variant: "v3"}},
		"of PTX kernels only":                 {Kernel: elf, RISCV: &RISCV{}, Grid: [3]int{2}},
		"textures, samplers, loops and facts": {Kernel: kernel, Loops: map[string]int64{"L": 1}},
	} {
		_, err := New(of)
		var list ErrorList
		if !errors.As(err, &list) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}
