package analysis

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/enforced"
	"github.com/warpbound/warpbound/internal/method/graham"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/method/replay"
	"github.com/warpbound/warpbound/internal/method/serial"
	"github.com/warpbound/warpbound/internal/method/volume"
)

// Table is every method, in the order of reports. A new method is a line here.
var Table = check(slices.Concat(
	multiphase.Table,
	serial.Table,
	volume.Table,
	graham.Table,
	replay.Table,
	enforced.Table,
))

// check panics where the table contradicts itself, which is a programming error.
func check(table []*method.Method) []*method.Method {
	seen := map[string]bool{}
	for _, m := range table {
		if err := m.Check(); err != nil {
			panic(fmt.Sprintf("table of methods: %v", err))
		}
		if seen[m.Name] {
			panic(fmt.Sprintf("table of methods: two are called %s", m.Name))
		}
		seen[m.Name] = true
	}
	return table
}

// Names lists the methods of a kind of machine, in the order of the table.
func Names(on ...method.MachineKind) []string {
	var out []string
	for _, m := range Table {
		if slices.Contains(on, m.Machine) {
			out = append(out, m.Name)
		}
	}
	return out
}

// Lookup is the method of a name, nil where there is none.
func Lookup(name string) *method.Method {
	for _, m := range Table {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// choose is the methods that a question asks for: those of its machine, and on a
// machine with a front end, for comparison, those of the plain one. It refuses names
// that are not methods, and combinations that mean nothing.
func choose(q *method.Question) ([]*method.Method, error) {
	for _, name := range q.Methods {
		if m := Lookup(name); m == nil || m.Machine != method.Plain {
			return nil, fmt.Errorf("method %q: %s", name, conf.Suggest(name, Names(method.Plain)))
		}
	}
	if q.FrontEnd != nil && q.Machine() != method.WithFrontEnd {
		return nil, fmt.Errorf("a front end, with turns of warps or an enforced order of accesses: expected one of them")
	}
	var out []*method.Method
	for _, m := range Table {
		switch {
		case m.Machine == q.Machine() && m.Machine != method.Plain:
		case m.Machine != method.Plain || q.Machine() != method.Plain && q.Machine() != method.WithFrontEnd:
			continue
		case q.Methods != nil && !slices.Contains(q.Methods, m.Name):
			continue
		}
		out = append(out, m)
	}
	return out, nil
}

// General lists the methods of a plain machine that need not be asked for by name.
func General() []string {
	var out []string
	for _, m := range Table {
		if m.Machine == method.Plain && m.OnRequest == nil {
			out = append(out, m.Name)
		}
	}
	return out
}
