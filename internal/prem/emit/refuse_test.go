package emit

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
)

func TestRefusals(t *testing.T) {
	for _, x := range []struct {
		name, want string
		change     func(*Module)
	}{
		{"nothing", "without a program", func(m *Module) { *m = Module{} }},
		{"no function", "without a program", func(m *Module) { m.Func = nil }},
		{"kernels", "has 1 kernels, 0 were generated", func(m *Module) { m.Kernels = nil }},
		{"kernel", "is missing", func(m *Module) { m.Kernels[0] = nil }},
		{"name", `"two words"`, func(m *Module) { m.Kernels[0].Name = "two words" }},
		{"keyword", `"class"`, func(m *Module) { m.Kernels[0].Name = "class" }},
		{"threads", "at most 1024", func(m *Module) { m.Kernels[0].Threads = 1025 }},
		{"teams", "at most 65535", func(m *Module) { m.Kernels[0].Teams = 1 << 16 }},
		{"kernel check", "not in scope", func(m *Module) { m.Kernels[0].Params = m.Kernels[0].Params[1:] }},
	} {
		m := phased()
		x.change(&m)
		for _, f := range []func(...Module) (string, error){CUDA, OpenCL, func(ms ...Module) (string, error) { return Harness(ms[0], HarnessOptions{}) }} {
			if _, err := f(m); err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%s: error is %v", x.name, err)
			}
		}
	}
	for _, x := range []struct {
		name, want string
		change     func(*loop.Record)
	}{
		{"offset", "puts it at 8", func(r *loop.Record) { r.Members[1].Array.Offset = 4 }},
		{"size", "makes it 24", func(r *loop.Record) { r.Bytes = 20 }},
		{"member", "no member of p", func(r *loop.Record) { r.Members = r.Members[:2]; r.Bytes = 16 }},
	} {
		m := particles()
		x.change(m.Func.Params[2].Array.Record)
		if _, err := CUDA(m); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: error is %v", x.name, err)
		}
	}
	if _, err := Harness(phased(), HarnessOptions{Args: []Argument{{Name: "in"}, {Name: "inn"}}}); err == nil || !strings.Contains(err.Error(), "no argument inn") {
		t.Errorf("error is %v", err)
	}
	if _, err := Harness(phased(), HarnessOptions{Include: "a\"b"}); err == nil || !strings.Contains(err.Error(), "file name") {
		t.Errorf("error is %v", err)
	}
}

// Arrays that share memory, and more of them than a static declaration may take.
func TestScratchpads(t *testing.T) {
	// The row's end writes over the array of before.
	use := func(k *device.Entry) {
		f := k.Body[1].(*device.For)
		f.Body = append(f.Body, let(12, el(k.Shared[1], num(1), num(1)), &loop.FloatLit{At: at(12), T: loop.Double, Value: 2}), &device.Barrier{At: at(12)})
	}
	for _, x := range []struct {
		name   string
		change func(*device.Entry, *maker)
		want   []string
	}{
		{"shared.cu", func(k *device.Entry, m *maker) {
			k.Shared = append(k.Shared, m.array("other", loop.Double, num(2), num(2)))
			k.SharedAt = []int64{8, 0}
			use(k)
		}, []string{"__shared__ __align__(8) unsigned char wb_spm[40];", "float *in_2 = (float *)(wb_spm + 8);", "double (*other)[2] = (double (*)[2])(wb_spm + 0);"}},
		{"large.cu", func(k *device.Entry, m *maker) {
			k.Shared = append(k.Shared, m.array("other", loop.Double, num(8), num(1024)))
			use(k)
		}, []string{"extern __shared__ __align__(8) unsigned char wb_spm[];", "hand_0_sdma<<<2, 8, 65568>>>", "SharedMemorySize, 65568"}},
	} {
		m := phased()
		x.change(m.Kernels[0], &maker{vars: 1000, arrays: 1000})
		text, err := Harness(m, HarnessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range x.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %s in\n%s", x.name, w, text)
			}
		}
		optional.Each(t, cudaCompilers(), func(t *testing.T, path string) {
			text, err := CUDA(m)
			if err != nil {
				t.Fatal(err)
			}
			code, err := compiled(t, path, text)
			if err != nil {
				t.Fatal(err)
			}
			on, err := parsePTX(code)
			if err != nil {
				t.Fatal(err)
			}
			got, want := phasedArgs(), phasedArgs()
			if err := deviceexec.Run(m.Kernels[0], want, deviceexec.Options{}); err != nil {
				t.Fatal(err)
			}
			if err := on.execute(m, m.Kernels[0], got); err != nil {
				t.Fatal(err)
			}
			if err := same(m.Kernels[0], got, want); err != nil {
				t.Error(err)
			}
			if text, err = OpenCL(m); err != nil {
				t.Fatal(err)
			}
			if err := checkOpenCL(t, path, text); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNames(t *testing.T) {
	n := newNames("taken")
	for _, x := range []struct{ wish, want string }{
		{"a", "a"}, {"a", "a_2"}, {"taken", "taken_2"}, {"s.x", "s_x"}, {"s_x", "s_x_2"}, {"class", "class_"}, {"uint4", "uint4_"},
		{"__x", "x_"}, {"_Bool", "Bool_"}, {"", "v"}, {"__", "v_2"}, {"9", "v_3"}, {"__9", "v_9_"}, {"wb_a", "v_wb_a_"}, {"größe", "gr____e"},
	} {
		if got := n.bind(new(int), x.wish); got != x.want || reserved(got) || cleaned(got) != got {
			t.Errorf("%q becomes %q, want %q", x.wish, got, x.want)
		}
	}
	n.push()
	inner := n.bind(new(int), "inner")
	n.pop()
	if again := n.bind(new(int), "inner"); again != inner {
		t.Errorf("a name out of scope is not given again: %s, %s", inner, again)
	}
}

func TestCommentsStayComments(t *testing.T) {
	m := phased()
	m.Program.File = "evil\n#include \"x\" ??/"
	m.Sources = map[string][]byte{m.Program.File: []byte("\n\nint x; // ends in a backslash \\")}
	for _, f := range []func(...Module) (string, error){CUDA, OpenCL} {
		text, err := f(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range strings.Split(text, "\n") {
			if strings.Contains(l, "#include") && !strings.Contains(strings.Split(l, "#include")[0], "//") || strings.HasSuffix(l, "\\") {
				t.Errorf("line %q", l)
			}
		}
	}
}
