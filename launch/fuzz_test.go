package launch

import (
	"errors"
	"testing"
)

// FuzzLaunch looks for files that panic, that fail with anything but a list of
// placed errors, and for small buffers whose contents do not fit.
func FuzzLaunch(f *testing.F) {
	head := "kernel = \"k\"\ngrid = [1, 2]\nblock = [32]\n[[args]]\nname = \"x\"\n"
	for _, lines := range []string{
		"type = \"f16\"\nvalue = -0.1\n",
		"type = \"f32\"\nvalue = \"0x1p-130\"\n",
		"type = \"u64\"\nvalue = 0xffff_ffff_ffff_ffff\n",
		"type = \"s32\"\ncount = 3\ninit = { iota = { start = 1, step = -1 } }\n",
		"type = \"f64\"\ncount = 3\ninit = { random = { seed = 7, low = -1.0, high = 1 } }\nknown = true\n",
		"type = \"b8\"\ncount = 3\ninit.random = { seed = 7, low = -128, high = 256 }\n",
		"bytes = \"f\"\n[loops]\n\"$L\" = 3\n",
		"type = \"u8\"\ncount = 3\ninit = { file = \"x.npy\" }\n",
	} {
		f.Add([]byte(head + lines))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse("fuzz.toml", data, "dir")
		if err != nil {
			var list ErrorList
			if !errors.As(err, &list) || len(list) == 0 || len(list) > 20 {
				t.Fatalf("%T of %d: %v", err, len(list), err)
			}
			return
		}
		params := []Param{{Name: "p", Type: "u64", Bytes: 8, Align: 8}}
		if err := l.Bind(params); err == nil && len(l.Args) != 1 {
			t.Fatalf("%d arguments bind to one parameter", len(l.Args))
		}
		for i := range l.Args {
			a := &l.Args[i]
			if a.Kind == Struct || a.Init.Kind == File || a.Bytes() > 1<<16 {
				continue
			}
			if contents, err := l.Materialise(i); err != nil || int64(len(contents)) != a.Bytes() {
				t.Fatalf("%+v: %d bytes, %v", a, len(contents), err)
			}
		}
	})
}
