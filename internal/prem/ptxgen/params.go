package ptxgen

import (
	"fmt"
	"regexp"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Param is a parameter of a generated entry.
type Param struct {
	Name  string      // in PTX
	Type  string      // in PTX: u64 for addresses
	Var   *loop.Var   // a scalar, passed by value
	Array *loop.Array // an array in global memory, passed by address
	// Record is an array of structures, whose address is passed once for all its
	// members, at the place of the first.
	Record *loop.Record
	Token  bool // the guard's token
}

// What the name of a PTX identifier may not hold after its first character.
var notInName = regexp.MustCompile(`[^A-Za-z0-9_$]`)

// Params lists the parameters of a kernel's entry in order.
func Params(k *device.Entry, guard bool) []Param {
	var out []Param
	seen := make(map[*loop.Record]bool)
	add := func(p Param, name string) {
		// The number keeps names apart, also those of members such as a.b and a_b.
		p.Name = fmt.Sprintf("p%d_%s", len(out), notInName.ReplaceAllString(name, "_"))
		if p.Type == "" {
			p.Type = "u64"
		}
		out = append(out, p)
	}
	for _, p := range k.Params {
		switch {
		case p.Var != nil:
			add(Param{Var: p.Var, Type: typeNames[p.Var.Type]}, p.Var.Name)
		case p.Array.Record == nil:
			add(Param{Array: p.Array}, p.Array.Name)
		case !seen[p.Array.Record]:
			seen[p.Array.Record] = true
			add(Param{Record: p.Array.Record}, p.Array.Record.Name)
		}
	}
	if guard {
		add(Param{Token: true}, "token")
	}
	return out
}
