package ptxas

import (
	"fmt"
	"regexp"
	"slices"
)

// about is the file that an error is about.
var about = regexp.MustCompile(`(?m)^ptxas (\d+)\.ptx, line \d+; (?:error|fatal)\s*:`)

// Doubtful returns the indices of those cases of whose recorded verdict the assembler does not convince: they have to be
// asked about one by one. The others it gets together, as many in a process as have one verdict, version and target,
// since most of the time for a case is the start of the assembler. It keeps some state between modules, so a verdict is to
// be recorded only from Check.
func (a *Assembler) Doubtful(arch string, cases []Case) ([]int, error) {
	type group struct {
		version, target string
		legal           bool
	}
	groups := map[group][]int{}
	var doubtful []int
	for i, c := range cases {
		if c.Where == "header" {
			doubtful = append(doubtful, i)
			continue
		}
		g := group{c.Version, c.Target, c.Legal}
		groups[g] = append(groups[g], i)
	}
	for g, members := range groups {
		complained, all, err := a.together(arch, cases, members)
		if err != nil {
			return nil, err
		}
		var left []int // those not complained about
		for _, i := range members {
			if complained[i] == g.legal {
				doubtful = append(doubtful, i)
			}
			if !complained[i] {
				left = append(left, i)
			}
		}
		// One illegal module keeps the assembler from generating code for the legal ones.
		if g.legal && !all {
			if _, all, err = a.together(arch, cases, left); err != nil {
				return nil, err
			}
			if !all {
				doubtful = append(doubtful, left...)
			}
		}
	}
	slices.Sort(doubtful)
	return doubtful, nil
}

// together assembles some of the cases in one process: it returns which of them the assembler complains about by their
// line, and whether it accepts them all.
func (a *Assembler) together(arch string, cases []Case, some []int) (complained map[int]bool, all bool, err error) {
	files, byName := map[string]string{}, map[string]int{}
	for _, i := range some {
		name := fmt.Sprint(i)
		files[name+".ptx"], byName[name] = cases[i].module("k"+name), i
	}
	if len(files) == 0 {
		return nil, true, nil
	}
	out, err := a.run(arch, files)
	if err != nil {
		return nil, false, err
	}
	complained = map[int]bool{}
	for _, m := range about.FindAllStringSubmatch(out, -1) {
		if i, ok := byName[m[1]]; ok {
			complained[i] = true
		}
	}
	return complained, out == "", nil
}
