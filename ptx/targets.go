package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// versions are the last minor version of each major version of PTX ISA, from 1 on:
// PTX ISA, release history (its table has 1.0 to 9.4, of CUDA 1.0 to 13.4), and 1.5
// and 5.1, which it leaves out and ptxas of CUDA 11.8 accepts.
var versions = []int{5, 3, 2, 3, 1, 5, 8, 8, 4}

// known reports whether there is a PTX ISA of that version.
func (v Version) known() bool {
	return v.Major >= 1 && v.Major <= len(versions) && v.Minor <= versions[v.Major-1]
}

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// architecture is the number of a target "sm_NN" and the first PTX ISA that has it:
// PTX ISA, ".target", and its release history; up to 7.8 as ptxas of CUDA 11.8 answers.
type architecture struct {
	number string
	since  Version
}

var architectures = []architecture{
	{"10", Version{1, 0}}, {"11", Version{1, 0}}, {"12", Version{1, 2}}, {"13", Version{1, 2}},
	{"20", Version{2, 0}}, {"21", Version{2, 0}},
	{"30", Version{3, 0}}, {"32", Version{4, 0}}, {"35", Version{3, 1}}, {"37", Version{4, 1}},
	{"50", Version{4, 0}}, {"52", Version{4, 1}}, {"53", Version{4, 2}},
	{"60", Version{5, 0}}, {"61", Version{5, 0}}, {"62", Version{5, 0}},
	{"70", Version{5, 1}}, {"72", Version{6, 1}}, {"75", Version{6, 3}},
	{"80", Version{7, 0}}, {"86", Version{7, 1}}, {"87", Version{7, 4}}, {"88", Version{9, 0}}, {"89", Version{7, 8}},
	{"90", Version{7, 8}},
	{"100", Version{8, 6}}, {"101", Version{8, 6}}, {"103", Version{8, 8}}, {"107", Version{9, 4}}, {"110", Version{9, 0}},
	{"120", Version{8, 7}}, {"121", Version{8, 8}},
}

// suffixed are the first of those that also have targets with the suffixes "a"
// (of that architecture only) and "f" (of its family, from PTX 8.8 on).
const (
	firstSpecific = "90"
	firstFamily   = "100"
)

var familySince = Version{8, 8}

// targetOptions are what may follow the architecture in .target.
var targetOptions = []string{"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"}

// findArchitecture is the first PTX ISA that has a target such as "sm_70" or "sm_90a".
// "compute_70" is the virtual architecture of the same number.
func findArchitecture(s string) (since Version, ok bool) {
	number, ok := strings.CutPrefix(s, "sm_")
	if !ok {
		if number, ok = strings.CutPrefix(s, "compute_"); !ok {
			return Version{}, false
		}
	}
	first := architectures[0].number
	var least Version
	if plain, ok := strings.CutSuffix(number, "a"); ok {
		number, first = plain, firstSpecific
	} else if plain, ok := strings.CutSuffix(number, "f"); ok {
		number, first, least = plain, firstFamily, familySince
	}
	index := func(number string) int {
		return slices.IndexFunc(architectures, func(a architecture) bool { return a.number == number })
	}
	i := index(number)
	if i < 0 || i < index(first) {
		return Version{}, false
	}
	if since = architectures[i].since; !since.AtLeast(least.Major, least.Minor) {
		since = least
	}
	return since, true
}

// version checks .version.
func (c *checker) version() {
	v, pos := c.file.Version, c.file.VersionPos
	switch {
	case v == (Version{}) && pos == (Pos{}):
		c.errorf(Pos{1, 1}, "no .version directive, expected one")
	case !v.known():
		if pos == (Pos{}) {
			pos = Pos{1, 1}
		}
		c.errorf(pos, "version %s is not known, expected one of PTX ISA from 1.0 to %d.%d", v, len(versions), versions[len(versions)-1])
	}
}

// targets checks the list of .target: architectures, and options behind them.
func (c *checker) targets() {
	for i, t := range c.file.Targets {
		pos := Pos{1, 1}
		if i < len(c.file.TargetPos) {
			pos = c.file.TargetPos[i]
		}
		since, ok := findArchitecture(t)
		switch {
		case ok && c.file.Version.known() && !c.file.Version.AtLeast(since.Major, since.Minor):
			c.errorf(pos, "target %s with .version %s, expected .version %s or later", quoteShort(t), c.file.Version, since)
		case ok || slices.Contains(targetOptions, t) && i > 0:
		case i == 0:
			c.errorf(pos, "target %s is not known, expected an architecture from sm_%s to sm_%s", quoteShort(t), architectures[0].number, architectures[len(architectures)-1].number)
		default:
			c.errorf(pos, "target option %s is not known, expected one of %s", quoteShort(t), strings.Join(targetOptions, ", "))
		}
	}
}
