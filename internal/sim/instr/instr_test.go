package instr

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/simt"
)

func TestParse(t *testing.T) {
	got, err := Parse(" 2x F0/2/6 F12/3/4(0) | F1/1/0(0,1) ; F0/1/0 | F0/1/0")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got.Units() != 13 {
		t.Fatalf("%d warps, %d units: %s", len(got), got.Units(), got)
	}
	want := "F0/2/6 F12/3/4(0) | F1/1/0(0,1) ; F0/2/6 F12/3/4(0) | F1/1/0(0,1) ; F0/1/0 | F0/1/0"
	if got.String() != want {
		t.Errorf("printed %s, want %s", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "warp 0: no instruction",
		"F0/1/0 ;":          "warp 1: no instruction",
		"3x":                "warp 0: no instruction",
		"F0/1":              "expected F<unit>/<initiation>/<latency>",
		"G0/1/0":            "expected F<unit>/<initiation>/<latency>",
		"Fx/1/0":            "unit \"x\"",
		"F999/1/0":          "unit \"999\"",
		"F0/0/0":            "initiation \"0\"",
		"F0/1/-1":           "latency \"-1\"",
		"F0/1/0(0)":         "source \"0\"",
		"F0/1/0 F0/1/0(1)":  "source \"1\"",
		"F0/1/0 F0/1/0(0":   "expected ) after the sources",
		"| F0/1/0":          "a barrier stands between",
		"F0/1/0 |":          "a barrier stands between",
		"F0/1/0 | | F0/1/0": "a barrier stands between",
	} {
		if _, err := Parse(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", in, err, want)
		}
	}
}

func TestKernelErrors(t *testing.T) {
	ok := Instruction{InitiationCycles: 1}
	for name, p := range map[string]Warps{
		"no warp":        {},
		"no instruction": {{}},
		"initiation":     {{{InitiationCycles: 0}}},
		"latency":        {{{InitiationCycles: 1, LatencyCycles: -1}}},
		"source":         {{ok, {InitiationCycles: 1, Sources: []int{1}}}},
	} {
		if _, err := NewKernel(p, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewKernel(Warps{{ok}}, 0); err == nil {
		t.Error("no blocks: no error")
	}
}

// A kernel executes every instruction of every warp once, barriers included.
func TestKernelRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sections := rapid.IntRange(1, 3).Draw(t, "sections")
		var p Warps
		want := int64(0)
		for range rapid.IntRange(1, 4).Draw(t, "warps") {
			var w []Instruction
			for j := range rapid.IntRange(sections, 6).Draw(t, "length") {
				w = append(w, Instruction{InitiationCycles: 1, BarrierBefore: j > 0 && j < sections})
			}
			want += int64(len(w) + sections - 1)
			p = append(p, w)
		}
		q, err := Parse(p.String())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(p, q); d != "" {
			t.Fatal(d)
		}
		k, err := NewKernel(p, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, err := simt.Run(context.Background(), k, simt.Limits{})
		if err != nil || got != 2*want {
			t.Errorf("%d instructions, want %d: %v", got, 2*want, err)
		}
	})
}

// A warp that ends early does not hold the others at their barriers.
func TestEarlyEnd(t *testing.T) {
	k, err := NewKernel(MustParse("F0/1/0 | F0/1/0 | F0/1/0 ; F0/1/0"), 1)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := simt.Run(context.Background(), k, simt.Limits{}); err != nil || n != 6 {
		t.Errorf("%d instructions: %v", n, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"F0/1/0", "2x F0/2/6 F1/3/4(0) | F1/1/0(0,1) ; F0/1/0", "2× F3/9/9", "F0/1/0(", ";|"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s)
		if err != nil {
			return
		}
		q, err := Parse(p.String())
		if err != nil {
			t.Fatalf("%q prints as %q: %v", s, p.String(), err)
		}
		if d := cmp.Diff(p, q); d != "" {
			t.Fatal(d)
		}
	})
}
