package makespan

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fermi are the units of the paper's SM: compute capability 2.0.
var fermi = []Unit{{'L', 16}, {'C', 32}}

func TestReduction(t *testing.T) {
	for _, c := range []struct {
		source string
		units  []Unit
		text   string
		sigma  string // capacities in the order of the letters
	}{
		{"LC", fermi, "LLC", "C1 L1"}, // Berezovskyi2012, Fig. 1
		{"lcl", fermi, "LLCLL", "C1 L1"},
		{"LCLCL", fermi, "LLCLLCLL", "C1 L1"},
		{"LC", []Unit{{'L', 8}, {'C', 48}}, "LLLLC", "C1 L1"}, // 16 of 48 cores idle
		{"LC", []Unit{{'L', 32}, {'C', 64}}, "LC", "C2 L1"},
		{"L2(CL)2", []Unit{{'L', 32}, {'C', 32}}, "LLCLCL", "C1 L1"},
		{" L_2 ", nil, "", ""},
		{"S(F(A)2)2", []Unit{{'A', 32}, {'F', 16}, {'S', 4}}, "SSSSSSSSFFAAFFAA", "A1 F1 S1"},
		{"L", []Unit{{'L', 1}}, strings.Repeat("L", 32), "L1"},
	} {
		in, err := New(c.source, c.units, 32, 4)
		if c.units == nil {
			if err == nil {
				t.Errorf("%q is accepted", c.source)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.source, err)
			continue
		}
		var sigma []string
		for _, k := range in.Kinds {
			sigma = append(sigma, string(rune(k.Letter))+string(rune('0'+k.Capacity)))
		}
		if in.Text() != c.text || strings.Join(sigma, " ") != c.sigma || in.Length != int64(len(c.text)) {
			t.Errorf("%q: %s %v of length %d, want %s %s", c.source, in.Text(), sigma, in.Length, c.text, c.sigma)
		}
	}
	in, err := New("C", []Unit{{'C', 48}}, 32, 1)
	if err != nil || in.Kinds[0].Idle != 16 {
		t.Errorf("48 cores and a warp of 32: %+v, %v; want 16 idle", in.Kinds, err)
	}
}

func TestBadStrings(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"", "column 1: no instruction"},
		{"  ", "column 1: no instruction"},
		{"LXC", `column 2: 'X' is no kind of unit, expected one of L, C`},
		{"l x", `column 3: 'X' is no kind of unit`},
		{"L)C", "column 2: a closing parenthesis without"},
		{"L(C", "column 2: an opening parenthesis without"},
		{"L()3", "column 2: an empty group"},
		{"()9223372036854775807", "column 1: an empty group"},
		{"L0", "column 2: a count of 0"},
		{"L99999999999999999999", "column 2: count 99999999999999999999 is too large"},
		{"3L", "column 1: '3', expected a letter"},
		{"L-C", "column 2: '-', expected"},
		{"LÄ", "column 2: 'Ä', expected"},
		{"((L9223372036854775807)2)", "more than 2^63"},
		{"C9223372036854775807L9223372036854775807", "more than 2^63"},
		{"L4611686018427387904", "more than 2^63"}, // half a warp a cycle
		{strings.Repeat("(", 100) + "L" + strings.Repeat(")", 100), "column 65: groups nested"},
	} {
		_, err := New(c.source, fermi, 32, 4)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.source, err, c.want)
		}
	}
}

