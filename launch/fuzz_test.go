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
	f.Add([]byte("kernel = \"k.elf\"\ncores = 2\nwarps = 4\nthreads = 32\nvariant = \"v2.2\"\n[[args]]\nname = \"x\"\ntype = \"u16\"\ncount = 3\n[[args]]\nname = \"n\"\ntype = \"u64\"\nvalue = 3\n"))
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
		small := l.RISCV != nil && l.RISCV.Argument == ""
		for i := range l.Args {
			a := &l.Args[i]
			small = small && a.Kind != Struct && a.Init.Kind != File && a.Bytes() <= 1<<16
			if a.Kind == Struct || a.Init.Kind == File || a.Bytes() > 1<<16 {
				continue
			}
			if contents, err := l.Materialise(i); err != nil || int64(len(contents)) != a.Bytes() {
				t.Fatalf("%+v: %d bytes, %v", a, len(contents), err)
			}
		}
		if !small {
			return
		}
		block, buffers, err := l.Place()
		if err != nil {
			t.Fatal(err)
		}
		end := uint64(UserBase)
		for _, b := range buffers {
			if uint64(b.Addr) < end || b.Addr%BufferAlign != 0 {
				t.Fatalf("buffer %s at 0x%x after 0x%x", b.Arg.Name, b.Addr, end)
			}
			end = uint64(b.Addr) + uint64(len(b.Data))
		}
		if len(block) < 4*len(buffers) || end > uint64(userEnd) {
			t.Fatalf("%d bytes of arguments for %d buffers up to 0x%x", len(block), len(buffers), end)
		}
	})
}
