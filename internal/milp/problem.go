package milp

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// ErrInvalid is wrapped by every error that says a Problem is malformed.
var ErrInvalid = errors.New("invalid problem")

// MaxNameLength is the longest column or row name that all supported LP
// readers keep (CBC's is the shortest limit).
const MaxNameLength = 100

// Column is one decision variable. An infinite bound is math.Inf.
type Column struct {
	Name         string
	Lower, Upper float64
	Cost         float64 // objective coefficient
	Integer      bool
}

// Domain returns the column's bounds, those of an integer column rounded
// inwards to integers: not every solver takes fractional ones there.
func (c *Column) Domain() (lower, upper float64) {
	if c.Integer {
		return math.Ceil(c.Lower), math.Floor(c.Upper)
	}
	return c.Lower, c.Upper
}

// Term is Coef times the column of that index.
type Term struct {
	Col  int
	Coef float64
}

// Row is the constraint Lower <= sum of Terms <= Upper. An infinite side is
// math.Inf; equal sides make an equation.
type Row struct {
	Name         string
	Lower, Upper float64
	Terms        []Term
}

// Sense is the relation of a row built by AddRow.
type Sense int

// The three relations of a row to its right-hand side.
const (
	LessEqual Sense = iota
	GreaterEqual
	Equal
)

// Problem is a mixed-integer linear programme. The zero value is an empty
// minimisation. Columns and Rows may be read and changed freely; Validate says
// whether the result is well formed, and every Solver calls it first.
type Problem struct {
	Name     string
	Maximize bool
	Constant float64 // added to the objective
	Columns  []Column
	Rows     []Row
}

// AddBinary adds a 0/1 column and returns its index.
func (p *Problem) AddBinary(name string) int { return p.AddInteger(name, 0, 1) }

// AddInteger adds an integer column and returns its index.
func (p *Problem) AddInteger(name string, lower, upper float64) int {
	p.Columns = append(p.Columns, Column{Name: name, Lower: lower, Upper: upper, Integer: true})
	return len(p.Columns) - 1
}

// AddContinuous adds a continuous column and returns its index.
func (p *Problem) AddContinuous(name string, lower, upper float64) int {
	p.Columns = append(p.Columns, Column{Name: name, Lower: lower, Upper: upper})
	return len(p.Columns) - 1
}

// SetCost sets the objective coefficient of a column.
func (p *Problem) SetCost(col int, cost float64) { p.Columns[col].Cost = cost }

// AddRow adds the constraint "terms sense rhs" and returns its index. The
// terms are kept, not copied; a column may appear once.
func (p *Problem) AddRow(name string, terms []Term, sense Sense, rhs float64) int {
	lower, upper := rhs, rhs
	switch sense {
	case LessEqual:
		lower = math.Inf(-1)
	case GreaterEqual:
		upper = math.Inf(1)
	}
	return p.AddRange(name, lower, terms, upper)
}

// AddRange adds the constraint lower <= terms <= upper and returns its index.
// The terms are kept, not copied; a column may appear once.
func (p *Problem) AddRange(name string, lower float64, terms []Term, upper float64) int {
	p.Rows = append(p.Rows, Row{Name: name, Lower: lower, Upper: upper, Terms: terms})
	return len(p.Rows) - 1
}

// Nonzeros returns the number of terms over all rows.
func (p *Problem) Nonzeros() int {
	n := 0
	for i := range p.Rows {
		n += len(p.Rows[i].Terms)
	}
	return n
}

// IsLP reports whether no column is integer.
func (p *Problem) IsLP() bool {
	for i := range p.Columns {
		if p.Columns[i].Integer {
			return false
		}
	}
	return true
}

// IntegralObjective reports whether the objective takes integer values at
// every integer point: costs and constant are integers of magnitude up to
// 2^53, and only integer columns have a cost.
func (p *Problem) IntegralObjective() bool {
	if !isInt53(p.Constant) {
		return false
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		if c.Cost != 0 && (!c.Integer || !isInt53(c.Cost)) {
			return false
		}
	}
	return true
}

// Solvers take a coefficient below minCoef for zero and one from maxCoef on for
// infinite, and so would solve another problem without saying so.
const (
	minCoef = 1e-8
	maxCoef = 1e15
)

