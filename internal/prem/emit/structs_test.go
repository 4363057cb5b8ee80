package emit

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// bodies moves particles by the forces of their neighbours.
const bodies = `
struct body { int class; double x, v; float mass; };
struct body next[40];

void bodies(struct body now[restrict 40], struct { float dt; int steps; } how, double energy[restrict 1])
{
    double sum = 0.0;
    for (int s = 0; s < how.steps; s++) {
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) map(to: now[0:40]) map(from: next) firstprivate(how)
        for (int i = 1; i < 39; i++) {
            double f = now[i - 1].x - 2.0 * now[i].x + now[i + 1].x;
            next[i].v = now[i].v + f / now[i].mass * how.dt;
            next[i].x = now[i].x + next[i].v * how.dt;
            next[i].class = now[i].class + 1;
        }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) map(tofrom: now[0:40]) map(to: next)
        for (int i = 1; i < 39; i++) {
            now[i].x = next[i].x;
            now[i].v = next[i].v;
            now[i].class = next[i].class;
        }
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) map(to: now[0:40]) map(tofrom: sum) reduction(+: sum)
    for (int i = 0; i < 40; i++) {
        sum += now[i].mass * now[i].v * now[i].v;
    }
    energy[0] = sum;
}
`

func bodiesModule(t *testing.T, s device.Scheme) Module {
	t.Helper()
	p, err := cfront.Parse("bodies.c", bodies, nil)
	if err != nil {
		t.Fatal(err)
	}
	return generated(t, p, []byte(bodies), s, 2<<10)
}

// bodiesArgs start at zero but for these.
func bodiesArgs(t *testing.T, m Module) (loop.Args, []Argument) {
	t.Helper()
	list := []Argument{{Name: "how.dt", Init: Init{Off: 0.125}}, {Name: "how.steps", Init: Init{Off: 3}}}
	args := loop.Args{Arrays: make(map[string]*loop.Buffer), Scalars: map[string]loop.Value{"how.dt": loop.OfFloat(0.125), "how.steps": loop.OfInt(3)}}
	all := m.Program.Arrays
	for _, q := range m.Func.Params {
		if q.Array != nil {
			all = append(all[:len(all):len(all)], q.Array)
		}
	}
	for _, a := range all {
		n := int64(40)
		if a.Name == "energy" {
			n = 1
		}
		b, err := loop.NewBuffer(a.Elem, n)
		if err != nil {
			t.Fatal(err)
		}
		f := Init{Mul: 13, Mod: 17, Off: 1}
		for e := range b.Bits {
			v := float64(13*e%17) + 1
			switch a.Elem {
			case loop.Float:
				b.Bits[e] = loop.OfFloat(float32(v)).Bits
			case loop.Double:
				b.Bits[e] = loop.OfDouble(v).Bits
			default:
				b.Bits[e] = uint64(v)
			}
		}
		args.Arrays[a.Name] = b
		list = append(list, Argument{Name: a.Name, Init: f})
	}
	return args, list
}

func TestStructuresFromSource(t *testing.T) {
	var mods []Module
	var wants []loop.Args
	var cuda, opencl []named
	for _, s := range schemes {
		m := bodiesModule(t, s)
		want, _ := bodiesArgs(t, m)
		want.OnKernel = launcher{m, func(k *device.Entry, args []deviceexec.Arg) error {
			return deviceexec.Run(k, args, deviceexec.Options{})
		}}.hook
		if err := loopkit.Run(m.Program, "bodies", want); err != nil {
			t.Fatal(err)
		}
		mods, wants = append(mods, m), append(wants, want)
		cu, cl := texts(t, m)
		cuda, opencl = append(cuda, named{s.String(), cu}), append(opencl, named{s.String(), cl})
	}
	optional.Each(t, cudaCompilers(), func(t *testing.T, path string) {
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
			got, _ := bodiesArgs(t, m)
			got.OnKernel = launcher{m, func(k *device.Entry, args []deviceexec.Arg) error { return on.execute(m, k, args) }}.hook
			if err := loopkit.Run(m.Program, "bodies", got); err != nil {
				t.Fatal(err)
			}
			for name, w := range wants[i].Arrays {
				for e := range w.Bits {
					if got.Arrays[name].Bits[e] != w.Bits[e] {
						t.Fatalf("%s: %s, element %d: %#x, want %#x", s, name, e, got.Arrays[name].Bits[e], w.Bits[e])
					}
				}
			}
		}
		if err := checkOpenCL(t, path, sideBySide(opencl...)); err != nil {
			t.Error(err)
		}
	})
	sdma := slices.Index(schemes, device.SDMA)
	m := mods[sdma]
	_, list := bodiesArgs(t, m)
	bin, dir := program(t, m, HarnessOptions{Args: list}), t.TempDir()
	if out, err := command(t, bin, "--out-dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, w := range wants[sdma].Arrays {
		file, offset, stride := name, int64(0), w.Elem.Size()
		for _, a := range append(m.Program.Arrays, m.Func.Params[0].Array, m.Func.Params[1].Array, m.Func.Params[2].Array, m.Func.Params[3].Array) {
			if a.Name == name && a.Record != nil {
				file, offset, stride = a.Record.Name, a.Offset, a.Record.Bytes
			}
		}
		b, err := os.ReadFile(filepath.Join(dir, file+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint64, len(w.Bits))
		unpack(b[offset:], w.Elem, stride, got)
		for e := range got {
			if got[e] != w.Bits[e] {
				t.Fatalf("%s in the file, element %d: %#x, want %#x", name, e, got[e], w.Bits[e])
			}
		}
	}
}
