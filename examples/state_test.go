package examples

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestChecksAcceptOnlyTheReference runs every reference on its launch's arguments: its own result passes, the arguments
// left as they were do not, and neither does any argument with one wrong element.
func TestChecksAcceptOnlyTheReference(t *testing.T) {
	for _, e := range All() {
		in := buffers(t, e.Launch)
		out, err := e.Expect(in)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := e.Check(in, out); err != nil {
			t.Errorf("own result refused: %v", err)
		}
		if err := e.Check(in, in); err == nil {
			t.Errorf("%s: a launch that does nothing passes", e.Launch)
		}
		for _, name := range slices.Sorted(maps.Keys(out.Args)) {
			wrong := Buffers{Grid: out.Grid, Block: out.Block, Args: maps.Clone(out.Args)}
			data := slices.Clone(out.Args[name].Data)
			data[len(data)-1] ^= 0x40 // the high byte of the last element
			wrong.Args[name] = Arg{Type: out.Args[name].Type, Data: data}
			if err := e.Check(in, wrong); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: a wrong last element of %s gives error %v", e.Launch, name, err)
			}
		}
	}
}

// TestReferencesGiveOrdinaryNumbers keeps the launches meaningful: results without NaN or infinity.
func TestReferencesGiveOrdinaryNumbers(t *testing.T) {
	for _, e := range All() {
		out, err := e.Expect(buffers(t, e.Launch))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(out.Args)) {
			if i := slices.IndexFunc(floats(out.Args[name]), func(v float64) bool {
				return math.IsNaN(v) || math.IsInf(v, 0)
			}); i >= 0 {
				t.Errorf("%s: %s[%d] is not finite", e.Launch, name, i)
			}
		}
	}
}

// floats returns a floating-point argument's elements; none for integers.
func floats(a Arg) []float64 {
	switch a.Type {
	case "f64":
		return decode[float64](a.Data)
	case "f32":
		var v []float64
		for _, f := range decode[float32](a.Data) {
			v = append(v, float64(f))
		}
		return v
	}
	return nil
}

func TestCheckRefusesUnfitArguments(t *testing.T) {
	e := All()[slices.IndexFunc(All(), func(e Example) bool { return e.Launch == "basic/vecadd/vecadd-1warp.toml" })]
	in := buffers(t, e.Launch)
	good, err := e.Expect(in)
	if err != nil {
		t.Fatal(err)
	}
	with := func(b Buffers, name string, a Arg) Buffers {
		args := maps.Clone(b.Args)
		args[name] = a
		return Buffers{Grid: b.Grid, Block: b.Block, Args: args}
	}
	without := func(b Buffers, name string) Buffers {
		args := maps.Clone(b.Args)
		delete(args, name)
		return Buffers{Grid: b.Grid, Block: b.Block, Args: args}
	}
	a := in.Args["a"]
	for _, c := range []struct {
		name    string
		in, out Buffers
		want    string
	}{
		{"missing before", without(in, "a"), good, "argument a is missing"},
		{"missing after", in, without(good, "c"), "argument c is missing after"},
		{"other type before", with(in, "a", Arg{"f64", a.Data}), good, "argument a has type f64, want f32"},
		{"other type after", in, with(good, "c", Arg{"u32", good.Args["c"].Data}), "argument c has type u32 after"},
		{"too short", with(in, "a", Arg{"f32", a.Data[:4*31]}), good, "argument a has 31 elements, want at least 32"},
		{"shorter after", in, with(good, "c", Arg{"f32", good.Args["c"].Data[:8]}), "argument c has 8 bytes after"},
		{"negative count", with(in, "n", Arg{"s32", []byte{255, 255, 255, 255}}), good, "argument n is -1, want at least 0"},
		{"empty scalar", with(in, "n", Arg{"s32", nil}), good, "argument n has 0 elements, want at least 1"},
	} {
		if err := e.Check(c.in, c.out); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestUnfitIndicesAreErrors gives a graph kernel an edge out of the graph: the reference must not panic.
func TestUnfitIndicesAreErrors(t *testing.T) {
	e := All()[slices.IndexFunc(All(), func(e Example) bool { return e.Launch == "rodinia/bfs/bfs_expand.toml" })]
	in := buffers(t, e.Launch)
	edges := slices.Repeat([]byte{255, 255, 255, 127}, len(in.Args["edges"].Data)/4)
	in.Args["edges"] = Arg{Type: "s32", Data: edges}
	if err := e.Check(in, in); err == nil || !strings.Contains(err.Error(), "do not fit the kernel") {
		t.Errorf("error %v, want one that says the arguments do not fit", err)
	}
}

// TestFMA32 compares with exact arithmetic.
func TestFMA32(t *testing.T) {
	exact := func(a, b, c float32) float32 {
		p := new(big.Float).SetPrec(2000).Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
		f, _ := p.Add(p, big.NewFloat(float64(c))).Float32()
		return f
	}
	finite := rapid.Custom(func(t *rapid.T) float32 {
		bits := rapid.Uint32().Filter(func(b uint32) bool { return b>>23&0xff != 0xff })
		return math.Float32frombits(bits.Draw(t, "bits"))
	})
	check := func(t interface {
		Fatalf(string, ...any)
	}, a, b, c float32) {
		if got, want := fma32(a, b, c), exact(a, b, c); got != want {
			t.Fatalf("fma32(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := finite.Draw(t, "a"), finite.Draw(t, "b")
		check(t, a, b, finite.Draw(t, "c"))
		// A sum near the product is where rounding twice would show.
		product := float32(float64(a) * float64(b))
		if !math.IsInf(float64(product), 0) {
			check(t, a, b, -product*rapid.Float32Range(0.5, 1).Draw(t, "factor"))
		}
	})
	// 1 + 2^-12 squared is 1 + 2^-11 + 2^-24: a tie that 2^-60 breaks and a float64 sum loses.
	check(t, 1+1.0/4096, 1+1.0/4096, 0x1p-60)
	check(t, 1+1.0/4096, 1+1.0/4096, -0x1p-60)
	if got := fma32(float32(math.Inf(1)), 1, 2); !math.IsInf(float64(got), 1) {
		t.Errorf("fma32(inf, 1, 2) = %v", got)
	}
}
