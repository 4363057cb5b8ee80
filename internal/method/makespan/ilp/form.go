package ilp

import (
	"fmt"
	"strings"
)

// Form is a way to state the problem in linear constraints. All forms have the
// same optimum.
type Form int

// The forms.
const (
	// Short has a work constraint per warp, instruction and cycle
	// (Berezovskyi2012, Section 5.4, eq. 34 and 37, and Fig. 3).
	Short Form = iota
	// Long has one per warp, kind and cycle (eq. 33 and 36).
	Long
	// Counts has one per kind and cycle, over numbers of warps.
	Counts
)

var formNames = [...]string{Short: "short", Long: "long", Counts: "counts"}

// String is the name that ParseForm reads.
func (f Form) String() string {
	if f < 0 || int(f) >= len(formNames) {
		return fmt.Sprintf("form %d", int(f))
	}
	return formNames[f]
}

// ParseForm reads the name of a form.
func ParseForm(name string) (Form, error) {
	for f, s := range formNames {
		if name == s {
			return Form(f), nil
		}
	}
	return 0, fmt.Errorf("form %q, expected one of %s", name, strings.Join(formNames[:], ", "))
}
