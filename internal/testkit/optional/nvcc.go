package optional

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// HostFlags are the options with which the nvcc at path finds a C++ compiler, without which it compiles nothing: none where it
// finds one by itself, or the clang that Debian's nvcc accepts. Where neither works, the test is skipped like one without nvcc.
func HostFlags(t testing.TB, path string) []string {
	t.Helper()
	key := [2]string{path, os.Getenv("PATH")}
	if flags, ok := hostFlags.Load(key); ok {
		return slices.Clone(flags.([]string))
	}
	source := filepath.Join(t.TempDir(), "empty.cu")
	if err := os.WriteFile(source, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"-ccbin", Clang14.Program}} {
		if exec.Command(path, append(flags, "-ptx", "-o", os.DevNull, source)...).Run() == nil {
			hostFlags.Store(key, flags)
			return slices.Clone(flags)
		}
	}
	Missing(t, NVCC, path+" finds no C++ compiler that it accepts, "+Clang14.Program+" included")
	return nil
}

// hostFlags are the flags that nvcc was found to need, by its path and PATH: asking takes as long as compiling a small kernel.
var hostFlags sync.Map
