package schema

import (
	"encoding/json"
	"testing"
)

type scope int

func (scope) MarshalText() ([]byte, error) { return []byte("warp"), nil }

type file struct {
	Kind     string   `toml:"kind" oneof:"a,b"`
	Size     int64    `toml:"size,omitempty" range:"1..16"`
	Parts    []part   `toml:"parts"`
	Extra    *part    `toml:"extra,omitempty"`
	Settings []string `toml:"-"`
}

type part struct {
	Name string `toml:"name"`
}

func (*file) MarshalJSON() ([]byte, error) { return nil, nil }

type opaque struct{ hidden int }

func (o opaque) MarshalJSON() ([]byte, error) { return json.Marshal(o.hidden) }

type base struct {
	ID string `json:"id"`
}

// Every form of field, with the schema by hand.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		name string
		of   any
		want string
	}{
		{"numbers", struct {
			N int64   `json:"n"`
			X float64 `json:"x,omitempty"`
			B bool
		}{}, `{"additionalProperties":false,"properties":{"B":{"type":"boolean"},"n":{"type":"integer"},"x":{"type":"number"}},"required":["n","B"],"type":"object"}`},
		{"embedded", struct {
			base
			*part  `json:"part"`
			hidden int
			Not    int `json:"-"`
		}{}, `{"additionalProperties":false,"properties":{"id":{"type":"string"}},"required":["id"],"type":"object"}`},
		{"text", struct {
			S scope `json:"s"`
		}{}, `{"additionalProperties":false,"properties":{"s":{"type":"string"}},"required":["s"],"type":"object"}`},
		{"lists", struct {
			A [3]int         `json:"a"`
			S []string       `json:"s"`
			M map[string]int `json:"m"`
			P *int           `json:"p"`
			Q any            `json:"q"`
		}{}, `{"additionalProperties":false,"properties":{` +
			`"a":{"items":{"type":"integer"},"maxItems":3,"minItems":3,"type":"array"},` +
			`"m":{"additionalProperties":{"type":"integer"},"type":["object","null"]},` +
			`"p":{"type":["integer","null"]},"q":{},` +
			`"s":{"items":{"type":"string"},"type":["array","null"]}},"required":["a","s","m","p","q"],"type":"object"}`},
		{"settings file", struct {
			F *file `json:"f"`
		}{}, `{"additionalProperties":false,"properties":{"f":{"additionalProperties":false,"properties":{` +
			`"extra":{"additionalProperties":false,"properties":{"name":{"type":"string"}},"required":["name"],"type":["object","null"]},` +
			`"kind":{"enum":["a","b"],"type":"string"},` +
			`"parts":{"items":{"additionalProperties":false,"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"},"type":"array"},` +
			`"settings":{"items":{"type":"string"},"type":"array"},` +
			`"size":{"maximum":16,"minimum":1,"type":"integer"}},` +
			`"required":["kind","parts","settings"],"type":["object","null"]}},"required":["f"],"type":"object"}`},
		{"its own form", struct {
			O opaque `json:"o"`
		}{}, `{"additionalProperties":false,"properties":{"o":{}},"required":["o"],"type":"object"}`},
	} {
		s := Of(c.name, c.of)
		if s["title"] != c.name || s["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s: title %v, schema %v", c.name, s["title"], s["$schema"])
		}
		delete(s, "title")
		delete(s, "$schema")
		got, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
