package stream

import (
	"testing"

	"github.com/warpbound/warpbound/internal/seq"
	"pgregory.net/rapid"
)

func randomSeq(t *rapid.T, depth int) *seq.Seq {
	var items []seq.Item
	for range rapid.IntRange(0, 3).Draw(t, "items") {
		if depth > 0 && rapid.Bool().Draw(t, "loop") {
			items = append(items, seq.Repeat(rapid.Int64Range(0, 3).Draw(t, "count"), randomSeq(t, depth-1)))
			continue
		}
		items = append(items, seq.Run(rapid.SliceOfN(rapid.Int32Range(0, 9), 0, 3).Draw(t, "run")...))
	}
	return seq.Must(items...)
}

func TestCursorYieldsTheUnfoldedSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := randomSeq(t, 3)
		var c Cursor
		c.Reset(randomSeq(t, 2))
		c.Next()
		c.Reset(s)
		var n int64
		for want := range s.All() {
			if rapid.Bool().Draw(t, "peek") {
				if got, ok := c.Peek(); !ok || got != want {
					t.Fatalf("symbol %d: peeked at %d, %v, want %d", n, got, ok, want)
				}
			}
			if got, ok := c.Next(); !ok || got != want {
				t.Fatalf("symbol %d: %d, %v, want %d", n, got, ok, want)
			}
			n++
		}
		if n != s.Len() {
			t.Fatalf("%d symbols of %d", n, s.Len())
		}
		if _, ok := c.Peek(); ok {
			t.Fatal("peeked behind the end")
		}
		if _, ok := c.Next(); ok {
			t.Fatal("a symbol behind the end")
		}
	})
}

func TestCursorOfNothing(t *testing.T) {
	var c Cursor
	if _, ok := c.Next(); ok {
		t.Error("the zero cursor has a symbol")
	}
	c.Reset(nil)
	if _, ok := c.Next(); ok {
		t.Error("nil has a symbol")
	}
}

func BenchmarkNext(b *testing.B) {
	body := seq.Must(seq.Run(0, 1, 2, 3, 4, 5, 6, 7))
	s := seq.Must(seq.Repeat(1<<40, seq.Must(seq.Repeat(4, body))))
	var c Cursor
	c.Reset(s)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Next(); !ok {
			b.Fatal("ended")
		}
	}
}
