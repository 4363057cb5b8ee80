package conf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// JSON writes a struct as JSON with the keys of its toml tags in declaration
// order, leaving out optional keys that are zero.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := writeJSON(&b, reflect.Indirect(reflect.ValueOf(v))); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeJSON(b *bytes.Buffer, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Struct:
		b.WriteByte('{')
		first := true
		for _, f := range Fields(v.Type()) {
			value := v.Field(f.index)
			if f.Optional && value.IsZero() {
				continue
			}
			if !first {
				b.WriteByte(',')
			}
			first = false
			fmt.Fprintf(b, "%q:", f.Key)
			if err := writeJSON(b, value); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, v.Index(i)); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case reflect.Pointer:
		return writeJSON(b, v.Elem())
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return err
	}
	b.Write(text)
	return nil
}
