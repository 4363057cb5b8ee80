package pages

import (
	"fmt"
	"slices"
	"strings"
)

// Kind tells theorems from what goes with them.
type Kind string

// The kinds of statements.
const (
	Theorem   Kind = "theorem"
	Corollary Kind = "corollary"
	Lemma     Kind = "lemma"
)

// Statement is an entry of the index.
type Statement struct {
	Kind Kind
	// ID is the number of a theorem, that of its theorem for a corollary, the letter
	// of a lemma. Numbers are never given twice, nor letters within a section.
	ID       string
	Name     string // lemmas may have none
	Page     string // under docs/soundness, without extension
	Section  int
	Sentence string // what it says, in one sentence
	Needs    string // its conditions, in short
	// Code is what computes with it, and Tests what holds it: a package below the
	// root of the module, and behind a space a function or Type.method of it.
	Code, Tests []string
	// Instead says what methods use in its place, where Code is there only to be held
	// by its test; empty where methods use Code.
	Instead string
	// Faults are the planted faults that test it, each by its name or by a prefix that
	// ends in a dash.
	Faults []string
}

// Title is how the statement is cited: theorem 5 (grid).
func (s *Statement) Title() string {
	of := ""
	if s.Kind == Corollary && !strings.Contains(s.ID, ".") {
		of = "of theorem "
	}
	if s.Name == "" {
		return fmt.Sprintf("%s %s%s", s.Kind, of, s.ID)
	}
	return fmt.Sprintf("%s %s%s (%s)", s.Kind, of, s.ID, s.Name)
}

// Unused are the numbers below the largest that no theorem has.
var Unused = []string{"30"}

// Statements is every statement with a proof, in the order of the numbers of the
// theorems; corollaries follow their theorem, lemmas come last.
func Statements() []Statement {
	return slices.Concat(launches, makespans, orders, paths, lemmas)
}

// Find is the theorem of a number, nil where there is none.
func Find(number string) *Statement {
	for _, s := range Statements() {
		if s.Kind == Theorem && s.ID == number {
			return &s
		}
	}
	return nil
}
