package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// storing stores its second argument to the buffer that is its first, and exits
// with 7 where the console of Vortex 2.2 is.
var storing = []uint32{
	0x34002573, // csrr a0, mscratch
	0x00052583, // lw a1, 0(a0)
	0x00452603, // lw a2, 4(a0)
	0x00c5a023, // sw a2, 0(a1)
	0x00700693, // li a3, 7
	0x08800713, // li a4, 0x88
	0x00d72023, // sw a3, 0(a4)
	0x0000000b, // vx_tmc zero
}

// elfFile is a program of one segment at base, which starts there.
func elfFile(base uint32, code []uint32) string {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v)
		}
	}
	b.WriteString("\x7fELF\x01\x01\x01")
	b.Write(make([]byte, 9))
	size := uint32(4 * len(code))
	put(uint16(2), uint16(243), uint32(1), base, uint32(52), uint32(0), uint32(2), uint16(52), uint16(32), uint16(1), uint16(40), uint16(0), uint16(0))
	put(uint32(1), uint32(84), base, base, size, size, uint32(5), uint32(4))
	put(code)
	return b.String()
}

const (
	elfLaunch = "kernel = \"k.elf\"\nwarps = 2\nthreads = 4\n"
	elfArgs   = "[[args]]\nname = \"out\"\ntype = \"u32\"\ncount = 3\ninit = { value = 1 }\n[[args]]\nname = \"v\"\ntype = \"u32\"\nvalue = 0x12345678\n"
)

