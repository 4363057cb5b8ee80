package launch

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/conf"
)

// The reference names every key and type, and its example loads.
func TestReferenceIsComplete(t *testing.T) {
	data, err := os.ReadFile("../docs/launch-format.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	for _, typ := range []reflect.Type{reflect.TypeFor[file](), reflect.TypeFor[argument]()} {
		for _, f := range conf.Fields(typ) {
			if !strings.Contains(doc, "`"+f.Key+"`") {
				t.Errorf("docs/launch-format.md does not mention %s", f.Key)
			}
		}
	}
	for _, f := range conf.Fields(reflect.TypeFor[initial]()) {
		if !strings.Contains(doc, "| `"+f.Key+" = ") {
			t.Errorf("docs/launch-format.md does not mention init.%s", f.Key)
		}
	}
	for _, name := range typeNames() {
		if !strings.Contains(doc, "`"+name+"`") {
			t.Errorf("docs/launch-format.md does not mention type %s", name)
		}
	}
	_, example, _ := strings.Cut(doc, "```toml\n")
	example, rest, _ := strings.Cut(example, "```")
	l, err := Parse("launch-format.md", []byte(example), ".")
	if err != nil || len(l.Args) != 2 || l.Loops["$L__BB0_3"] != 64 {
		t.Errorf("the example: %+v, %v", l, err)
	}
	_, example, _ = strings.Cut(rest, "```toml\n")
	example, _, _ = strings.Cut(example, "```")
	if l, err = Parse("launch-format.md", []byte(example), "."); err != nil || l.RISCV == nil || l.RISCV.Warps != 32 || len(l.Args) != 2 {
		t.Errorf("the example of a RISC-V program: %+v, %v", l, err)
	}
}
