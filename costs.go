package warpbound

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/isa"
)

// Costs are the cycles of a bound on a whole launch by what they belong to.
type Costs struct {
	Bound *bound.Bound // that they add up to
	Rows  []Cost       // those with most cycles first

	of *analysis.Attribution
}

// Cost is the cycles of a bound that belong to a line, an instruction, a loop or a unit, or
// to none of them.
type Cost struct {
	Name string
	Pos  isa.Position // of a line, an instruction or a loop; zero otherwise
	// InlinedAt are the calls in whose place instructions of a line stand, in order.
	InlinedAt []isa.Position
	// Cycles is the sum of the following: on the longest chain of a warp, the next
	// instruction waits for the issue of this one, for its unit, or for its result; other
	// warps and blocks may start it first; and what belongs to no instruction.
	Cycles                                   int64
	Issue, Occupied, Awaited, Charged, Other int64
	Parts                                    map[bound.PartID]int64 // of the bound's breakdown
}

// CostsBy are the names of what cycles may be listed by. The caller owns the slice.
func CostsBy() []string { return slices.Clone(analysis.CostsBy) }

// checkAnnotate refuses sources without costs by line.
func checkAnnotate(annotate bool, by string) error {
	if annotate && by != analysis.ByLine && by != analysis.ByCall {
		return &OptionError{Option: "Annotate", With: "By", Other: by, Msg: fmt.Sprintf("expected %s or %s", analysis.ByLine, analysis.ByCall)}
	}
	return nil
}

func newCosts(of *analysis.Attribution) *Costs {
	out := &Costs{Bound: of.Bound, of: of}
	for _, r := range of.Rows {
		out.Rows = append(out.Rows, Cost(r))
	}
	return out
}

// RunCosts are the scheduler cycles of a simulation by what they belong to.
type RunCosts struct {
	Cycles int64     // of all schedulers; the rows add up to it
	Rows   []RunCost // those with most cycles first

	of *analysis.RunAttribution
}

// RunCost is the scheduler cycles that belong to a line, an instruction, a loop, a unit or
// arrays, or to none of these.
type RunCost struct {
	Name string
	Pos  isa.Position // of a line, an instruction or a loop; zero otherwise
	// InlinedAt are the calls in whose place instructions of a line stand, in order.
	InlinedAt []isa.Position
	// Cycles is the sum of the following: a scheduler issues an instruction; waits for its
	// result; or cannot issue it, which its unit, a barrier, the policy or the front end
	// holds; or has no warp that could issue.
	Cycles, Issued, Awaited, Held, Nobody int64
	Reasons                               map[string]int64 // of those that issue nothing, as in Simulation.Stalls, and "nop"
}

func newRunCosts(of *analysis.RunAttribution) *RunCosts {
	out := &RunCosts{Cycles: of.Cycles, of: of}
	for _, r := range of.Rows {
		out.Rows = append(out.Rows, RunCost(r))
	}
	return out
}

// lines reads lines of source files.
type lines struct {
	beside string // the directory that files are in that are not where their name says
	files  map[string][]string
}

func newLines(beside string) *lines { return &lines{beside, map[string][]string{}} }

// mostAbove is how many directories above that of the kernel a source file is looked for in.
const mostAbove = 3

// all is the lines of a file; nil where it is not at hand. It is looked for where its name
// says, from the kernel's directory and those above it, and by its last name beside the
// kernel.
func (l *lines) all(file string) []string {
	list, ok := l.files[file]
	if ok {
		return list
	}
	paths := []string{file}
	if !filepath.IsAbs(file) {
		at := l.beside
		for range mostAbove + 1 {
			paths = append(paths, filepath.Join(at, file))
			at = filepath.Join(at, "..")
		}
	}
	for _, path := range append(paths, filepath.Join(l.beside, filepath.Base(file))) {
		if data, err := os.ReadFile(path); err == nil {
			list = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
			break
		}
	}
	l.files[file] = list
	return list
}

// text is a line of a file; "" where there is none.
func (l *lines) text(file string, line int) string {
	list := l.all(file)
	if line < 1 || line > len(list) {
		return ""
	}
	return list[line-1]
}
