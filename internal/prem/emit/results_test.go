package emit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/premtest"
)

// A host program prints what its function returns, floating values exactly.
func TestHarnessResults(t *testing.T) {
	p, err := cfront.Parse("results.c", premtest.Results, nil)
	if err != nil {
		t.Fatal(err)
	}
	counted := Init{Mul: 7, Mod: 13}
	var mods []Module
	var all []named
	for i, f := range p.Funcs {
		m := generatedFunc(t, p, f, []byte(premtest.Results), schemes[i%len(schemes)], small)
		m.Guard = i%2 == 1
		text, err := Harness(m, HarnessOptions{Args: []Argument{{Name: "a", Init: counted}, {Name: "b", Init: counted}}})
		if err != nil {
			t.Fatal(err)
		}
		mods, all = append(mods, m), append(all, named{f.Name, text})
	}
	bin := built(t, hostsSideBySide(all...))
	for i, f := range p.Funcs {
		m := mods[i]
		for _, n := range premtest.ResultSizes {
			args := loop.Args{Scalars: map[string]loop.Value{"n": loop.OfInt(n)}, Arrays: map[string]*loop.Buffer{}}
			for name, elem := range map[string]loop.Type{"a": loop.Float, "b": loop.Int} {
				b, err := loop.NewBuffer(elem, 64)
				if err != nil {
					t.Fatal(err)
				}
				for i := range b.Bits {
					b.Bits[i], _ = loop.EvalConvert(elem, loop.Int, uint64(i*7%13))
				}
				args.Arrays[name] = b
			}
			args.OnKernel = launcher{m, func(k *device.Entry, args []deviceexec.Arg) error {
				return deviceexec.Run(k, args, deviceexec.Options{})
			}}.hook
			v, err := loop.Invoke(p, f.Name, args)
			if err != nil {
				t.Fatal(err)
			}
			out, err := numbered(i, command(t, bin, "--set", fmt.Sprintf("n=%d", n), "--repeat", "2")).Output()
			if err != nil {
				t.Fatalf("%s(%d): %v", f.Name, n, err)
			}
			line, _, _ := strings.Cut(string(out), "\n")
			if f.Result == loop.NoType {
				if strings.Contains(string(out), "returned") {
					t.Errorf("%s(%d): %s", f.Name, n, out)
				}
				continue
			}
			if want := fmt.Sprintf("%s returned %s", f.Name, printed(t, line, v)); line != want {
				t.Errorf("%s(%d): %s, want %s", f.Name, n, line, want)
			}
		}
	}
}

// printed is a value as the line should have it. Of a floating value it has the
// digits, which name the value where the hexadecimal form behind them does.
func printed(t *testing.T, line string, v loop.Value) string {
	t.Helper()
	var x float64
	switch v.Type {
	case loop.Float:
		x = float64(math.Float32frombits(uint32(v.Bits)))
	case loop.Double:
		x = math.Float64frombits(v.Bits)
	case loop.Uint, loop.Ulong:
		return fmt.Sprint(v.Bits)
	default:
		return fmt.Sprint(int64(v.Bits))
	}
	_, text, _ := strings.Cut(line, "returned ")
	decimal, exact, _ := strings.Cut(strings.TrimSuffix(text, ")"), " (")
	for _, s := range []string{decimal, exact} {
		got, err := strconv.ParseFloat(s, 64)
		if err != nil || v.Type == loop.Float && float32(got) != float32(x) || v.Type == loop.Double && got != x {
			t.Errorf("%s, want %v", line, x)
		}
	}
	return text
}
