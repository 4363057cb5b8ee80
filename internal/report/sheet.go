package report

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/terminal"
)

// Type is what the values of a column are, which decides how each form writes them.
type Type int

// The types of columns.
const (
	Words   Type = iota // a string
	File                // the name of a file; text has its base without .toml
	Flag                // a bool
	Label               // a string that stands where numbers do, such as a range or a line
	Integer             // an int64, written as it is
	Amount              // an int64; text separates thousands
	Share               // a float64 of which 0.12 is 12 %; text has per cent
	Number              // a float64; text has Digits decimals
	Nanos               // an int64 of nanoseconds; text has microseconds
)

// Numeric says whether values of the type are numbers.
func (t Type) Numeric() bool { return t >= Integer }

// Forms says in which forms a column is.
type Forms int

// The forms of a column. All is the zero value.
const (
	All Forms = iota
	InText
	InCSV
)

// Marked is an Amount with a sign before it in text.
type Marked struct {
	Sign  string
	Value int64
}

// Column describes the values below it.
type Column struct {
	ID      string // stable: the heading in CSV
	Heading string // in text
	Unit    string // of numbers: cycles, bytes, ratio, or what is counted
	Type    Type
	Digits  int // decimals of a Number in text
	// Bar says of a Share that it has a bar on a terminal with room for it.
	Bar bool
	In  Forms
	// JSON is where the value is in the JSON form, in the object of the row or those
	// around it, with dots; ID where it is "".
	JSON string
}

// Sheet is a table of typed values. A value that there is none of is nil: "-" in text,
// nothing in CSV.
type Sheet struct {
	// JSON is where the rows are in the JSON form, such as rows[] or rows[].runs[]; ""
	// where they are not one row each there.
	JSON string
	// Key is the field of a row in the JSON form that names it as the first column does,
	// for a sheet that shows some of the rows, or in another order; "" for all, in order.
	Key     string
	Columns []Column
	Rows    [][]any
}

// By says which field names the rows of a sheet in the JSON form.
func (s *Sheet) By(key string) *Sheet {
	s.Key = key
	return s
}

// Of is a column with how its values come from rows.
type Of[R any] struct {
	Column
	Value func(*R) any
}

// NewSheet makes the sheet of rows, which lie at path in the JSON form.
func NewSheet[R any](path string, rows []R, columns []Of[R]) *Sheet {
	s := &Sheet{JSON: path}
	for i := range columns {
		s.Columns = append(s.Columns, columns[i].Column)
	}
	for i := range rows {
		row := make([]any, len(columns))
		for j := range columns {
			row[j] = columns[j].Value(&rows[i])
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// maybe is the value behind a pointer, nil where there is none.
func maybe[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// Cell is a value of the column in a form.
func (c *Column) Cell(v any, f Format) string {
	if v == nil {
		if f == CSV {
			return ""
		}
		return "-"
	}
	switch x := v.(type) {
	case int64:
		switch {
		case c.Type == Amount && f != CSV:
			return Count(x)
		case c.Type == Nanos && f != CSV:
			return micros(x)
		}
	case Marked:
		if f == CSV {
			return fmt.Sprint(x.Value)
		}
		return x.Sign + Count(x.Value)
	case float64:
		switch {
		case f == CSV:
			return fmt.Sprintf("%.6f", x)
		case c.Type == Share:
			return Percent(x)
		default:
			return fmt.Sprintf("%.*f", c.Digits, x)
		}
	case string:
		if c.Type == File && f != CSV {
			return launchName(x)
		}
	}
	return fmt.Sprint(v)
}

// Render writes the sheet as a table of the given form.
func (s *Sheet) Render(f Format) string { return s.table(f).Render(f) }

// barColumns is how wide a bar is.
const barColumns = 10

// table is the sheet in a form, with bars where the terminal has room for them.
func (s *Sheet) table(f Format) *Table {
	if f == Text && terminal.Bars() {
		if t := s.tableOf(f, true); len(t.groups()) == 1 {
			return t
		}
	}
	return s.tableOf(f, false)
}

func (s *Sheet) tableOf(f Format, bars bool) *Table {
	t := &Table{}
	var taken []int
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.In == InText && f == CSV || c.In == InCSV && f != CSV {
			continue
		}
		if len(taken) > 0 && !c.Type.Numeric() && c.Type != Label {
			t.Left = append(t.Left, len(taken))
		}
		heading := c.Heading
		if f == CSV {
			heading = c.ID
		}
		t.Header = append(t.Header, heading)
		taken = append(taken, i)
	}
	for _, row := range s.Rows {
		cells := make([]string, len(taken))
		for j, i := range taken {
			cells[j] = s.Columns[i].Cell(row[i], f)
			if share, ok := row[i].(float64); ok && bars && s.Columns[i].Bar {
				cells[j] += " " + terminal.Bar(share, barColumns)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
