package load

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

const head = ".version 7.0\n.target sm_70\n.address_size 64\n"

// store writes its thread number to out[tid] and adds v.
const store = head + `.visible .entry store(.param .u64 out, .param .u32 v)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<4>;
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [v];
	mov.u32 %r2, %tid.x;
	add.u32 %r1, %r1, %r2;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r1;
	ret;
}
`

const args = `[[args]]
name = "out"
type = "u32"
count = 64
[[args]]
name = "v"
type = "u32"
value = 7
`

// written puts files into a fresh directory and returns the path of k.toml.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "k.toml")
}

const launch64 = "kernel = \"k.ptx\"\ngrid = [1]\nblock = [64]\n"

func TestKernelsAreFresh(t *testing.T) {
	l, err := Open(written(t, map[string]string{"k.ptx": store, "k.toml": launch64 + args}))
	if err != nil {
		t.Fatal(err)
	}
	if l.Program().Name != "store" || len(l.File.Args) != 2 {
		t.Errorf("%s, %d arguments", l.Program().Name, len(l.File.Args))
	}
	for range 2 {
		k, err := l.Kernel(false)
		if err != nil {
			t.Fatal(err)
		}
		if out := k.Buffer("out"); !bytes.Equal(out, make([]byte, 256)) {
			t.Fatal("a kernel begins with what another wrote")
		}
		n, err := simt.Run(context.Background(), k, simt.Limits{})
		if err != nil || n != 16 {
			t.Fatalf("%d instructions, %v", n, err)
		}
		if out := k.Buffer("out"); out[0] != 7 || out[4*63] != 70 {
			t.Errorf("out %v", out)
		}
	}
	k, err := l.Fresh()
	if err != nil || k.WarpSize() != 32 {
		t.Errorf("%v", err)
	}
	l.WarpSize = 8
	if k, err = l.Fresh(); err != nil || k.WarpSize() != 8 || simt.NumWarps(k.BlockDim(), k.WarpSize()) != 8 {
		t.Errorf("%v", err)
	}
	l.WarpSize = 33
	if _, err = l.Fresh(); err == nil || !strings.Contains(err.Error(), "warp size 33") {
		t.Errorf("%v", err)
	}
}

// Buffers that are not known taint what is read from them.
func TestTaint(t *testing.T) {
	text := strings.Replace(store, "mov.u32 %r2, %tid.x;", "ld.global.u32 %r2, [%rd1];\n\tand.b32 %r2, %r2, 31;", 1)
	for known, want := range map[string]int{"": 1, "known = true\n": 0} {
		// One warp: two would race for the words they store.
		launch := strings.Replace(launch64, "block = [64]", "block = [32]", 1) + strings.Replace(args, "count = 64\n", "count = 64\n"+known, 1)
		l, err := Open(written(t, map[string]string{"k.ptx": text, "k.toml": launch}))
		if err != nil {
			t.Fatal(err)
		}
		k, err := l.Kernel(true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := simt.Run(context.Background(), k, simt.Limits{}); err != nil {
			t.Fatal(err)
		}
		// The address of the store depends on what was read.
		if got := k.Taints(); len(got) != want {
			t.Errorf("%q: %v", known, got)
		}
	}
}

func TestEntries(t *testing.T) {
	two := store + ".visible .entry other()\n{\n\tret;\n}\n"
	l, err := Open(written(t, map[string]string{"k.ptx": two, "k.toml": "entry = \"other\"\n" + launch64}))
	if err != nil || l.Program().Name != "other" {
		t.Errorf("%v", err)
	}
	device := store + ".func helper()\n{\n\tret;\n}\n"
	if l, err = Open(written(t, map[string]string{"k.ptx": device, "k.toml": launch64 + args})); err != nil || l.Program().Name != "store" {
		t.Errorf("%v", err)
	}
}

func TestErrors(t *testing.T) {
	two := store + ".visible .entry other()\n{\n\tret;\n}\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // behind the directory
	}{
		{"no launch file", map[string]string{}, "k.toml: no such file"},
		{"bad TOML", map[string]string{"k.toml": "kernel =\n"}, "k.toml:1:"},
		{"no kernel file", map[string]string{"k.toml": launch64}, "no such file, expected a path relative to the launch file"},
		{"another kind of file", map[string]string{"k.toml": "kernel = \"k.cu\"\ngrid = [1]\nblock = [1]\n", "k.cu": ""}, `k.toml:1:10: kernel `},
		{"not PTX", map[string]string{"k.toml": launch64, "k.ptx": "kernel\n"}, "k.ptx:1:1: "},
		{"wrong PTX", map[string]string{"k.toml": launch64 + args, "k.ptx": strings.Replace(store, "%r2, %tid", "%r9, %tid", 1)}, `k.ptx:10:10: "%r9" is not declared`},
		{"no such entry", map[string]string{"k.toml": "entry = \"othr\"\n" + launch64, "k.ptx": two}, `k.ptx has no kernel "othr", did you mean other?`},
		{"which entry", map[string]string{"k.toml": launch64, "k.ptx": two}, "k.ptx has 2 kernels (store or other), expected `entry` to name one"},
		{"an entry elsewhere", map[string]string{"k.toml": launch64, "k.ptx": head + ".extern .entry far();\n"}, "expected"},
		{"too few arguments", map[string]string{"k.toml": launch64, "k.ptx": store}, "k.toml:1:10: 0 arguments, expected 2"},
		{"another type", map[string]string{"k.toml": launch64 + strings.Replace(args, "type = \"u32\"\nvalue", "type = \"u64\"\nvalue", 1), "k.ptx": store}, "args.v is a scalar of type u64, expected parameter v (.u32, 4 bytes)"},
		{"refused", map[string]string{"k.toml": launch64 + args, "k.ptx": strings.Replace(store, "mov.u32 %r2, %tid.x", "suld.b.1d.b32.trap %r2, [0, {%r1}]", 1)}, "k.ptx:10:2: "},
	} {
		l, err := Open(written(t, c.files))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if err != nil && l != nil {
			t.Errorf("%s: a launch beside an error", c.name)
		}
	}
}

// Errors have places that programs can read.
func TestErrorsHavePositions(t *testing.T) {
	_, err := Open(written(t, map[string]string{"k.toml": "# first\nentry = \"x\"\n" + launch64, "k.ptx": store}))
	var at *conf.Error
	if !errors.As(err, &at) || at.Pos.Line != 2 || at.Pos.Col != 9 || filepath.Base(at.Pos.File) != "k.toml" {
		t.Errorf("%v", err)
	}
	_, err = Open(written(t, map[string]string{"k.toml": launch64, "k.ptx": "x\n"}))
	var list ptx.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		t.Errorf("%v", err)
	}
}

// A kernel file that no compiler writes is not read.
func TestHugeKernel(t *testing.T) {
	file := written(t, map[string]string{"k.toml": launch64 + args, "k.ptx": ""})
	if err := os.Truncate(filepath.Join(filepath.Dir(file), "k.ptx"), maxKernelBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), "expected at most 268435456") {
		t.Errorf("%v", err)
	}
}
