package gpu

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/isa"
)

// pattern is a set of timing classes.
type pattern struct {
	anyFamily bool
	family    isa.Family
	anySpace  bool
	space     isa.Space
	types     []isa.Type // nil for any
}

var (
	integerTypes = []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64, isa.I128}
	spaces       = []isa.Space{isa.Global, isa.Shared, isa.Const, isa.Local, isa.Param, isa.Generic}
	// memoryFamilies are those told apart by state space.
	memoryFamilies = []isa.Family{isa.Texture, isa.LoadMem, isa.StoreMem, isa.AtomicMem, isa.Prefetch, isa.CopyMem, isa.FenceMem}
)

// familyNames are the names of isa.Families.
var familyNames = sync.OnceValue(func() []string {
	var names []string
	for _, f := range isa.Families() {
		names = append(names, f.String())
	}
	return names
})

// parsePattern reads a class of a timing rule; see Rule.
func parsePattern(s string) (pattern, error) {
	p := pattern{anySpace: true}
	parts := strings.Split(s, ".")
	if len(parts) > 3 {
		return p, fmt.Errorf("class %q, expected family.space.type", s)
	}
	if parts[0] == "*" {
		p.anyFamily = true
	} else {
		families := familyNames()
		i := slices.Index(families, parts[0])
		if i < 0 {
			return p, fmt.Errorf("class %q: no family %q, %s", s, parts[0], conf.Suggest(parts[0], families))
		}
		p.family = isa.Family(i)
	}
	memory := p.anyFamily || slices.Contains(memoryFamilies, p.family)
	for i, part := range parts[1:] {
		last := i == len(parts)-2
		space := slices.IndexFunc(spaces, func(x isa.Space) bool { return x.String() == part })
		switch {
		case i == 0 && space >= 0 && memory:
			p.anySpace, p.space = false, spaces[space]
		case i == 0 && space >= 0:
			return p, fmt.Errorf("class %q: only memory families have a space, expected a type", s)
		case part == "*":
		case !last:
			return p, fmt.Errorf("class %q: %q is no state space, expected family.space.type", s, part)
		default:
			types, err := parseTypes(part)
			if err != nil {
				return p, fmt.Errorf("class %q: %w", s, err)
			}
			p.types = types
		}
	}
	return p, nil
}

func parseTypes(s string) ([]isa.Type, error) {
	if s == "i*" {
		return integerTypes, nil
	}
	known := []string{"i*"}
	for _, t := range isa.Types() {
		if t == isa.NoType {
			continue
		}
		if t.String() == s {
			return []isa.Type{t}, nil
		}
		known = append(known, t.String())
	}
	return nil, fmt.Errorf("no type or space %q, %s", s, conf.Suggest(s, known))
}

// ruleTable gives the rule of every class: -1 where there is none.
type ruleTable struct {
	rule            []int16
	spaces, typesOf int
}

func (t *ruleTable) index(c isa.Class) int {
	return (int(c.Family)*t.typesOf+int(c.Type))*t.spaces + int(c.Space)
}

// compileRules evaluates the rules' patterns, which parse, for every class.
func compileRules(rules []Rule) ruleTable {
	t := ruleTable{spaces: len(spaces) + 1, typesOf: len(isa.Types())}
	t.rule = make([]int16, len(isa.Families())*t.typesOf*t.spaces)
	for i := range t.rule {
		t.rule[i] = -1
	}
	for i := range rules {
		for _, class := range rules[i].Classes {
			p, err := parsePattern(class)
			if err != nil {
				continue
			}
			t.set(&p, int16(i))
		}
	}
	return t
}

// set makes rule the one of every class that p matches.
func (t *ruleTable) set(p *pattern, rule int16) {
	families, types := isa.Families(), p.types
	if !p.anyFamily {
		families = []isa.Family{p.family}
	}
	if types == nil {
		types = isa.Types()
	}
	for _, family := range families {
		for _, typ := range types {
			if !p.anySpace {
				t.rule[t.index(isa.Class{Family: family, Type: typ, Space: p.space})] = rule
				continue
			}
			t.rule[t.index(isa.Class{Family: family, Type: typ})] = rule
			for _, space := range spaces {
				t.rule[t.index(isa.Class{Family: family, Type: typ, Space: space})] = rule
			}
		}
	}
}

// superseded drops the classes that a later rule repeats word for word, as a
// file built on a preset may, and rules that are left without a class. They
// have no effect, and a file may name a class only once.
func superseded(rules []Rule) []Rule {
	last := map[string]int{}
	for i := range rules {
		for _, class := range rules[i].Classes {
			last[class] = i
		}
	}
	var out []Rule
	for i, r := range rules {
		var kept []string
		for _, class := range r.Classes {
			if last[class] == i {
				kept = append(kept, class)
			}
		}
		if len(kept) > 0 {
			r.Classes = kept
			out = append(out, r)
		}
	}
	return out
}

func forEachClass(f func(isa.Class)) {
	for _, family := range isa.Families() {
		for _, typ := range isa.Types() {
			f(isa.Class{Family: family, Type: typ})
			for _, space := range spaces {
				f(isa.Class{Family: family, Type: typ, Space: space})
			}
		}
	}
}

// uncovered returns the classes that an instruction may have and no rule times.
func uncovered(t ruleTable) []isa.Class {
	var missing []isa.Class
	forEachClass(func(c isa.Class) {
		possible := c.Space == isa.NoSpace || slices.Contains(memoryFamilies, c.Family)
		if possible && t.rule[t.index(c)] < 0 {
			missing = append(missing, c)
		}
	})
	return missing
}
