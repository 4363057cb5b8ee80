package view

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
)

// text is a file, line by line.
type text struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
	// Missing says why it is not shown, "" where it is.
	Missing string `json:"missing,omitempty"`
}

// instruction is where a static instruction stands, and what it has to do with others.
type instruction struct {
	PC       int    `json:"pc"`
	Position string `json:"position"` // as documents have it
	Line     int    `json:"line"`     // of the program's text, from 1
	Text     string `json:"text"`
	Source   int    `json:"source"`      // index of the file, -1 where none is known
	At       int    `json:"source_line"` // from 1
	Reads    []int  `json:"reads"`       // registers
	Writes   []int  `json:"writes"`
	// Executions are those of warps, -1 where they were not counted.
	Executions int64 `json:"executions"`
}

// launchView is the code of a launch.
type launchView struct {
	Name         string                `json:"name"`
	Kernel       string                `json:"kernel"`
	Grid         [3]int                `json:"grid"`
	Block        [3]int                `json:"block"`
	RISCV        bool                  `json:"riscv"`
	Program      text                  `json:"program"` // PTX, or a disassembly
	Sources      []text                `json:"sources"` // that the line table names
	Launch       text                  `json:"launch"`
	Instructions []instruction         `json:"instructions"`
	Registers    []string              `json:"registers"`
	Functions    []report.FunctionFlow `json:"functions"`
	// Counted says why executions were not counted, "" where they were.
	Counted string `json:"counted,omitempty"`
}

// mostExecuted is how many instructions are executed to count them.
const mostExecuted = 20_000_000

// launch is the code of a launch with its control flow.
func (s *site) launch(r *http.Request) (any, error) {
	it, l, err := s.opened(r)
	if err != nil {
		return nil, err
	}
	done, err := s.wait(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	data, err := os.ReadFile(it.path)
	if err != nil {
		return nil, err
	}
	file, err := launch.Parse(it.path, data, filepath.Dir(it.path))
	if err != nil {
		return nil, err
	}
	out := &launchView{Name: it.Name, Kernel: l.Kernel(), RISCV: file.RISCV != nil, Launch: text{Name: filepath.Base(it.path), Lines: lines(data)}, Sources: []text{}, Registers: l.Program().Registers}
	out.Grid, out.Block = l.Grid()
	listing, err := out.flow(r.Context(), l)
	if err != nil {
		return nil, err
	}
	if err := s.code(out, file.Kernel, l.Program(), listing); err != nil {
		return nil, err
	}
	return out, nil
}

// listed is an instruction of the document of control flow.
type listed struct {
	Place      string `json:"place"`
	Word       string `json:"word"`
	Text       string `json:"text"`
	Executions int64  `json:"executions"`
}

// flow takes the control flow from the document that the command cfg prints, or, where
// executing the launch takes too long or fails, makes it without executions.
func (v *launchView) flow(ctx context.Context, l *warpbound.Launch) ([]listed, error) {
	f, err := l.CFG(ctx, warpbound.CFGOptions{MaxInstructions: mostExecuted})
	if err == nil {
		rep, err := f.Report(true)
		if err != nil {
			return nil, err
		}
		data, err := rep.JSON()
		if err != nil {
			return nil, err
		}
		var doc struct {
			Functions    []report.FunctionFlow `json:"functions"`
			Instructions []listed              `json:"instructions"`
		}
		if err := json.Unmarshal(data, &doc); err != nil {
			return nil, err
		}
		v.Functions = doc.Functions
		return doc.Instructions, nil
	}
	if ctx.Err() != nil {
		return nil, err
	}
	v.Counted = err.Error()
	if errors.Is(err, warpbound.ErrInstructionLimit) {
		v.Counted = "the launch executes too many instructions to count them for a page"
	}
	var graphs []*isa.CFG
	for fn := range l.Program().Functions {
		c, err := isa.BuildCFG(l.Program(), fn)
		if err != nil {
			return nil, err
		}
		graphs = append(graphs, c)
	}
	v.Functions = report.Flow(graphs, nil, nil)
	var out []listed
	for _, in := range l.Program().Instructions {
		out = append(out, listed{Text: in.Opcode, Executions: -1})
	}
	return out, nil
}

// code says where instructions stand: PTX in its file, machine code in its disassembly.
func (s *site) code(v *launchView, kernel string, p *isa.Program, listing []listed) error {
	v.Program.Name = filepath.Base(kernel)
	if !v.RISCV {
		data, err := os.ReadFile(kernel)
		if err != nil {
			return err
		}
		v.Program.Lines = lines(data)
	}
	files := map[string]int{}
	for pc := range p.Instructions {
		in := &p.Instructions[pc]
		out := instruction{PC: pc, Position: in.Pos.String(), Line: in.Pos.Line, Text: in.Opcode, Source: -1, Reads: registers(in.Reads), Writes: registers(in.Writes), Executions: -1}
		if pc < len(listing) {
			out.Executions = listing[pc].Executions
		}
		if v.RISCV {
			v.Program.Lines = append(v.Program.Lines, strings.TrimSpace(listing[pc].Place+"  "+listing[pc].Text))
			out.Line, out.Text = pc+1, listing[pc].Text
		} else if i := in.Pos.Line - 1; i >= 0 && i < len(v.Program.Lines) {
			out.Text = strings.TrimSuffix(strings.Join(strings.Fields(v.Program.Lines[i]), " "), ";")
		}
		if in.Source.Line > 0 {
			i, ok := files[in.Source.File]
			if !ok {
				i = len(v.Sources)
				files[in.Source.File] = i
				v.Sources = append(v.Sources, s.source(in.Source.File, filepath.Dir(kernel)))
			}
			out.Source, out.At = i, in.Source.Line
		}
		v.Instructions = append(v.Instructions, out)
	}
	v.sortSources()
	return nil
}

// sortSources brings the files that are shown before those that are not, each in the order in
// which the program comes to them.
func (v *launchView) sortSources() {
	order := make([]int, len(v.Sources))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(len(v.Sources[a].Missing), len(v.Sources[b].Missing))
	})
	at, sorted := make([]int, len(order)), make([]text, len(order))
	for to, from := range order {
		at[from], sorted[to] = to, v.Sources[from]
	}
	v.Sources = sorted
	for i := range v.Instructions {
		if in := &v.Instructions[i]; in.Source >= 0 {
			in.Source = at[in.Source]
		}
	}
}

