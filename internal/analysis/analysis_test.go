package analysis

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// kernel writes a kernel of one buffer of 64 words and its launch.
func kernel(t *testing.T, body string, grid, block string) *load.Opened {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"k.ptx": ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" +
			"\t.reg .b64 %rd<4>;\n\t.reg .b32 %r<8>;\n\t.reg .f32 %f<8>;\n\t.reg .pred %p<4>;\n" + body + "\tret;\n}\n",
		"k.toml": "kernel = \"k.ptx\"\ngrid = [" + grid + "]\nblock = [" + block + "]\n[[args]]\nname = \"p\"\ntype = \"u32\"\ncount = 64\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, filepath.Join(dir, "k.toml"))
}

func open(t *testing.T, file string) *load.Opened {
	t.Helper()
	l, err := load.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func analysed(t *testing.T, l *load.Opened, m *gpu.Machine, methods ...string) *Report {
	t.Helper()
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), Of(k), m, method.Question{Methods: methods})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHardware(t *testing.T) {
	plain := gpus.Preset(t, "ecrts2025-200")
	got := method.HardwareOf(plain, 6)
	want := method.Hardware{
		NumUnits: len(plain.Units), Units: got.Units, Queue: method.Unbounded, KeepsWarpOrder: true, FIFO: true,
		SubCores: 1, IssueWidth: 1, SlotsPerSM: 6, SMs: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i, u := range got.Units {
		if u.Name != plain.Units[i].Name || u.MaxInitCycles < 1 || u.Shared {
			t.Errorf("unit %d: %+v", i, u)
		}
	}

	set := gpus.Preset(t, "ecrts2025-200", "sm.count=3", "sm.schedulers=2", "issue.per_cycle=2", "queue.kind=slots", "queue.slots=5",
		"queue.order=any", "queue.keeps_warp_order=false", "barrier.draining=true", "barrier.delay_cycles=7",
		"block_dispatch.start_delay_cycles=11", "units.0.shared=true")
	got = method.HardwareOf(set, 2)
	want = method.Hardware{
		NumUnits: len(set.Units), Units: got.Units, Queue: method.Slots, QueueSlots: 5,
		SubCores: 2, IssueWidth: 2, DrainingBarriers: true, BarrierDelayCycles: 7, BlockStartDelayCycles: 11, SlotsPerSM: 2, SMs: 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !got.Units[0].Shared || got.Units[1].Shared {
		t.Errorf("units %+v", got.Units)
	}
	for want, set := range map[method.QueueKind][]string{
		method.NoQueue: {"queue.kind=none"},
		method.Pooled:  {"queue.kind=pooled", "queue.slots=4"},
	} {
		if got := method.HardwareOf(gpus.Preset(t, "ecrts2025-200", set...), 1); got.Queue != want {
			t.Errorf("%v: %v", set, got.Queue)
		}
	}
}

func find(t *testing.T, as []bound.Assumption, id bound.ID) bound.Assumption {
	t.Helper()
	i := slices.IndexFunc(as, func(a bound.Assumption) bool { return a.ID == id })
	if i < 0 {
		t.Fatalf("no %s", id)
	}
	return as[i]
}

// The ledger tells a path proved for all inputs from one of this input, and the
// best bound carries it.
func TestLedger(t *testing.T) {
	load1 := "\tld.param.u64 %rd1, [p];\n\tld.global.u32 %r1, [%rd1];\n\tsetp.eq.u32 %p1, %r1, 5;\n"
	r := analysed(t, kernel(t, load1+"\tselp.u32 %r2, 1, 2, %p1;\n", "1", "64"), gpus.Preset(t, "ecrts2025-200", "barrier.delay_cycles=7"))
	if a := find(t, r.Best.Assumptions, bound.PathCovers); a.Status != bound.Proved {
		t.Errorf("%+v", a)
	}
	if a := find(t, r.Best.Assumptions, bound.Delays); a.Note != "barrier 7, block start 0 cycles" {
		t.Errorf("%+v", a)
	}
	if a := find(t, r.Best.Assumptions, bound.Registers); a.Status != bound.Enforced || !strings.Contains(a.Note, "interlocks write-after-write") {
		t.Errorf("%+v", a)
	}

	r = analysed(t, kernel(t, load1+"\t@%p1 bra END;\n\tadd.u32 %r2, %r1, 1;\nEND:\n", "1", "64"), gpus.Preset(t, "ecrts2025-200", "issue.interlock_waw=false"))
	a := find(t, r.Best.Assumptions, bound.PathCovers)
	if a.Status != bound.Assumed || !strings.Contains(a.Note, "this input only, in the order recorded: 1 instruction(s)") || !strings.Contains(a.Note, "k.ptx:13:2") {
		t.Errorf("%+v", a)
	}
	if a := find(t, r.Best.Assumptions, bound.Registers); !strings.Contains(a.Note, "no write-after-write interlock") {
		t.Errorf("%+v", a)
	}
}

// An address that depends on data matters where transactions are counted only.
func TestRelevantTaints(t *testing.T) {
	l := kernel(t, "\tld.param.u64 %rd1, [p];\n\tld.global.u32 %r1, [%rd1];\n\tand.b32 %r1, %r1, 31;\n"+
		"\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.u64 %rd2, %rd1, %rd2;\n\tld.global.u32 %r2, [%rd2];\n", "1", "32")
	if r := analysed(t, l, gpus.Preset(t, "ecrts2025-200")); len(r.InputDependent) != 0 {
		t.Errorf("fixed transactions: %v", r.InputDependent)
	}
	m := gpus.Preset(t, "rtx3070")
	r := analysed(t, l, m)
	if len(r.InputDependent) != 1 || r.InputDependent[0].Kind != simt.TaintAddress || r.Timing[r.InputDependent[0].PC].Transactions != gpu.Segments {
		t.Errorf("counted transactions: %v", r.InputDependent)
	}
}

// Warp i belongs to scheduler i mod schedulers.
func TestWarpsAreSplitByScheduler(t *testing.T) {
	l := kernel(t, "\tadd.u32 %r1, %r2, %r3;\n", "1", "160") // 5 warps
	r := analysed(t, l, gpus.Preset(t, "ecrts2025-200", "sm.schedulers=2"))
	var got [2]int64
	for _, c := range r.Classes()[0].Block.Classes {
		got[c.SubCore] += c.Count
	}
	if got != [2]int64{3, 2} {
		t.Errorf("%v warps on the two schedulers", got)
	}
}

// A write waits for earlier writers of its registers where the description says
// so.
func TestWriteAfterWrite(t *testing.T) {
	l := kernel(t, "\tmov.u32 %r1, 1;\n\tmov.u32 %r1, 2;\n", "1", "32")
	with := analysed(t, l, gpus.Preset(t, "ecrts2025-200", "issue.interlock_waw=true"))
	without := analysed(t, l, gpus.Preset(t, "ecrts2025-200", "issue.interlock_waw=false"))
	if with.Best.Cycles <= without.Best.Cycles {
		t.Errorf("%d cycles with the interlock, %d without", with.Best.Cycles, without.Best.Cycles)
	}
}

// Barriers of part of a block leave the serial bound, of the block and of the
// launch, and every other method says why not.
func TestIrregularBarriers(t *testing.T) {
	l := open(t, filepath.Join("..", "..", "examples", "basic", "barrier", "producer_consumer.toml"))
	m := gpus.Preset(t, "ecrts2025-200")
	r := analysed(t, l, m)
	if len(r.Scopes) != 2 || r.Best == nil || r.Best.Method != "serial" || r.Scope(bound.Warp) != nil {
		t.Fatalf("best %+v", r.Best)
	}
	for _, s := range r.Scopes {
		if len(s.Bounds) != 1 || len(s.Refused) != len(multiphase.Methods()) {
			t.Errorf("%s: %d bounds, %d refusals", s.Scope, len(s.Bounds), len(s.Refused))
		}
		for _, no := range s.Refused {
			if no.Assumption != bound.BarrierKind || !strings.Contains(no.Reason, "is not one of the whole block") {
				t.Errorf("%+v", no)
			}
		}
	}
	for _, scope := range []bound.Scope{bound.Warp, bound.Block, bound.Kernel} {
		rows, err := Compare(context.Background(), r, l.Fresh, CompareOptions{Methods: []string{"sum", "serial", Best}, Policies: []policy.Policy{{Name: "lrr"}}, Scope: scope, Checks: true})
		if err != nil || len(rows) != 3 {
			t.Fatalf("%s: %d rows, %v", scope, len(rows), err)
		}
		for _, row := range rows {
			refused := row.Method == "sum" || scope == bound.Warp
			if (row.Refused != "") != refused || row.Violation() || row.SimulatedCycles < 1 {
				t.Errorf("%s: %+v", scope, row)
			}
		}
	}
}

// A block alone in the launch: the launch's bounds are the block's.
func TestOneBlock(t *testing.T) {
	l := kernel(t, "\tld.param.u64 %rd1, [p];\n\tld.global.u32 %r1, [%rd1];\n\tadd.u32 %r1, %r1, 1;\n", "1", "128")
	for _, sms := range []string{"1", "4"} {
		r := analysed(t, l, gpus.Preset(t, "ecrts2025-200", "sm.count="+sms))
		block, whole := r.Scope(bound.Block), r.Scopes[2]
		if want := map[string]bound.Scope{"1": bound.SM, "4": bound.Kernel}[sms]; whole.Scope != want {
			t.Errorf("%s SMs: scope %s", sms, whole.Scope)
		}
		for _, m := range Names(method.Plain) {
			a, b := block.Bound(m), whole.Bound(m)
			if (a == nil) != (b == nil) || a != nil && a.Cycles != b.Cycles {
				t.Errorf("%s SMs, %s: block %+v, launch %+v", sms, m, a, b)
			}
		}
	}
}

// More SMs never make the bound larger than the serial one, and the serial one
// counts every block.
func TestSerial(t *testing.T) {
	body := "\tld.param.u64 %rd1, [p];\n\tld.global.u32 %r1, [%rd1];\n\tadd.u32 %r1, %r1, 1;\n"
	m := gpus.Preset(t, "ecrts2025-200")
	one, four := analysed(t, kernel(t, body, "1", "64"), m), analysed(t, kernel(t, body, "4", "64"), m)
	a, b := one.Scopes[2].Bound("serial"), four.Scopes[2].Bound("serial")
	if b.Cycles != 4*a.Cycles || four.Scope(bound.Block).Bound("serial").Cycles != a.Cycles {
		t.Errorf("one block %d, four %d cycles", a.Cycles, b.Cycles)
	}
}

func TestMethodsAskedFor(t *testing.T) {
	l, m := kernel(t, "\tadd.u32 %r1, %r2, %r3;\n", "1", "64"), gpus.Preset(t, "ecrts2025-200")
	for _, c := range []struct{ methods, want []string }{
		{[]string{"serial"}, []string{"serial"}},
		{[]string{"sum"}, []string{"sum"}},
		{[]string{"ref", "gub", "serial"}, []string{"gub", "ref", "serial"}},
	} {
		var got []string
		for _, b := range analysed(t, l, m, c.methods...).Scope(bound.Block).Bounds {
			got = append(got, b.Method)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.methods, got)
		}
	}
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), Of(k), m, method.Question{Methods: []string{"sun"}}); err == nil || !strings.Contains(err.Error(), `method "sun": did you mean sum`) {
		t.Errorf("%v", err)
	}
}

func TestWarpsOfAnotherSize(t *testing.T) {
	l, m := kernel(t, "\tadd.u32 %r1, %r2, %r3;\n", "1", "64"), gpus.Preset(t, "ecrts2025-200", "sm.max_threads=768", "sm.max_threads_per_block=768", "sm.warp_size=16")
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), Of(k), m, method.Question{}); err == nil || !strings.Contains(err.Error(), "warps of 32 lanes, expected 16") {
		t.Errorf("%v", err)
	}
	l.WarpSize = 16
	if r := analysed(t, l, m); r.Warps != 4 {
		t.Errorf("%d warps", r.Warps)
	}
}

func TestRunIsCancelled(t *testing.T) {
	l := kernel(t, "\tmov.u32 %r1, 0;\nLOOP:\n\tadd.u32 %r1, %r1, 1;\n\tsetp.lt.u32 %p1, %r1, 1000000;\n\t@%p1 bra LOOP;\n", "1", "32")
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(gone, Of(k), gpus.Preset(t, "ecrts2025-200"), method.Question{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
