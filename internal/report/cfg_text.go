package report

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/version"
)

// FlowDocument is the JSON form of a control flow (docs/json.md).
type FlowDocument struct {
	Warpbound version.Info   `json:"warpbound"`
	Kernel    string         `json:"kernel"`
	Launch    string         `json:"launch"`
	Functions []FunctionFlow `json:"functions"`
	// Instructions are listed where asked for.
	Instructions []ListedInstruction `json:"instructions"`
}

// ListedInstruction is an instruction of a listing.
type ListedInstruction struct {
	PC         int32  `json:"pc"`
	Place      string `json:"place"`
	Word       string `json:"word,omitempty"`
	Text       string `json:"text"`
	Executions int64  `json:"executions"`
}

// Flows reports the control flow of a launch, with its instructions where executed,
// which counts executions of each, is not nil.
func Flows(file string, l *load.Opened, functions []FunctionFlow, executed []int64) *Document {
	d := &FlowDocument{version.Get(), l.Program().Name, file, functions, []ListedInstruction{}}
	for pc := range executed {
		t := l.Text(int32(pc))
		d.Instructions = append(d.Instructions, ListedInstruction{int32(pc), t.Place, t.Word, t.Instruction, executed[pc]})
	}
	return Sentences("cfg", Written(d.Warpbound, []string{file}), d, func(p *Printer) {
		for i := range d.Functions {
			d.Functions[i].write(p, l)
		}
		if executed != nil {
			p.Listing(func() { p.WriteString("\n" + d.listing(l.PlaceName()).Render(Text)) })
		}
	})
}

func (f *FunctionFlow) write(p *Printer, l *load.Opened) {
	fmt.Fprintf(p, "%s: %d blocks, %d loops\n", f.Name, len(f.Blocks), len(f.Loops))
	t := Table{Header: []string{"block", "pc", l.PlaceName(), "executions", "successors", "reconverges", ""}, Left: []int{6}}
	for i, b := range f.Blocks {
		note, meet := "", "-"
		if b.Divergent {
			note = "divergent"
		}
		if len(b.Successors) > 1 {
			meet = fmt.Sprint(b.Reconverges)
		}
		t.Add(i, fmt.Sprintf("%d-%d", b.First, b.End-1), l.Text(b.First).Place, Count(b.Executions), fmt.Sprint(b.Successors), meet, note)
	}
	p.WriteString(t.Render(Text))
	for _, loop := range f.Loops {
		kind := ""
		if loop.Irreducible {
			kind = ", irreducible"
		}
		fmt.Fprintf(p, "loop at pc %d (%s %s), depth %d, %d blocks%s\n", loop.HeaderPC, l.PlaceName(), l.Text(loop.HeaderPC).Place, loop.Depth, loop.Blocks, kind)
	}
}

func (d *FlowDocument) listing(place string) *Table {
	t := &Table{Header: []string{"pc", place, "executions", "instruction"}, Left: []int{3}}
	machine := len(d.Instructions) > 0 && d.Instructions[0].Word != ""
	if machine {
		t = &Table{Header: []string{"pc", place, "word", "executions", "instruction"}, Left: []int{4}}
	}
	for _, in := range d.Instructions {
		if machine {
			t.Add(in.PC, in.Place, in.Word, Count(in.Executions), in.Text)
		} else {
			t.Add(in.PC, in.Place, Count(in.Executions), in.Text)
		}
	}
	return t
}
