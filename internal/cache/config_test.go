package cache

import (
	"errors"
	"strings"
	"testing"
)

// gtx480 is the L1 data cache of the GTX 480 as GPGPU-Sim 4 has it.
var gtx480 = Config{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, Index: FermiHash, WriteEvict: true}

// rtx3070 is the L1 data cache of the RTX 3070 as GPGPU-Sim 4 has it.
var rtx3070 = Config{Sets: 4, Ways: 256, LineBytes: 128, SectorBytes: 32, WriteAllocate: true}

func TestBadConfig(t *testing.T) {
	for _, tc := range []struct {
		name string
		edit func(*Config)
		want string
	}{
		{"no sets", func(c *Config) { c.Sets = 0 }, "sets = 0: want a power of two"},
		{"negative sets", func(c *Config) { c.Sets = -32 }, "sets = -32: want a power of two"},
		{"three sets", func(c *Config) { c.Sets = 3 }, "sets = 3: want a power of two"},
		{"too many sets", func(c *Config) { c.Sets = 1 << 40 }, "want a power of two from 1 to 4194304"},
		{"no ways", func(c *Config) { c.Ways = 0 }, "ways = 0: want 1 to 256"},
		{"257 ways", func(c *Config) { c.Ways = 257 }, "ways = 257: want 1 to 256"},
		{"too large", func(c *Config) { c.Sets, c.Ways = 1<<20, 256 }, "1048576 x 256: more than 4194304 lines"},
		{"no line", func(c *Config) { c.LineBytes = 0 }, "line size = 0 bytes"},
		{"odd line", func(c *Config) { c.LineBytes = 96 }, "line size = 96 bytes"},
		{"tiny line", func(c *Config) { c.LineBytes, c.SectorBytes = 2, 2 }, "line size = 2 bytes"},
		{"huge line", func(c *Config) { c.LineBytes = 1 << 17 }, "line size = 131072 bytes"},
		{"no sector", func(c *Config) { c.SectorBytes = 0 }, "sector size = 0 bytes"},
		{"sector divides not", func(c *Config) { c.SectorBytes = 48 }, "divides the line size of 128"},
		{"sector over line", func(c *Config) { c.SectorBytes = 256 }, "divides the line size of 128"},
		{"many sectors", func(c *Config) { c.SectorBytes = 2 }, "64 sectors in a line of 128 bytes, at most 32"},
		{"replacement", func(c *Config) { c.Replacement = 3 }, "unknown replacement policy 3"},
		{"index", func(c *Config) { c.Index = 2 }, "unknown index function 2"},
		{"plru", func(c *Config) { c.Replacement, c.Ways = PLRU, 6 }, "ways = 6: plru needs a power of two"},
		{"hash sets", func(c *Config) { c.Index, c.Sets = FermiHash, 128 }, "fermi-hash is known for 32 or 64 sets"},
		{"hash line", func(c *Config) { c.Index, c.LineBytes, c.SectorBytes = FermiHash, 64, 64 }, "not for 32 sets of 64-byte lines"},
		{"evict and back", func(c *Config) { c.WriteEvict, c.WriteBack = true, true }, "write-evict and write-back"},
		{"evict and allocate", func(c *Config) { c.WriteEvict, c.WriteAllocate = true, true }, "write-evict and write-allocate"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := Config{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128}
			tc.edit(&c)
			_, err := New(c)
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("more than the one fault: %v", err)
			}
		})
	}
	if err := (&Config{}).Check(); strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("the zero value: %v; want sets, ways and line size", err)
	}
	for _, c := range []Config{gtx480, rtx3070} {
		if err := c.Check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if a, b := gtx480.Bytes(), rtx3070.Bytes(); a != 16<<10 || b != 128<<10 {
		t.Errorf("capacities %d and %d", a, b)
	}
}

// The address bits that the hash uses, one at a time: HPCA 2014, as cited in
// fermiHash.
func TestFermiHashBits(t *testing.T) {
	want := map[uint]int{7: 1, 8: 2, 9: 4, 10: 8, 11: 16, 13: 1, 14: 2, 15: 4, 17: 8, 19: 16}
	for _, sets := range []int{32, 64} {
		c := Config{Sets: sets, Ways: 4, LineBytes: 128, SectorBytes: 128, Index: FermiHash}
		if sets == 64 {
			want[12] = 32
		}
		for bit := uint(7); bit < 64; bit++ {
			if got := c.Set(c.Line(1 << bit)); got != want[bit] {
				t.Errorf("%d sets: address bit %d gives set %d, want %d", sets, bit, got, want[bit])
			}
		}
	}
	// Bits cancel: 7 and 13 are in one exclusive or.
	if got := gtx480.Set(gtx480.Line(1<<7 | 1<<13)); got != 0 {
		t.Errorf("bits 7 and 13 together give set %d, want 0", got)
	}
}

func TestStrings(t *testing.T) {
	for want, got := range map[string]string{
		"lru": LRU.String(), "fifo": FIFO.String(), "plru": PLRU.String(), "Replacement(9)": Replacement(9).String(),
		"linear": Linear.String(), "fermi-hash": FermiHash.String(), "Index(9)": Index(9).String(),
		"L": Load.String(), "S": Store.String(),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
