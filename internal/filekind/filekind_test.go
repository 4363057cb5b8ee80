package filekind

import "testing"

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       Kind
	}{
		{"k.ptx", "", PTX},
		{"k", "// comment\n/* more\n*/\n  .version 7.0\n.target sm_70\n", PTX},
		{"k.toml", ".version 7.0\n", PTX},
		{"k", "\ufeff.version 7.0\n", PTX},
		{"k", "\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xf3\x00", RISCV},
		{"k", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xbe\x00", CUBIN},
		{"k", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00", ELF},
		{"k", "\x7fELF", ELF},
		{"k", "\x50\xed\x55\xba\x01", Fatbin},
		{"k", "\x93NUMPY\x01\x00", NPY},
		{"k.gz", "\x1f\x8b\x08", Archive},
		{"warpbound.toml", "name = 'n'\n[[launches]]\nfiles = ['k.toml']", Project},
		{"warpbound.toml", "[[launches]]\nfiles = [", Project},
		{"k.cu", "int x;", CUDA},
		{"k", "__global__ void f() {}\n", CUDA},
		{"k.c", "int x;", C},
		{"k", "#include <math.h>\n", C},
		{"k.toml", "kernel = \"k.ptx\"\n", Launch},
		{"k.toml", "[[args]]\nname = \"x\"\n", Launch},
		{"k", "grid = [1]\n", Launch},
		{"k.toml", "grid = [1\n", Launch},
		{"k.toml", "[sm\n", GPU},
		{"g.toml", "name = \"x\"\n[sm]\ncount = 1\n", GPU},
		{"k", "hello world", Unknown},
		{"k", "", Unknown},
		{"k", "/* not closed", Unknown},
		{"k", "// no end", Unknown},
	} {
		if got := Of(c.name, []byte(c.data)); got != c.want {
			t.Errorf("%s %.20q is %v, want %v", c.name, c.data, got, c.want)
		}
	}
}