// Validate checks what every solver and file format relies on: names present,
// unique among columns and among rows, and readable by LP readers; numbers
// finite where they must be and coefficients of a size that solvers keep;
// column indices in range and at most once a row. A lower bound above its
// upper bound is not an error: the problem is then infeasible. Errors wrap
// ErrInvalid and name the column or row.
func (p *Problem) Validate() error {
	if math.IsNaN(p.Constant) || math.IsInf(p.Constant, 0) {
		return fmt.Errorf("milp: %w: objective constant is %v", ErrInvalid, p.Constant)
	}
	names := make(map[string]int, len(p.Columns))
	for i := range p.Columns {
		c := &p.Columns[i]
		if err := validName(c.Name); err != nil {
			return fmt.Errorf("milp: %w: column %d: %v", ErrInvalid, i, err)
		}
		if j, ok := names[c.Name]; ok {
			return fmt.Errorf("milp: %w: columns %d and %d are both named %q", ErrInvalid, j, i, c.Name)
		}
		names[c.Name] = i
		if err := validRange(c.Lower, c.Upper); err != nil {
			return fmt.Errorf("milp: %w: column %q: %v", ErrInvalid, c.Name, err)
		}
		if math.IsNaN(c.Cost) || math.IsInf(c.Cost, 0) {
			return fmt.Errorf("milp: %w: column %q: cost is %v", ErrInvalid, c.Name, c.Cost)
		}
	}
	return p.validateRows()
}

func (p *Problem) validateRows() error {
	names := make(map[string]int, len(p.Rows))
	seen := make([]int, len(p.Columns)) // 1 + the last row that held the column
	for i := range p.Rows {
		r := &p.Rows[i]
		if err := validName(r.Name); err != nil {
			return fmt.Errorf("milp: %w: row %d: %v", ErrInvalid, i, err)
		}
		if j, ok := names[r.Name]; ok {
			return fmt.Errorf("milp: %w: rows %d and %d are both named %q", ErrInvalid, j, i, r.Name)
		}
		names[r.Name] = i
		if err := validRange(r.Lower, r.Upper); err != nil {
			return fmt.Errorf("milp: %w: row %q: %v", ErrInvalid, r.Name, err)
		}
		for _, t := range r.Terms {
			if t.Col < 0 || t.Col >= len(p.Columns) {
				return fmt.Errorf("milp: %w: row %q: column index %d of %d columns", ErrInvalid, r.Name, t.Col, len(p.Columns))
			}
			if a := math.Abs(t.Coef); a != 0 && !(a >= minCoef && a < maxCoef) {
				return fmt.Errorf("milp: %w: row %q: coefficient of %q is %v, want 0 or a magnitude from %g to %g", ErrInvalid, r.Name, p.Columns[t.Col].Name, t.Coef, minCoef, maxCoef)
			}
			if seen[t.Col] == i+1 {
				return fmt.Errorf("milp: %w: row %q: column %q appears twice", ErrInvalid, r.Name, p.Columns[t.Col].Name)
			}
			seen[t.Col] = i + 1
		}
	}
	return nil
}

func validRange(lower, upper float64) error {
	switch {
	case math.IsNaN(lower) || math.IsNaN(upper):
		return errors.New("bound is NaN")
	case math.IsInf(lower, 1) || math.IsInf(upper, -1):
		return fmt.Errorf("bounds %v to %v hold no number", lower, upper)
	}
	return nil
}

// reservedNames are the words that one LP reader or another takes for the
// start of a section or for infinity.
var reservedNames = map[string]bool{
	"min": true, "max": true, "minimize": true, "maximize": true, "minimise": true, "maximise": true,
	"minimum": true, "maximum": true, "subject": true, "such": true, "st": true,
	"bound": true, "bounds": true, "free": true, "inf": true, "infinity": true,
	"integer": true, "integers": true, "int": true, "gen": true, "general": true, "generals": true,
	"bin": true, "binary": true, "binaries": true, "semi": true, "semis": true, "sos": true,
	"sos1": true, "sos2": true, "sin": true, "end": true, "nan": true,
}

// validName accepts letters, digits and underscores, not starting with a
// digit, and neither a word of the format nor something that reads as an
// exponent ("e5" after a coefficient).
func validName(name string) error {
	if name == "" {
		return errors.New("no name")
	}
	if len(name) > MaxNameLength {
		return fmt.Errorf("name of %d bytes, at most %d are portable", len(name), MaxNameLength)
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return fmt.Errorf("name %q: want letters, digits and underscores, not starting with a digit", name)
		}
	}
	if reservedNames[strings.ToLower(name)] {
		return fmt.Errorf("name %q is a word of the LP format", name)
	}
	if (name[0] == 'e' || name[0] == 'E') && strings.Trim(name[1:], "0123456789") == "" {
		return fmt.Errorf("name %q reads as an exponent in the LP format", name)
	}
	return nil
}

// maxExact is the largest magnitude at which float64 holds every integer.
const maxExact = 1 << 53

func isInt53(v float64) bool {
	return v == math.Trunc(v) && math.Abs(v) <= maxExact
}
