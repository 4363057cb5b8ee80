package cache

import (
	"errors"
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
		st, err := NewStack(c)
		if err != nil {
			t.Fatal(err)
		}
		caches, counts := make([]*Cache, c.Ways+1), make([]Counts, c.Ways+1)
		for w := 1; w <= c.Ways; w++ {
			d := c
			d.Ways = w
			if caches[w], err = New(d); err != nil {
				t.Fatal(err)
			}
		}
		for i, a := range addrs {
			depth := st.Access(a, kinds[i])
			for w := 1; w <= c.Ways; w++ {
				r := caches[w].Access(a, kinds[i])
				counts[w].Add(kinds[i], r)
				if want := depth > 0 && depth <= w; r.Hit != want {
					t.Fatalf("%+v: access %d (%v %#x): stack distance %d, but with %d ways hit = %v", c, i, kinds[i], a, depth, w, r.Hit)
				}
			}
		}
		for w := 1; w <= c.Ways; w++ {
			if got, err := st.Counts(w); err != nil || got != counts[w] {
				t.Fatalf("%+v: %d ways: %+v, %v, want %+v", c, w, got, err, counts[w])
			}
		}
	})
}

func TestSweepAgainstCaches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		configs := rapid.SliceOfN(rapid.Custom(drawConfig), 1, 12).Draw(t, "configs")
		for i := 1; i < len(configs); i += 2 { // make some share a stack
			configs[i] = configs[i-1]
			configs[i].Replacement = LRU
			configs[i].Ways = i
		}
		s, err := NewSweep(configs)
		if err != nil {
			t.Fatal(err)
		}
		addrs, kinds := drawSequence(t, configs[0])
		for i, a := range addrs {
			s.Access(a, kinds[i])
		}
		for j, c := range configs {
			m, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			var want Counts
			for i, a := range addrs {
				want.Add(kinds[i], m.Access(a, kinds[i]))
			}
			if got, err := s.Counts(j); err != nil || got != want {
				t.Fatalf("%+v: %+v, %v, want %+v", c, got, err, want)
			}
		}
	})
}

// The sizes and ways of Huangfu2017 need one stack for each number of sets.
func TestSweepShares(t *testing.T) {
	var configs []Config
	for _, kb := range []int{16, 32, 64} {
		for _, ways := range []int{4, 8, 16} {
			configs = append(configs, Config{Sets: kb << 10 / 128 / ways, Ways: ways, LineBytes: 128, SectorBytes: 128, WriteEvict: true})
		}
	}
	s, err := NewSweep(configs)
	if err != nil {
		t.Fatal(err)
	}
	// 8, 16, 32, 64, 128 sets; 8 and 128 occur once and need no stack.
	if len(s.stacks) != 3 || len(s.caches) != 2 {
		t.Errorf("%d stacks and %d caches, want 3 and 2", len(s.stacks), len(s.caches))
	}
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
		s, err := NewStack(tc.c)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range tc.seq {
			k := Load
			if l < 'a' {
				k, l = Store, l-'A'+'a'
			}
			if got := s.Access(uint64(l)*128, k); got != tc.want[i] {
				t.Errorf("%+v: %s: access %d: %d, want %d", tc.c, tc.seq, i, got, tc.want[i])
			}
		}
	}
}

func TestBadStack(t *testing.T) {
	good := Config{Sets: 1, Ways: 4, LineBytes: 128, SectorBytes: 128}
	for _, edit := range []func(*Config){
		func(c *Config) { c.Replacement = FIFO },
		func(c *Config) { c.Replacement = PLRU },
		func(c *Config) { c.SectorBytes = 32 },
	} {
		c := good
		edit(&c)
		if _, err := NewStack(c); !errors.Is(err, ErrNoStack) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := NewStack(Config{}); !errors.Is(err, ErrConfig) {
		t.Errorf("zero value: %v", err)
	}
	s, err := NewStack(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []int{0, 5, -1} {
		if _, err := s.Counts(w); !errors.Is(err, ErrConfig) {
			t.Errorf("%d ways: %v", w, err)
		}
	}
	if _, err := NewSweep([]Config{good, {}}); !errors.Is(err, ErrConfig) {
		t.Errorf("sweep: %v", err)
	}
	sw, err := NewSweep([]Config{good})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{-1, 1} {
		if _, err := sw.Counts(i); !errors.Is(err, ErrConfig) {
			t.Errorf("configuration %d: %v", i, err)
		}
	}
}
