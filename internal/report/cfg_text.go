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
	out := &Document{Kind: "cfg", Provenance: Written(d.Warpbound, []string{file}), JSON: d}
	for i := range d.Functions {
		out.Sections = append(out.Sections, d.Functions[i].section(l))
	}
	if executed != nil {
		out.Sections = append(out.Sections, Section{ID: "instructions", Listing: true, Sheet: d.listing(l.PlaceName())})
	}
	return out
}

func (f *FunctionFlow) section(l *load.Opened) Section {
	loops := ""
	for _, loop := range f.Loops {
		kind := ""
		if loop.Irreducible {
			kind = ", irreducible"
		}
		loops += fmt.Sprintf("loop at pc %d (%s %s), depth %d, %d blocks%s\n", loop.HeaderPC, l.PlaceName(), l.Text(loop.HeaderPC).Place, loop.Depth, loop.Blocks, kind)
	}
	return Section{
		ID: "function", Joined: true, Lead: fmt.Sprintf("%s: %d blocks, %d loops\n", f.Name, len(f.Blocks), len(f.Loops)), Sheet: f.sheet(l), Notes: loops,
	}
}

// sheet lists the blocks of a function.
func (f *FunctionFlow) sheet(l *load.Opened) *Sheet {
	type row struct {
		number int64
		*FlowBlock
	}
	var rows []row
	for i := range f.Blocks {
		rows = append(rows, row{int64(i), &f.Blocks[i]})
	}
	return NewSheet("", rows, []Of[row]{
		{Column{ID: "block", Heading: "block", Unit: "number", Type: Integer}, func(b *row) any { return b.number }},
		{Column{ID: "pc", Heading: "pc", Type: Label}, func(b *row) any { return fmt.Sprintf("%d-%d", b.First, b.End-1) }},
		{Column{ID: "place", Heading: l.PlaceName(), Type: Label}, func(b *row) any { return l.Text(b.First).Place }},
		{Column{ID: "executions", Heading: "executions", Unit: "times", Type: Amount}, func(b *row) any { return b.Executions }},
		{Column{ID: "successors", Heading: "successors", Type: Label}, func(b *row) any { return fmt.Sprint(b.Successors) }},
		{Column{ID: "reconverges_pc", Heading: "reconverges", Unit: "pc", Type: Integer}, func(b *row) any {
			if len(b.Successors) < 2 {
				return nil
			}
			return int64(b.Reconverges)
		}},
		{Column{ID: "divergent"}, func(b *row) any {
			if b.Divergent {
				return "divergent"
			}
			return ""
		}},
	})
}

func (d *FlowDocument) listing(place string) *Sheet {
	columns := []Of[ListedInstruction]{
		{Column{ID: "pc", Heading: "pc", Unit: "pc", Type: Integer}, func(in *ListedInstruction) any { return int64(in.PC) }},
		{Column{ID: "place", Heading: place, Type: Label}, func(in *ListedInstruction) any { return in.Place }},
	}
	if len(d.Instructions) > 0 && d.Instructions[0].Word != "" {
		columns = append(columns, Of[ListedInstruction]{Column{ID: "word", Heading: "word", Type: Label}, func(in *ListedInstruction) any { return in.Word }})
	}
	return NewSheet("instructions[]", d.Instructions, append(columns,
		Of[ListedInstruction]{Column{ID: "executions", Heading: "executions", Unit: "times", Type: Amount}, func(in *ListedInstruction) any { return in.Executions }},
		Of[ListedInstruction]{Column{ID: "text", Heading: "instruction"}, func(in *ListedInstruction) any { return in.Text }},
	))
}
