package emit

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// awkward is a program whose names are words of CUDA, OpenCL, C++ or the headers,
// with arrays at file scope, extents that are parameters, host code and every kind
// of reduction.
const awkward = `
float time[6][10];
long index[24];

void main_(int new, int threadIdx, float kernel, double __global, const int wb_repeat[restrict new],
           float (*restrict float4)[threadIdx], long class[restrict 4], float *restrict this)
{
    float local = kernel * 3.0f + 0.1f;
    long template = 1;
    int private = 100;
    double half = 0.25;
    for (int using = 0; using < 2; using++) {
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) map(tofrom: float4[0:new][0:threadIdx], time) map(to: wb_repeat[0:new], kernel, using)
        for (int i = 0; i < new; i++) {
            for (int get_local_id = 0; get_local_id < threadIdx; get_local_id++) {
                float fmaf = float4[i][get_local_id] * kernel + (float)wb_repeat[i];
                float4[i][get_local_id] = fmaf - time[using][get_local_id % 10] / 3.0f;
            }
        }
    }
#pragma omp target teams distribute parallel for num_teams(3) num_threads(32) map(tofrom: index, template, private, half) map(to: wb_repeat[0:new]) \
    reduction(*: template) reduction(min: private) reduction(+: half)
    for (int i = new - 1; i >= 0; i -= 1) {
        index[i] = (long)i * 4000000000L - wb_repeat[i];
        template *= i % 5 == 0 ? 2 : 1;
        private = wb_repeat[i] < private ? wb_repeat[i] : private;
        half += 0.5 * wb_repeat[i];
    }
    class[0] = template;
    if (private > -7) {
        class[1] = private * 2 - 1;
    } else {
        class[1] = -private;
    }
    class[2] = (long)(half * __global);
    class[3] = local > 1.0f ? 1 : 0;
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) map(tofrom: this[0:8]) firstprivate(local)
    for (int i = 0; i < 8; i++) {
        this[i] += local * sqrtf((float)i);
    }
}
`

