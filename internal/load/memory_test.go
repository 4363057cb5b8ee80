package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// linked follows, for each thread, three links of a list whose structures have
// the next one's address and a number, and adds coef[number] and what lies one
// element before and after the thread's own in x.
const linked = head + `.const .align 4 .f32 coef[8];
.global .align 4 .u32 bias = 1000;
.visible .entry walk(.param .u64 out, .param .u64 lists, .param .u64 x, .param .align 4 .b8 box[8])
{
	.reg .b64 %o, %l, %x, %w, %c; .reg .b32 %t, %n, %i, %a, %b; .reg .f32 %f, %s; .reg .pred %p;
	ld.param.u64 %o, [out]; ld.param.u64 %l, [lists]; ld.param.u64 %x, [x];
	mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 8; add.u64 %l, %l, %w; ld.global.u64 %l, [%l];
	shr.u64 %w, %w, 1; add.u64 %o, %o, %w; add.u64 %x, %x, %w;
	mov.f32 %s, 0f00000000; mov.u32 %i, 0;
$LOOP:
	ld.global.u32 %n, [%l+8]; mul.wide.u32 %w, %n, 4; mov.u64 %c, coef; add.u64 %c, %c, %w; ld.const.f32 %f, [%c]; add.f32 %s, %s, %f;
	ld.global.u64 %l, [%l]; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 3; @%p bra $LOOP;
	cvt.rzi.u32.f32 %n, %s; ld.global.u32 %a, [%x+-4]; add.u32 %n, %n, %a; ld.global.u32 %a, [%x+4]; add.u32 %n, %n, %a;
	ld.param.u32 %a, [box+4]; add.u32 %n, %n, %a; ld.global.u32 %b, [bias]; add.u32 %n, %n, %b;
	st.global.u32 [%o], %n; ret;
}
`

const walkLaunch = `kernel = "k.ptx"
grid = [1]
block = [4]
[[args]]
name = "out"
type = "u32"
count = 4
[[args]]
name = "lists"
type = "u64"
count = 4
init = { pointers = { to = "nodes", step = 16 } }
known = true
[[args]]
name = "x"
type = "u32"
count = 4
before = 1
after = 1
init = { value = 7 }
known = true
[[args]]
name = "box"
fields = [{ type = "f32", value = 0.5 }, { type = "u32", value = 100 }]
[[buffers]]
name = "nodes"
count = 5
fields = [
  { name = "next", type = "u64", init = { pointers = ["nodes+16", "nodes+32", "nodes+48", "nodes+64", "nodes"] } },
  { name = "number", type = "u32", init = { iota = { start = 0, step = 1 } } },
]
known = true
[[variables]]
name = "coef"
type = "f32"
count = 8
init = { iota = { start = 1, step = 1 } }
known = true
[loops]
"$LOOP" = 3
`

func TestMemoryOfALaunch(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(string) string
		// taints is what of the recorded path depends on unknown data.
		taints string
	}{
		{"all known", func(s string) string { return s }, ""},
		{"pointers not known", func(s string) string {
			return strings.Replace(s, `"nodes"] } },`, `"nodes"] }, known = false },`, 1)
		}, "address:%l"},
		{"the variable not known", func(s string) string {
			return strings.Replace(s, "step = 1 } }\nknown = true\n[loops]", "step = 1 } }\n[loops]", 1)
		}, ""},
		{"the variable by its initialiser", func(s string) string {
			return s[:strings.Index(s, "[loops]")] + "[[variables]]\nname = \"bias\"\ntype = \"u32\"\nvalue = 2000\n"
		}, ""},
	} {
		text := c.edit(walkLaunch)
		l, err := Open(written(t, map[string]string{"k.ptx": linked, "k.toml": text}))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		k, err := l.Kernel(true)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if _, err := simt.Run(context.Background(), k, simt.Limits{}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		bias := uint32(1000)
		if strings.Contains(text, "value = 2000") {
			bias = 2000
		}
		for i := range 4 {
			want := bias + 100
			for s := i; s < i+3; s++ {
				want += uint32(s%5) + 1
			}
			if i > 0 {
				want += 7
			}
			if i < 3 {
				want += 7
			}
			if got := binary.LittleEndian.Uint32(k.Buffer("out")[4*i:]); got != want {
				t.Errorf("%s: thread %d has %d, want %d", c.name, i, got, want)
			}
		}
		var taints []string
		for _, x := range k.Taints() {
			taints = append(taints, fmt.Sprintf("%s:%s", x.Kind, x.Register))
		}
		if got := strings.Join(taints, " "); !strings.HasPrefix(got, c.taints) || c.taints == "" && got != "" {
			t.Errorf("%s: taints %q, want %q", c.name, got, c.taints)
		}
		x := k.Buffer("x")
		if len(x) != 16 || !bytes.Equal(x[:4], []byte{7, 0, 0, 0}) {
			t.Errorf("%s: x is % x", c.name, x)
		}
		if at, ok := k.BufferAddress("x"); !ok || at%256 != 0 {
			t.Errorf("%s: x at %#x", c.name, at)
		}
	}
}

