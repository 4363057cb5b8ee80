package schema

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

// Of returns the schema of documents of v's type.
func Of(title string, v any) map[string]any {
	s := of(reflect.TypeOf(v))
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = title
	return s
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

func of(t reflect.Type) map[string]any {
	switch {
	case t.Implements(jsonMarshaler) || reflect.PointerTo(t).Implements(jsonMarshaler):
		return ofFile(t)
	case t.Implements(textMarshaler):
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := of(t.Elem())
		if kind, ok := s["type"].(string); ok {
			s["type"] = []any{kind, "null"}
		}
		return s
	case reflect.Struct:
		s := map[string]any{"type": "object", "additionalProperties": false}
		properties, required := map[string]any{}, []any{}
		fields(t, properties, &required)
		s["properties"] = properties
		if len(required) > 0 {
			s["required"] = required
		}
		return s
	case reflect.Slice:
		return map[string]any{"type": []any{"array", "null"}, "items": of(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": []any{"object", "null"}, "additionalProperties": of(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Interface:
		return map[string]any{}
	default:
		return map[string]any{"type": "integer"}
	}
}

// ofFile describes a value with a form of its own: a settings file, whose keys
// are those of its toml tags, with the ranges and words they allow. Anything else
// may be anything.
func ofFile(t reflect.Type) map[string]any {
	switch {
	case t.Kind() == reflect.Pointer:
		s := ofFile(t.Elem())
		if kind, ok := s["type"].(string); ok {
			s["type"] = []any{kind, "null"}
		}
		return s
	case t.Kind() == reflect.Slice:
		return map[string]any{"type": "array", "items": ofFile(t.Elem())}
	case t.Kind() != reflect.Struct:
		return of(t)
	}
	s := map[string]any{"type": "object", "additionalProperties": false}
	properties, required := map[string]any{}, []any{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("toml")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case !tagged || !f.IsExported():
			return map[string]any{}
		case name == "-": // not of the file, but written beside it
			name = strings.ToLower(f.Name)
		}
		properties[name] = limited(ofFile(f.Type), f.Tag)
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	s["properties"], s["required"] = properties, required
	return s
}

// limited adds what the range and oneof tags of a field allow.
func limited(s map[string]any, tag reflect.StructTag) map[string]any {
	if low, high, ok := strings.Cut(tag.Get("range"), ".."); ok {
		s["minimum"], s["maximum"] = json.Number(low), json.Number(high)
	}
	if words, ok := tag.Lookup("oneof"); ok {
		var enum []any
		for _, w := range strings.Split(words, ",") {
			enum = append(enum, w)
		}
		s["enum"] = enum
	}
	return s
}

// fields adds the properties of a struct, those of embedded structs included.
func fields(t reflect.Type, properties map[string]any, required *[]any) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			fields(embedded, properties, required)
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		properties[name] = of(f.Type)
		if !strings.Contains(options, "omitempty") {
			*required = append(*required, name)
		}
	}
}
