package report

import (
	"slices"
)

// sheet has a row a method.
func (d *MakespanDocument) sheet() *Sheet {
	return NewSheet("rows[]", d.Rows, rowColumns(d.hasTimes(), func(r *MakespanRow) *MakespanRow { return r }))
}

// sectionRow is what a method says of a section.
type sectionRow struct {
	*MakespanSection
	row *MakespanRow
}

// sectionSheet has a row for each section of a launch and method.
func (d *MakespanDocument) sectionSheet() *Sheet {
	var rows []sectionRow
	for i := range d.Sections {
		s := &d.Sections[i]
		for j := range s.Rows {
			rows = append(rows, sectionRow{s, &s.Rows[j]})
		}
	}
	return NewSheet("sections[].rows[]", rows, append([]Of[sectionRow]{
		{Column{ID: "section", JSON: "first", Unit: "sections", Type: Integer}, func(r *sectionRow) any { return r.First }},
		{Column{ID: "times", JSON: "count", Unit: "sections", Type: Integer}, func(r *sectionRow) any { return r.Count }},
		{Column{ID: "warps", Unit: "warps", Type: Integer}, func(r *sectionRow) any { return r.Warps }},
	}, rowColumns(d.hasTimes(), func(r *sectionRow) *MakespanRow { return r.row })...))
}

// rowColumns are those of what methods say, with how long they took where it is known.
func rowColumns[R any](times bool, of func(*R) *MakespanRow) []Of[R] {
	column := func(c Column, value func(*MakespanRow) any) Of[R] {
		return Of[R]{c, func(r *R) any { return value(of(r)) }}
	}
	columns := []Of[R]{
		column(Column{ID: "method", Heading: "method"}, func(r *MakespanRow) any { return r.Method }),
		column(Column{ID: "cycles", Heading: "cycles", Unit: "cycles", Type: Amount}, func(r *MakespanRow) any { return maybe(r.Cycles) }),
		column(Column{ID: "kind", Heading: "kind"}, func(r *MakespanRow) any { return string(r.Kind) }),
		column(Column{ID: "theorem", Heading: "where"}, func(r *MakespanRow) any { return r.Theorem }),
		column(Column{ID: "work_done", Heading: "work", In: InText}, func(r *MakespanRow) any { return work(*r) }),
		column(Column{ID: "work", Unit: "as work_unit says", Type: Integer, In: InCSV}, func(r *MakespanRow) any { return r.Work }),
		column(Column{ID: "work_unit", In: InCSV}, func(r *MakespanRow) any { return r.WorkUnit }),
		column(Column{ID: "unfinished", In: InCSV}, func(r *MakespanRow) any { return r.Unfinished }),
		column(Column{ID: "note", In: InCSV}, func(r *MakespanRow) any { return r.Note }),
	}
	if times {
		columns = append(columns, column(Column{ID: "seconds", Heading: "seconds", Unit: "s", Type: Number, Digits: 6}, func(r *MakespanRow) any { return maybe(r.Seconds) }))
	}
	return columns
}

// hasTimes says whether rows have times: all have, or none.
func (d *MakespanDocument) hasTimes() bool {
	rows := d.Rows
	for i := range d.Sections {
		rows = append(rows[:len(rows):len(rows)], d.Sections[i].Rows...)
	}
	return slices.ContainsFunc(rows, func(r MakespanRow) bool { return r.Seconds != nil })
}

// curveSheet has a row a point of the curve. What ended it early is no value:
// CurveStopped says it.
func (d *MakespanDocument) curveSheet() *Sheet {
	columns := []Of[MakespanPoint]{
		{Column{ID: "x", Heading: "x", Unit: "warps", Type: Amount}, func(p *MakespanPoint) any { return p.X }},
		{Column{ID: "exact_cycles", Heading: "T(x)", Unit: "cycles", Type: Amount}, func(p *MakespanPoint) any { return p.Exact }},
		{Column{ID: "raw_cycles", Heading: "T^(W,x)", Unit: "cycles", Type: Amount}, func(p *MakespanPoint) any { return p.Raw }},
		{Column{ID: "least_cycles", Heading: "least", Unit: "cycles", Type: Amount}, func(p *MakespanPoint) any { return p.Least }},
		{Column{ID: "method", Heading: "method"}, func(p *MakespanPoint) any { return p.Method }},
	}
	for _, m := range d.timed() {
		columns = append(columns, Of[MakespanPoint]{Column{ID: m + "_seconds", Heading: m + " s", Unit: "s", Type: Number, Digits: 6}, func(p *MakespanPoint) any {
			i := slices.IndexFunc(p.Times, func(t MakespanTime) bool { return t.Method == m && t.Unfinished == "" })
			if i < 0 {
				return nil
			}
			return p.Times[i].Seconds
		}})
	}
	return NewSheet("curve[]", d.Curve, columns)
}
