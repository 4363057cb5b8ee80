package solvers

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/milp/external"
)

func TestByName(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, name := range []string{"", "highs"} {
		if s, err := ByName(name); err != nil || s.Name() != "highs" || !strings.HasPrefix(s.Version(), "HiGHS 1.") {
			t.Errorf("%q: %v, %v", name, s, err)
		}
	}
	if s, err := ByName("glpk"); s != nil || !errors.Is(err, external.ErrNotFound) {
		t.Errorf("%v, %v, want ErrNotFound", s, err)
	}
	if _, err := ByName("gurobi"); !errors.Is(err, ErrUnknown) ||
		err.Error() != `unknown solver "gurobi": want highs, cbc (not installed), glpk (not installed)` {
		t.Errorf("error %v", err)
	}
	if n := len(here()); n != 1 {
		t.Errorf("%d solvers on an empty PATH, want 1", n)
	}
	if err := os.WriteFile(filepath.Join(dir, "glpsol"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if s, err := ByName("glpk"); err != nil || s.Name() != "glpk" {
		t.Errorf("%v, %v", s, err)
	}
	if s := here(); len(s) != 2 || s[0].Name() != Default || s[1].Name() != "glpk" {
		t.Errorf("%v", s)
	}
	if _, err := ByName("x"); err == nil || !strings.HasSuffix(err.Error(), "want highs, cbc (not installed), glpk") {
		t.Errorf("error %v", err)
	}
}

// here are the solvers that can run.
func here() []Entry {
	return slices.DeleteFunc(All(), func(e Entry) bool { return e.Missing != nil })
}
