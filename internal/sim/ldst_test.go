package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// Issue to dependent issue of single accesses: an L1D hit, an L2 hit, and a miss
// of everything, by hand from the description and, for the RTX 3070, as measured
// on GPGPU-Sim 4: 43, 199, 460 to 510.
func TestSingleAccesses(t *testing.T) {
	for _, c := range []struct {
		gpu, model    string
		hit, l2, dram int64
	}{
		// Hit: 39 + 4. L2: reaches the tags 3 cycles after its issue; 4 + 187 + 3
		// to the SM, 1 for the sector, 1 to read it. DRAM: 32 bytes take 1.3
		// cycles, so 16 + 2 + 293 more.
		{"rtx3070", Pipeline, 43, 199, 510},
		// The abstract model starts at its issue and adds the dependency depth.
		{"rtx3070", Abstract, 44, 200, 511},
		// Reaches the tags at once; 8 + 120 + 3 for four sectors + 7 + 6 + 6;
		// 128 bytes take 3.03 cycles, so 19 + 4 + 132 more.
		{"gtx480", Abstract, 41, 150, 305},
	} {
		m := gpus.Open(t, c.gpu, "sm.count=2")
		for _, x := range []struct {
			name     string
			programs []string
			want     int64
		}{
			{"DRAM", []string{"l0 u"}, c.dram},
			{"hit", []string{"l0 u l0 u"}, c.hit},
			{"L2", []string{"l4096 u l8192 u l0 u", "l0"}, c.l2}, // the other SM was there before
		} {
			k := newMemKernel(t, len(x.programs), 0, x.programs...)
			r, l := mustRunMem(t, Config{Machine: m, Model: ModelNamed(c.model), Memory: Caches{}}, k)
			last := int32(strings.Count(x.programs[0], " "))
			if got := l.issues[last] - l.issues[last-1]; got != x.want {
				t.Errorf("%s, %s: %s: %d cycles, want %d\n%+v", c.gpu, c.model, x.name, got, x.want, *r.Memory)
			}
		}
	}
}

// seen is the classes of the requests, in the order in which they came.
func (l *memLog) seen() string {
	var s []string
	for _, e := range l.accesses {
		s = append(s, fmt.Sprintf("%c%d:%s", e.Kind.String()[0], e.Address, e.Class))
	}
	return strings.Join(s, " ")
}

// What requests meet in the tags, by hand.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		gpu, program, want string
		set                []string
	}{
		// Whole lines of 128 bytes; the second load finds the first on its way.
		{"gtx480", "l0 l64 u l0", "l0:miss l0:hit-reserved l0:hit", nil},
		// A store evicts the line it hits and allocates nothing.
		{"gtx480", "l0 u s0 l0 u", "l0:miss s0:hit l0:miss", nil},
		{"gtx480", "s0 l0 u", "s0:miss l0:miss", nil},
		// Sectors of 32 bytes; stores allocate.
		{"rtx3070", "l0 u l32 u l0", "l0:miss l32:sector-miss l0:hit", nil},
		{"rtx3070", "s0 l0 l32 u", "s0:miss l0:hit l32:sector-miss", nil},
		// An access of many sectors goes in the order of its lanes.
		{"rtx3070", "l0/8", "l0:miss l32:sector-miss l64:sector-miss l96:sector-miss l128:miss l160:sector-miss l192:sector-miss l224:sector-miss", nil},
		// Atomics change no tag; what no lane executes, and what is not in global
		// memory, does not come here; copies are loads.
		{"gtx480", "l0 u a0 u l0 n h u", "l0:miss a0:passed l0:hit", nil},
		{"gtx480", "c0 l0 u", "a0:miss l0:hit-reserved", nil},
		// One way: the second line replaces the first.
		{"gtx480", "l0 u l4096 u l0 u", "l0:miss l4096:miss l0:miss", []string{"l1d.ways=1", "l1d.index=linear"}},
	} {
		for _, model := range []string{Abstract, Pipeline} {
			k := newMemKernel(t, 1, 0, c.program)
			_, l := mustRunMem(t, Config{Machine: gpus.Open(t, c.gpu, c.set...), Model: ModelNamed(model), Memory: Caches{}}, k)
			if got := l.seen(); got != c.want {
				t.Errorf("%s, %s: %s:\n%s, want\n%s", c.gpu, model, c.program, got, c.want)
			}
		}
	}
}

