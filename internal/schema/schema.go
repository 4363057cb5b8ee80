// Package schema derives the JSON schema (draft 2020-12) of a Go value as
// encoding/json writes it, so that the published schemas cannot drift from the
// documents.
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
		return map[string]any{} // its own form, not described here
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
