package bound

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"testing"
)

// Ids are unique, in kebab case, and named: two summands that read the same could
// not be told apart in a text report.
func TestPartTable(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	ids, names := map[PartID]bool{}, map[string]bool{}
	for _, e := range Parts() {
		if !kebab.MatchString(string(e.ID)) || e.Name == "" || ids[e.ID] || names[e.Name] {
			t.Errorf("%+v: expected an id of its own in kebab case, and a name of its own", e)
		}
		ids[e.ID], names[e.Name] = true, true
		if c := Part(e.ID, 7); c != (Component{e.ID, e.Name, 7}) {
			t.Errorf("Part(%s, 7) is %+v", e.ID, c)
		}
	}
	for _, id := range declaredParts(t) {
		if !ids[id] {
			t.Errorf("%s is declared and not in the table", id)
		}
	}
	Parts()[0].Name = "changed"
	if Parts()[0].Name == "changed" {
		t.Error("the caller can change the table")
	}
	if c := Part("no-such", 1); ids[c.ID] || names[c.Name] {
		t.Errorf("an unknown id is taken for %+v", c)
	}
}

// declaredParts reads the constants of type PartID from the source.
func declaredParts(t *testing.T) []PartID {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "part.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []PartID
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); !ok || of.Name != "PartID" {
			return true
		}
		id, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, PartID(id))
		return true
	})
	if len(out) == 0 {
		t.Fatal("no constant found")
	}
	return out
}
