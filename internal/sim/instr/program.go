package instr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An Instruction of a warp.
type Instruction struct {
	Unit             int   // unit F<Unit>
	InitiationCycles int64 // at least 1
	LatencyCycles    int64 // at least 0
	Sources          []int // earlier instructions of the warp, counted from 0
	BarrierBefore    bool  // a barrier of the block stands before the instruction
}

// Warps are the warps of one block, each its instructions in order.
type Warps [][]Instruction

// Units is one more than the largest unit number used.
func (p Warps) Units() int {
	n := 0
	for _, w := range p {
		for _, in := range w {
			n = max(n, in.Unit+1)
		}
	}
	return n
}

// maxWarps bounds what Parse makes of a number of copies.
const maxWarps = 4096

// Parse reads a program. Errors name the warp and the word.
func Parse(text string) (Warps, error) {
	var p Warps
	for i, part := range strings.Split(text, ";") {
		fields := strings.Fields(part)
		copies := 1
		if len(fields) > 0 {
			if n, ok := cutCopies(fields[0]); ok {
				copies, fields = n, fields[1:]
			}
		}
		if len(fields) == 0 {
			return nil, fmt.Errorf("warp %d: no instruction", i)
		}
		warp, err := parseWarp(fields)
		if err != nil {
			return nil, fmt.Errorf("warp %d: %w", i, err)
		}
		if len(p)+copies > maxWarps {
			return nil, fmt.Errorf("%d warps: expected at most %d", len(p)+copies, maxWarps)
		}
		for range copies {
			p = append(p, warp)
		}
	}
	return p, nil
}

// MustParse is Parse for constant programs; it panics on an error.
func MustParse(text string) Warps {
	p, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

func cutCopies(s string) (int, bool) {
	for _, suffix := range []string{"x", "×"} {
		if head, ok := strings.CutSuffix(s, suffix); ok {
			if n, err := strconv.Atoi(head); err == nil && n > 0 {
				return n, true
			}
		}
	}
	return 0, false
}

func parseWarp(fields []string) ([]Instruction, error) {
	var warp []Instruction
	barrier := false
	for _, f := range fields {
		if f == "|" {
			if barrier || len(warp) == 0 {
				return nil, fmt.Errorf("a barrier stands between two instructions")
			}
			barrier = true
			continue
		}
		in, err := parseInstruction(f, len(warp))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", f, err)
		}
		in.BarrierBefore = barrier
		barrier = false
		warp = append(warp, in)
	}
	if barrier {
		return nil, fmt.Errorf("a barrier stands between two instructions")
	}
	return warp, nil
}

func parseInstruction(f string, at int) (Instruction, error) {
	var in Instruction
	f, sources, hasSources := strings.Cut(f, "(")
	parts := strings.Split(f, "/")
	if len(parts) != 3 || !strings.HasPrefix(parts[0], "F") {
		return in, fmt.Errorf("expected F<unit>/<initiation>/<latency>")
	}
	unit, err := strconv.Atoi(parts[0][1:])
	if err != nil || unit < 0 || unit > 255 {
		return in, fmt.Errorf("unit %q: expected a number from 0 to 255", parts[0][1:])
	}
	in.Unit = unit
	if in.InitiationCycles, err = strconv.ParseInt(parts[1], 10, 32); err != nil || in.InitiationCycles < 1 {
		return in, fmt.Errorf("initiation %q: expected a number of at least 1", parts[1])
	}
	if in.LatencyCycles, err = strconv.ParseInt(parts[2], 10, 32); err != nil || in.LatencyCycles < 0 {
		return in, fmt.Errorf("latency %q: expected a number of at least 0", parts[2])
	}
	if !hasSources {
		return in, nil
	}
	list, ok := strings.CutSuffix(sources, ")")
	if !ok {
		return in, fmt.Errorf("expected ) after the sources")
	}
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 0 || n >= at {
			return in, fmt.Errorf("source %q: expected the number of an earlier instruction of the warp", s)
		}
		if !slices.Contains(in.Sources, n) {
			in.Sources = append(in.Sources, n)
		}
	}
	return in, nil
}

// String prints the program in the notation Parse reads.
func (p Warps) String() string {
	var b strings.Builder
	for i, w := range p {
		if i > 0 {
			b.WriteString(" ; ")
		}
		for j, in := range w {
			if j > 0 {
				b.WriteByte(' ')
			}
			if in.BarrierBefore {
				b.WriteString("| ")
			}
			fmt.Fprintf(&b, "F%d/%d/%d", in.Unit, in.InitiationCycles, in.LatencyCycles)
			for k, s := range in.Sources {
				fmt.Fprintf(&b, "%c%d", "(,"[min(k, 1)], s)
			}
			if len(in.Sources) > 0 {
				b.WriteByte(')')
			}
		}
	}
	return b.String()
}
