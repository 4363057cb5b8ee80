package claims

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/ptxas"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// What is said to hold for all inputs does, in so many drawn kernels.
func TestClaimsHold(t *testing.T) {
	n := settings.Cases(t, 4000)
	if testing.Short() {
		n = min(n, 500)
	}
	s, err := Run(t.Context(), Config{Seed: 1, Cases: n, StopAfter: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Violations {
		t.Errorf("%v", &s.Violations[i])
	}
	t.Logf("%d cases: %d claimed, %d but for open results, %d went wrong, %d executions", s.Cases, s.Claimed, s.Open, s.Wrong, s.Executions)
	if s.Claimed < n/10 || s.Open == 0 || s.Wrong > n/20 {
		t.Errorf("of %d cases %d claimed, %d open, %d wrong", s.Cases, s.Claimed, s.Open, s.Wrong)
	}
}

// The search draws kernels that NVIDIA's assembler takes, too: what nobody could run
// would show nothing. The one that is asked knows PTX 7.8, which lacks elect.
func TestKernelsAreLegal(t *testing.T) {
	a := ptxas.Need(t)
	seeds, texts := map[string][]uint64{}, map[string][]string{} // by architecture
	for seed := range uint64(60) {
		c := Draw(seed)
		text, arch := strings.Replace(c.PTX, ".version 8.0", ".version 7.8", 1), "sm_90"
		if strings.Contains(text, "sm_60") {
			arch = "sm_60"
		}
		if strings.Contains(text, "elect.sync") {
			continue
		}
		seeds[arch], texts[arch] = append(seeds[arch], seed), append(texts[arch], text)
	}
	for arch := range seeds {
		all, err := a.CheckAll(arch, texts[arch])
		if err != nil {
			t.Fatal(err)
		}
		for i, complaints := range all {
			if len(complaints) > 0 {
				t.Errorf("seed %d: %+v\n%s", seeds[arch][i], complaints, texts[arch][i])
			}
		}
	}
}
