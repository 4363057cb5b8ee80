package gpu

import (
	"slices"
	"testing"

	"github.com/warpbound/warpbound/isa"
)

// matches says whether the class is in the pattern.
func (p *pattern) matches(c isa.Class) bool {
	return (p.anyFamily || p.family == c.Family) &&
		(p.anySpace || p.space == c.Space) &&
		(p.types == nil || slices.Contains(p.types, c.Type))
}

// The rule of a class is the last that matches it.
func TestRuleTable(t *testing.T) {
	for _, classes := range [][]string{
		{"*"}, {"add"}, {"*", "add.i*", "*.f64"}, {"*.shared", "load", "load.shared.f32", "store.global.i*"}, {"atomic.shared", "*.*.i8", "load.*.f64"},
	} {
		rules := []Rule{{Classes: classes[:1]}, {Classes: classes[1:]}}
		table := compileRules(rules)
		forEachClass(func(c isa.Class) {
			want := int16(-1)
			for i, class := range classes {
				p, err := parsePattern(class)
				if err != nil {
					t.Fatal(err)
				}
				if p.matches(c) {
					want = int16(min(i, 1))
				}
			}
			if got := table.rule[table.index(c)]; got != want {
				t.Errorf("%v: %v has rule %d, want %d", classes, c, got, want)
			}
		})
	}
}