func openStoring(t *testing.T, more string) *Opened {
	t.Helper()
	l, err := Open(written(t, map[string]string{"k.elf": elfFile(0x80000000, storing), "k.toml": elfLaunch + more + elfArgs}))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestELF(t *testing.T) {
	l := openStoring(t, "")
	if l.Program().Name != "k" || l.PlaceName() != "address" {
		t.Errorf("%s by %s", l.Program().Name, l.PlaceName())
	}
	if got := l.Text(6); got != (Text{Place: "0x80000018", Word: "00d72023", Instruction: "sw a3, 0(a4)"}) {
		t.Errorf("%+v", got)
	}
	for range 2 {
		k, err := l.Kernel(true)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.Buffer("out"); !bytes.Equal(got, []byte{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}) {
			t.Fatalf("a kernel begins with %v", got)
		}
		if k.WarpSize() != 4 || simt.NumWarps(k.BlockDim(), k.WarpSize()) != 2 || len(k.Taints()) != 0 {
			t.Errorf("%d lanes, block %v, %v", k.WarpSize(), k.BlockDim(), k.Taints())
		}
		if _, err := simt.Run(context.Background(), k, simt.Limits{}); err != nil {
			t.Fatal(err)
		}
		if got := k.Buffer("out"); !bytes.Equal(got, []byte{0x78, 0x56, 0x34, 0x12, 1, 0, 0, 0, 1, 0, 0, 0}) {
			t.Errorf("out %v", got)
		}
		if end := OutcomeOf(k); end == nil || end.ExitCode != 7 || len(end.Console) != 0 {
			t.Errorf("%+v", end)
		}
		if a, ok := k.BufferAddress("out"); a != 0x10000 || !ok {
			t.Errorf("out at 0x%x, %v", a, ok)
		}
		if _, ok := k.BufferAddress("v"); ok || k.Buffer("v") != nil {
			t.Error("a scalar has a buffer")
		}
	}
	ptx, err := Open(written(t, map[string]string{"k.ptx": store, "k.toml": launch64 + args}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := ptx.Kernel(false)
	if err != nil {
		t.Fatal(err)
	}
	if OutcomeOf(k) != nil || ptx.PlaceName() != "line" || ptx.Text(0).Word != "" || ptx.Text(0).Place == "" {
		t.Errorf("a PTX kernel: %+v", ptx.Text(0))
	}
}

// What a launch says is known of buffers is, and nothing else.
func TestELFKnown(t *testing.T) {
	branching := elfFile(0x80000000, []uint32{
		0x34002573, // csrr a0, mscratch
		0x00052583, // lw a1, 0(a0)
		0x0045a683, // lw a3, 4(a1)
		0x00069263, // bnez a3, the next
		0x0000000b, // vx_tmc zero
	})
	const plain, fields = "[[args]]\nname = \"x\"\ntype = \"u32\"\ncount = 2\n", "[[args]]\nname = \"x\"\ncount = 2\n"
	for args, want := range map[string]int{
		plain:                     1,
		plain + "known = true\n":  0,
		plain + "known = false\n": 1,
		fields + "fields = [{ type = \"u32\" }, { type = \"u32\", known = true }]\n": 0,
		fields + "fields = [{ type = \"u32\", known = true }, { type = \"u32\" }]\n": 1,
	} {
		l, err := Open(written(t, map[string]string{"k.elf": branching, "k.toml": elfLaunch + args}))
		if err != nil {
			t.Fatal(err)
		}
		for _, taint := range []bool{true, false} {
			k, err := l.Kernel(taint)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := simt.Run(context.Background(), k, simt.Limits{}); err != nil {
				t.Fatal(err)
			}
			if got := k.Taints(); taint && len(got) != want || !taint && len(got) != 0 {
				t.Errorf("%s: taint %v: %v", args, taint, got)
			}
		}
	}
}

// The variant is that of the GPU, which the launch file may name too.
func TestVariant(t *testing.T) {
	for _, c := range []struct{ file, gpu, want string }{
		{"", "", ""},
		{"", "v2.2", ""},
		{"variant = \"v2.2\"\n", "v2.2", ""},
		{"", "feb2024", "out of bounds access"}, // there is nothing at 0x88
		{"variant = \"feb2024\"\n", "", "out of bounds access"},
		{"variant = \"feb2024\"\n", "v2.2", `k.toml:4:11: variant is "feb2024", expected "v2.2" as the GPU's riscv.variant`},
		{"variant = \"v2.2\"\n", "feb2024", `expected "feb2024" as the GPU's riscv.variant`},
	} {
		l := openStoring(t, c.file)
		l.Variant = c.gpu
		k, err := l.Kernel(false)
		if err == nil {
			_, err = simt.Run(context.Background(), k, simt.Limits{})
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q on %q: %v, want %q", c.file, c.gpu, err, c.want)
		}
	}
}

// The GPU has to be as large as the launch file says.
func TestOn(t *testing.T) {
	d, err := gpu.Preset("vortex-32x32")
	if err != nil {
		t.Fatal(err)
	}
	d.SM.WarpSize = 4
	for _, c := range []struct {
		more   string
		change func(*gpu.Description)
		want   string
	}{
		{"", func(*gpu.Description) {}, ""},
		{"", func(d *gpu.Description) { d.RISCV = nil }, ""},
		{"cores = 2\n", func(d *gpu.Description) { d.SM.Count = 2 }, ""},
		{"cores = 2\n", func(*gpu.Description) {}, "k.toml:4:9: cores is 2, expected at most sm.count = 1 of vortex-32x32: a core is an SM"},
		{"", func(d *gpu.Description) { d.SM.WarpSize = 8 }, "k.toml:3:11: threads is 4, expected 8 as the GPU's sm.warp_size"},
		{"", func(d *gpu.Description) { d.SM.MaxWarps = 1 }, "k.toml:2:9: warps is 2, expected at most sm.max_warps = 1 of vortex-32x32"},
		{"variant = \"feb2024\"\n", func(*gpu.Description) {}, `variant is "feb2024", expected "v2.2"`},
	} {
		on := *d
		c.change(&on)
		err := openStoring(t, c.more).On(&on)
		var at *conf.Error
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &at) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.more, err, c.want)
		}
	}
	l, err := Open(written(t, map[string]string{"k.ptx": store, "k.toml": launch64 + args}))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.On(d); err != nil || l.WarpSize != 4 {
		t.Errorf("a PTX kernel: %d lanes, %v", l.WarpSize, err)
	}
}

