package report

import (
	"strings"

	"github.com/warpbound/warpbound/internal/formula"
)

// FormulaDocument is a bound as a formula.
type FormulaDocument struct {
	// Arguments are what it is in, with the range for which it is valid.
	Arguments []RangeDocument        `json:"arguments"`
	Counts    []FormulaCountDocument `json:"counts"`
	// Variables are counts divided by numbers and rounded up.
	Variables []FormulaVariableDocument `json:"variables"`
	// Cycles is the smaller one of AtMost and the largest of Sums, as text, too.
	Cycles string               `json:"cycles"`
	Sums   []FormulaSumDocument `json:"sums"`
	AtMost int64                `json:"at_most"`
}

// FormulaCountDocument is how often something is done, at most.
type FormulaCountDocument struct {
	Name   string `json:"name"`
	Counts string `json:"counts"`
	Value  string `json:"value"`
	Most   int64  `json:"most"`
}

// FormulaVariableDocument is a count divided by a number.
type FormulaVariableDocument struct {
	Count string `json:"count"`
	Per   int64  `json:"per"`
}

// FormulaSumDocument is a sum of products of variables, by their index.
type FormulaSumDocument struct {
	Constant int64                 `json:"constant"`
	Terms    []FormulaTermDocument `json:"terms"`
}

// FormulaTermDocument is a multiple of a product of variables.
type FormulaTermDocument struct {
	Coefficient int64 `json:"coefficient"`
	Variables   []int `json:"variables"`
}

// AddFormula adds a bound as a formula, or as one for each size of block; nil for none.
func (d *AnalysisDocument) AddFormula(t *formula.Table) {
	switch {
	case t == nil:
		return
	case d.BlockSizes == nil:
		d.Formula = formulaDocument(t.Cases[0].Formula)
	default:
		for i := range d.BlockSizes {
			d.BlockSizes[i].Formula = formulaDocument(t.Cases[i].Formula)
		}
	}
	d.formula = t
}

func formulaDocument(f *formula.Formula) *FormulaDocument {
	out := &FormulaDocument{Arguments: []RangeDocument{}, Counts: []FormulaCountDocument{}, Variables: []FormulaVariableDocument{}, Sums: []FormulaSumDocument{}, Cycles: f.ValueText(), AtMost: f.AtMost}
	for _, a := range f.Arguments {
		out.Arguments = append(out.Arguments, RangeDocument{Argument: a.Name, Min: a.Min, Max: a.Max})
	}
	for i, c := range f.Counts {
		out.Counts = append(out.Counts, FormulaCountDocument{Name: formula.CountName(i), Counts: c.Name, Value: f.CountText(i), Most: c.Most})
	}
	for _, v := range f.Vars {
		out.Variables = append(out.Variables, FormulaVariableDocument{formula.CountName(v.Count), v.Per})
	}
	for _, s := range f.Value {
		doc := FormulaSumDocument{s.Constant, []FormulaTermDocument{}}
		for _, t := range s.Terms {
			term := FormulaTermDocument{Coefficient: t.Coefficient}
			for _, v := range t.Vars {
				term.Variables = append(term.Variables, int(v))
			}
			doc.Terms = append(doc.Terms, term)
		}
		out.Sums = append(out.Sums, doc)
	}
	return out
}

// formulaText is a line for each count and the bound.
func (d *AnalysisDocument) formulaText() string {
	return "FORMULA " + strings.ReplaceAll(strings.TrimRight(d.formula.Text(), "\n"), "\n", "\n        ") + "\n"
}
