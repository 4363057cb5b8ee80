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

// soc is a file with cores and a DRAM that schedules and refreshes.
const soc = `format = 1
base = "gtx480"
name = "soc"
description = "made up"
[dram]
scheduling = "fr-fcfs"
queue_entries = 32
row_hit_cap = 8
refresh_interval_cycles = 4000
refresh_cycles = 200
source = "made up"
[[cpu]]
name = "a57"
cores = 4
line_bytes = 64
outstanding = 6
request_latency_cycles = 20
response_latency_cycles = 20
source = "made up"
[[cpu]]
name = "a53"
cores = 2
line_bytes = 64
outstanding = 3
request_latency_cycles = 30
response_latency_cycles = 0
source = "made up"
`

func TestSharedDRAM(t *testing.T) {
	d, err := Load("soc.toml", []byte(soc))
	if err != nil {
		t.Fatal(err)
	}
	if m := d.DRAM; !m.FRFCFS() || m.QueueEntries != 32 || m.RowHitCap != 8 || m.RefreshIntervalCycles != 4000 || m.RefreshCycles != 200 {
		t.Errorf("%+v", m)
	}
	if len(d.CPUs) != 2 || d.CPUs[0].Cores != 4 || d.CPUs[1].Name != "a53" {
		t.Errorf("%+v", d.CPUs)
	}
	for change, want := range map[string]string{
		"refresh_cycles = 200 > ":                      "",
		"refresh_interval_cycles = 4000 > ":            "dram.refresh_interval_cycles is 0, expected more than refresh_cycles + row_miss_cycles = 219",
		"refresh_cycles = 200 > refresh_cycles = 3981": "dram.refresh_interval_cycles is 4000, expected more than refresh_cycles + row_miss_cycles = 4000",
		"refresh_cycles = 200 > refresh_cycles = -1":   "dram.refresh_cycles is -1, expected",
		"queue_entries = 32 > ":                        `dram.queue_entries is 0, expected at least 1 with scheduling = "fr-fcfs"`,
		"row_hit_cap = 8 > ":                           "dram.row_hit_cap is 0, expected at least 1",
		`scheduling = "fr-fcfs" > `:                    "",
		`scheduling = "fr-fcfs" > scheduling = "lifo"`: `dram.scheduling is "lifo", expected`,
		`[[cpu]] > [l2]` + "\narbitration = \"round-robin\"\nsource = \"made up\"\n[[cpu]]": `dram.scheduling is "fr-fcfs", expected "fifo" with l2.arbitration = "round-robin"`,
		`name = "a53" > name = "a57"`:       `a second cpu "a57", expected another name`,
		`name = "a53" > name = "a 53"`:      `name "a 53" of a cpu, expected letters`,
		"cores = 4 > cores = 0":             "cpu.a57.cores is 0, expected an integer from 1 to",
		"line_bytes = 64 > line_bytes = 48": "cpu.a57.line_bytes is 48, expected a power of two",
		"outstanding = 6 > ":                `no key "outstanding"`,
	} {
		from, to, _ := strings.Cut(change, " > ")
		if !strings.Contains(soc, from) {
			t.Fatal(from)
		}
		_, err := Load("soc.toml", []byte(strings.Replace(soc, from, to, 1)))
		if want == "" && err == nil {
			continue
		}
		if want == "" || err == nil || !strings.Contains(err.Error(), "soc.toml:") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
	before, rest, _ := strings.Cut(strings.Replace(soc, "gtx480", "ecrts2025-5", 1), "[dram]")
	_, cpus, _ := strings.Cut(rest, "[[cpu]]")
	if _, err := Load("soc.toml", []byte(before+"[[cpu]]"+cpus)); err == nil || !strings.Contains(err.Error(), `cpu "a57" without a table [dram]`) {
		t.Errorf("cores without DRAM: %v", err)
	}
}

// The memory of a TX1 moves 25.6 GB/s, of which refreshes take 7 %.
func TestBandwidthOfTX1(t *testing.T) {
	d, err := Preset("tx1")
	if err != nil {
		t.Fatal(err)
	}
	m := d.DRAM
	if mbs := int64(m.Channels) * m.BytesPerKilocycle * d.Clock.CoreKHz / 1_000_000; mbs != 25_598 {
		t.Errorf("%d MB/s, want 25600 but for rounding", mbs)
	}
	if p := 1000 * m.RefreshCycles / m.RefreshIntervalCycles; p != 71 {
		t.Errorf("%d of 1000 cycles are refreshes, want 280 ns in 3.904 us", p)
	}
	if len(d.CPUs) != 1 || d.CPUs[0].Cores != 4 {
		t.Errorf("%+v", d.CPUs)
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
	d, err := Preset("ecrts2025-5")
	if err != nil || d.HasCaches() {
		t.Errorf("ecrts2025-5: caches %t, %v", d.HasCaches(), err)
	}
}

// The capacities that the configurations are known for.
func TestCacheSizes(t *testing.T) {
	for preset, want := range map[string][2]int{"gtx480": {16 << 10, 768 << 10}, "rtx3070": {128 << 10, 4 << 20}, "orin": {128 << 10, 4 << 20}, "tx1": {16 << 10, 256 << 10}} {
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
