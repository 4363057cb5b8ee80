package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/verify/pages"
	"github.com/warpbound/warpbound/ptx"
)

const root = "../../.."

// TestReadme compares the generated parts of the README with what they should
// be.
func TestReadme(t *testing.T) {
	file := filepath.Join(root, "README.md")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(old)
	text = golden.Part(t, text, "analyze", "```\n"+screen(t)+"```\n")
	text = golden.Part(t, text, "makespan", "```\n"+makespanScreen(t)+"```\n")
	text = golden.Part(t, text, "library", program(t))
	text = golden.Part(t, text, "conformance", support(t)+"\n"+methods(t))
	golden.File(t, file, text)
}

// screen is the output of the README's first command.
func screen(t *testing.T) string {
	const launch = "examples/sgemm/double/sgemm_double_8.toml"
	r := analyze(t, launch, "ecrts2025-200")
	d, err := report.Analysis(launch, r)
	if err != nil {
		t.Fatal(err)
	}
	return d.Document(r, nil, false, nil).Text()
}

func analyze(t *testing.T, launch, preset string) *analysis.Report {
	t.Helper()
	l, err := load.Open(filepath.Join(root, filepath.FromSlash(launch)))
	if err != nil {
		t.Fatal(err)
	}
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	d, err := gpu.Open(preset, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	r, err := analysis.Run(context.Background(), analysis.Of(k), m, method.Question{})
	if err != nil {
		t.Fatalf("%s on %s: %v", launch, preset, err)
	}
	return r
}

// support counts what is covered.
func support(t *testing.T) string {
	executed, refused := 0, 0
	for _, op := range ptx.Opcodes() {
		for _, v := range ptx.Lookup(op).Variants {
			if v.State == ptx.Executed {
				executed++
			} else {
				refused++
			}
		}
	}
	kernels := map[string]bool{}
	for _, e := range examples.All() {
		kernels[e.Suite+"/"+e.Name] = true
	}
	table := report.Table{Header: []string{"what", "covered", "shown by"}, Left: []int{1, 2}}
	table.Add("PTX syntax", "ISA 1.3 to 9.x", "`go test ./ptx`")
	table.Add("PTX opcodes", fmt.Sprintf("%d opcodes in %d forms: %d executed, %d refused by name", len(ptx.Opcodes()), executed+refused, executed, refused), "[docs/ptx-support.md](docs/ptx-support.md)")
	table.Add("RISC-V", fmt.Sprintf("%d instructions: RV32IMF, Zicsr, Zifencei, Zicond, the SIMT instructions of Vortex", len(rv.Ops())), "[docs/riscv-support.md](docs/riscv-support.md), `go test ./internal/rv ./internal/simt/rvexec/...`")
	table.Add("Example kernels", fmt.Sprintf("%d kernels, %d launches, outputs equal to host references", len(kernels), len(examples.All())), "`go test ./internal/verify/integration`")
	table.Add("Vortex programs", fmt.Sprintf("%d launches, ELF and PTX, outputs equal to host references", len(examples.Vortex())), "`go test ./examples/vortex`")
	table.Add("Reference instances", "I1 to I12, H1 to H6, both counterexamples, published examples 1 and 2, to the cycle", "`go test ./internal/method/multiphase ./internal/sim`")
	return table.Render(report.Markdown)
}

// methods lists the methods, and says which bound is offered where, for a block with
// barriers.
func methods(t *testing.T) string {
	infos, err := gpu.Presets()
	if err != nil {
		t.Fatal(err)
	}
	table := report.Table{Header: append([]string{"bound on a block"}, analysis.General()...)}
	for i := range analysis.General() {
		table.Left = append(table.Left, i+1)
	}
	for _, info := range infos {
		r := analyze(t, "examples/basic/reduce/reduce-1block.toml", info.Name)
		s := r.Scope(bound.Block)
		row := []string{"`" + info.Name + "`"}
		for _, m := range analysis.General() {
			switch b := s.Bound(m); {
			case b == nil:
				row = append(row, "-")
			case b.Safe:
				row = append(row, "safe")
			default:
				row = append(row, "unsafe")
			}
		}
		table.Rows = append(table.Rows, row)
	}
	all, err := pages.Methods(false)
	if err != nil {
		t.Fatal(err)
	}
	return "Every method, the theorems that prove it, and the machine that it is for ([docs/methods.md](docs/methods.md)):\n\n" + all +
		"\nWhich bound on a block holds on which described GPU (`-`: no theorem covers it there, and it is refused with the reason):\n\n" + table.Render(report.Markdown)
}