// What lies before and after a buffer is never relied on, known or not.
func TestSlackIsUnknown(t *testing.T) {
	const src = head + `.visible .entry k(.param .u64 x)
{
	.reg .b64 %x; .reg .b32 %n; .reg .pred %p;
	ld.param.u64 %x, [x];
	ld.global.u32 %n, [%x+OFFSET];
	setp.gt.u32 %p, %n, 3; @%p bra L; L: ret;
}
`
	for offset, want := range map[string]int{"-4": 1, "0": 0, "12": 0, "16": 1} {
		l, err := Open(written(t, map[string]string{"k.ptx": strings.Replace(src, "OFFSET", offset, 1),
			"k.toml": "kernel = \"k.ptx\"\ngrid = [1]\nblock = [1]\n[[args]]\nname = \"x\"\ntype = \"u32\"\ncount = 4\nbefore = 1\nafter = 1\nknown = true\n"}))
		if err != nil {
			t.Fatal(err)
		}
		k, err := l.Kernel(true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := simt.Run(context.Background(), k, simt.Limits{}); err != nil {
			t.Fatal(err)
		}
		if got := len(k.Taints()); got != want {
			t.Errorf("byte %s: %d taints, want %d", offset, got, want)
		}
	}
}

func TestWrongMemory(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"loop":     {"\"$LOOP\" = 3", "\"$LOPP\" = 3", "k.toml:40:1: the kernel has no label or line \"$LOPP\", did you mean $LOOP?"},
		"line":     {"\"$LOOP\" = 3", "\"k.ptx:99\" = 3", "no label or line \"k.ptx:99\""},
		"variable": {"name = \"coef\"", "name = \"coff\"", "k.toml:33:3: the module has no variable \"coff\", did you mean coef?"},
		"size":     {"count = 8\n", "count = 7\n", "variables.coef has 28 bytes, expected 32"},
		"target":   {"\"nodes\", step", "\"node\", step", "there is no buffer or variable \"node\", did you mean nodes?"},
		"struct":   {"{ type = \"f32\", value = 0.5 }, ", "", "args.box is a structure of 4 bytes"},
		"narrow":   {"type = \"u64\"\ncount = 4", "type = \"u32\"\ncount = 4", "holds an address of 4 bytes"},
	} {
		text := strings.Replace(walkLaunch, c.from, c.to, 1)
		l, err := Open(written(t, map[string]string{"k.ptx": linked, "k.toml": text}))
		if err == nil {
			_, err = l.Kernel(false)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for _, head := range []string{"k.ptx:14", "$LOOP"} {
		if _, err := Open(written(t, map[string]string{"k.ptx": linked, "k.toml": strings.Replace(walkLaunch, "\"$LOOP\" = 3", "\""+head+"\" = 3", 1)})); err != nil {
			t.Errorf("%s: %v", head, err)
		}
	}
}
