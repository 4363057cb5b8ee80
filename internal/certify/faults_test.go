//go:build warpbound_faults

package certify

import (
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// recorder is a test that goes on: it keeps the first thing that is wrong.
type recorder struct {
	testing.TB
	wrong string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	if r.wrong == "" {
		r.wrong = fmt.Sprintf(format, args...)
	}
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// wrong is what a search finds, "" for nothing.
func wrong(t *testing.T, search func(tb testing.TB) string) (found string) {
	r := &recorder{TB: t}
	defer func() {
		if x := recover(); x != nil && x != any(r) {
			panic(x)
		}
		if found == "" {
			found = r.wrong
		}
	}()
	return search(r)
}

// TestPlantedFaultsOfCertify: each planted fault of the checker is found, by refusals
// that do not come, certificates with other figures than the analysis, potentials that a
// path does not obey, the front end, or figures that a change makes lower.
func TestPlantedFaultsOfCertify(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Certify() {
		t.Run(d.Name, func(t *testing.T) { planted(t, d) })
	}
}

func planted(t *testing.T, d fault.Description) {
	found := ""
	for _, search := range []struct {
		name string
		run  func(tb testing.TB) string
	}{
		{"refusals", func(tb testing.TB) string { w, _ := refused(tb); return w }},
		{"front end", func(tb testing.TB) string { agrees(tb); return "" }},
		{"figures", differing},
		{"facts", dearer},
		{"refusals of facts", factRefused},
		{"counts", miscounted},
		{"stages", stagedWrong},
		{"interlocks", unlocked},
		{"sides", leftOut},
		{"potentials", func(tb testing.TB) string { return new(tried).potentials(tb, 600, 60) }},
		{"changes", func(tb testing.TB) string {
			for _, file := range []string{example("basic/saxpy/saxpy.toml"), example("basic/reduce/reduce-1block.toml"), withinFacts(tb, "exclusive and counts"), smallStaged(tb, 4)} {
				fault.Set(fault.None)
				c := made(tb, file, preset(tb, "rtx3070"))
				fault.Set(d.ID)
				if w, _, _, _ := c.attack(); w != "" {
					return w
				}
			}
			return ""
		}},
	} {
		fault.Set(d.ID)
		if w := wrong(t, search.run); w != "" {
			found = search.name + ": " + w
			break
		}
	}
	if found == "" {
		t.Errorf("not caught: %s", d.Edit)
	}
	t.Logf("%.110s", found)
}
