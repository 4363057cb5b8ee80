package emit

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/ptx"
)

// cudaCompilers are the compilers that the CUDA text is for.
func cudaCompilers() []optional.Tool { return append(optional.Clangs(), optional.NVCC) }

func isNVCC(path string) bool { return filepath.Base(path) == optional.NVCC.Program }

// compiled gives the PTX of a CUDA text by the compiler at path.
func compiled(t *testing.T, path, cuda string) (string, error) {
	t.Helper()
	if !isNVCC(path) {
		return ClangPTX(t.Context(), path, cuda)
	}
	source := filepath.Join(t.TempDir(), "kernels.cu")
	if err := os.WriteFile(source, []byte(cuda), 0o600); err != nil {
		return "", err
	}
	var diag bytes.Buffer
	flags := append(optional.HostFlags(t, path), "-ptx", "-arch="+clangArch, "-Wno-deprecated-gpu-targets", "-o", "-", source)
	cmd := command(t, path, flags...)
	cmd.Stderr = &diag
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, diag.Bytes())
	}
	return string(out), nil
}

// pack writes elements of a type, little endian, every stride bytes.
func pack(dst []byte, elem loop.Type, stride int64, bits []uint64) {
	for i, v := range bits {
		at := dst[int64(i)*stride:]
		if elem.Size() == 4 {
			binary.LittleEndian.PutUint32(at, uint32(v))
		} else {
			binary.LittleEndian.PutUint64(at, v)
		}
	}
}

func unpack(src []byte, elem loop.Type, stride int64, bits []uint64) {
	for i := range bits {
		at := src[int64(i)*stride:]
		switch {
		case elem.Size() == 8:
			bits[i] = binary.LittleEndian.Uint64(at)
		case elem == loop.Int:
			bits[i] = uint64(int64(int32(binary.LittleEndian.Uint32(at))))
		default:
			bits[i] = uint64(binary.LittleEndian.Uint32(at))
		}
	}
}

// ptxFile is a parsed PTX text with the kernels that were lowered.
type ptxFile struct {
	file  *ptx.File
	progs map[string]*ptxexec.Code
}

func parsePTX(text string) (*ptxFile, error) {
	file, err := ptx.Parse("kernels.ptx", []byte(text))
	if err != nil {
		return nil, err
	}
	return &ptxFile{file, make(map[string]*ptxexec.Code)}, nil
}

// execute runs a kernel of the text, whose parameters are those of the CUDA text,
// on the functional machine and changes the buffers. The token, where the kernel
// takes one, is null.
func (f *ptxFile) execute(m Module, k *device.Entry, args []deviceexec.Arg) error {
	prog := f.progs[k.Name]
	if prog == nil {
		var err error
		if prog, err = ptxexec.Lower(f.file, k.Name); err != nil {
			return err
		}
		f.progs[k.Name] = prog
	}
	l := ptxexec.LaunchConfig{Grid: [3]int{int(k.Teams), 1, 1}, Block: [3]int{int(k.Threads), 1, 1}, DynamicSharedBytes: k.DynamicBytes()}
	places := make(map[*loop.Array]string)
	for _, g := range arguments(k) {
		if g.scalar != nil {
			i := slices.IndexFunc(k.Params, func(p loop.Param) bool { return p.Var == g.scalar })
			b := make([]byte, g.scalar.Type.Size())
			pack(b, g.scalar.Type, 0, []uint64{args[i].Value.Bits})
			l.Args = append(l.Args, ptxexec.Arg{Name: g.scalar.Name, Bytes: b})
			continue
		}
		name := fmt.Sprintf("arg%d", len(l.Args))
		var contents []byte
		for i, p := range k.Params {
			if p.Array == nil || p.Array != g.array && (p.Array.Record == nil || p.Array.Record != g.array.Record) {
				continue
			}
			stride := p.Array.Elem.Size()
			if p.Array.Record != nil {
				stride = p.Array.Record.Bytes
			}
			if contents == nil {
				contents = make([]byte, stride*int64(len(args[i].Buffer.Bits)))
			}
			pack(contents[p.Array.Offset:], p.Array.Elem, stride, args[i].Buffer.Bits)
			places[p.Array] = name
		}
		l.Args = append(l.Args, ptxexec.Arg{Name: name, Buffer: &ptxexec.Buffer{Contents: contents}})
	}
	if m.guarded(k) {
		l.Args = append(l.Args, ptxexec.Arg{Name: "token", Bytes: make([]byte, 8)})
	}
	kernel, err := ptxexec.NewKernel(prog, l)
	if err != nil {
		return err
	}
	var executed int64
	for i := range k.Teams {
		b, err := kernel.NewBlock(i)
		if err != nil {
			return err
		}
		if err := simt.RunBlock(context.Background(), b, simt.Limits{MaxInstructions: 1 << 26}, &executed, nil); err != nil {
			return err
		}
	}
	for i, p := range k.Params {
		if p.Array == nil {
			continue
		}
		stride := p.Array.Elem.Size()
		if p.Array.Record != nil {
			stride = p.Array.Record.Bytes
		}
		unpack(kernel.Buffer(places[p.Array])[p.Array.Offset:], p.Array.Elem, stride, args[i].Buffer.Bits)
	}
	return nil
}

