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
	return Sentences("run", Written(d.Warpbound, []string{launch}), d, func(p *Printer) {
		fmt.Fprintf(p, "%s: %d warp instructions executed\n", d.Kernel, d.WarpInstructions)
		for _, x := range dumps {
			fmt.Fprintf(p, "%s written to %s\n", x.Buffer, x.File)
		}
		writeOutcome(p, end)
	})
}

// writeOutcome writes what a RISC-V program left besides its buffers.
func writeOutcome(p *Printer, end *load.Outcome) {
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
}

// writeFailed heads a report about a program that has said that it failed.
func writeFailed(p *Printer, end *load.Outcome) {
	if end != nil && end.ExitCode != 0 {
		fmt.Fprintf(p, "FAILED  the program ended with exit code %d: what follows is about an execution that failed\n", end.ExitCode)
	}
}