func TestBadELF(t *testing.T) {
	program := elfFile(0x80000000, storing)
	low := elfFile(0x10000, storing)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"not ELF", map[string]string{"k.elf": "kernel", "k.toml": elfLaunch}, "k.elf: not an ELF file"},
		{"cut off", map[string]string{"k.elf": program[:90], "k.toml": elfLaunch}, "k.elf: "},
		{"of 64 bits", map[string]string{"k.elf": strings.Replace(program, "ELF\x01", "ELF\x02", 1), "k.toml": elfLaunch}, "k.elf: "},
		{"no symbols", map[string]string{"k.elf": program, "k.toml": elfLaunch + "entry = \"main\"\n"}, "k.toml:4:9: "},
		{"over the program", map[string]string{"k.elf": low, "k.toml": elfLaunch + elfArgs}, "args.out is put at 0x10000 to 0x1000c, expected the program elsewhere: "},
		{"too many bytes", map[string]string{"k.elf": program, "k.toml": elfLaunch + "[[args]]\nname = \"s\"\nbytes = \"s\"\n", "s": strings.Repeat("x", 5000)}, "k.toml:4:3: args.s brings the arguments to 5000 bytes, expected at most 4096"},
	} {
		l, err := Open(written(t, c.files))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if err != nil && l != nil {
			t.Errorf("%s: a launch beside an error", c.name)
		}
	}
	file := written(t, map[string]string{"k.elf": program, "k.toml": elfLaunch})
	if err := os.Truncate(strings.Replace(file, "k.toml", "k.elf", 1), maxKernelBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), "k.toml:1:10: kernel ") {
		t.Errorf("%v", err)
	}
}

// Functions that may start a program are those that it names.
func TestELFEntry(t *testing.T) {
	hello, err := os.ReadFile("../../examples/vortex/kernels/hello/hello.elf")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(written(t, map[string]string{"k.elf": string(hello), "k.toml": elfLaunch + "entry = \"kernel\"\n"})); err != nil {
		t.Error(err)
	}
	if _, err := Open(written(t, map[string]string{"k.elf": string(hello), "k.toml": elfLaunch + "entry = \"kernl\"\n"})); err == nil || !strings.Contains(err.Error(), `k.toml:4:9: `) || !strings.Contains(err.Error(), `has no function "kernl", did you mean kernel?`) {
		t.Errorf("%v", err)
	}
}

// Every instruction of machine code has a name by which facts find it, and loops are those
// that a thread goes round in: none begins behind a SPLIT, where a JOIN sends other threads.
func TestPlacesOfMachineCode(t *testing.T) {
	l, err := Open("../../examples/vortex/kernels/divergence/divergence.toml")
	if err != nil {
		t.Fatal(err)
	}
	p := l.Program()
	for pc := range p.Instructions {
		name := facts.PlaceName(p, int32(pc))
		at, ok := facts.At(p, name)
		if label, is := p.Labels[name]; is {
			at, ok = label, true
		}
		if !ok || at != int32(pc) {
			t.Errorf("%s: %d %v, expected %d", name, at, ok, pc)
		}
		address := fmt.Sprintf("0x%x", p.TextBase+4*uint64(pc))
		if at, ok := facts.At(p, address); !ok || at != int32(pc) {
			t.Errorf("%s: %d %v, expected %d", address, at, ok, pc)
		}
	}
	end := fmt.Sprintf("0x%x", p.TextBase+4*uint64(len(p.Instructions)))
	for _, name := range []string{end, "0x7ffffffc", "0x80000002", "kernel+0x2", "kernel+0xfffffffffffffff8", "kernel+0x10000"} {
		if at, ok := facts.At(p, name); !ok || at != isa.NoPC {
			t.Errorf("%s: %d %v, expected none", name, at, ok)
		}
	}
	for _, name := range []string{"kernel", "kernl+0x4", "kernel+4", "kernel+", "0x", "80000000", "divergence.c:17"} {
		if at, ok := facts.At(p, name); ok {
			t.Errorf("%s: %d, expected no address", name, at)
		}
	}
	loops, err := facts.Loops(p)
	if err != nil {
		t.Fatal(err)
	}
	var heads []string
	for i := range loops {
		heads = append(heads, facts.PlaceName(p, loops[i].Head))
	}
	if got := strings.Join(heads, " "); got != "kernel+0x64 kernel+0xbc kernel+0xf0" {
		t.Errorf("loops at %s", got)
	}
	warps := 0
	for fn := range p.Functions {
		c, err := isa.BuildCFG(p, fn)
		if err != nil {
			t.Fatal(err)
		}
		warps += len(isa.Loops(c))
	}
	if warps <= len(loops) {
		t.Errorf("%d loops in the control flow of warps, %d in that of threads", warps, len(loops))
	}
}
