package propose_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/propose"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

// Textures and samplers, by variables of the module and by handles that arguments
// pass, are proposed such that the launch runs as it is.
func TestTextures(t *testing.T) {
	const body = `{
	.reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .b32 %r<9>; .param .b32 p;
	mov.u32 %r1, 0; mov.f32 %f1, 0f00000000;
	`
	for _, c := range []struct{ name, target, decls, params, insts, want string }{
		{"variables", "sm_70", ".global .texref image, row, unused;", ".param .u64 out", `
	ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1;
	tex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5}, [image, {%f1,%f1}];
	tex.1d.v4.s32.s32 {%r2,%r3,%r4,%r5}, [row, {%r1}];
	st.global.f32 [%rd2], %f2;`, `
[[textures]]
name   = "image" # .texref of the module
type   = "f32" # of a channel as the host binds it; channels = 1, 2 or 4 of a texel
width  = 64 # texels
height = 64
# layout = "array", or "linear" and pitch; read = "element" or "normalized"
# address = ["clamp"], filter = "point", normalized_coordinates = false
# init   = { value = 0 }, and known = true to rely on the contents

[[textures]]
name   = "row" # .texref of the module
type   = "s32" # of a channel as the host binds it; channels = 1, 2 or 4 of a texel
width  = 64 # texels
# layout = "array", or "linear" and pitch; read = "element" or "normalized"
# address = ["clamp"], filter = "point", normalized_coordinates = false
# init   = { value = 0 }, and known = true to rely on the contents
`},
		{"objects", "sm_70", "", ".param .u64 object, .param .u32 n", `
	ld.param.u64 %rd1, [object]; mov.u64 %rd2, %rd1;
	tld4.r.2d.v4.u32.f32 {%r2,%r3,%r4,%r5}, [%rd2, {%f1,%f1}];`, `
[[args]]
name  = "object" # .u64
type  = "u64"
value = 1 # handle of a texture or sampler below

[[args]]
name  = "n" # .u32
type  = "u32"
value = 1

[[textures]]
name   = "object"
handle = 1 # the value of the argument
type   = "u32" # of a channel as the host binds it; channels = 1, 2 or 4 of a texel
width  = 64 # texels
height = 64
`},
		{"samplers", "sm_70, texmode_independent", ".global .samplerref near; .global .texref map;", ".param .u64 other", `
	ld.param.u64 %rd1, [other];
	tex.2d.v4.f32.s32 {%f2,%f3,%f4,%f5}, [map, near, {%r1,%r1}];
	tex.2d.v4.f32.s32 {%f2,%f3,%f4,%f5}, [map, %rd1, {%r1,%r1}];`, `
# layout = "array", or "linear" and pitch; read = "element" or "normalized"
# init   = { value = 0 }, and known = true to rely on the contents

[[samplers]]
name   = "near" # .samplerref of the module
# address = ["clamp"], filter = "point", normalized_coordinates = false

[[samplers]]
name   = "other"
handle = 1 # the value of the argument
# address = ["clamp"], filter = "point", normalized_coordinates = false
`},
		{"called", "sm_70", ".global .texref far;\n.func fetch() { .reg .b32 %r<9>; mov.u32 %r1, 0; tex.1d.v4.u32.s32 {%r2,%r3,%r4,%r5}, [far, {%r1}]; ret; }\n.entry other() { ret; }", ".param .u32 n", "call fetch;", `
[[textures]]
name   = "far" # .texref of the module
type   = "u32"`},
	} {
		dir := t.TempDir()
		source := ".version 7.0\n.target " + c.target + "\n.address_size 64\n" + c.decls + "\n.entry k(" + c.params + ")\n" + body + c.insts + "\n\tret;\n}\n"
		kernel, file := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.toml")
		m, err := ptx.Parse(kernel, []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		text := propose.Launch(m, m.Func("k"), "k.ptx")
		if !strings.Contains(string(text), c.want) {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.want, string(text)))
		}
		if strings.Contains(string(text), "unused") {
			t.Errorf("%s: a texture that the kernel does not use:\n%s", c.name, text)
		}
		if err := os.WriteFile(kernel, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := load.Open(file)
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, text)
			continue
		}
		k, err := l.Fresh()
		if err == nil {
			_, err = simt.Run(context.Background(), k, simt.Limits{})
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, text)
		}
	}
}
