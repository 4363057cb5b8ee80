package report

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/terminal"
	"github.com/warpbound/warpbound/internal/version"
)

// CertifyDocument is the JSON form of what is known of a certificate (docs/json.md).
type CertifyDocument struct {
	Warpbound    version.Info `json:"warpbound"`
	Certificate  string       `json:"certificate"`
	Holds        bool         `json:"holds"`
	Refusal      string       `json:"refusal"` // "" where it holds
	Kernel       string       `json:"kernel"`
	GPU          string       `json:"gpu"`
	Method       string       `json:"method"`
	AllInputs    bool         `json:"holds_for_all_inputs"`
	BlockCycles  int64        `json:"block_cycles"`
	LaunchCycles int64        `json:"launch_cycles"`
	Theorems     string       `json:"theorems"`
	Symbols      int          `json:"symbols"`
	Expressions  int          `json:"expressions"`
	Potentials   int          `json:"potentials"`
	Neighbours   int          `json:"neighbours"`
	Trusted      []string     `json:"trusted"`
}

// Certify reports what is known of a certificate.
func Certify(d CertifyDocument) *Document {
	d.Warpbound = version.Get()
	d.Trusted = append([]string{}, d.Trusted...)
	out := &Document{Kind: "certify", Provenance: Written(d.Warpbound, []string{d.Certificate}), JSON: &d}
	lead := fmt.Sprintf("certificate  %s: kernel %s on %s\n", d.Certificate, d.Kernel, d.GPU)
	if !d.Holds {
		lead += fmt.Sprintf("REFUSED      %s\n             nothing follows from it; it claims %s cycles for the launch\n", d.Refusal, terminal.Count(d.LaunchCycles))
		out.Sections = append(out.Sections, Section{ID: "certificate", Lead: lead})
		return out
	}
	word := "BOUND       "
	if !d.AllInputs {
		word = "THIS INPUT  "
	}
	lead += fmt.Sprintf("%s %s cycles for the launch, %s for the slowest block alone, by %s\n", word, terminal.Count(d.LaunchCycles), terminal.Count(d.BlockCycles), d.Method)
	lead += fmt.Sprintf("CHECKED      %d instructions with their timing, %d expressions, %d potentials, %d pairs of instructions that follow each other\n", d.Symbols, d.Expressions, d.Potentials, d.Neighbours)
	out.Sections = append(out.Sections, Section{ID: "certificate", Lead: lead})
	trusted := ""
	for _, t := range d.Trusted {
		trusted += "  " + t + "\n"
	}
	out.Sections = append(out.Sections, Section{ID: "trusted", Lead: "not checked; whoever uses the bound answers for it:\n", Notes: trusted})
	return out
}
