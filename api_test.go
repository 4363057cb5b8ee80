package warpbound_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// public are the packages that docs/rationale.md promises to keep.
var public = []string{"", "bound", "gpu", "guard", "isa", "launch", "ptx"}

// aliases are the public names of internal types: an importer reads and names them by
// these. Each has a comment where it is declared.
var aliases = map[string]string{
	"gpu.Pos":          "internal/conf.Pos",
	"gpu.Error":        "internal/conf.Error",
	"gpu.ErrorList":    "internal/conf.ErrorList",
	"isa.Position":     "internal/conf.Pos",
	"launch.Pos":       "internal/conf.Pos",
	"launch.Error":     "internal/conf.Error",
	"launch.ErrorList": "internal/conf.ErrorList",
	"ptx.Error":        "internal/conf.Error",
	"ptx.ErrorList":    "internal/conf.ErrorList",
}

const module = "github.com/warpbound/warpbound"

// What an importer sees needs no type that it cannot name: exported functions,
// methods, fields, variables and constants of the public packages, and of what the
// aliases stand for, are made of types of public packages and of the aliases.
func TestPublicTypes(t *testing.T) {
	packages := load(t)
	nameable := map[string]bool{}
	for _, to := range aliases {
		nameable[module+"/"+to] = true
	}
	w := &walker{nameable: nameable, seen: map[types.Type]bool{}}
	found := map[string]string{}
	for _, name := range public {
		p := packages[name]
		for _, id := range p.Scope().Names() {
			o := p.Scope().Lookup(id)
			if !o.Exported() {
				continue
			}
			if tn, ok := o.(*types.TypeName); ok && tn.IsAlias() {
				if named, ok := types.Unalias(o.Type()).(*types.Named); ok && isInternal(named) {
					found[name+"."+id] = strings.TrimPrefix(named.Obj().Pkg().Path(), module+"/") + "." + named.Obj().Name()
				}
			}
			w.object(o, strings.TrimPrefix(name+"."+id, "."))
		}
	}
	for _, problem := range w.problems {
		t.Error(problem)
	}
	for name, to := range found {
		if aliases[name] != to {
			t.Errorf("%s is an alias of %s, which the list of aliases does not have", name, to)
		}
	}
	for name := range aliases {
		if found[name] == "" {
			t.Errorf("%s is in the list of aliases, and is none", name)
		}
	}
}

// The walker finds an internal type in what is exported, however deep.
func TestPublicTypesFinds(t *testing.T) {
	inner := types.NewPackage(module+"/internal/x", "x")
	hidden := types.NewNamed(types.NewTypeName(token.NoPos, inner, "Hidden", nil), types.NewStruct(nil, nil), nil)
	outer := types.NewPackage(module, "warpbound")
	field := types.NewField(token.NoPos, outer, "Of", types.NewSlice(types.NewPointer(hidden)), false)
	quiet := types.NewField(token.NoPos, outer, "of", hidden, false)
	for _, c := range []struct {
		fields []*types.Var
		want   int
	}{{[]*types.Var{field}, 1}, {[]*types.Var{quiet}, 0}} {
		named := types.NewNamed(types.NewTypeName(token.NoPos, outer, "T", nil), types.NewStruct(c.fields, nil), nil)
		w := &walker{seen: map[types.Type]bool{}}
		w.object(named.Obj(), "T")
		if len(w.problems) != c.want {
			t.Errorf("%v: %v", c.fields, w.problems)
		}
	}
}

func isInternal(n *types.Named) bool {
	p := n.Obj().Pkg()
	return p != nil && strings.HasPrefix(p.Path(), module+"/") && !slices.Contains(public, strings.TrimPrefix(p.Path(), module+"/"))
}

// walker looks for internal types.
type walker struct {
	nameable map[string]bool
	seen     map[types.Type]bool
	problems []string
}

func (w *walker) object(o types.Object, where string) {
	w.typ(o.Type(), where)
}

func (w *walker) typ(t types.Type, where string) {
	t = types.Unalias(t)
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		w.named(t, where)
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.typ(f.Type(), where+"."+f.Name())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				w.typ(m.Type(), where+"."+m.Name())
			}
		}
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				w.typ(v.Type(), where)
			}
		}
	case *types.Map:
		w.typ(t.Key(), where)
		w.typ(t.Elem(), where)
	case interface{ Elem() types.Type }:
		w.typ(t.Elem(), where)
	}
}

func (w *walker) named(n *types.Named, where string) {
	p := n.Obj().Pkg()
	switch {
	case p == nil || !strings.HasPrefix(p.Path()+"/", module+"/"):
		return // of the language or another module
	case isInternal(n) && !w.nameable[p.Path()+"."+n.Obj().Name()]:
		w.problems = append(w.problems, fmt.Sprintf("%s needs %s.%s, which an importer cannot name", where, p.Path(), n.Obj().Name()))
		return
	}
	w.typ(n.Underlying(), where)
	for m := range n.Methods() {
		if m.Exported() {
			w.typ(m.Type(), where+"."+m.Name())
		}
	}
}

// load type-checks the public packages, by what the compiler exported of them.
func load(t *testing.T) map[string]*types.Package {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export"}
	for _, name := range public {
		args = append(args, "./"+name)
	}
	cmd := exec.Command("go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	files := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		files[p.ImportPath] = p.Export
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	packages := map[string]*types.Package{}
	for _, name := range public {
		p, err := imports.Import(strings.TrimSuffix(module+"/"+name, "/"))
		if err != nil {
			t.Fatal(err)
		}
		packages[name] = p
	}
	return packages
}

// Everything exported by the root package has a comment, and so have the aliases.
func TestDocumented(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || exportedReceiver(d)) {
					if n := d.Name.Name; n != "Error" {
						t.Errorf("%s: %s has no comment", name, n)
					}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil {
						t.Errorf("%s: %s has no comment", name, ts.Name)
					}
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	x := d.Recv.List[0].Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	id, ok := x.(*ast.Ident)
	return ok && id.IsExported()
}
