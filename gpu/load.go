package gpu

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/conf"
)

// Pos, Error and ErrorList are how Load, Open and Preset report what is wrong
// with a file: `file:line:col: what was found, what was expected`.
type (
	Pos       = conf.Pos
	Error     = conf.Error
	ErrorList = conf.ErrorList
)

// Load reads a GPU file. The name is used in messages only. The error, where
// there is one, is an ErrorList.
func Load(name string, data []byte) (*Description, error) {
	return load(name, data, nil)
}

// load reads a file and applies overrides to it.
func load(name string, data []byte, set []string) (*Description, error) {
	root, err := parse(name, data, 0)
	if err != nil {
		return nil, err
	}
	return describe(root, set)
}

// describe applies overrides to the tree of a file, which it changes, and makes
// the description of it.
func describe(root *conf.Node, set []string) (*Description, error) {
	if err := override(root, set); err != nil {
		return nil, err
	}
	var errs conf.ErrorList
	d := new(Description)
	conf.Bind(root, d, "", &errs)
	if len(errs) == 0 {
		validate(d, root, &errs)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	d.Overrides = append([]string(nil), set...)
	d.Timing = superseded(d.Timing)
	return d, nil
}

// maxBases is how many files may build on one another.
const maxBases = 8

// parse reads a file and merges it into the preset it builds on, if any.
func parse(name string, data []byte, depth int) (*conf.Node, error) {
	root, err := conf.Parse(name, data)
	if err != nil {
		return nil, err
	}
	base := root.Get("base")
	if base == nil {
		return root, nil
	}
	var errs conf.ErrorList
	var reason string
	if base.Kind != conf.String {
		errs.Addf(base.Pos, "base is %s, expected the name of a preset", base.Kind)
		return nil, errs
	}
	if r := root.Get("base_reason"); r != nil {
		if r.Kind != conf.String {
			errs.Addf(r.Pos, "base_reason is %s, expected a string", r.Kind)
			return nil, errs
		}
		reason = r.Text
	}
	if depth == maxBases {
		errs.Addf(base.Pos, "base %q is one more after %d, expected fewer", base.Text, maxBases)
		return nil, errs
	}
	text, ok := presetText(base.Text)
	if !ok {
		errs.Addf(base.Pos, "no preset %q, %s", base.Text, conf.Suggest(base.Text, presetNames()))
		return nil, errs
	}
	below, err := parse(presetFile(base.Text), text, depth+1)
	if err != nil {
		return nil, fmt.Errorf("base %q: %w", base.Text, err)
	}
	for _, key := range []string{"name", "description"} {
		if root.Get(key) == nil {
			errs.Addf(root.Pos, "no key %q, expected one beside base: this is another GPU", key)
		}
	}
	if reason != "" {
		prefixSources(below, reason)
	}
	merge(below, root, &errs)
	return below, errs.Err()
}
