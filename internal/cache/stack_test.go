package cache

import (
	"testing"

	"pgregory.net/rapid"
)

// Every access and every number of ways: the stack says what the cache does.
func TestStackAgainstCaches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		c.Replacement, c.SectorBytes = LRU, c.LineBytes
		c.Ways = min(c.Ways, 40)
		addrs, kinds := drawSequence(t, c)
		st := newStack(c)
		caches := make([]*Cache, c.Ways+1)
		for w := 1; w <= c.Ways; w++ {
			d := c
			d.Ways = w
			var err error
			if caches[w], err = New(d); err != nil {
				t.Fatal(err)
			}
		}
		for i, a := range addrs {
			depth := st.access(a, kinds[i])
			for w := 1; w <= c.Ways; w++ {
				r := caches[w].Access(a, kinds[i])
				if want := depth > 0 && depth <= w; r.Hit != want {
					t.Fatalf("%+v: access %d (%v %#x): stack distance %d, but with %d ways hit = %v", c, i, kinds[i], a, depth, w, r.Hit)
				}
			}
		}
	})
}

func TestStackByHand(t *testing.T) {
	for _, tc := range []struct {
		c    Config
		seq  string
		want []int
	}{
		{Config{Ways: 4}, "abcabca", []int{0, 0, 0, 3, 3, 3, 3}},
		{Config{Ways: 2}, "abcabb", []int{0, 0, 0, 0, 0, 1}},
		// b's place is a hole; d fills it where b was, and c, a stay with 3 ways.
		{Config{Ways: 4, WriteEvict: true}, "abcBdac", []int{0, 0, 0, 2, 0, 3, 3}},
		// A is a use where a is held (2 ways), so that c drops b there, and a is older
		// than b nowhere; with 1 way a is gone already.
		{Config{Ways: 3}, "abAcab", []int{0, 0, 2, 0, 2, 3}},
		{Config{Ways: 3, WriteAllocate: true}, "abAcab", []int{0, 0, 2, 0, 2, 3}},
	} {
		tc.c.Sets, tc.c.LineBytes, tc.c.SectorBytes = 1, 128, 128
		s := newStack(tc.c)
		for i, l := range tc.seq {
			k := Load
			if l < 'a' {
				k, l = Store, l-'A'+'a'
			}
			if got := s.access(uint64(l)*128, k); got != tc.want[i] {
				t.Errorf("%+v: %s: access %d: %d, want %d", tc.c, tc.seq, i, got, tc.want[i])
			}
		}
	}
}
