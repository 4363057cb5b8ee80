package seq

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func gen(t *rapid.T, depth int) *Seq {
	var items []Item
	for range rapid.IntRange(0, 3).Draw(t, "items") {
		if depth > 0 && rapid.Bool().Draw(t, "repeat") {
			items = append(items, Repeat(rapid.Int64Range(0, 4).Draw(t, "count"), gen(t, depth-1)))
		} else {
			items = append(items, Run(rapid.SliceOfN(rapid.Int32Range(0, 5), 0, 4).Draw(t, "run")...))
		}
	}
	s, err := New(items...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFoldedEqualsUnfolded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := gen(t, 3)
		flat := slices.Collect(s.All())
		if int64(len(flat)) != s.Len() {
			t.Fatalf("%s: length %d, yields %d", s, s.Len(), len(flat))
		}
		if u := Must(Run(flat...)); u.Hash() != s.Hash() {
			t.Fatalf("%s: the hash depends on the folding", s)
		}
		counts, want := make([]int64, 6), make([]int64, 6)
		for _, x := range flat {
			want[x]++
		}
		if err := s.Counts(1, counts); err != nil || !slices.Equal(counts, want) {
			t.Fatalf("%s: counts %v, %v, want %v", s, counts, err, want)
		}
	})
}

func TestPrintParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := gen(t, 3)
		back, err := Parse(s.String())
		if err != nil || back.String() != s.String() || back.Hash() != s.Hash() {
			t.Fatalf("%s: parsed as %v, %v", s, back, err)
		}
		again, err := Parse(back.String())
		if err != nil || !Equal(again, back) {
			t.Fatalf("%s: not equal to its own copy: %v", s, err)
		}
	})
}

func TestEqualTellsApart(t *testing.T) {
	for _, pair := range [][2]string{{"1 2", "2 1"}, {"1 1", "(1)*2"}, {"(1 2)*3", "(1 2)*4"}, {"1", ""}, {"(1)*2 3", "(1)*2 4"}} {
		a, err := Parse(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := Parse(pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if Equal(a, b) || Equal(b, a) {
			t.Errorf("%q equals %q", pair[0], pair[1])
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"1 x":                             "offset 2",
		"(1":                              "found the end, expected ')*'",
		"(1)2":                            "found ')', expected ')*'",
		"(1)*":                            "not a number",
		"1)":                              "found ')'",
		"-1":                              "offset 0",
		"4294967296":                      "at most 32 bits",
		"(1)*99999999999999999999":        "at most 64 bits",
		strings.Repeat("(", 5000):         "nested more than",
		"((1)*9000000000)*90000000000000": "longer than",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v, want %q", text, err, want)
		}
	}
}

func TestNewErrors(t *testing.T) {
	body := Must(Run(1, 2))
	for name, items := range map[string][]Item{
		"negative symbol":   {Run(-1)},
		"negative count":    {Repeat(-1, body)},
		"count, no body":    {{Count: 2}},
		"symbols and body":  {{Symbols: []int32{1}, Count: 1, Body: body}},
		"too long":          {Repeat(math.MaxInt64, body)},
		"too long together": {Repeat(math.MaxInt64/2, body), Run(1, 1)},
	} {
		if s, err := New(items...); err == nil {
			t.Errorf("%s: accepted as %s", name, s)
		}
	}
	if _, err := New(Repeat(math.MaxInt64, body)); !errors.Is(err, ErrTooLong) {
		t.Errorf("got %v, want ErrTooLong", err)
	}
	if err := Must(Run(7)).Counts(1, make([]int64, 7)); err == nil {
		t.Error("a symbol outside the table was counted")
	}
	if s := Must(Repeat(0, body), Run(), Repeat(3, Must())); s.Len() != 0 || len(s.Items()) != 0 {
		t.Errorf("empty items kept: %q", s)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "0 1 2", "(0 1)*3 2", "((0)*2 1)*1000000000000", "(1", "9)*2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		back, err := Parse(s.String())
		if err != nil || back.Hash() != s.Hash() || back.Len() != s.Len() {
			t.Fatalf("%q printed as %q and read back as %v, %v", text, s, back, err)
		}
	})
}

func BenchmarkAll(b *testing.B) {
	s := Must(Repeat(1<<20, Must(Run(0, 1, 2, 3, 4, 5, 6, 7))))
	var sum int64
	for b.Loop() {
		for x := range s.All() {
			sum += int64(x)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.Len()), "ns/symbol")
	_ = sum
}
