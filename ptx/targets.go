package ptx

import (
	"slices"
	"strings"
)

// architectures are the numbers of the targets "sm_NN" that PTX ISA 1.0 to 9.1
// names: PTX ISA, ".target", and the table of its release history.
var architectures = strings.Fields("10 11 12 13 20 21 30 32 35 37 50 52 53 60 61 62 70 72 75 80 86 87 88 89 90 " +
	"100 101 103 110 120 121")

// suffixed are the first of those that also have targets with the suffixes "a"
// (of that architecture only) and "f" (of its family).
const (
	firstSpecific = "90"
	firstFamily   = "100"
)

// targetOptions are what may follow the architecture in .target.
var targetOptions = []string{"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"}

// knownArchitecture reports whether s is a target such as "sm_70" or "sm_90a".
// "compute_70" is the virtual architecture of the same number.
func knownArchitecture(s string) bool {
	number, ok := strings.CutPrefix(s, "sm_")
	if !ok {
		if number, ok = strings.CutPrefix(s, "compute_"); !ok {
			return false
		}
	}
	first := architectures[0]
	if plain, ok := strings.CutSuffix(number, "a"); ok {
		number, first = plain, firstSpecific
	} else if plain, ok := strings.CutSuffix(number, "f"); ok {
		number, first = plain, firstFamily
	}
	i := slices.Index(architectures, number)
	return i >= 0 && i >= slices.Index(architectures, first)
}

// targets checks the list of .target: architectures, and options behind them.
func (c *checker) targets() {
	for i, t := range c.file.Targets {
		option := slices.Contains(targetOptions, t)
		if knownArchitecture(t) || option && i > 0 {
			continue
		}
		pos := Pos{1, 1}
		if i < len(c.file.TargetPos) {
			pos = c.file.TargetPos[i]
		}
		if i == 0 {
			c.errorf(pos, "target %s is not known, expected an architecture from sm_%s to sm_%s", quoteShort(t), architectures[0], architectures[len(architectures)-1])
		} else {
			c.errorf(pos, "target option %s is not known, expected one of %s", quoteShort(t), strings.Join(targetOptions, ", "))
		}
	}
}
