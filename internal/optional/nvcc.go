package optional

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// HostFlags are the options with which the nvcc at path finds a C++ compiler, without which it compiles nothing: none where it
// finds one by itself, or the clang that Debian's nvcc accepts. Where neither works, the test is skipped like one without nvcc.
func HostFlags(t testing.TB, path string) []string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "empty.cu")
	if err := os.WriteFile(source, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"-ccbin", Clang14.Program}} {
		if exec.Command(path, append(flags, "-ptx", "-o", os.DevNull, source)...).Run() == nil {
			return flags
		}
	}
	Missing(t, NVCC, path+" finds no C++ compiler that it accepts, "+Clang14.Program+" included")
	return nil
}
