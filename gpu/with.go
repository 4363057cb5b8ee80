package gpu

import (
	"fmt"
	"slices"
)

// With is the description with settings on top of those that it has, as Open applies them:
// another machine, of the same name.
func (d *Description) With(set ...string) (*Description, error) {
	data, err := d.Encode()
	if err != nil {
		return nil, err
	}
	out, err := load(d.Name, data, set)
	if err != nil {
		return nil, err
	}
	out.Overrides = slices.Concat(d.Overrides, set)
	return out, nil
}

// WithRule is the description with one more timing rule, which wins over all others.
func (d *Description) WithRule(r Rule) (*Description, error) {
	if _, err := (&Description{Units: d.Units, Timing: []Rule{r}}).timing(0); err != nil {
		return nil, fmt.Errorf("GPU %s: a rule for %v: %w", d.Name, r.Classes, err)
	}
	out := *d
	out.Timing = append(slices.Clone(d.Timing), r)
	return &out, nil
}
