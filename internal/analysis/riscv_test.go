package analysis

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/method/serial"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// A RISC-V program has bounds only where they allow for warps that start one another.
func TestRISCVPrograms(t *testing.T) {
	m := gpus.Preset(t, "vortex-32x32")
	for _, file := range []string{"sgemm/sgemm", "psort/psort"} {
		l := open(t, "../../examples/vortex/kernels/"+file+".toml")
		r := analysed(t, l, m)
		whole := r.Scopes[len(r.Scopes)-1]
		for _, method := range multiphase.Methods() {
			if !slices.ContainsFunc(whole.Refused, func(no bound.Refusal) bool {
				return no.Method == method && strings.Contains(no.Reason, "vx_wspawn starts warps")
			}) {
				t.Errorf("%s: no refusal of %s among %v", file, method, whole.Refused)
			}
		}
		if r.Best == nil || r.Best.Method != serial.Method {
			t.Fatalf("%s: best is %v", file, r.Best)
		}
		rows, err := Compare(context.Background(), r, l.Fresh, CompareOptions{
			Methods: []string{Best}, Policies: []policy.Policy{{Name: "lrr"}, {Name: "gto"}}, Scope: bound.Kernel, Model: sim.Abstract, Checks: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			if row := &rows[i]; !row.Claimed || row.Violation() {
				t.Errorf("%s: %+v", file, row)
			}
		}
	}
}
