package certify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/witness"
)

// certified is a certificate that its launch has, with the files that it is checked
// against.
type certified struct {
	*certificate.Certificate
	files   Files
	sum     *bound.Bound // by the analysis
	block   int64        // likewise, the slowest block alone
	limited bool         // within facts
}

// preset is a machine: a preset with settings.
func preset(t testing.TB, name string, set ...string) *gpu.Machine {
	t.Helper()
	d, err := gpu.Open(name, set)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// made makes the certificate of a launch, nil where sum gives no bound on it.
func made(t testing.TB, file string, m *gpu.Machine) *certified {
	t.Helper()
	l, err := load.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if l, err = l.For(m.Desc); err != nil {
		t.Fatal(err)
	}
	source := method.Source{Fresh: l.Fresh, Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Facts: l.Facts()}
	r, err := analysis.Run(context.Background(), source, m, method.Question{Methods: []string{"sum"}})
	if err != nil {
		if strings.Contains(err.Error(), "does not fit an SM") {
			return nil
		}
		t.Fatalf("%s: %v", file, err)
	}
	if r.Best == nil {
		return nil
	}
	out := &certified{limited: r.Facts.Limits() != nil, sum: r.Best, block: r.Scope(bound.Block).BestBound().Cycles}
	if out.Certificate, err = witness.Of(context.Background(), r.Facts, r.Best, witness.Options{}); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if out.files.Kernel, err = os.ReadFile(l.File.Kernel); err != nil {
		t.Fatal(err)
	}
	if out.files.Launch, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	out.Kernel = certificate.Kernel{File: l.File.Kernel, SHA256: certificate.Hash(out.files.Kernel), Entry: r.Kernel}
	out.Launch = &certificate.File{File: file, SHA256: certificate.Hash(out.files.Launch)}
	if err := Conclude(out.Certificate, out.files); err != nil {
		t.Fatalf("%s on %s: %v", file, m.Desc.Name, err)
	}
	return out
}

func launches() []examples.Example { return slices.Concat(examples.All(), examples.Inputs()) }

// noSum are the launches that no plain method bounds.
var noSum = []string{"basic/barrier/producer_consumer.toml", "units/pipeline/copy_stages.toml"}

// Every example certifies, as it is written and read again; its figures are those of the
// analysis, or lower where the certificate follows more orders. UPDATE_GOLDEN=1 writes
// the table of docs/certificates.md.
func TestExamplesCertify(t *testing.T) {
	table := report.Table{Header: []string{"machine", "launches", "equal", "lower", "most potentials", "largest file, KiB"}}
	for _, name := range []string{"ecrts2025-200", "rtx3070"} {
		m := preset(t, name)
		var all, equal, uses, size int
		var lower, limited []string
		for _, e := range launches() {
			c := made(t, filepath.Join(root, "examples", e.Launch), m)
			if c == nil {
				if !slices.Contains(noSum, e.Launch) {
					t.Errorf("%s on %s: no bound", e.Launch, name)
				}
				continue
			}
			data, err := c.Encode()
			if err != nil {
				t.Fatal(err)
			}
			read, err := certificate.Read(data)
			if err != nil {
				t.Fatalf("%s: %v", e.Launch, err)
			}
			if _, err := Check(read, c.files); err != nil {
				t.Errorf("%s on %s: %v", e.Launch, name, err)
			}
			all, uses, size = all+1, max(uses, len(c.Uses)), max(size, len(data))
			switch {
			case c.Result.Launch == c.sum.Cycles && c.Result.Block == c.block:
				equal++
			case c.limited:
				limited = append(limited, e.Launch)
			case c.Result.Launch <= c.sum.Cycles && c.Result.Block <= c.block:
				if k := filepath.Base(filepath.Dir(e.Launch)); !slices.Contains(lower, k) {
					lower = append(lower, k)
				}
			default:
				t.Errorf("%s on %s: the certificate has %d cycles, %d for a block, the analysis %d and %d", e.Launch, name, c.Result.Launch, c.Result.Block, c.sum.Cycles, c.block)
			}
		}
		if len(limited) > all/10 {
			t.Errorf("%s: facts that certificates do without make the figures of %v", name, limited)
		}
		table.Add(name, report.Count(int64(all)), report.Count(int64(equal)), fmt.Sprintf("%d: those of %s", all-equal-len(limited), strings.Join(lower, ", ")), report.Count(int64(uses)), report.Count(int64(size)>>10))
	}
	page := filepath.Join(root, "docs/certificates.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, page, golden.Part(t, string(text), "figures", table.Render(report.Markdown)))
}

// machines are settings with other queues, orders, barriers, schedulers and SMs.
var machines = [][]string{
	{"queue.kind=none"}, {"queue.kind=slots", "queue.slots=2"}, {"queue.kind=pooled", "queue.slots=4"}, {"queue.order=any"},
	{"queue.order=any", "queue.keeps_warp_order=false"}, {"queue.order=any", "barrier.draining=true", "barrier.delay_cycles=7"}, {"issue.interlock_waw=false"},
	{"sm.schedulers=4"}, {"sm.schedulers=3", "units.MEM.shared=true", "units.LSU.shared=true"}, {"sm.count=2"}, {"sm.count=80", "block_dispatch.placement=breadth-first"},
	{"sm.max_blocks=1"}, {"sm.max_blocks=1", "sm.count=3"}, {"block_dispatch.start_delay_cycles=11", "issue.dependency_depth_cycles=0"},
	{"timing.memory.initiation_cycles=9", "timing.lsu.initiation_cycles=5"},
	{"timing.memory.transactions=segments", "timing.memory.transaction_cycles=3"},
}

// differing says which certificate of a few launches on those machines has other figures
// than the analysis.
func differing(t testing.TB) string {
	for _, set := range machines {
		m := preset(t, "ecrts2025-200", set...)
		for _, file := range []string{
			"basic/reduce/reduce.toml", "sgemm/double/sgemm_double_8.toml", "inputs/kernels/kmp/kmp.toml", "rodinia/lud/lud_perimeter.toml",
			"polybench/gemm/gemm.toml", "basic/atomics/shared_atomics.toml", "basic/calls/recursion.toml",
		} {
			c := made(t, filepath.Join(root, "examples", file), m)
			switch {
			case c == nil:
				return fmt.Sprintf("%s with %v: no bound", file, set)
			case c.Result.Launch != c.sum.Cycles || c.Result.Block != c.block:
				return fmt.Sprintf("%s with %v: the certificate has %d cycles, %d for a block, the analysis %d and %d", file, set, c.Result.Launch, c.Result.Block, c.sum.Cycles, c.block)
			}
		}
	}
	return ""
}

// Machines with other queues, orders and barriers certify as well.
func TestMachinesCertify(t *testing.T) {
	if wrong := differing(t); wrong != "" {
		t.Error(wrong)
	}
}

// BenchmarkCheck reads and checks the certificates of all examples, one after the other,
// and says how long the slowest takes.
func BenchmarkCheck(b *testing.B) {
	m := preset(b, "rtx3070")
	type written struct {
		*certified
		data []byte
	}
	var all []written
	for _, e := range launches() {
		if c := made(b, filepath.Join(root, "examples", e.Launch), m); c != nil {
			data, err := c.Encode()
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, written{c, data})
		}
	}
	slowest := time.Duration(0)
	for b.Loop() {
		for _, c := range all {
			start := b.Elapsed()
			read, err := certificate.Read(c.data)
			if err == nil {
				_, err = Check(read, c.files)
			}
			if err != nil {
				b.Fatal(err)
			}
			slowest = max(slowest, b.Elapsed()-start)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/certificate")
	b.ReportMetric(float64(slowest.Nanoseconds()), "slowest-ns")
}
