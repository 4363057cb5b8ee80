package gpu

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/isa"
)

// The reference names every key, family, type, space, unit rule and preset.
func TestReferenceIsComplete(t *testing.T) {
	data, err := os.ReadFile("../docs/gpu-format.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	mentions := func(what, word string) {
		if !strings.Contains(doc, "`"+word+"`") {
			t.Errorf("docs/gpu-format.md does not mention %s %s", what, word)
		}
	}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for _, f := range conf.Fields(typ) {
			if table := tableKind(f.Type); table != nil {
				if !strings.Contains(doc, "["+f.Key+"]") && !strings.Contains(doc, "`"+f.Key+"`") {
					t.Errorf("docs/gpu-format.md does not mention table %s", f.Key)
				}
				walk(table)
				continue
			}
			mentions("key", f.Key)
			for _, word := range f.OneOf {
				if !strings.Contains(doc, "`\""+word+"\"`") {
					t.Errorf("docs/gpu-format.md does not mention %s = %q", f.Key, word)
				}
			}
		}
	}
	walk(reflect.TypeFor[Description]())
	for _, f := range isa.Families() {
		mentions("family", f.String())
	}
	for _, typ := range isa.Types()[1:] {
		mentions("type", typ.String())
	}
	for _, s := range spaces {
		mentions("space", s.String())
	}
	for _, name := range presetNames() {
		if !strings.HasPrefix(name, "ecrts2025-") {
			mentions("preset", name)
		}
	}
}