// cycles is when the requests reached the tags.
func (l *memLog) cycles() []int64 {
	var c []int64
	for _, e := range l.accesses {
		c = append(c, e.Cycle)
	}
	return c
}

// Requests that wait at the tags, by hand, on a GTX 480 whose load misses
// everything in 299 cycles from the tags to the SM.
func TestWaits(t *testing.T) {
	const miss = 299
	for _, c := range []struct {
		name, program string
		set           []string
		want          []int64 // cycles at the tags
		waits         [numCauses]int64
	}{
		{"nothing in the way", "l0 l128 l0 u", nil, []int64{0, 1, 2}, [numCauses]int64{}},
		// The tags are asked in cycle 1, and the request waits there.
		{"one MSHR", "l0 l128 p p l0", []string{"l1d.mshrs=1"}, []int64{0, 1, miss + 1}, [numCauses]int64{forMSHR: miss - 1}},
		{"no room to merge", "l0 l64 l0", []string{"l1d.mshr_merges=2"}, []int64{0, 1, 2}, [numCauses]int64{forMerge: miss - 2}},
		{"the victim is on its way", "l0 l4096 l128", []string{"l1d.ways=1", "l1d.index=linear"}, []int64{0, 1, miss + 1}, [numCauses]int64{forVictim: miss - 1}},
		{"a sector a cycle", "l0/128 l64", []string{"l1d.ways=32"}, nil, [numCauses]int64{}},
	} {
		k := newMemKernel(t, 1, 0, c.program)
		r, l := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", c.set...), Model: AbstractModel{}, Memory: Caches{}}, k)
		want := c.want
		if want == nil {
			for i := range int64(33) {
				want = append(want, i)
			}
		}
		if got := l.cycles(); fmt.Sprint(got) != fmt.Sprint(want) || r.Memory.L1D.Waits != c.waits {
			t.Errorf("%s: %s at cycles %v, want %v; waits %v, want %v", c.name, l.seen(), got, want, r.Memory.L1D.Waits, c.waits)
		}
	}
}

// Banks take a request each in a cycle, in order; an access begins in the cycle
// after the one before.
func TestBanks(t *testing.T) {
	for program, perCycle := range map[string][]int{
		"l0/4":        {4},
		"l0/8":        {4, 4},
		"l0/128":      strides(32, 1), // one bank
		"l0/64":       strides(16, 2), // two in turn
		"l0/16 l0/4":  {4, 4, 4, 4, 4},
		"l64 l0/4 l0": {1, 4, 1},
	} {
		var want []int64
		for cycle, n := range perCycle {
			for range n {
				want = append(want, int64(cycle))
			}
		}
		k := newMemKernel(t, 1, 0, program)
		_, l := mustRunMem(t, Config{Machine: gpus.Open(t, "rtx3070"), Model: AbstractModel{}, Memory: Caches{}}, k)
		if got := l.cycles(); !slices.Equal(got, want) {
			t.Errorf("%s: at cycles %v, want %v", program, got, want)
		}
	}
}

func strides(n, each int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = each
	}
	return s
}

// One MSHR serves all warps that want its line, and one fetch.
func TestMerge(t *testing.T) {
	k := newMemKernel(t, 1, 0, strings.TrimSuffix(strings.Repeat("l0 u;", 8), ";"))
	r, l := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480"), Model: AbstractModel{}, Memory: Caches{}}, k)
	u := &r.Memory.L1D
	if u.Loads != 8 || u.Misses != 1 || u.HitsReserved != 7 || u.Merged != 7 || u.Reads != 1 || u.MSHRsMost != 1 || r.Memory.DRAM.Reads != 1 || len(l.accesses) != 8 {
		t.Errorf("%+v", *r.Memory)
	}
}

