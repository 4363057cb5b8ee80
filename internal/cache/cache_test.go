package cache

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawConfig draws a valid configuration.
func drawConfig(t *rapid.T) Config {
	c := Config{
		Sets:        rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "sets"),
		Ways:        rapid.SampledFrom([]int{1, 2, 3, 4, 6, 8, 15, 16, 17, 32, 48, 64, 65, 128, 256}).Draw(t, "ways"),
		LineBytes:   128,
		Replacement: rapid.SampledFrom([]Replacement{LRU, FIFO, PLRU}).Draw(t, "replacement"),
		Index:       rapid.SampledFrom([]Index{Linear, FermiHash}).Draw(t, "index"),
	}
	c.SectorBytes = c.LineBytes / rapid.SampledFrom([]int{1, 2, 4, 32}).Draw(t, "sectors")
	if c.Index == FermiHash {
		c.Sets = rapid.SampledFrom([]int{32, 64}).Draw(t, "hashed sets")
		c.Ways = min(c.Ways, 8)
	}
	if c.Replacement == PLRU {
		for c.Ways&(c.Ways-1) != 0 {
			c.Ways &= c.Ways - 1
		}
	}
	if c.WriteEvict = rapid.Bool().Draw(t, "evict"); !c.WriteEvict {
		c.WriteBack = rapid.Bool().Draw(t, "write back")
		c.WriteAllocate = rapid.Bool().Draw(t, "write allocate")
	}
	return c
}

// drawSequence draws byte addresses among somewhat fewer or more lines than the
// cache holds, so that there are hits, evictions and refills. What decides that is
// sampled evenly; ranges would prefer small values.
func drawSequence(t *rapid.T, c Config) ([]uint64, []Kind) {
	seed := rapid.Uint64().Draw(t, "seed")
	held := c.Sets * c.Ways
	n := 20 + held*rapid.SampledFrom([]int{1, 3, 6}).Draw(t, "length")
	lines := 1 + uint64(held*rapid.SampledFrom([]int{2, 7, 9, 11, 16}).Draw(t, "lines")/8)
	stores := rapid.SampledFrom([]uint64{0, 1, 3}).Draw(t, "stores")
	addrs, kinds := make([]uint64, n), make([]Kind, n)
	for i := range addrs {
		seed = seed*6364136223846793005 + 1442695040888963407
		x := seed >> 20
		addrs[i] = x%lines*uint64(c.LineBytes) + x>>33%uint64(c.LineBytes)
		if x>>40%8 < stores {
			kinds[i] = Store
		}
	}
	return addrs, kinds
}

func TestAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		m, err := New(c)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		addrs, kinds := drawSequence(t, c)
		for round := range 2 { // the second one after Reset
			ref := newReference(c)
			for i, a := range addrs {
				if got, want := m.Lookup(a), ref.lookup(a); got != want {
					t.Fatalf("%+v round %d: %d: Lookup(%#x) = %v, want %v", c, round, i, a, got, want)
				}
				if got, want := m.Access(a, kinds[i]), ref.access(a, kinds[i]); got != want {
					t.Fatalf("%+v round %d: %d: %v %#x: %+v, want %+v", c, round, i, kinds[i], a, got, want)
				}
			}
			m.Reset()
		}
	})
}

// play runs accesses given as letters: one line each, upper case stores.
func play(t *testing.T, c Config, letters string) string {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, l := range letters {
		k := Load
		if l < 'a' {
			k, l = Store, l-'A'+'a'
		}
		r := m.Access(uint64(l-'a')*uint64(c.LineBytes), k)
		switch {
		case r.Hit:
			out = append(out, 'h')
		case r.Evicted:
			out = append(out, byte('a'+r.Victim/uint64(c.LineBytes)))
		default:
			out = append(out, '-')
		}
	}
	return string(out)
}

// One set; the answer has h for a hit, the victim, or - for a miss without one.
func TestByHand(t *testing.T) {
	for _, tc := range []struct {
		name      string
		c         Config
		seq, want string
	}{
		{"lru", Config{Ways: 2}, "abacab", "--hbhc"},
		{"fifo", Config{Ways: 2, Replacement: FIFO}, "abacab", "--habc"},
		{"one way", Config{Ways: 1}, "aabba", "-hahb"},
		{"stores pass", Config{Ways: 2}, "AaAbBc", "--h-ha"},
		{"stores are uses", Config{Ways: 2}, "abAcb", "--hba"},
		{"stores allocate", Config{Ways: 2, WriteAllocate: true}, "AaBcb", "-h-ah"},
		{"stores evict", Config{Ways: 2, WriteEvict: true}, "abAcbBBa", "--h-hh--"},
		// The way that the store emptied is filled before b is thrown out.
		{"empty way first", Config{Ways: 2, WriteEvict: true}, "abAcdb", "--h-bc"},
		{"empty way first, fifo", Config{Ways: 2, WriteEvict: true, Replacement: FIFO}, "abBcad", "--h-ha"},
		{"empty way first, plru", Config{Ways: 2, WriteEvict: true, Replacement: PLRU}, "abAcd", "--h-b"},
		// With a to d in ways 0 to 3, every bit points at way 0. The use of a turns the
		// root to ways 2 and 3, where way 2 (c) is next, then way 1 (b) beside a.
		{"plru", Config{Ways: 4, Replacement: PLRU}, "abcdaec", "----hcb"},
		// LRU would evict d.
		{"plru is not lru", Config{Ways: 4, Replacement: PLRU}, "abcdabce", "----hhha"},
		// The uses of c keep turning the root away from c and d: d stays although
		// five other lines were used since.
		{"plru keeps an old line", Config{Ways: 4, Replacement: PLRU}, "abcdcfcgcicjd", "----hahbhfhgh"},
		{"plru, one way", Config{Ways: 1, Replacement: PLRU}, "aab", "-ha"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.c.Sets, tc.c.LineBytes, tc.c.SectorBytes = 1, 128, 128
			if got := play(t, tc.c, tc.seq); got != tc.want {
				t.Errorf("%s: %s, want %s", tc.seq, got, tc.want)
			}
		})
	}
}

