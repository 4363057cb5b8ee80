package launch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/launch"
)

// An error of a file names the key that names the file, in whatever table it stands,
// when the launch file is read and when the file has changed since.
func TestFileKeys(t *testing.T) {
	const init = "type = \"f32\"\ncount = 2\ninit = { file = \"x.npy\" }\n"
	const field = "fields = [{ name = \"m\", type = \"f32\", count = 2, init = { file = \"x.npy\" } }]\n"
	for table, want := range map[string]string{
		"[[args]]\nname = \"a\"\n" + init:                                                      "args.a.init.file: ",
		"[[args]]\nname = \"a\"\n" + field:                                                     "args.a.fields.init.file: ",
		"[[buffers]]\nname = \"b\"\n" + init:                                                   "buffers.b.init.file: ",
		"[[variables]]\nname = \"v\"\n" + init:                                                 "variables.v.init.file: ",
		"[[textures]]\nname = \"t\"\ntype = \"f32\"\nwidth = 2\ninit = { file = \"x.npy\" }\n": "textures.t.init.file: ",
	} {
		path := write(t, map[string]string{"l.toml": head + table, "k.ptx": "", "x.npy": twoFloats})
		l, err := launch.Load(path)
		if err != nil {
			t.Errorf("%s: %v", table, err)
			continue
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "x.npy"), []byte("changed"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := launch.Load(path); err == nil || !strings.Contains(err.Error(), ": "+want) {
			t.Errorf("read: %v, want %s", err, want)
		}
		all := append(append(l.Args, l.Buffers...), l.Variables...)
		for i := range l.Textures {
			all = append(all, l.Textures[i].Texels)
		}
		for i := range all {
			if _, err := all[i].Contents(); err == nil || !strings.Contains(err.Error(), ": "+want) {
				t.Errorf("made: %v, want %s", err, want)
			}
		}
		if len(all) != 1 {
			t.Errorf("%s: %d tables", table, len(all))
		}
	}
}
