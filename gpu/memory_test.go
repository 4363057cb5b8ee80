package gpu

import (
	"strings"
	"testing"
)

// What is wrong with the tables of the caches is said with its place.
func TestBadCaches(t *testing.T) {
	for setting, want := range map[string]string{
		"l1d.sets=0":              "l1d.sets is 0, expected an integer from 1 to",
		"l1d.sets=3":              "l1d.sets is 3, expected a power of two",
		"l1d.ways=0":              "l1d.ways is 0, expected an integer from 1 to 256",
		"l1d.ways=257":            "l1d.ways is 257, expected an integer from 1 to 256",
		"l1d.line_bytes=96":       "l1d.line_bytes is 96, expected a power of two",
		"l1d.sector_bytes=256":    "l1d.sector_bytes is 256, expected a power of two from 1/32 of line_bytes = 128",
		"l1d.sector_bytes=24":     "l1d.sector_bytes is 24, expected a power of two",
		"l1d.replacement=random":  `l1d.replacement is "random", expected`,
		"l1d.replacement=plru":    "",
		"l1d.index=fermi-hash":    "",
		"l1d.write=behind":        `l1d.write is "behind", expected`,
		"l1d.write_allocate=true": `l1d.write_allocate is true, expected false with write = "evict"`,
		"l1d.banks=3":             "l1d.banks is 3, expected a power of two",
		"l1d.mshrs=0":             "l1d.mshrs is 0, expected an integer from 1 to",
		"l2.sets=5":               "l2.sets is 5, expected a power of two",
		"l2.line_bytes=64":        "l1d.sector_bytes is 128, expected at most l2.line_bytes = 64",
		"l2.interleave_bytes=64":  "l2.interleave_bytes is 64, expected a power of two of at least line_bytes = 128",
		"dram.channels=13":        "dram.channels is 13, expected at most l2.slices = 12",
		"dram.row_bytes=1000":     "dram.row_bytes is 1000, expected a power of two",
		"ldst_path.channels=0":    "ldst_path.channels is 0, expected an integer from 1 to",
		"ldst_path.full_channel=": "expected a number, a boolean or a word",
	} {
		_, err := Open("gtx480", []string{setting})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", setting, err, want)
		}
	}
	for settings, want := range map[string]string{
		"l1d.ways=6 l1d.replacement=plru":       `l1d.ways is 6, expected a power of two for replacement = "plru"`,
		"l1d.sets=16":                           `l1d.index is "fermi-hash" with 16 sets of lines of 128 bytes, expected 32 or 64 sets`,
		"l2.sets=65536 l2.ways=256":             "l2.sets is 65536 with 256 ways, expected at most 4194304 lines",
		"l1d.line_bytes=65536 l1d.index=linear": "l1d.sector_bytes is 128, expected a power of two from 1/32",
	} {
		if _, err := Open("gtx480", strings.Fields(settings)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", settings, err, want)
		}
	}
}

// The caches come with all they need.
func TestCachesTogether(t *testing.T) {
	text, err := PresetText("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	cut := func(table string) string {
		before, rest, ok := strings.Cut(string(text), "["+table+"]\n")
		if !ok {
			t.Fatalf("no table %s", table)
		}
		_, after, more := strings.Cut(rest, "\n[")
		if more {
			after = "[" + after
		}
		return before + after
	}
	for table, want := range map[string]string{
		"l1d":  "no table [l1d], expected [l1d], [l2] and [dram] together",
		"l2":   "no table [l2], expected",
		"dram": "no table [dram], expected",
	} {
		if _, err := Load("t.toml", []byte(cut(table))); err == nil || !strings.Contains(err.Error(), "t.toml:") || !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: %v, want %q", table, err, want)
		}
	}
	if d, err := Load("t.toml", []byte(cut("ldst_path"))); err != nil || !d.HasCaches() || d.LDSTPath != nil {
		t.Errorf("without ldst_path: %v", err)
	}
	d, err := Preset("tx1")
	if err != nil || d.HasCaches() {
		t.Errorf("tx1: caches %t, %v", d.HasCaches(), err)
	}
}

// The capacities that the configurations are known for.
func TestCacheSizes(t *testing.T) {
	for preset, want := range map[string][2]int{"gtx480": {16 << 10, 768 << 10}, "rtx3070": {128 << 10, 4 << 20}, "orin": {128 << 10, 4 << 20}} {
		d, err := Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		got := [2]int{d.L1D.Sets * d.L1D.Ways * d.L1D.LineBytes, d.L2.Slices * d.L2.Sets * d.L2.Ways * d.L2.LineBytes}
		if got != want {
			t.Errorf("%s: %v bytes, want %v", preset, got, want)
		}
	}
}
