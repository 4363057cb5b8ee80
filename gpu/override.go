package gpu

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
)

// commandLine is where overridden values come from, in messages and sources.
const commandLine = "--set"

// override applies `key=value` settings to the tree of a file. Keys are dotted;
// units and timing rules are addressed by name or by number from 0.
func override(root *conf.Node, set []string) error {
	for _, s := range set {
		if err := overrideOne(root, s); err != nil {
			return conf.ErrorList{{Pos: conf.Pos{File: commandLine + " " + s}, Msg: err.Error()}}
		}
	}
	return nil
}

func overrideOne(root *conf.Node, setting string) error {
	path, text, ok := strings.Cut(setting, "=")
	if !ok || path == "" {
		return fmt.Errorf("no key or value, expected key=value")
	}
	value, err := overrideValue(setting, strings.TrimSpace(text))
	if err != nil {
		return err
	}
	table, t := root, reflect.TypeFor[Description]()
	steps := strings.Split(strings.TrimSpace(path), ".")
	for i, step := range steps {
		if t.Kind() == reflect.Slice {
			if table, err = itemNamed(table, step); err != nil {
				return err
			}
			t = t.Elem()
			if i == len(steps)-1 {
				return fmt.Errorf("%s is a table, expected one of its keys: %s", path, conf.List(keysOf(t)))
			}
			continue
		}
		f, err := fieldNamed(t, step)
		if err != nil {
			return err
		}
		if i == len(steps)-1 {
			if k := tableKind(f.Type); k != nil {
				return fmt.Errorf("%s is a table, expected one of its keys: %s", path, conf.List(keysOf(k)))
			}
			table.Set(conf.Entry{Key: step, Pos: value.Pos, Value: value})
			recordSource(table, step)
			return nil
		}
		next := table.Get(step)
		if tableKind(f.Type) == nil {
			return fmt.Errorf("%s is no table, expected nothing after it", strings.Join(steps[:i+1], "."))
		}
		if next == nil {
			return fmt.Errorf("the file has no %s, expected one to change", step)
		}
		table, t = next, f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return fmt.Errorf("%s is a table, expected a key", path)
}

// overrideValue reads a value as TOML, or as a string where it is a bare word.
func overrideValue(setting, text string) (*conf.Node, error) {
	file := commandLine + " " + setting
	root, err := conf.Parse(file, []byte("x = "+text))
	if err != nil || len(root.Entries) != 1 {
		if strings.ContainsAny(text, "\"'[]{}\n\r#=") || text == "" {
			return nil, fmt.Errorf("value %q, expected a number, a boolean or a word", text)
		}
		root = &conf.Node{Entries: []conf.Entry{{Key: "x", Value: &conf.Node{Kind: conf.String, Text: text}}}}
	}
	v := root.Get("x")
	setPos(v, conf.Pos{File: file})
	return v, nil
}

func setPos(n *conf.Node, p conf.Pos) {
	n.Pos = p
	for _, item := range n.Items {
		setPos(item, p)
	}
}

// recordSource notes in a table's source that a key no longer comes from there.
func recordSource(table *conf.Node, key string) {
	source := table.Get("source")
	if source == nil || source.Kind != conf.String || key == "source" {
		return
	}
	changed := *source
	changed.Text += "; " + key + " set on the command line"
	table.Set(conf.Entry{Key: "source", Pos: source.Pos, Value: &changed})
}

func itemNamed(list *conf.Node, name string) (*conf.Node, error) {
	var names []string
	for i, item := range list.Items {
		if n := item.Get("name"); n != nil {
			names = append(names, n.Text)
			if n.Text == name {
				return item, nil
			}
		}
		if strconv.Itoa(i) == name {
			return item, nil
		}
	}
	return nil, fmt.Errorf("no entry %q, %s, or a number from 0 to %d", name, conf.Suggest(name, names), len(list.Items)-1)
}

func fieldNamed(t reflect.Type, key string) (conf.Field, error) {
	for _, f := range conf.Fields(t) {
		if f.Key == key {
			return f, nil
		}
	}
	return conf.Field{}, fmt.Errorf("no key %q, %s", key, conf.Suggest(key, keysOf(t)))
}

func keysOf(t reflect.Type) []string {
	var keys []string
	for _, f := range conf.Fields(t) {
		keys = append(keys, f.Key)
	}
	return keys
}

// tableKind returns the struct behind a field that is a table or a list of
// tables, nil for plain values.
func tableKind(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}