func registers(list []isa.Reg) []int {
	out := make([]int, len(list))
	for i, r := range list {
		out[i] = int(r)
	}
	return out
}

// source reads a file that a line table names, where it lies in the directory that was
// named: under its name, or beside the kernel.
func (s *site) source(name, beside string) text {
	out := text{Name: filepath.Base(name), Lines: []string{}}
	dir, err := filepath.Abs(s.root.Name())
	if err != nil {
		out.Missing = err.Error()
		return out
	}
	for _, at := range []string{name, filepath.Join(beside, name), filepath.Join(beside, filepath.Base(name))} {
		at, err := filepath.Abs(at)
		if err != nil {
			continue
		}
		inside, err := filepath.Rel(dir, at)
		if err != nil || !filepath.IsLocal(inside) {
			continue
		}
		// The root refuses links that lead out of it, too.
		if info, err := s.root.Stat(inside); err != nil || !info.Mode().IsRegular() || info.Size() > mostBytes {
			continue
		}
		if data, err := s.root.ReadFile(inside); err == nil {
			out.Lines = lines(data)
			return out
		}
	}
	out.Missing = "not in the directory that was named"
	return out
}

func lines(data []byte) []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"), "\n")
}

// knob is a number of the GPU that can be changed.
type knob struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Group string `json:"group"`
	Value int64  `json:"value"`
	Min   int64  `json:"min"`
	Max   int64  `json:"max"`
	// Source says where the number is from.
	Source string `json:"source"`
}

// describe lists the numbers of a GPU that matter for a launch, as it is without settings.
func (s *site) describe(r *http.Request) (any, error) {
	_, l, err := s.opened(r)
	if err != nil {
		return nil, err
	}
	m, err := s.machine(r, warpbound.DefaultGPU)
	if err != nil {
		return nil, err
	}
	d := m.Desc
	out := []knob{
		{Key: "sm.count", Label: "SMs", Group: "GPU", Value: d.SM.Count, Min: 1, Source: d.SM.Source},
		{Key: "sm.max_blocks", Label: "blocks an SM", Group: "GPU", Value: d.SM.MaxBlocks, Min: 1, Source: d.SM.Source},
		{Key: "issue.dependency_depth_cycles", Label: "dependency depth", Group: "GPU", Value: d.Issue.DependencyDepthCycles, Source: d.Issue.Source},
		{Key: "barrier.delay_cycles", Label: "barrier delay", Group: "GPU", Value: d.Barrier.DelayCycles, Source: d.Barrier.Source},
		{Key: "block_dispatch.start_delay_cycles", Label: "block start delay", Group: "GPU", Value: d.Dispatch.StartDelayCycles, Source: d.Dispatch.Source},
	}
	rules, units := used(m, l.Program())
	for _, i := range units {
		u := &d.Units[i]
		out = append(out, knob{Key: "units." + u.Name + ".count", Label: u.Name, Group: "units", Value: int64(u.Count), Min: 1, Source: u.Source})
	}
	for _, i := range rules {
		rule := &d.Timing[i]
		name := rule.Name
		if name == "" {
			continue
		}
		out = append(out,
			knob{Key: "timing." + name + ".latency_cycles", Label: name, Group: "latency", Value: rule.LatencyCycles, Min: 1, Source: rule.Source},
			knob{Key: "timing." + name + ".initiation_cycles", Label: name, Group: "initiation", Value: rule.InitiationCycles, Min: 1, Source: rule.Source})
	}
	for i := range out {
		out[i].Max = max(8, 4*out[i].Value)
	}
	return map[string]any{"gpu": d.Name, "about": d.Description, "model": d.Model, "policy": d.Issue.Policy, "caches": d.HasCaches(), "front_end": d.FrontEnd != nil, "knobs": out}, nil
}

// used are the rules and units that a program's instructions have, by their index.
func used(m *gpu.Machine, p *isa.Program) (rules, units []int) {
	for pc := range p.Instructions {
		t, rule, err := m.Timing(p.Instructions[pc].Class)
		if err != nil {
			continue // the analysis says what is missing
		}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
		if !t.NotIssued && !slices.Contains(units, int(t.Unit)) {
			units = append(units, int(t.Unit))
		}
	}
	slices.Sort(rules)
	slices.Sort(units)
	return rules, units
}
