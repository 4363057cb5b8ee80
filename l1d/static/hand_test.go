package static

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/l1d/cache"
)

// parse reads the accesses of warps, one word a warp: a letter is a line of set 0,
// upper case a store.
func parse(c cache.Config, words string) [][]access {
	var warps [][]access
	for word := range strings.FieldsSeq(words) {
		var seq []access
		for _, l := range word {
			a := access{addr: uint64(l-'a') * uint64(c.Sets*c.LineBytes)}
			if l < 'a' {
				a = access{uint64(l-'A') * uint64(c.Sets*c.LineBytes), cache.Store}
			}
			seq = append(seq, a)
		}
		warps = append(warps, seq)
	}
	return warps
}

// Classes worked out by hand: H, M, P and - (unclassified) for each access.
func TestByHand(t *testing.T) {
	const lru, fifo, plru = cache.LRU, cache.FIFO, cache.PLRU
	for _, tc := range []struct {
		name  string
		c     cache.Config
		start Start
		warps string
		want  string
	}{
		{"alone", cache.Config{Ways: 2}, Cold, "aab", "MHM"},
		{"alone, any start", cache.Config{Ways: 2}, AnyStart, "aab", "PHP"},
		{"alone, replaced", cache.Config{Ways: 2}, Cold, "abca", "MMMM"},
		{"alone, kept", cache.Config{Ways: 2}, Cold, "abcb", "MMMH"},
		{"two warps share a line that stays", cache.Config{Ways: 2}, Cold, "aa ab", "PH PM"},
		{"two warps, others' lines fit beside", cache.Config{Ways: 3}, Cold, "aab cd", "MHM MM"},
		{"two warps, one line too many", cache.Config{Ways: 3}, Cold, "aba cde", "MM- MMM"},
		{"any start drops what the warp replaced", cache.Config{Ways: 2}, AnyStart, "abca", "--MM"},
		{"fifo is not refreshed", cache.Config{Ways: 2, Replacement: fifo}, AnyStart, "abca", "----"},
		{"fifo drops after 2W-1 others", cache.Config{Ways: 2, Replacement: fifo}, Cold, "abcda", "MMMMM"},
		{"fifo, at once again", cache.Config{Ways: 2, Replacement: fifo}, AnyStart, "aabbcc", "-H-H-H"},
		{"fifo, held but maybe old", cache.Config{Ways: 2, Replacement: fifo}, AnyStart, "aba", "PPP"},
		{"plru keeps 3 of 4", cache.Config{Ways: 4, Replacement: plru}, AnyStart, "abca", "PPPH"},
		{"plru, 3 others", cache.Config{Ways: 4, Replacement: plru}, AnyStart, "abcda", "-----"},
		{"plru, cold and held", cache.Config{Ways: 4, Replacement: plru}, Cold, "abcda", "MMMMH"},
		{"own store evicts", cache.Config{Ways: 2, WriteEvict: true}, Cold, "aAaa", "MHMH"},
		{"own store evicts, any start", cache.Config{Ways: 2, WriteEvict: true}, AnyStart, "aAa", "-HM"},
		{"another's store evicts", cache.Config{Ways: 2, WriteEvict: true}, Cold, "aa A", "M- -"},
		{"stores pass by", cache.Config{Ways: 2}, Cold, "AA A", "MM M"},
		{"stores pass by, any start", cache.Config{Ways: 2}, AnyStart, "AA A", "-- -"},
		{"stores allocate", cache.Config{Ways: 2, WriteAllocate: true}, Cold, "Aa bB", "MH MH"},
		{"a store that hits is a use", cache.Config{Ways: 2}, Cold, "abAcab", "MMHMHM"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.c.Sets, tc.c.LineBytes, tc.c.SectorBytes = 2, 128, 128
			y := &toy{tc.c, tc.start, parse(tc.c, tc.warps)}
			c, err := y.analyse()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, classes := range c.classes {
				word := ""
				for _, k := range classes {
					word += string("-HMP"[k])
				}
				got = append(got, word)
			}
			if s := strings.Join(got, " "); s != tc.want {
				t.Errorf("%s: %s, want %s", tc.warps, s, tc.want)
			}
			if err := y.everyOrder(func(order []int) error {
				m, err := cache.New(tc.c)
				if err != nil {
					return err
				}
				return y.check(c, m, order)
			}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTotals(t *testing.T) {
	c := cache.Config{Sets: 1, Ways: 4, LineBytes: 128, SectorBytes: 128}
	y := &toy{c, Cold, parse(c, "aab aaB")}
	got, err := y.analyse()
	if err != nil {
		t.Fatal(err)
	}
	want := Totals{
		Loads:             Tally{Accesses: 5, AlwaysHit: 2, AlwaysMiss: 1, Persistent: 2},
		Stores:            Tally{Accesses: 1, Unclassified: 1},
		PersistentSectors: 1,
	}
	if got.totals != want {
		t.Errorf("%+v, want %+v", got.totals, want)
	}
	if least, most := got.totals.Misses(); least != 1 || most != 3 {
		t.Errorf("misses %d to %d, want 1 to 3", least, most)
	}
}

func TestBadSystem(t *testing.T) {
	good := (&toy{cache.Config{Sets: 1, Ways: 1, LineBytes: 128, SectorBytes: 128}, Cold, [][]access{{{0, cache.Load}}}}).system()
	for name, tc := range map[string]struct {
		edit func(*System)
		want error
	}{
		"cache":    {func(s *System) { s.Cache.Ways = 0 }, cache.ErrConfig},
		"start":    {func(s *System) { s.Start = 2 }, ErrSystem},
		"warps":    {func(s *System) { s.Warps = -1 }, ErrSystem},
		"accesses": {func(s *System) { s.Accesses = nil }, ErrSystem},
	} {
		s := good
		tc.edit(&s)
		if _, err := Analyse(s); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a, err := Analyse(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []int{-1, 1} {
		if err := a.Walk(w, func(Class) {}); !errors.Is(err, ErrSystem) {
			t.Errorf("warp %d: %v", w, err)
		}
	}
}

// Accesses that change between the first reading and the walk are an error.
func TestChangingSystem(t *testing.T) {
	reads := uint64(0)
	a, err := Analyse(System{
		Cache: cache.Config{Sets: 1, Ways: 1, LineBytes: 128, SectorBytes: 128}, Warps: 1,
		Accesses: func(int) iter.Seq2[uint64, cache.Kind] {
			reads++
			return func(yield func(uint64, cache.Kind) bool) { yield(reads*128, cache.Load) }
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Walk(0, func(Class) {}); !errors.Is(err, ErrSystem) {
		t.Errorf("got %v", err)
	}
	if _, err := a.Totals(); !errors.Is(err, ErrSystem) {
		t.Errorf("totals: %v", err)
	}
}

func TestTable(t *testing.T) {
	tab := newTable()
	var numbers []uint64
	for i := range uint64(1000) {
		n := i * i * 0x10001 % 100003
		if !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
		if got, want := tab.add(n), int32(slices.Index(numbers, n)); got != want {
			t.Fatalf("line %d is number %d, want %d", n, got, want)
		}
	}
	for i, n := range numbers {
		if got := tab.find(n); got != int32(i) {
			t.Errorf("line %d is number %d, want %d", n, got, i)
		}
	}
	if got := tab.find(1 << 40); got != absent {
		t.Errorf("unknown line is number %d", got)
	}
}

func TestStrings(t *testing.T) {
	for want, c := range map[string]Class{"unclassified": Unclassified, "always-hit": AlwaysHit, "always-miss": AlwaysMiss, "persistent": Persistent, "Class(7)": 7} {
		if c.String() != want {
			t.Errorf("%q, want %q", c.String(), want)
		}
	}
}
