package certify

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// stagedKernel goes through a loop with a barrier, and a second one behind it, or stores
// something else.
const stagedKernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %d<3>;
	.shared .align 4 .b8 s[512];
	ld.param.u64 %d0, [out];
	ld.param.u32 %r0, [n];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, 0;
	setp.gt.u32 %p1, %r0, 5;
	@%p1 bra E;
L:
	setp.ge.u32 %p0, %r2, %r0;
	@%p0 bra M;
	mul.lo.u32 %r3, %r2, %r1;
	bar.sync 0;
	add.u32 %r2, %r2, 1;
	bra L;
M:
	div.u32 %r4, %r3, %r1;
	bar.sync 0;
E:
	st.global.u32 [%d0], %r2;
	ret;
}
`

// staged writes a launch of a kernel of which an argument has a range.
func staged(t testing.TB, kernel, entry string, blocks int, threads, args string) string {
	t.Helper()
	dir := t.TempDir()
	launch := fmt.Sprintf("kernel = \"k.ptx\"\nentry = %q\ngrid = [%d]\nblock = [%s]\n%s", entry, blocks, threads, args)
	for name, text := range map[string]string{"k.ptx": kernel, "k.toml": launch} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "k.toml")
}

// smallStaged is a launch of stagedKernel.
func smallStaged(t testing.TB, blocks int) string {
	t.Helper()
	return staged(t, stagedKernel, "k", blocks, "96", "[[args]]\nname = \"out\"\ntype = \"u32\"\ncount = 64\n[[args]]\nname = \"n\"\ntype = \"u32\"\nvalue = 3\nrange = { min = 0, max = 100 }\n")
}

// stagedLaunch is a launch whose blocks go through a loop with barriers together, of any
// number of iterations up to one.
func stagedLaunch(t testing.TB, blocks int) string {
	t.Helper()
	kernel, err := os.ReadFile(filepath.Join(root, "examples/sgemm/naive/naive.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	args := "[[args]]\nname = \"k\"\ntype = \"s32\"\nvalue = 512\nrange = { min = 0, max = 512 }\n[[args]]\nname = \"columns\"\ntype = \"s32\"\nvalue = 128\n"
	for _, b := range []string{"c", "b", "a"} {
		args = fmt.Sprintf("[[args]]\nname = %q\ntype = \"f32\"\ncount = 65536\n", b) + args
	}
	return staged(t, string(kernel), "sgemm_naive_16", blocks, "32, 16", args)
}

// stagedMachines are machines on which figures of sections add up in different ways.
var stagedMachines = [][]string{
	{}, {"queue.order=any"}, {"queue.order=any", "barrier.draining=true", "barrier.delay_cycles=7"}, {"sm.schedulers=4", "units.MEM.shared=true"},
	{"sm.count=2", "block_dispatch.start_delay_cycles=11", "barrier.delay_cycles=3"}, {"sm.max_blocks=1"},
}

// stagedWrong says which launch with stages has another figure than the analysis.
func stagedWrong(t testing.TB) string {
	for _, set := range stagedMachines {
		for _, file := range []string{stagedLaunch(t, 4), smallStaged(t, 1), smallStaged(t, 4)} {
			c := made(t, file, preset(t, "ecrts2025-200", set...))
			switch {
			case c == nil:
				return fmt.Sprintf("%s with %v: no bound", file, set)
			case len(c.Stages) == 0 || c.Blocks[0].Stages == nil:
				return fmt.Sprintf("%s with %v: no stages", file, set)
			case c.Result.Launch != c.sum.Cycles || c.Result.Block != c.block:
				return fmt.Sprintf("%s with %v: the certificate has %d cycles, %d for a block, the analysis %d and %d", file, set, c.Result.Launch, c.Result.Block, c.sum.Cycles, c.block)
			}
		}
	}
	return ""
}

// Blocks that go through loops with barriers together certify, with the figures of the
// analysis.
func TestStagesCertify(t *testing.T) {
	if wrong := stagedWrong(t); wrong != "" {
		t.Error(wrong)
	}
}
