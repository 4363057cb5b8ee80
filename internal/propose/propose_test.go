package propose_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/propose"
	"github.com/warpbound/warpbound/launch"
	"github.com/warpbound/warpbound/ptx"
)

// What is proposed for every kernel of the examples is a launch file that opens,
// and has buffers where the example's own launch file has some.
func TestExamples(t *testing.T) {
	buffers := map[string]map[string]bool{} // by module, of all of its launch files
	kernels := 0
	walk := func(ext string, visit func(path string)) {
		err := filepath.WalkDir("../../examples", func(path string, e fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ext) && !strings.Contains(path, "/gpu/") {
				visit(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	walk(".toml", func(path string) {
		l, err := launch.Load(path)
		if err != nil || l.IsELF() {
			return
		}
		for i := range l.Args {
			if buffers[l.Kernel] == nil {
				buffers[l.Kernel] = map[string]bool{}
			}
			buffers[l.Kernel][l.Entry+" "+l.Args[i].Name] = l.Args[i].Kind == launch.Buffer
		}
	})
	walk(".ptx", func(path string) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ptx.Parse(path, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range m.Entries() {
			kernels++
			absolute, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "l.toml")
			text := propose.Launch(m, entry, absolute)
			if err := os.WriteFile(file, text, 0o666); err != nil {
				t.Fatal(err)
			}
			l, err := load.Open(file)
			if err != nil {
				t.Errorf("%s, %s: %v\n%s", path, entry.Name, err, text)
				continue
			}
			for i := range l.File.Args {
				a := &l.File.Args[i]
				if want, ok := buffers[path][entry.Name+" "+a.Name]; ok && want != (a.Kind == launch.Buffer) {
					t.Errorf("%s, %s: %s is %v", path, entry.Name, a.Name, a.Kind)
				}
			}
		}
	})
	if kernels < 40 {
		t.Errorf("%d kernels tried", kernels)
	}
}

func TestLaunch(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(`.version 7.8
.target sm_80
.address_size 64
.const .align 4 .f32 coef[3][4];
.global .u32 given = 5;
.extern .shared .align 4 .b8 dyn[];
.visible .entry k(.param .u64 x, .param .u64 n, .param .f32 a, .param .align 8 .b8 s[32], .param .u64 .ptr .global .align 4 p)
.maxntid 64, 1, 1
{
	.reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .b32 %r<9>; .reg .pred %p;
	ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [n]; ld.param.f32 %f1, [a]; ld.param.u64 %rd3, [s+8]; ld.param.u32 %r1, [s+16];
	cvta.to.global.u64 %rd4, %rd1; mul.lo.u64 %rd5, %rd2, 4; add.s64 %rd4, %rd4, %rd5; ld.global.f32 %f2, [%rd4]; st.global.f32 [%rd4+4], %f2;
	cvta.to.global.u64 %rd6, %rd3;
L:	ld.global.u8 %r2, [%rd6]; setp.eq.u32 %p, %r2, 0; @%p bra L;
	ret;
}
.entry other() { ret; }
`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `# A launch of k, to be corrected: sizes and values are guesses.
# Format: docs/launch-format.md. Check it with ` + "`warpbound check`" + `.
kernel = "d\"ir/k.ptx"
entry  = "k"
grid   = [1] # blocks in x, y, z
block  = [64] # threads of a block in x, y, z: at most 64 in all (.maxntid)
dynamic_shared_bytes = 4096 # dyn has no size of its own

[[args]]
name  = "x" # .u64
type  = "f32"
count = 1024 # elements; contents: init = { ... }, and known = true to rely on them

[[args]]
name  = "n" # .u64
type  = "u64"
value = 1

[[args]]
name  = "a" # .f32
type  = "f32"
value = 1

[[args]]
name  = "s" # .b8[32]
fields = [ # 32 bytes passed by value
  { type = "b8", count = 8 }, # bytes 0 to 7: not read
  { type = "u64", init = { pointers = ["s_8"] } }, # byte 8
  { type = "u32", value = 1 }, # byte 16
  { type = "b8", count = 12 }, # bytes 20 to 31: not read
]

[[args]]
name  = "p" # .u64
type  = "b8" # not seen how the kernel uses it
count = 1024 # elements; contents: init = { ... }, and known = true to rely on them

[[buffers]]
name  = "s_8"
type  = "u8"
count = 1024

# Zero unless the host fills it:
# [[variables]]
# name  = "coef"
# type  = "f32"
# count = 12
# init  = { value = 0 }
# known = true

# Most times that a loop goes back to its head, for loops that data alone end:
# [loops]
# "L" = 1
`
	got := string(propose.Launch(m, m.Entries()[0], "d\"ir/k.ptx"))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
