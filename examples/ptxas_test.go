package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/ptxas"
)

var target = regexp.MustCompile(`(?m)^\.target (sm_\d+)`)

// NVIDIA's assembler takes the examples, for the GPU that each names.
func TestPTXAssembles(t *testing.T) {
	a := ptxas.Need(t)
	for _, file := range filesBelow(t, ".ptx") {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		m := target.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s names no target", file)
			continue
		}
		complaints, err := a.Check(string(m[1]), string(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(complaints) > 0 {
			t.Errorf("%s: %+v", file, complaints)
		}
	}
}
