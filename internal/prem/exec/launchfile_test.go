package exec

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/npy"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/launch"
)

const launchFileSource = `
struct pair { float x; int n; };
void f(int i, unsigned u, long l, unsigned long m, float s, double d, double a[restrict 32], struct pair p[restrict 32])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32)
    for (int k = 0; k < 32; k++)
        a[k] += i + u + l + m + s + d;
    for (int t = 0; t < 3; t++) {
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32)
        for (int k = 0; k < 32; k++)
            p[k].n += 1;
    }
}`

// Launch files have every argument as the kernel gets it in its first launch, whatever
// its type.
func TestLaunchFiles(t *testing.T) {
	p, err := cfront.Parse("f.c", launchFileSource, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Compile(p, "f", Options{Scheme: device.Base})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]loop.Value{
		"i": loop.OfInt(-7), "u": {Type: loop.Uint, Bits: math.MaxUint32}, "l": loop.OfLong(math.MinInt64), "m": {Type: loop.Ulong, Bits: math.MaxUint64},
		"s": loop.OfFloat(0.1), "d": loop.OfDouble(-0x1.fffffffffffffp-1022),
	}
	// Memory as it is before each kernel: the host reads and writes none of it.
	args := loop.Args{Scalars: want, Arrays: map[string]*loop.Buffer{
		"a": counted(t, loop.Double, 32), "p.x": counted(t, loop.Float, 32), "p.n": counted(t, loop.Int, 32),
	}}
	first := args.Arrays["p.n"].Bits[31]
	dir := t.TempDir()
	var written []string
	names, err := m.LaunchFiles(context.Background(), args, func(name string, data []byte) error {
		written = append(written, name)
		return os.WriteFile(filepath.Join(dir, name), data, 0o666)
	})
	if err != nil || !slices.Equal(names, []string{"f_0_base.toml", "f_1_base.toml"}) || written[0] != "f_base.ptx" || len(written) != 5 {
		t.Fatalf("%v, %v, %v", names, written, err)
	}
	got := map[string]uint64{}
	for _, name := range names {
		l, err := launch.Load(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if l.Kernel != filepath.Join(dir, "f_base.ptx") || l.Entry+".toml" != name || l.Grid != [3]int{1, 1, 1} || l.Block != [3]int{32, 1, 1} {
			t.Errorf("%+v", l)
		}
		for _, a := range l.Args {
			if a.Kind == launch.Scalar {
				got[a.Name] = a.Bits
			}
		}
	}
	for name, v := range want {
		bits := v.Bits
		if v.Type.Size() == 4 {
			bits = uint64(uint32(bits))
		}
		if g, ok := got[name]; !ok || g != bits {
			t.Errorf("%s is %#x in the file, and %#x in the launch", name, g, bits)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "f_1_base.p.npy"))
	if err != nil {
		t.Fatal(err)
	}
	_, contents, err := npy.Read(bytes.NewReader(data), 1<<20)
	if err != nil || len(contents) != 32*8 || uint64(contents[31*8+4]) != first || args.Arrays["p.n"].Bits[31] != first+3 {
		t.Errorf("%d bytes, %v, %v: expected the memory of the first of three launches", len(contents), contents[31*8:], err)
	}
}

// What the receiver of a file says ends the run.
func TestLaunchFilesEnd(t *testing.T) {
	p, err := cfront.Parse("f.c", launchFileSource, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Compile(p, "f", Options{Scheme: device.Base})
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no room")
	for _, end := range []string{".ptx", ".npy", ".toml"} {
		args := loop.Args{Scalars: map[string]loop.Value{
			"i": loop.OfInt(1), "u": {Type: loop.Uint}, "l": loop.OfLong(1), "m": {Type: loop.Ulong}, "s": loop.OfFloat(1), "d": loop.OfDouble(1),
		}, Arrays: map[string]*loop.Buffer{"a": counted(t, loop.Double, 32), "p.x": counted(t, loop.Float, 32), "p.n": counted(t, loop.Int, 32)}}
		ended := 0
		_, err := m.LaunchFiles(context.Background(), args, func(name string, _ []byte) error {
			if ended > 0 {
				t.Errorf("%s comes after an error", name)
			}
			if strings.HasSuffix(name, end) {
				ended++
				return full
			}
			return nil
		})
		if !errors.Is(err, full) || ended != 1 {
			t.Errorf("%s: %v", end, err)
		}
	}
}
