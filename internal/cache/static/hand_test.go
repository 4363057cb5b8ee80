package static

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/cache"
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

// String is H, M, P or - (unclassified) for each access, one word a warp.
func (c *claims) String() string {
	var words []string
	for _, classes := range c.classes {
		word := ""
		for _, k := range classes {
			word += string("-HMP"[k])
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Classes worked out by hand.
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
			y := &toy{cache: tc.c, start: tc.start, warps: parse(tc.c, tc.warps)}
			c, err := y.analyse()
			if err != nil {
				t.Fatal(err)
			}
			if s := c.String(); s != tc.want {
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
	y := &toy{cache: c, warps: parse(c, "aab aaB")}
	got, err := y.analyse()
	if err != nil {
		t.Fatal(err)
	}
	want := Totals{
		Loads:             Tally{Accesses: 5, AlwaysHit: 2, AlwaysMiss: 1, Persistent: 2},
		Stores:            Tally{Accesses: 1, Unclassified: 1},
		PersistentSectors: 1, FirstMisses: 1,
	}
	if got.totals != want {
		t.Errorf("%+v, want %+v", got.totals, want)
	}
	if least, most := got.totals.Misses(); least != 2 || most != 3 {
		t.Errorf("misses %d to %d, want 2 to 3", least, most)
	}
}

func TestBadSystem(t *testing.T) {
	good := cache.Config{Sets: 1, Ways: 1, LineBytes: 128, SectorBytes: 128}
	bad := good
	bad.Ways = 0
	if _, err := NewLines(bad, ProgramOrder, 0); !errors.Is(err, cache.ErrConfig) {
		t.Errorf("no ways: %v", err)
	}
	if _, err := NewLines(good, ProgramOrder, -1); !errors.Is(err, ErrSystem) {
		t.Errorf("a limit below 1: %v", err)
	}
	if _, err := NewLines(good, 2, 0); !errors.Is(err, ErrSystem) {
		t.Errorf("order 2: %v", err)
	}
	l, err := NewLines(good, ProgramOrder, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []int64{-1, 1 << 31} {
		if err := l.Note(w, 0, cache.Load); !errors.Is(err, ErrSystem) {
			t.Errorf("warp %d: %v", w, err)
		}
	}
	if err := l.Note(0, 128, cache.Load); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Analyse(bad, Cold); !errors.Is(err, cache.ErrConfig) {
		t.Errorf("no ways: %v", err)
	}
	if _, err := l.Analyse(good, 2); !errors.Is(err, ErrSystem) {
		t.Errorf("start 2: %v", err)
	}
	for _, edit := range []func(*cache.Config){
		func(c *cache.Config) { c.SectorBytes = 64 }, func(c *cache.Config) { c.LineBytes = 256 },
		func(c *cache.Config) { c.WriteEvict = true }, func(c *cache.Config) { c.WriteAllocate = true },
	} {
		c := good
		if edit(&c); l.Serves(c) {
			t.Errorf("lines serve %+v", c)
		}
		if _, err := l.Analyse(c, Cold); !errors.Is(err, ErrSystem) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	a, err := l.Analyse(good, Cold)
	if err != nil {
		t.Fatal(err)
	}
	w := a.NewWalk()
	if err := w.Begin(-1); !errors.Is(err, ErrSystem) {
		t.Errorf("warp -1: %v", err)
	}
	if err := w.Begin(0); err != nil {
		t.Fatal(err)
	}
	if err := a.NewWalk().Begin(0); !errors.Is(err, ErrSystem) {
		t.Errorf("a second walk: %v", err)
	}
	if err := l.Note(0, 128, cache.Load); !errors.Is(err, ErrSystem) {
		t.Errorf("noted too late: %v", err)
	}
	if _, err := l.Find(256); !errors.Is(err, ErrSystem) {
		t.Errorf("not noted: %v", err)
	}
}

// Without an order in warps every access may be the first or the last one.
func TestNoOrderByHand(t *testing.T) {
	for _, tc := range []struct {
		name  string
		c     cache.Config
		start Start
		warps string
		want  string
	}{
		{"once", cache.Config{Ways: 1}, Cold, "abc", "MMM"},
		{"twice", cache.Config{Ways: 2}, Cold, "aab", "PPM"},
		{"twice, of two warps", cache.Config{Ways: 2}, Cold, "ab a", "PM P"},
		{"twice, replaced", cache.Config{Ways: 1}, Cold, "aab", "--M"},
		{"a store that evicts", cache.Config{Ways: 2, WriteEvict: true}, Cold, "aA", "M-"},
		{"stores alone", cache.Config{Ways: 2, WriteEvict: true}, Cold, "AA", "MM"},
		{"a store that passes by", cache.Config{Ways: 2}, Cold, "aA", "M-"},
		{"a store that allocates", cache.Config{Ways: 2, WriteAllocate: true}, Cold, "aA", "PP"},
		{"any start", cache.Config{Ways: 2}, AnyStart, "aab", "PPP"},
		{"any start, replaced", cache.Config{Ways: 1}, AnyStart, "aab", "---"},
	} {
		tc.c.Sets, tc.c.LineBytes, tc.c.SectorBytes = 2, 128, 128
		y := &toy{cache: tc.c, start: tc.start, warps: parse(tc.c, tc.warps), order: NoOrder}
		c, err := y.analyse()
		if err != nil {
			t.Fatal(err)
		}
		if s := c.String(); s != tc.want {
			t.Errorf("%s: %s: %s, want %s", tc.name, tc.warps, s, tc.want)
		}
	}
}

// Of lines beyond the limit nothing is said, and of the others only what holds with
// any number of lines in their sets.
func TestLinesLeftOut(t *testing.T) {
	c := cache.Config{Sets: 1, Ways: 8, LineBytes: 128, SectorBytes: 128}
	// Lines are noted from the last warp on: d, a, b.
	for limit, want := range map[int]string{1: "--- M", 2: "M-- M", 3: "MHM M"} {
		y := &toy{cache: c, warps: parse(c, "aab d"), limit: limit}
		got, err := y.analyse()
		if err != nil {
			t.Fatal(err)
		}
		if s := got.String(); s != want {
			t.Errorf("limit of %d lines: %s, want %s", limit, s, want)
		}
		if least, most := got.totals.Misses(); limit == 1 && (least != 1 || most != 4) {
			t.Errorf("misses %d to %d, want 1 to 4", least, most)
		}
		l, err := y.lines()
		if err != nil {
			t.Fatal(err)
		}
		if l.Complete() != (limit == 3) || len(l.lines) != limit {
			t.Errorf("limit of %d lines: %d, complete: %v", limit, len(l.lines), l.Complete())
		}
	}
}

func TestTable(t *testing.T) {
	tab := newTable()
	var lines []line
	for i := range uint64(1000) {
		n := i * i * 0x10001 % 100003
		want := int32(slices.IndexFunc(lines, func(l line) bool { return l.number == n }))
		if got := tab.find(lines, n); got != want {
			t.Fatalf("line %d is number %d, want %d", n, got, want)
		}
		if want == absent {
			lines = append(lines, line{number: n})
			tab.add(lines)
		}
	}
	for i, l := range lines {
		if got := tab.find(lines, l.number); got != int32(i) {
			t.Errorf("line %d is number %d, want %d", l.number, got, i)
		}
	}
}

func TestStrings(t *testing.T) {
	for want, c := range map[string]Class{"unclassified": Unclassified, "always-hit": AlwaysHit, "always-miss": AlwaysMiss, "persistent": Persistent, "Class(7)": 7} {
		if c.String() != want {
			t.Errorf("%q, want %q", c.String(), want)
		}
	}
}

// String is the class as failures name it.
func (c Class) String() string {
	switch c {
	case Unclassified:
		return "unclassified"
	case AlwaysHit:
		return "always-hit"
	case AlwaysMiss:
		return "always-miss"
	case Persistent:
		return "persistent"
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}