// Stores wait for their acknowledgement before the block ends, and evict the
// line they hit.
func TestStores(t *testing.T) {
	// Reaches the tags at 0, leaves 38 later, 8 + 120 + 3 + 7 to the SM, 1 to
	// come in and 1 to be noticed.
	k := newMemKernel(t, 1, 0, "s0")
	r, _ := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480"), Model: AbstractModel{}, Memory: Caches{}}, k)
	if want := int64(38 + 8 + 120 + 3 + 7 + 1 + 1); r.Cycles != want || r.Memory.L1D.Writes != 1 || r.Memory.L2.Writes != 4 || r.Memory.DRAM.Bytes != 0 {
		t.Errorf("%d cycles, want %d: %+v", r.Cycles, want, *r.Memory)
	}
	// A write-back cache keeps what it can and sends on what it must.
	set := []string{"l1d.write=back", "l1d.write_allocate=true", "l1d.ways=1", "l1d.index=linear"}
	k = newMemKernel(t, 1, 0, "s0 s0 l0 s4096 l0 u")
	r, l := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", set...), Model: AbstractModel{}, Memory: Caches{}}, k)
	if got, want := l.seen(), "s0:miss s0:hit l0:hit s4096:miss l0:miss"; got != want {
		t.Errorf("write-back: %s, want %s", got, want)
	}
	if u := &r.Memory.L1D; u.Writes != 0 || u.WriteBacks != 2 || r.Memory.L2.Writes != 4 && r.Memory.L2.Writes != 8 {
		t.Errorf("write-back: %+v", *r.Memory)
	}
}

// Without allocation a store that misses a write-back cache goes on.
func TestWriteBackMiss(t *testing.T) {
	k := newMemKernel(t, 1, 0, "s0 l0 u s0")
	set := []string{"l1d.write=back", "l1d.write_allocate=false"}
	r, l := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", set...), Model: AbstractModel{}, Memory: Caches{}}, k)
	if got, want := l.seen(), "s0:miss l0:miss s0:hit"; got != want || r.Memory.L1D.Writes != 1 {
		t.Errorf("%s, want %s: %+v", got, want, r.Memory.L1D)
	}
}

// The L2 writes back what a store or an atomic changed, and nothing else.
func TestL2WritesBack(t *testing.T) {
	set := []string{"l2.slices=1", "dram.channels=1", "l2.sets=1", "l2.ways=1"}
	for program, want := range map[string]struct{ reads, writes, bytes int64 }{
		"l0 u l4096 u":                {2, 0, 256},
		"a0 u l4096 u":                {2, 1, 384},
		"s0 l8192 u l4096 u":          {2, 1, 384}, // the store leaves later than the first load
		"l0 u s32 l128 u l4 u l256 u": {3, 1, 512}, // the store brings its line back
	} {
		k := newMemKernel(t, 1, 0, program)
		r, _ := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", set...), Model: AbstractModel{}, Memory: Caches{}}, k)
		if d := &r.Memory.DRAM; d.Reads != want.reads || d.Writes != want.writes || d.Bytes != want.bytes || r.Memory.L2.WriteBacks != want.writes {
			t.Errorf("%s: %+v, want %+v", program, *r.Memory, want)
		}
	}
}

// Lines written back take the way out of the SM, so what comes next is later.
func TestWriteBackDelays(t *testing.T) {
	set := []string{"l1d.write=back", "l1d.write_allocate=true", "l1d.ways=1", "dram.row_miss_cycles=0"}
	var took [2]int64
	for i, first := range []string{"l0/4", "s0/4"} {
		program := first + " u h u l4096 l4224 u"
		k := newMemKernel(t, 1, 0, program)
		_, l := mustRunMem(t, Config{Machine: gpus.Open(t, "rtx3070", set...), Model: AbstractModel{}, Memory: Caches{}}, k)
		took[i] = l.issues[6] - l.issues[5]
	}
	// Four sectors, sent right after the first load: the second waits 4 cycles.
	if took[1] != took[0]+4 {
		t.Errorf("%d cycles after a clean line, %d after a dirty one, want 4 more", took[0], took[1])
	}
}