func TestBadUnits(t *testing.T) {
	for _, c := range []struct {
		units       []Unit
		size, warps int64
		want        string
	}{
		{[]Unit{{'L', 0}}, 32, 4, "0 units"},
		{[]Unit{{'L', -3}}, 32, 4, "-3 units"},
		{[]Unit{{'L', 12}}, 32, 4, "12 units do not divide a warp of 32 threads"},
		{[]Unit{{'L', 16}, {'l', 32}}, 32, 4, "stated twice"},
		{[]Unit{{'?', 16}}, 32, 4, "expected a letter"},
		{fermi, 0, 4, "a warp of 0 threads"},
		{fermi, 32, 0, "0 warps"},
		{fermi, 32, -1, "-1 warps"},
	} {
		_, err := New("L", c.units, c.size, c.warps)
		var unit *UnitError
		if !errors.As(err, &unit) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.units, err, c.want)
		}
	}
	for _, text := range []string{"", "L", "L=", "=3", "L=0", "L=-1", "L=x", "LC=3", "L=16;C=32", "L=16,", "1=2", "L=99999999999999999999"} {
		if units, err := ParseUnits(text); err == nil {
			t.Errorf("units %q are accepted: %v", text, units)
		}
	}
	if units, err := ParseUnits(" l = 16 , C=32"); err != nil || len(units) != 2 || units[0] != fermi[0] || units[1] != fermi[1] {
		t.Errorf("units: %v, %v", units, err)
	}
}

// A long string has counts and closed forms, and is never written out.
func TestLongString(t *testing.T) {
	in, err := New("(L(C1000)1000000)100", []Unit{{'L', 32}, {'C', 64}}, 32, 3)
	if err != nil {
		t.Fatal(err)
	}
	safe, err := in.Safe()
	if err != nil || in.Code != nil || in.Length != 100_000_000_100 || safe != 100_000_000_100+2*100+100_000_000_000 {
		t.Errorf("length %d, safe %d, %v", in.Length, safe, err)
	}
	if err := (&Schedule{}).Check(in); err == nil {
		t.Error("a schedule of it is accepted")
	}
	if _, err := FromMoves(in, nil); err == nil {
		t.Error("moves of it are accepted")
	}
}

func FuzzNew(f *testing.F) {
	for _, s := range []string{"LLCLL", "L2(CL)3", "((L))", "l c_9", "L()", "X"} {
		f.Add(s, "L=16,C=32", int64(32), int64(4))
	}
	f.Fuzz(func(t *testing.T, source, units string, size, warps int64) {
		if len(source) > 1000 {
			return
		}
		u, err := ParseUnits(units)
		if err != nil {
			return
		}
		in, err := New(source, u, size, warps)
		if err != nil {
			return
		}
		var sum int64
		for _, k := range in.Kinds {
			sum += k.Count
			if k.Capacity < 1 || k.Repeat < 1 || k.Count < 1 || k.Capacity > 1 && k.Repeat > 1 {
				t.Errorf("kind %+v", k)
			}
		}
		if sum != in.Length || in.Code != nil && int64(len(in.Code)) != sum {
			t.Errorf("length %d, %d letters, kinds sum to %d", in.Length, len(in.Code), sum)
		}
		published, err1 := in.Published()
		safe, err2 := in.Safe()
		if err1 == nil && err2 == nil && in.PublishedSafe() && published != safe {
			t.Errorf("published %d, safe %d with capacities of 1", published, safe)
		}
		if err2 == nil && safe < in.Length {
			t.Errorf("safe %d below the length %d", safe, in.Length)
		}
	})
}

// What ParseString reads is what its letters, written out, are.
func TestRepetitionIsWritingOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		short, long := drawString(t, 0)
		a, err := New(short, []Unit{{'L', 32}, {'C', 32}}, 32, 2)
		if err != nil {
			t.Fatal(err)
		}
		if a.Text() != long {
			t.Fatalf("%s is %s, want %s", short, a.Text(), long)
		}
	})
}

func drawString(t *rapid.T, depth int) (short, long string) {
	for range rapid.IntRange(1, 3).Draw(t, "items") {
		s, l := rapid.SampledFrom([]string{"L", "C"}).Draw(t, "letter"), ""
		l = s
		if depth < 3 && rapid.Bool().Draw(t, "group") {
			s, l = drawString(t, depth+1)
			s = "(" + s + ")"
		}
		n := rapid.IntRange(1, 3).Draw(t, "times")
		if n > 1 {
			s += string(rune('0' + n))
		}
		short += s
		long += strings.Repeat(l, n)
	}
	return short, long
}
