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
	for _, typ := range []reflect.Type{reflect.TypeFor[file](), reflect.TypeFor[argument](), reflect.TypeFor[field](), reflect.TypeFor[texture](), reflect.TypeFor[sampler](), reflect.TypeFor[factTable](), reflect.TypeFor[loopTable](), reflect.TypeFor[countSum]()} {
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
	var launches []*Launch
	for _, part := range strings.Split(doc, "```toml\n")[1:] {
		example, _, _ := strings.Cut(part, "```")
		if !strings.HasPrefix(example, "kernel") { // a part of a file
			example = "kernel = \"k.ptx\"\ngrid = [1]\nblock = [1]\n" + example
		}
		l, err := Parse("launch-format.md", []byte(example), ".")
		if err != nil {
			t.Fatalf("an example: %v\n%s", err, example)
		}
		launches = append(launches, l)
	}
	if len(launches) != 7 {
		t.Fatalf("%d examples, want 7", len(launches))
	}
	if l := launches[0]; len(l.Args) != 2 || l.Loops["$L__BB0_3"] != 64 {
		t.Errorf("the example: %+v", l)
	}
	if l := launches[1]; len(l.Args) != 2 || *l.Args[0].Range != (Integers{Min: 1, Max: 128}) || *l.Args[1].Range != (Integers{Max: 3072, Ascending: true, MaxStep: 24}) {
		t.Errorf("the example of ranges: %+v", l)
	}
	if l := launches[2]; len(l.Buffers) != 1 || len(l.Args) != 3 || l.Args[1].Stride != 24 || len(l.Args[1].Pointers()) != 512 {
		t.Errorf("the example of structures: %+v", l)
	}
	if l := launches[3]; len(l.Variables) != 1 {
		t.Errorf("the example of variables: %+v", l)
	}
	if l := launches[4]; l.RISCV == nil || l.RISCV.Warps != 32 || len(l.Args) != 2 {
		t.Errorf("the example of a RISC-V program: %+v", l)
	}
	if l := launches[5]; len(l.Textures) != 1 || l.Textures[0].Filter != Bilinear {
		t.Errorf("the example of a texture: %+v", l)
	}
	if l := launches[6]; len(l.Facts) != 8 || l.Facts[7].String() != `facts.counts "$L__BB0_7" - 2 x "$L__BB0_9" <= 31` {
		t.Errorf("the example of facts: %+v", l.Facts)
	}
}