// A hit that completes after a sector that was on its way decides.
func TestLastCompletionDecides(t *testing.T) {
	// The line at 0 arrives not 299 cycles after its load, its row being open, but
	// 280; 265 cycles after it a load of lines 0, on its way, and 128, which hits
	// in the next cycle.
	k := newMemKernel(t, 1, 0, "l128 u l0"+strings.Repeat(" p", 264)+" l96/4 u")
	_, l := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480"), Model: AbstractModel{}, Memory: Caches{}}, k)
	if got := l.issues[268] - l.issues[267]; got != 1+41 || !strings.HasSuffix(l.seen(), "l0:hit-reserved l128:hit") {
		t.Errorf("%d cycles, want 42: %s", got, l.seen())
	}
}

// Several SMs compete for one slice and one channel, and gain from each other's
// lines.
func TestCompetition(t *testing.T) {
	alone := func(sms int, shift uint64) *Result {
		k := newMemKernel(t, sms, shift, strings.Repeat("l0/128 ", 8)+"u")
		r, _ := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", fmt.Sprintf("sm.count=%d", sms), "l2.slices=1", "dram.channels=1"), Model: AbstractModel{}, Memory: Caches{}}, k)
		return r
	}
	one, same, apart := alone(1, 0), alone(4, 0), alone(4, 4096)
	if one.Memory.DRAM.Bytes != 32*128 || same.Memory.DRAM.Bytes != 32*128 || apart.Memory.DRAM.Bytes != 4*32*128 {
		t.Errorf("%d, %d and %d bytes from DRAM", one.Memory.DRAM.Bytes, same.Memory.DRAM.Bytes, apart.Memory.DRAM.Bytes)
	}
	if same.Cycles <= one.Cycles || apart.Cycles <= same.Cycles {
		t.Errorf("%d cycles alone, %d with three that need the same, %d with three that need something else", one.Cycles, same.Cycles, apart.Cycles)
	}
	// The bus of a channel moves 42.24 bytes a cycle, not more.
	if least := apart.Memory.DRAM.Bytes * 1000 / 42240; apart.Cycles < least {
		t.Errorf("%d cycles for %d bytes, at least %d", apart.Cycles, apart.Memory.DRAM.Bytes, least)
	}
	// A slice takes one sector a cycle.
	if apart.Cycles < apart.Memory.L2.Reads {
		t.Errorf("%d cycles for %d sectors of one slice", apart.Cycles, apart.Memory.L2.Reads)
	}
}

// A long stream runs at the bandwidth of the channel.
func TestBandwidth(t *testing.T) {
	k := newMemKernel(t, 1, 0, strings.TrimSuffix(strings.Repeat("l0/128 l4096/128 l8192/128 l12288/128 l16384/128 l20480/128 l24576/128 l28672/128 u;", 1), ";"))
	for _, per := range []int64{1000, 2000, 4000} {
		r, _ := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", "l1d.mshrs=1024", "l2.slices=1", "dram.channels=1", fmt.Sprintf("dram.bytes_per_kilocycle=%d", per)), Model: AbstractModel{}, Memory: Caches{}}, k)
		bytes := int64(256 * 128)
		least := bytes * 1000 / per
		if r.Memory.DRAM.Bytes != bytes || r.Cycles < least || r.Cycles > least+400 {
			t.Errorf("%d cycles for %d bytes at %d bytes in 1000 cycles, want from %d to 400 more", r.Cycles, r.Memory.DRAM.Bytes, per, least)
		}
	}
}

