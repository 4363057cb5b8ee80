package report

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/version"
)

// RunDocument is the JSON form of a functional execution (docs/json.md).
type RunDocument struct {
	Warpbound        version.Info `json:"warpbound"`
	Kernel           string       `json:"kernel"`
	Launch           string       `json:"launch"`
	WarpInstructions int64        `json:"warp_instructions"`
	ExitCode         *int32       `json:"exit_code"` // null for PTX
	Console          string       `json:"console"`
}

// Dump is a buffer that was written to a file.
type Dump struct{ Buffer, File string }

// Run reports an execution of a launch and what was written of its buffers; end is
// what a RISC-V program left besides, nil for PTX.
func Run(launch, kernel string, instructions int64, dumps []Dump, end *load.Outcome) *Document {
	d := &RunDocument{Warpbound: version.Get(), Kernel: kernel, Launch: launch, WarpInstructions: instructions}
	if end != nil {
		d.ExitCode, d.Console = &end.ExitCode, string(end.Console)
	}
	lead := fmt.Sprintf("%s: %d warp instructions executed\n", d.Kernel, d.WarpInstructions)
	for _, x := range dumps {
		lead += fmt.Sprintf("%s written to %s\n", x.Buffer, x.File)
	}
	return &Document{
		Kind: "run", Provenance: Written(d.Warpbound, []string{launch}), JSON: d,
		Sections: []Section{{ID: "instructions", Lead: lead}, outcomeSection(end)},
	}
}

// outcomeSection is what a RISC-V program left besides its buffers, with no place of
// its own where there is none.
func outcomeSection(end *load.Outcome) Section {
	return Section{ID: "outcome", Joined: true, Write: func(p *Printer) {
		if end == nil {
			return
		}
		if n := len(end.Console); n > 0 {
			p.WriteString("console:\n")
			p.Listing(func() {
				p.Write(end.Console)
				if end.Console[n-1] != '\n' {
					p.WriteByte('\n')
				}
			})
		}
		if end.ExitCode != 0 {
			fmt.Fprintf(p, "exit code %d\n", end.ExitCode)
		}
	}}
}

// failedText heads a report about a program that has said that it failed.
func failedText(end *load.Outcome) string {
	if end == nil || end.ExitCode == 0 {
		return ""
	}
	return fmt.Sprintf("FAILED  the program ended with exit code %d: what follows is about an execution that failed\n", end.ExitCode)
}
