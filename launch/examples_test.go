package launch_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/launch"
)

// Every launch file of the examples loads, and its arguments can be made.
func TestExamplesLoad(t *testing.T) {
	n := 0
	err := filepath.WalkDir("../examples", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == "gpu" {
			return fs.SkipDir // GPU files
		}
		if err != nil || !strings.HasSuffix(path, ".toml") {
			return err
		}
		n++
		l, err := launch.Load(path)
		if err != nil {
			t.Error(err)
			return nil
		}
		for i := range l.Args {
			data, err := l.Materialise(i)
			if err != nil {
				t.Error(err)
			}
			if want := l.Args[i].Bytes(); int64(len(data)) != want {
				t.Errorf("%s: args.%s: %d bytes, want %d", path, l.Args[i].Name, len(data), want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Error("no launch file found")
	}
}