func awkwardModule(t testing.TB, s device.Scheme) Module {
	t.Helper()
	text := "#include <math.h>\n" + awkward
	p, err := cfront.Parse("awkward.c", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return generated(t, p, []byte(text), s, 1<<10)
}

// awkwardArgs are the arguments as a host program fills them by default.
func awkwardArgs(t *testing.T) (loop.Args, []Argument) {
	t.Helper()
	args := loop.Args{Arrays: make(map[string]*loop.Buffer), Scalars: map[string]loop.Value{
		"new": loop.OfInt(24), "threadIdx": loop.OfInt(7), "kernel": loop.OfFloat(0.7), "__global": loop.OfDouble(1.5)}}
	list := []Argument{{Name: "new", Init: Init{Off: 24}}, {Name: "threadIdx", Init: Init{Off: 7}}, {Name: "kernel", Init: Init{Off: 0.7}},
		{Name: "__global", Init: Init{Off: 1.5}}, {Name: "float4", Init: DefaultInit, Extent: 24}, {Name: "this", Init: Init{Off: 2}, Extent: 8}}
	for _, a := range []struct {
		name  string
		elem  loop.Type
		shape []int64
		init  Init
	}{
		{"time", loop.Float, []int64{6, 10}, DefaultInit}, {"index", loop.Long, []int64{24}, DefaultInit},
		{"wb_repeat", loop.Int, []int64{24}, DefaultInit}, {"float4", loop.Float, []int64{24, 7}, DefaultInit},
		{"class", loop.Long, []int64{4}, DefaultInit}, {"this", loop.Float, []int64{8}, Init{Off: 2}},
	} {
		b, err := loop.NewBuffer(a.elem, a.shape...)
		if err != nil {
			t.Fatal(err)
		}
		for e := range b.Bits {
			v := 0.0
			if a.init.Mod != 0 {
				v = float64((a.init.Mul*int64(e) + a.init.Add) % a.init.Mod)
			}
			if a.init.Div != 0 {
				v /= float64(a.init.Div)
			}
			v += a.init.Off
			if a.elem == loop.Float {
				b.Bits[e] = loop.OfFloat(float32(v)).Bits
			} else {
				b.Bits[e] = uint64(int64(v))
			}
		}
		args.Arrays[a.name] = b
	}
	return args, list
}

// awkwardWant is what the kernels compute in the interpreter.
func awkwardWant(t *testing.T, m Module) loop.Args {
	t.Helper()
	want, _ := awkwardArgs(t)
	want.OnKernel = launcher{m, func(k *device.Entry, args []deviceexec.Arg) error {
		return deviceexec.Run(k, args, deviceexec.Options{})
	}}.hook
	if err := loopkit.Run(m.Program, m.Func.Name, want); err != nil {
		t.Fatal(err)
	}
	return want
}

func TestAwkwardNames(t *testing.T) {
	optional.Each(t, cudaCompilers(), awkwardNames)
}

func awkwardNames(t *testing.T, path string) {
	var mods []Module
	var cuda, opencl []named
	for _, s := range schemes {
		m := awkwardModule(t, s)
		m.Guard = s != device.Base
		mods = append(mods, m)
		cu, cl := texts(t, m)
		cuda, opencl = append(cuda, named{s.String(), cu}), append(opencl, named{s.String(), cl})
	}
	code, err := compiled(t, path, sideBySide(cuda...))
	if err != nil {
		t.Fatal(err)
	}
	on, err := parsePTX(code)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range schemes {
		m := mods[i]
		got, _ := awkwardArgs(t)
		got.OnKernel = launcher{m, func(k *device.Entry, args []deviceexec.Arg) error { return on.execute(m, k, args) }}.hook
		if err := loopkit.Run(m.Program, m.Func.Name, got); err != nil {
			t.Fatal(err)
		}
		want := awkwardWant(t, m)
		for name, w := range want.Arrays {
			for e := range w.Bits {
				if got.Arrays[name].Bits[e] != w.Bits[e] {
					t.Errorf("%s: %s, element %d: %#x, want %#x", s, name, e, got.Arrays[name].Bits[e], w.Bits[e])
					break
				}
			}
		}
	}
	if err := checkOpenCL(t, path, sideBySide(opencl...)); err != nil {
		t.Error(err)
	}
}

func TestAwkwardHostProgram(t *testing.T) {
	m := awkwardModule(t, device.SDMA)
	want := awkwardWant(t, m)
	args, list := awkwardArgs(t)
	bin := program(t, m, HarnessOptions{Args: list})
	dir := t.TempDir()
	run := func(options ...string) (string, error) {
		var diag bytes.Buffer
		cmd := command(t, bin, options...)
		cmd.Stderr = &diag
		err := cmd.Run()
		return diag.String(), err
	}
	check := func() {
		t.Helper()
		for name, w := range want.Arrays {
			b, err := os.ReadFile(filepath.Join(dir, name+".bin"))
			if err != nil {
				t.Fatal(err)
			}
			got := make([]uint64, len(w.Bits))
			unpack(b, w.Elem, w.Elem.Size(), got)
			for e := range got {
				if got[e] != w.Bits[e] {
					t.Errorf("%s, element %d: %#x, want %#x", name, e, got[e], w.Bits[e])
					break
				}
			}
		}
	}
	if diag, err := run("--out-dir", dir); err != nil {
		t.Fatal(diag)
	}
	check()
	// The same contents from a file.
	raw := make([]byte, 4*24*7)
	pack(raw, loop.Float, 4, args.Arrays["float4"].Bits)
	in := filepath.Join(dir, "in")
	if err := os.WriteFile(in, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if diag, err := run("--in", "float4="+in, "--out", "float4="+filepath.Join(dir, "float4.bin"), "--set", "kernel=0.7"); err != nil {
		t.Fatal(diag)
	}
	check()
	for _, x := range []struct {
		want    string
		options []string
	}{
		{"unknown option", []string{"--nothing", "1"}},
		{"unknown option", []string{"--set"}},
		{"unknown option", []string{"--set", "new"}},
		{"no scalar", []string{"--set", "ne=1"}},
		{"no array", []string{"--in", "floa=x"}},
		{"No such file", []string{"--in", "float4=/no/file"}},
		{"size is not", []string{"--in", "class=" + in}},
		{"not a number", []string{"--set", "new=12x"}},
		{"not a number", []string{"--set", "new=3000000000"}},
		{"not a number", []string{"--set", "__global="}},
		{"not positive", []string{"--set", "new=-1"}},
		{"not a number", []string{"--repeat", "0"}},
		{"not a number", []string{"--extent", "this=0"}},
		{"unknown option", []string{"--no-guard"}},
	} {
		if diag, err := run(x.options...); err == nil || !strings.Contains(diag, x.want) {
			t.Errorf("%v: %v, %s", x.options, err, diag)
		}
	}
}

// Structures keep their layout in the files.
func TestStructuresInHostProgram(t *testing.T) {
	m := particles()
	bin := program(t, m, HarnessOptions{Args: []Argument{{Name: "n", Init: Init{Off: 9}}, {Name: "dt", Init: Init{Off: 0.01}},
		{Name: "p.kind", Init: Init{Mul: 1, Mod: 2}, Extent: 9}, {Name: "p.x", Init: Init{Mul: 29, Mod: 7, Div: 3}}, {Name: "p.new", Init: Init{Mul: 53, Mod: 199, Div: 89}}}})
	dir := t.TempDir()
	if out, err := command(t, bin, "--out-dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, "p.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if len(b) != 9*9*24 {
		t.Fatalf("%d bytes", len(b))
	}
	k := m.Kernels[0]
	want := particlesArgs()
	if err := deviceexec.Run(k, want, deviceexec.Options{}); err != nil {
		t.Fatal(err)
	}
	got := cloned(want)
	for i, p := range k.Params {
		if p.Array != nil {
			unpack(b[p.Array.Offset:], p.Array.Elem, 24, got[i].Buffer.Bits)
		}
	}
	if err := same(k, got, want); err != nil {
		t.Error(err)
	}
	if v := binary.LittleEndian.Uint32(b[4:]); v != 0 {
		t.Errorf("padding holds %#x", v)
	}
}