// Belady's anomaly: with FIFO more ways can miss more often. The sequence is the
// one of L. A. Belady, R. A. Nelson, G. S. Shedler, CACM 1969: 9 and 10 misses.
func TestFIFOAnomaly(t *testing.T) {
	const seq = "abcdabeabcde"
	for _, tc := range []struct {
		r      Replacement
		ways   int
		misses int
	}{{FIFO, 3, 9}, {FIFO, 4, 10}, {LRU, 3, 10}, {LRU, 4, 8}} {
		c := Config{Sets: 1, Ways: tc.ways, LineBytes: 128, SectorBytes: 128, Replacement: tc.r}
		got := len(seq) - strings.Count(play(t, c, seq), "h")
		if got != tc.misses {
			t.Errorf("%v, %d ways: %d misses, want %d", tc.r, tc.ways, got, tc.misses)
		}
	}
}

// What an LRU cache holds, every LRU cache of as many sets and more ways holds too.
func TestInclusion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		c.Replacement = LRU
		c.SectorBytes = c.LineBytes
		small, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		big := c
		big.Ways = min(MaxWays, c.Ways+rapid.IntRange(1, 4).Draw(t, "more ways"))
		large, err := New(big)
		if err != nil {
			t.Fatal(err)
		}
		addrs, kinds := drawSequence(t, c)
		for i, a := range addrs {
			if r, s := small.Access(a, kinds[i]), large.Access(a, kinds[i]); r.Hit && !s.Hit {
				t.Fatalf("%+v: access %d hits with %d ways and misses with %d", c, i, c.Ways, big.Ways)
			}
		}
	})
}

func TestSectors(t *testing.T) {
	m, err := New(Config{Sets: 1, Ways: 1, LineBytes: 128, SectorBytes: 32, WriteBack: true, WriteAllocate: true})
	if err != nil {
		t.Fatal(err)
	}
	var n Counts
	for i, s := range []struct {
		addr uint64
		k    Kind
		want Result
	}{
		{0, Load, Result{}},
		{31, Load, Result{Outcome: Outcome{Hit: true}}},
		{32, Load, Result{Outcome: Outcome{SectorMiss: true}}},
		{96, Store, Result{Outcome: Outcome{SectorMiss: true}}},
		{127, Load, Result{Outcome: Outcome{Hit: true}}},
		{128 + 64, Load, Result{Outcome{Evicted: true, WroteBack: true}, 0}},
		{128, Load, Result{Outcome: Outcome{SectorMiss: true}}},
		{0, Store, Result{Outcome{Evicted: true}, 128}},
	} {
		r := m.Access(s.addr, s.k)
		if r != s.want {
			t.Errorf("access %d: %+v, want %+v", i, r, s.want)
		}
		n.Add(s.k, r)
	}
	want := Counts{Loads: Tally{Accesses: 6, Hits: 2, SectorMisses: 2}, Stores: Tally{Accesses: 2, SectorMisses: 1}}
	if n != want {
		t.Errorf("counts %+v, want %+v", n, want)
	}
	if got := n.Both(); got != (Tally{8, 2, 3}) || got.Misses() != 6 {
		t.Errorf("both: %+v", got)
	}
}

// A row of accesses is counted as one by one.
func TestCountIsAccess(t *testing.T) {
	c := Config{Sets: 4, Ways: 2, LineBytes: 128, SectorBytes: 32, WriteBack: true, WriteAllocate: true}
	row, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	single, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	var got, want Counts
	x := uint64(1)
	for i := range 200 {
		kind := Kind(i % 2)
		var addrs []uint64
		for range i % 7 {
			x = x*6364136223846793005 + 1442695040888963407
			addrs = append(addrs, x>>52*16)
			want.Add(kind, single.Access(addrs[len(addrs)-1], kind))
		}
		row.Count(addrs, kind, &got)
	}
	if got != want || got.Loads.Hits == 0 || got.Loads.SectorMisses == 0 || got.Stores.Hits == 0 {
		t.Errorf("counted %+v, one by one %+v", got, want)
	}
}