// same compares buffers bit for bit, a NaN with every NaN.
func same(k *device.Entry, got, want []deviceexec.Arg) error {
	for i, p := range k.Params {
		if p.Array == nil {
			continue
		}
		for e, w := range want[i].Buffer.Bits {
			g := got[i].Buffer.Bits[e]
			if g != w && !(nan(p.Array.Elem, g) && nan(p.Array.Elem, w)) {
				return fmt.Errorf("%s, element %d: %#x, want %#x", p.Array.Name, e, g, w)
			}
		}
	}
	return nil
}

func nan(t loop.Type, b uint64) bool {
	return t == loop.Float && math.Float32frombits(uint32(b)) != math.Float32frombits(uint32(b)) ||
		t == loop.Double && math.Float64frombits(b) != math.Float64frombits(b)
}

func cloned(args []deviceexec.Arg) []deviceexec.Arg {
	out := slices.Clone(args)
	for i, a := range out {
		if a.Buffer != nil {
			b := *a.Buffer
			b.Bits = slices.Clone(b.Bits)
			out[i].Buffer = &b
		}
	}
	return out
}

func TestCompiledComputesTheSame(t *testing.T) {
	optional.Each(t, cudaCompilers(), computesTheSame)
}

// handmade are the modules built by hand with arguments for their kernels, each with the guard and without, and each
// kernel with a name of its own.
func handmade() (list []handmadeModule) {
	for _, guard := range []bool{false, true} {
		for _, x := range []handmadeModule{{"phased", phased(), phasedArgs()}, {"particles", particles(), particlesArgs()}, {"operators", operators(), operatorsArgs()}} {
			if x.m.Guard = guard; guard {
				x.name += ", guarded"
			}
			x.m.Kernels[0].Name += fmt.Sprintf("_%d", len(list))
			list = append(list, x)
		}
	}
	return list
}

type handmadeModule struct {
	name string
	m    Module
	args []deviceexec.Arg
}

// texts are the module's kernels in both languages.
func texts(t *testing.T, m Module) (cuda, opencl string) {
	t.Helper()
	cuda, err := CUDA(m)
	if err != nil {
		t.Fatal(err)
	}
	if opencl, err = OpenCL(m); err != nil {
		t.Fatal(err)
	}
	return cuda, opencl
}

func computesTheSame(t *testing.T, path string) {
	var all []named
	for _, x := range handmade() {
		text, _ := texts(t, x.m)
		all = append(all, named{x.name, text})
	}
	code, err := compiled(t, path, sideBySide(all...))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(code, ".weak") + strings.Count(code, "fma.") + strings.Count(code, "mad.f"); n != 0 {
		t.Errorf("%d instructions that round once for two", n)
	}
	on, err := parsePTX(code)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range handmade() {
		k := x.m.Kernels[0]
		got, want := cloned(x.args), cloned(x.args)
		if err := deviceexec.Run(k, want, deviceexec.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := on.execute(x.m, k, got); err != nil {
			t.Fatalf("%s: %v\n%s", x.name, err, code)
		}
		if err := same(k, got, want); err != nil {
			t.Errorf("%s: %v\n%s", x.name, err, all[i].text)
		}
		if err := same(k, want, x.args); err == nil {
			t.Errorf("%s changes nothing", x.name)
		}
	}
}

func TestOpenCLCompiles(t *testing.T) {
	var all []named
	for _, x := range handmade() {
		_, text := texts(t, x.m)
		all = append(all, named{x.name, text})
	}
	optional.Each(t, optional.Clangs(), func(t *testing.T, path string) {
		if err := checkOpenCL(t, path, sideBySide(all...)); err != nil {
			t.Error(err)
		}
	})
}

// checkOpenCL has clang check a text as OpenCL C 1.2.
func checkOpenCL(t *testing.T, path, text string) error {
	if isNVCC(path) {
		return nil // does not know OpenCL
	}
	cmd := command(t, path, "-x", "cl", "-cl-std=CL1.2", "-target", "spir64", "-Xclang", "-finclude-default-header", "-fsyntax-only",
		"-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-unused-but-set-variable", "-Wno-self-assign", "-pedantic", "-Werror", "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s\n%s", err, out, text)
	}
	return nil
}

func TestClangMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := ClangPTX(context.Background(), "", ""); !errors.Is(err, ErrNoClang) || !strings.Contains(err.Error(), "on PATH") {
		t.Errorf("error is %v", err)
	}
	if _, err := ClangPTX(context.Background(), "/no/clang", ""); !errors.Is(err, ErrNoClang) {
		t.Errorf("error is %v", err)
	}
}

func TestClangRefuses(t *testing.T) {
	optional.Each(t, optional.Clangs(), clangRefuses)
}

func clangRefuses(t *testing.T, path string) {
	for _, x := range []struct{ text, want string }{
		{"int f( {", "error:"},
		{"extern \"C\" __global__ void k(float *x) { *x = expf(*x); }", "call expf"},
	} {
		if _, err := ClangPTX(context.Background(), path, x.text); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: error is %v", x.text, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	if _, err := ClangPTX(ctx, path, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
}
