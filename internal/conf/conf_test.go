package conf

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

type inner struct {
	Name  string   `toml:"name"`
	Words []string `toml:"words,omitempty"`
}

type outer struct {
	Count int64            `toml:"count" range:"1..9"`
	Kind  string           `toml:"kind,omitempty" oneof:"a,b"`
	On    bool             `toml:"on,omitempty"`
	Items []inner          `toml:"items,omitempty"`
	One   *inner           `toml:"one,omitempty"`
	Sizes map[string]int64 `toml:"sizes,omitempty" range:"0..99"`
	Raw   *Node            `toml:"raw,omitempty"`
	Quiet int              `toml:"-"`
}

func bind(text string) (outer, error) {
	var o outer
	root, err := Parse("f", []byte(text))
	if err != nil {
		return o, err
	}
	var errs ErrorList
	Bind(root, &o, "", &errs)
	return o, errs.Err()
}

func TestBind(t *testing.T) {
	o, err := bind(`
count = 0x3
kind = "b"
on = true
one.name = "dotted"
raw = 18446744073709551615
sizes = { "a b" = 1, c = 2 }
[[items]]
name = "x"
words = ["u", 'v']
[[items]]
name = "y"
`)
	if err != nil {
		t.Fatal(err)
	}
	if o.Count != 3 || o.Kind != "b" || !o.On || o.One.Name != "dotted" || o.Sizes["a b"] != 1 || o.Sizes["c"] != 2 || len(o.Items) != 2 || !slices.Equal(o.Items[0].Words, []string{"u", "v"}) {
		t.Errorf("%+v", o)
	}
	if u, err := o.Raw.Uint(); err != nil || u != 1<<64-1 {
		t.Errorf("%d, %v", u, err)
	}
	if _, err := o.Raw.Int(); err == nil {
		t.Error("2^64-1 fits int64")
	}
	text, err := JSON(o.Items)
	if err != nil || string(text) != `[{"name":"x","words":["u","v"]},{"name":"y"}]` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"count = 1\nitems = [1]":                       "f:2:10: items.0 is an integer, expected a table",
		"count = 1\n[[items]]\nwords = [\n\"a\",\n2]":  "f:2:3: no key \"name\" in items.0, expected a string\nf:5:1: items.0.words.1 is an integer, expected a string",
		"count = 1\n[[items]]\nname = \"n\"\nword = 3": `f:4:1: unknown key "word" in items.n, did you mean words?`,
		"count = 10":              "f:1:9: count is 10, expected an integer from 1 to 9",
		"count = 1\nkind = \"c\"": `f:2:8: kind is "c", expected one of a or b`,
		"count = 1\nsizes = 3":    "f:2:9: sizes is an integer, expected a table",
		"count = 1\nsizes.x = -1": `f:2:11: sizes."x" is -1, expected an integer from 0 to 99`,
		"count = 1\nquiet = 1":    `f:2:1: unknown key "quiet", expected one of count,`,
		"count = 1\n\xef\xbb\xbf": "f:2:1: ",
		"\xef\xbb\xbfcount = 10":  "f:1:9: count is 10, expected an integer from 1 to 9",
		"\xff\xfec\x00":           "f: UTF-16, expected UTF-8",
		"a = 1\n[a.b]\nc = 1":     "f:2:2: ",
		"count = 1\nraw = " + strings.Repeat("[", 40) + strings.Repeat("]", 40): "f:2:1: values nested deeper than 32, expected a plain value",
	} {
		_, err := bind(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
		var one *Error
		if !errors.As(err, &one) || one.Pos.File != "f" {
			t.Errorf("%.60q: no Error with a place in %v", text, err)
		}
	}
}

func TestErrorOrder(t *testing.T) {
	var list ErrorList
	if list.Err() != nil {
		t.Error("an empty list is an error")
	}
	for i := range 30 {
		list.Addf(Pos{"f", 40 - i, 1}, "e%d", i)
	}
	err := list.Err().(ErrorList)
	if len(err) != MaxErrors || err[0].Pos.Line != 11 || !slices.IsSortedFunc(err, func(a, b *Error) int { return a.Pos.Line - b.Pos.Line }) {
		t.Errorf("%v", err)
	}
}

func TestNear(t *testing.T) {
	words := []string{"count", "shared", "schedulers", "max_blocks"}
	for word, want := range map[string]string{
		"cuont": "[count]", "COUNT": "[count]", "share": "[shared]", "blocks": "[max_blocks]", "scheduler": "[schedulers]", "zzz": "[]",
	} {
		if got := fmt.Sprint(Near(word, words)); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"abc", "", 3}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {strings.Repeat("x", 1000), "", 64}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%.9s to %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if got := Suggest("zzz", nil); got != "expected one of none" {
		t.Errorf("%s", got)
	}
}