// Rows: consecutive lines of a row open it once.
func TestRows(t *testing.T) {
	one := []string{"l2.slices=1", "dram.channels=1"}
	k := newMemKernel(t, 1, 0, "l0 u l128 u l3968 u l4096 u l0")
	r, _ := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", one...), Model: AbstractModel{}, Memory: Caches{}}, k)
	if d := &r.Memory.DRAM; d.Reads != 4 || d.RowMisses != 2 {
		t.Errorf("%+v, want 4 reads and 2 rows opened", *d)
	}
	// Rows of one bank, in turn, close each other.
	k = newMemKernel(t, 1, 0, "l0 u l65536 u l128 u l65664 u")
	r, _ = mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", one...), Model: AbstractModel{}, Memory: Caches{}}, k)
	if d := &r.Memory.DRAM; d.Reads != 4 || d.RowMisses != 4 {
		t.Errorf("%+v, want 4 reads and 4 rows opened", *d)
	}
}

// The slices of a channel lie side by side in its rows; channels have rows of
// their own.
func TestChannelRows(t *testing.T) {
	set := []string{"l2.slices=4", "dram.channels=2", "dram.row_bytes=512"}
	for program, want := range map[string]int64{
		"l0 u l512 u":                         1, // slices 0 and 2, channel 0
		"l0 u l512 u l1024 u l1536 u":         2,
		"l0 u l512 u l1024 u l1536 u l256 u":  3,
		"l0 u l256 u l512 u l768 u l128 u":    2,
		"l0 u l16384 u l128 u l16512 u l1024": 5, // two rows of bank 0 in turn
	} {
		k := newMemKernel(t, 1, 0, program)
		r, _ := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", set...), Model: AbstractModel{}, Memory: Caches{}}, k)
		if got := r.Memory.DRAM.RowMisses; got != want {
			t.Errorf("%s: %d rows opened, want %d", program, got, want)
		}
	}
}

