package makespan

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawBody draws a body and the letters it stands for.
func drawBody(t *rapid.T, depth int) (*Body, string) {
	b := &Body{}
	var text strings.Builder
	for range rapid.IntRange(1, 4).Draw(t, "pieces") {
		times := rapid.Int64Range(1, 3).Draw(t, "times")
		if depth > 0 && rapid.Bool().Draw(t, "group") {
			inner, s := drawBody(t, depth-1)
			if err := b.Repeat(inner, times); err != nil {
				t.Fatal(err)
			}
			text.WriteString(strings.Repeat(s, int(times)))
			continue
		}
		letter := "LCA"[rapid.IntRange(0, 2).Draw(t, "letter")]
		if err := b.Letter(letter, times); err != nil {
			t.Fatal(err)
		}
		text.WriteString(strings.Repeat(string(rune(letter)), int(times)))
	}
	return b, text.String()
}

// A pattern built is the one that its text reads as.
func TestBuiltPatternReadsBack(t *testing.T) {
	units := []Unit{{'L', 32}, {'C', 64}, {'A', 16}}
	rapid.Check(t, func(t *rapid.T) {
		b, letters := drawBody(t, 3)
		p, err := b.Pattern(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := lettersOf(b); !ok || n != int64(len(letters)) {
			t.Fatalf("%d letters, want %d", n, len(letters))
		}
		built, err := p.Instance(units, 32, 3)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := New(letters, units, 32, 3)
		if err != nil {
			t.Fatal(err)
		}
		read, err := New(built.Source, units, 32, 3)
		if err != nil {
			t.Fatal(err)
		}
		if built.Text() != plain.Text() || read.Text() != plain.Text() || built.Length != plain.Length {
			t.Fatalf("built %s as %q, read back %s, want %s", built.Text(), built.Source, read.Text(), plain.Text())
		}
		for i := range plain.Kinds {
			if built.Kinds[i] != plain.Kinds[i] {
				t.Fatalf("kind %+v, want %+v", built.Kinds[i], plain.Kinds[i])
			}
		}
	})
}

func TestPatternText(t *testing.T) {
	inner, outer := &Body{}, &Body{}
	for _, err := range []error{
		inner.Letter('L', 1), inner.Letter('A', 2), outer.Letter('A', 1), outer.Letter('A', 2),
		outer.Repeat(inner, 100), outer.Repeat(&Body{}, 5), outer.Repeat(inner, 1),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	p, err := outer.Pattern(100)
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int]string{100: "A3(LA2)100LA2", 13: "A3(LA2)100LA2", 12: "A3(LA2)100L" + Cut, 5: "A3(L" + Cut, 0: Cut} {
		if got := p.Text(limit); got != want {
			t.Errorf("at most %d bytes: %q, want %q", limit, got, want)
		}
	}
}

func TestBadBodies(t *testing.T) {
	b := &Body{}
	if _, err := b.Pattern(9); err == nil {
		t.Error("an empty pattern was made")
	}
	if b.Letter('a', 1) == nil || b.Letter('A', 0) == nil || b.Repeat(&Body{}, 0) == nil {
		t.Error("a bad piece was accepted")
	}
	for _, err := range []error{b.Letter('A', math.MaxInt64), b.Letter('B', 1)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := lettersOf(b); ok || b.Letter('A', 1) == nil || new(Body).Repeat(b, 2) == nil {
		t.Error("2^63 letters fit int64")
	}
}

// lettersOf is the number of letters, repetitions multiplied out; false where it leaves
// int64.
func lettersOf(b *Body) (int64, bool) {
	sum := int64(0)
	for _, n := range b.counts {
		if n > math.MaxInt64-sum {
			return 0, false
		}
		sum += n
	}
	return sum, true
}
