package trace

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/testkit/traces"
	"github.com/warpbound/warpbound/internal/timeline"
	"github.com/warpbound/warpbound/isa"
)

// Instructions say where they are, in the kernel's file and in its source, inlining
// included.
func TestPlaces(t *testing.T) {
	in := isa.Instruction{Opcode: "fma", Pos: isa.Position{File: "k.ptx", Line: 7, Col: 2}}
	if got := fmt.Sprint(placeOf(3, &in)); got != "[{pc 3 } {line 0 k.ptx:7:2}]" {
		t.Error(got)
	}
	in.Source = isa.Position{File: "k.cu", Line: 12, Col: 5}
	in.Inlined = []isa.Inlined{{Function: "dot", At: isa.Position{File: "k.cu", Line: 20, Col: 9}}, {At: isa.Position{File: "k.cu", Line: 31, Col: 1}}}
	if got := fmt.Sprint(placeOf(3, &in)); got != "[{pc 3 } {line 0 k.ptx:7:2} {source 0 k.cu:12:5} {inlined 0 dot at k.cu:20:9, at k.cu:31:1}]" {
		t.Error(got)
	}
}

// Flows lead from a load to the first instruction that reads what it brought, and from
// nothing else.
func TestFlows(t *testing.T) {
	const (
		load  = iota // r0 and r1
		use0         // reads r0
		use1         // reads r1
		set0         // writes r0
		swap         // atomic: writes r0
		both         // reads r0 and r1
		other        // loads r1
		off          // load, of no lane
		block        // the next block begins
	)
	program := &isa.Program{Registers: []string{"r0", "r1"}, Instructions: []isa.Instruction{
		load: {Opcode: "load", Kind: isa.Load, Writes: []isa.Reg{0, 1}}, use0: {Opcode: "use0", Reads: []isa.Reg{0}}, use1: {Opcode: "use1", Reads: []isa.Reg{1}},
		set0: {Opcode: "set0", Writes: []isa.Reg{0}}, swap: {Opcode: "swap", Kind: isa.Atomic, Writes: []isa.Reg{0}}, both: {Opcode: "both", Reads: []isa.Reg{0, 1}},
		other: {Opcode: "other", Kind: isa.Load, Writes: []isa.Reg{1}}, off: {Opcode: "off", Kind: isa.Load, Writes: []isa.Reg{0, 1}},
	}}
	far := []int32{load}
	for range keepForFlows * 2 {
		far = append(far, use1+1) // set0
	}
	for name, c := range map[string]struct {
		run  []int32
		want string // instructions at which flows start and end, by number
	}{
		"first use":        {[]int32{load, use0, use0}, "0>1"},
		"one of two":       {[]int32{load, use1, use0, both}, "0>1"},
		"later":            {[]int32{load, set0, set0, use1}, "0>3"},
		"overwritten":      {[]int32{load, set0, use0}, ""},
		"both":             {[]int32{load, both}, "0>1"},
		"two loads":        {[]int32{load, other, both}, "0>2 1>2"},
		"loaded anew":      {[]int32{load, load, both}, "1>2"},
		"atomic":           {[]int32{swap, use0}, "0>1"},
		"another block":    {[]int32{load, block, use0, both}, ""},
		"nothing loaded":   {[]int32{off, use0}, ""},
		"never used":       {[]int32{load, other}, ""},
		"too far":          {append(far, use1), ""},
		"not that far":     {append(append([]int32{load}, far[1:keepForFlows/2]...), use1), fmt.Sprintf("0>%d", keepForFlows/2)},
		"before and after": {[]int32{use0, load, use0}, "1>2"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			r := New(timeline.New(&out, timeline.Perfetto), Options{Title: "t", Program: program, Timing: make([]gpu.Timing, len(program.Instructions)), Machine: &gpu.Machine{Units: []gpu.Unit{{Name: "U"}}}, Warps: 1, SMs: 1})
			number, start := int64(0), int64(0)
			r.BlockStart(sim.BlockEvent{})
			for i, pc := range c.run {
				if pc == block {
					start++
					r.BlockEnd(sim.BlockEvent{Block: start - 1, Cycle: int64(i)})
					r.BlockStart(sim.BlockEvent{Block: start, Cycle: int64(i)})
					continue
				}
				e := sim.IssueEvent{Place: sim.Place{Block: start}, Cycle: int64(i), PC: pc, Index: number, Exec: 1}
				if pc == off {
					e.Exec = 0
				}
				r.Issue(e)
				number++
			}
			r.BlockEnd(sim.BlockEvent{Block: start, Cycle: int64(len(c.run))})
			sum, err := r.Finish(int64(len(c.run)))
			if err != nil {
				t.Fatal(err)
			}
			x, err := traces.Perfetto(out.Bytes())
			if err == nil {
				err = x.Check()
			}
			if err != nil {
				t.Fatal(err)
			}
			from, got := map[uint64]any{}, ""
			for _, e := range x.Events {
				for _, f := range e.FlowsOut {
					from[f] = e.Args["instruction"]
				}
				for _, f := range e.FlowsIn {
					if got != "" {
						got += " "
					}
					got += fmt.Sprintf("%v>%v", from[f], e.Args["instruction"])
				}
			}
			if got != c.want || sum.Flows != int64(len(from)) {
				t.Errorf("flows %q, expected %q; %+v", got, c.want, sum)
			}
		})
	}
}