// What makes no run with caches, and why.
func TestBadCacheConfigs(t *testing.T) {
	k := newMemKernel(t, 1, 0, "l0 u")
	order := newPointOrder(k)
	for want, cfg := range map[string]Config{
		"GPU ecrts2025-200 has no tables [l1d], [l2] and [dram]":                             {Machine: gpus.Open(t, "ecrts2025-200"), Memory: Caches{}},
		"2 resident warps an SM and 1 channels of the reordering unit: expected a channel f": {Machine: gpus.Open(t, "gtx480", "ldst_path.channels=1"), Memory: Caches{Order: order}, BlocksPerSM: 2},
	} {
		if _, _, err := runMem(t, cfg, k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// Tables that no file can hold.
	for want, spoil := range map[string]func(*gpu.Description){
		"l1d.mshrs is 0":                             func(d *gpu.Description) { d.L1D.MSHRs = 0 },
		"l1d.mshr_merges is -1":                      func(d *gpu.Description) { d.L1D.MSHRMerges = -1 },
		"l1d.banks is 3, expected a power of two":    func(d *gpu.Description) { d.L1D.Banks = 3 },
		"l1d.banks is 128, expected at most 64":      func(d *gpu.Description) { d.L1D.Banks = 128 },
		"l1d.sector_bytes is 0":                      func(d *gpu.Description) { d.L1D.SectorBytes = 0 },
		"l2.slices is 0":                             func(d *gpu.Description) { d.L2.Slices = 0 },
		"l2.slices is 12, expected at least 13":      func(d *gpu.Description) { d.DRAM.Channels = 13 },
		"l2.line_bytes is 64, expected at least 128": func(d *gpu.Description) { d.L2.LineBytes = 64 },
		"l2.interleave_bytes is 384, expected a pow": func(d *gpu.Description) { d.L2.InterleaveBytes = 384 },
		"l2.request_latency_cycles is 0":             func(d *gpu.Description) { d.L2.RequestLatencyCycles = 0 },
		"dram.channels is 0":                         func(d *gpu.Description) { d.DRAM.Channels = 0 },
		"dram.banks is 0":                            func(d *gpu.Description) { d.DRAM.Banks = 0 },
		"dram.row_bytes is 100, expected a power":    func(d *gpu.Description) { d.DRAM.RowBytes = 100 },
		"dram.bytes_per_kilocycle is 0":              func(d *gpu.Description) { d.DRAM.BytesPerKilocycle = 0 },
		"48 channels of 0 entries":                   func(d *gpu.Description) { d.LDSTPath.ChannelEntries = 0 },
	} {
		m := gpus.Open(t, "gtx480")
		spoil(m.Desc)
		if _, _, err := runMem(t, Config{Machine: m, Memory: Caches{Order: order}}, k); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	m := gpus.Open(t, "gtx480")
	m.Desc.L1D.Ways = 0
	if _, _, err := runMem(t, Config{Machine: m, Memory: Caches{}}, k); err == nil || !strings.Contains(err.Error(), "l1d: ") {
		t.Errorf("no ways: %v", err)
	}
	m = gpus.Open(t, "gtx480")
	m.Desc.L2.Sets = 3
	if _, _, err := runMem(t, Config{Machine: m, Memory: Caches{}}, k); err == nil || !strings.Contains(err.Error(), "l2: ") {
		t.Errorf("three sets: %v", err)
	}
}

// Without caches nothing of this is reported.
func TestNoCaches(t *testing.T) {
	k := newMemKernel(t, 1, 0, "l0 u")
	for _, memory := range []Memory{nil, FixedTimes{}} {
		r, l := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480"), Memory: memory}, k)
		if r.Memory != nil || len(l.accesses) > 0 {
			t.Errorf("%T: %v, %d accesses", memory, r.Memory, len(l.accesses))
		}
	}
}

// Two SMs load at the same time, by hand: when the second can use its data.
func TestContention(t *testing.T) {
	one := []string{"l2.slices=1", "dram.channels=1", "sm.count=2"}
	for _, c := range []struct {
		name  string
		shift uint64
		want  [2]int64
	}{
		// The first arrives at its slice in cycle 8 and leaves it in 131; its row
		// is open in 150, its line transferred in 153.03, with the slice in 286
		// and in the SM in 299. The second, four cycles behind it in the slice,
		// waits for the same line.
		{"one line", 0, [2]int64{305, 305}},
		// It waits for the row to open, and is transferred from 153.03 to 156.07.
		{"one row", 128, [2]int64{305, 308}},
		// Its own row is open in 154, when the bus is free.
		{"two banks", 4096, [2]int64{305, 309}},
		// Its bank opens the other row first, until 150, then its own, until 169.
		{"one bank, two rows", 65536, [2]int64{305, 324}},
	} {
		k := newMemKernel(t, 2, c.shift, "l0 u")
		l := &useLog{}
		r, _ := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", one...), Model: AbstractModel{}, Memory: Caches{}, Observers: []Observer{l}}, k)
		if l.use != c.want {
			t.Errorf("%s: used in cycles %v, want %v\n%+v", c.name, l.use, c.want, *r.Memory)
		}
	}
}

// useLog is when the second instruction of blocks 0 and 1 issues.
type useLog struct {
	NopObserver
	use [2]int64
}

func (l *useLog) Issue(e IssueEvent) {
	if e.Index == 1 {
		l.use[e.Block] = e.Cycle
	}
}

// The ways out of an SM and into it, by hand, with everything in the L2.
func TestWays(t *testing.T) {
	for _, c := range []struct {
		gpu, program string
		want         int64
	}{
		// 32 sectors reach the tags four a cycle and leave one a cycle: the last
		// in 31, back after 4 + 187 + 3 + 1, usable 5 later.
		{"rtx3070", "l0/32 u", 31 + 195 + 5},
		// Two lines leave one cycle apart, and take the way in for 6 cycles each:
		// the second is there 6 cycles after the first.
		{"gtx480", "l0 l128 u", 150 + 6 - 1},
	} {
		k := newMemKernel(t, 2, 0, "l65536 u l131072 u "+c.program, c.program)
		_, l := mustRunMem(t, Config{Machine: gpus.Open(t, c.gpu, "sm.count=2"), Model: AbstractModel{}, Memory: Caches{}}, k)
		// From the last load to its use, on the SM that comes second.
		last := int32(4 + len(strings.Fields(c.program)) - 1)
		if got := l.issues[last] - l.issues[last-1]; got != c.want {
			t.Errorf("%s, %s: %d cycles, want %d", c.gpu, c.program, got, c.want)
		}
	}
}
