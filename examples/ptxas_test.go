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
	files, texts := map[string][]string{}, map[string][]string{} // by target
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
		arch := string(m[1])
		files[arch], texts[arch] = append(files[arch], file), append(texts[arch], string(text))
	}
	for arch, names := range files {
		all, err := a.CheckAll(arch, texts[arch])
		if err != nil {
			t.Fatal(err)
		}
		for i, complaints := range all {
			if len(complaints) > 0 {
				t.Errorf("%s: %+v", names[i], complaints)
			}
		}
	}
}
