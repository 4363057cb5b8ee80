package conf

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Field is what the tags of a struct field say.
type Field struct {
	Key      string
	Optional bool
	Least    int64 // of a number
	Largest  int64
	OneOf    []string // of a string; nil where any will do
	Type     reflect.Type
	index    int
}

// Fields returns the keys that a struct type takes, in declaration order, in a
// slice that all callers share. It panics on malformed tags, which are part of
// the program.
func Fields(t reflect.Type) []Field {
	if known, ok := fieldsOf.Load(t); ok {
		return known.([]Field)
	}
	fields := readFields(t)
	fieldsOf.Store(t, fields)
	return fields
}

// fieldsOf caches the fields of types: a file asks for those of a table once
// for each table.
var fieldsOf sync.Map

func readFields(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if key == "" || key == "-" {
			continue
		}
		field := Field{Key: key, Optional: options == "omitempty", Least: math.MinInt64, Largest: math.MaxInt64, Type: f.Type, index: i}
		if r := f.Tag.Get("range"); r != "" {
			least, largest, _ := strings.Cut(r, "..")
			field.Least, field.Largest = mustInt(least), mustInt(largest)
		}
		if s := f.Tag.Get("oneof"); s != "" {
			field.OneOf = strings.Split(s, ",")
		}
		fields = append(fields, field)
	}
	return fields
}

func mustInt(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// Bind fills the struct that v points to from the table n, and records in errs
// everything that does not fit. where names the table in messages, "" for the
// file itself.
func Bind(n *Node, v any, where string, errs *ErrorList) {
	b := binder{errs}
	b.table(n, reflect.ValueOf(v).Elem(), where)
}

type binder struct{ errs *ErrorList }

func (b binder) table(n *Node, v reflect.Value, where string) {
	if n.Kind != Table {
		b.errs.Addf(n.Pos, "%s is %s, expected a table", where, n.Kind)
		return
	}
	fields := Fields(v.Type())
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Key
	}
	for _, e := range n.Entries {
		if !slices.Contains(keys, e.Key) {
			b.errs.Addf(e.Pos, "unknown key %q%s, %s", e.Key, in(where), Suggest(e.Key, keys))
		}
	}
	for _, f := range fields {
		value := n.Get(f.Key)
		if value == nil {
			if !f.Optional {
				b.errs.Addf(n.Pos, "no key %q%s, expected %s", f.Key, in(where), expected(f))
			}
			continue
		}
		b.value(value, v.Field(f.index), &f, Join(where, f.Key))
	}
}

func in(where string) string {
	if where == "" {
		return ""
	}
	return " in " + where
}

// Join appends a key to the path of its table.
func Join(where, key string) string {
	if where == "" {
		return key
	}
	return where + "." + key
}

var nodeType = reflect.TypeFor[*Node]()

// value binds one value. It panics on struct fields of types that files cannot
// hold, which are part of the program.
func (b binder) value(n *Node, v reflect.Value, f *Field, where string) {
	if v.Type() == nodeType {
		v.Set(reflect.ValueOf(n))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		b.table(n, v, where)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		b.value(n, v.Elem(), f, where)
	case reflect.Slice:
		b.slice(n, v, f, where)
	case reflect.Map:
		b.integers(n, v, f, where)
	case reflect.String:
		b.text(n, v, f, where)
	case reflect.Bool:
		if n.Kind != Bool {
			b.errs.Addf(n.Pos, "%s is %s, expected a boolean", where, n.Kind)
			return
		}
		v.SetBool(n.Text == "true")
	case reflect.Int, reflect.Int64:
		b.integer(n, v, f, where)
	default:
		panic(fmt.Sprintf("conf: %s has type %s", where, v.Type()))
	}
}

func (b binder) integer(n *Node, v reflect.Value, f *Field, where string) {
	if n.Kind != Integer {
		b.errs.Addf(n.Pos, "%s is %s, expected an integer", where, n.Kind)
		return
	}
	i, err := n.Int()
	if err != nil || i < f.Least || i > f.Largest || v.OverflowInt(i) {
		b.errs.Addf(n.Pos, "%s is %s, expected an integer%s", where, n.Text, span(f))
		return
	}
	v.SetInt(i)
}

func (b binder) text(n *Node, v reflect.Value, f *Field, where string) {
	switch {
	case n.Kind != String:
		b.errs.Addf(n.Pos, "%s is %s, expected a string", where, n.Kind)
	case f.OneOf != nil && !slices.Contains(f.OneOf, n.Text):
		b.errs.Addf(n.Pos, "%s is %q, expected one of %s", where, n.Text, List(f.OneOf))
	case f.OneOf == nil && !f.Optional && strings.TrimSpace(n.Text) == "":
		b.errs.Addf(n.Pos, "%s is empty, expected %s", where, expected(*f))
	default:
		v.SetString(n.Text)
	}
}

func (b binder) slice(n *Node, v reflect.Value, f *Field, where string) {
	if n.Kind != Array {
		b.errs.Addf(n.Pos, "%s is %s, expected %s", where, n.Kind, expected(*f))
		return
	}
	s := reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items))
	element := *f
	element.Optional, element.Type = false, v.Type().Elem()
	for i, item := range n.Items {
		b.value(item, s.Index(i), &element, itemName(item, where, i))
	}
	v.Set(s)
}

// itemName names an array's item in messages: by its name where it has one, as
// --set does, else by its number, from 0.
func itemName(n *Node, where string, i int) string {
	if name := n.Get("name"); name != nil && name.Kind == String && name.Text != "" {
		return Join(where, name.Text)
	}
	return Join(where, strconv.Itoa(i))
}

func (b binder) integers(n *Node, v reflect.Value, f *Field, where string) {
	if n.Kind != Table {
		b.errs.Addf(n.Pos, "%s is %s, expected a table", where, n.Kind)
		return
	}
	m := reflect.MakeMapWithSize(v.Type(), len(n.Entries))
	for _, e := range n.Entries {
		x := reflect.New(v.Type().Elem()).Elem()
		b.integer(e.Value, x, f, Join(where, strconv.Quote(e.Key)))
		m.SetMapIndex(reflect.ValueOf(e.Key), x)
	}
	v.Set(m)
}

// expected says what a field's value should be.
func expected(f Field) string {
	t := f.Type
	if t.Kind() == reflect.Pointer && t != nodeType {
		t = t.Elem()
	}
	switch {
	case f.OneOf != nil:
		return "one of " + List(f.OneOf)
	case f.Key == "source":
		return "where the numbers of the table come from"
	case t == nodeType:
		return "a value"
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "a table"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return "an array of tables"
		}
		return "an array"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	}
	return "an integer" + span(&f)
}

// span is " from a to b" where a field has a range.
func span(f *Field) string {
	if f.Least == math.MinInt64 && f.Largest == math.MaxInt64 {
		return " of at most 64 bits"
	}
	return fmt.Sprintf(" from %d to %d", f.Least, f.Largest)
}
