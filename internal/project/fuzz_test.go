package project

import (
	"errors"
	"testing"

	"github.com/warpbound/warpbound/internal/conf"
)

// FuzzProject looks for files that panic, that fail with anything but a list of placed
// errors, and for budgets that are none.
func FuzzProject(f *testing.F) {
	f.Add([]byte(whole))
	for _, budget := range []string{"1", "\"15.5 us\"", "\"1_0 s\"", "\"99999999999999999999 s\"", "\"0.0000000000000000001 ns\"", "-1", "\"7 cycles\"", "[3]"} {
		f.Add([]byte("[[launches]]\nfiles = [\"k.toml\", \"[a-\"]\nbudget = " + budget))
	}
	f.Add([]byte("gpus = [{ gpu = \"g\", set = [\"a=1\"] }, 3]\n[[launches]]\nfiles = [\"k.toml\"]\n[[accepted]]\nassumption = \"A2\"\nreason = \"r\"\nlaunches = [\"*\"]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("dir/warpbound.toml", data)
		if err != nil {
			var list conf.ErrorList
			if !errors.As(err, &list) || len(list) == 0 || len(list) > conf.MaxErrors || list[0].Pos.File != "dir/warpbound.toml" {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for i := range p.Cases {
			c := &p.Cases[i]
			if c.Launch.Text == "" || c.Launch.Pos.Line == 0 || c.Budget != nil && (c.Budget.Cycles(1000) < 0 || c.Budget.Stated == "") {
				t.Fatalf("%+v", c)
			}
			for j := range p.Accepted {
				p.Accepted[j].Covers(p, c.Launch.Text)
			}
		}
	})
}
