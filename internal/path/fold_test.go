package path

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// stmt is a random structured program: straight code or a loop whose body runs
// count times and whose symbols may vary between iterations.
type stmt struct {
	pcs   []int32
	body  []stmt
	count int
	vary  int // every vary-th iteration uses other symbols; 0 never
}

func genStmts(t *rapid.T, depth int, pc *int32) []stmt {
	var out []stmt
	for range rapid.IntRange(1, 3).Draw(t, "statements") {
		s := stmt{}
		for range rapid.IntRange(1, 4).Draw(t, "instructions") {
			s.pcs = append(s.pcs, *pc)
			*pc++
		}
		if depth > 0 && rapid.Bool().Draw(t, "loop") {
			s.body = genStmts(t, depth-1, pc)
			s.count = rapid.IntRange(1, 9).Draw(t, "iterations")
			s.vary = rapid.IntRange(0, 3).Draw(t, "vary")
		}
		out = append(out, s)
	}
	return out
}

func emit(ss []stmt, variant int32, out *[]int32) {
	for _, s := range ss {
		for _, pc := range s.pcs {
			*out = append(*out, pc*2+variant)
		}
		for i := range s.count {
			v := variant
			if s.vary > 0 && i%s.vary == 0 {
				v = 1 - v
			}
			emit(s.body, v, out)
		}
	}
}

func fold(t interface{ Fatal(...any) }, trace []int32) []int32 {
	st := newStore()
	f := newFolder(st, func(s int32) int32 { return s / 2 })
	for i, s := range trace {
		next := int32(-1)
		if i+1 < len(trace) {
			next = trace[i+1] / 2
		}
		f.add(s, s/2, next)
	}
	q, err := st.sequence(f.finish())
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(q.All())
}

func TestFoldingKeepsTheSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pc int32
		var trace []int32
		emit(genStmts(t, 3, &pc), 0, &trace)
		if got := fold(t, trace); !slices.Equal(got, trace) {
			t.Fatalf("folded to %v, want %v", got, trace)
		}
	})
}

func TestFoldingKeepsArbitraryJumps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := rapid.SliceOfN(rapid.Int32Range(0, 9), 1, 200).Draw(t, "trace")
		if got := fold(t, trace); !slices.Equal(got, trace) {
			t.Fatalf("folded to %v, want %v", got, trace)
		}
	})
}

func TestConcatenatingKeepsTheSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := newStore()
		var want, ids []int32
		for range rapid.IntRange(1, 60).Draw(t, "sections") {
			section := rapid.SampledFrom([][]int32{{}, {1}, {1, 2}, {3}}).Draw(t, "section")
			want = append(want, section...)
			ids = append(ids, st.intern(section))
		}
		q, err := st.sequence(st.concatenate(ids))
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(q.All()); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// A nest of loops with 10^6 iterations is stored in a few items, alternating
// bodies included.
func TestFoldingSize(t *testing.T) {
	st := newStore()
	f := newFolder(st, func(s int32) int32 { return s / 2 })
	for i := range 1000 {
		f.add(0, 0, 1)
		for j := range 1000 {
			next := int32(1)
			if j == 999 {
				next = 3
			}
			f.add(2+int32(j%2), 1, 2)
			f.add(4, 2, next)
		}
		next := int32(0)
		if i == 999 {
			next = -1
		}
		f.add(6, 3, next)
	}
	q, err := st.sequence(f.finish())
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(1000 * (2 + 2000)); q.Len() != want {
		t.Fatalf("length %d, want %d", q.Len(), want)
	}
	stored := 0
	for _, b := range st.bodies {
		stored += len(b)
	}
	if stored > 200 {
		t.Fatalf("%d items stored for a folded nest", stored)
	}
}

func BenchmarkFold(b *testing.B) {
	st := newStore()
	f := newFolder(st, func(s int32) int32 { return s })
	b.ReportAllocs()
	for i := 0; i < b.N; i += 10 {
		for pc := int32(0); pc < 10; pc++ {
			next := pc + 1
			if pc == 9 {
				next = 0
			}
			f.add(pc, pc, next)
		}
	}
}
