// Package affine makes random kernels whose addresses and branches depend on the
// thread, the block and a parameter only, for tests of what follows such kernels.
package affine

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
)

// Case is a random kernel and its launch.
type Case struct {
	Text        string
	Program     *ptxexec.Code
	Grid, Block [3]int
	count       []byte
}

// Random is the case of a seed.
func Random(seed uint64) (*Case, error) { return draw(seed, false) }

// Wide is the case of a seed with more in it: shared memory at addresses that the
// block decides, accesses of one, two and eight bytes, also where they are not
// aligned or not guarded, long loops, also nested, and, seldom, values that are
// not affine at all, from memory and special registers.
func Wide(seed uint64) (*Case, error) { return draw(seed, true) }

func draw(seed uint64, wide bool) (*Case, error) {
	k := &generator{rng: rand.New(rand.NewPCG(seed, 30)), wide: wide}
	k.start()
	for range 4 + k.rng.IntN(14) {
		if wide && k.rng.IntN(3) == 0 {
			k.more()
			continue
		}
		k.statement(0, true)
	}
	k.access()
	c, err := k.end()
	if err != nil {
		return nil, err
	}
	c.Grid = [][3]int{{12, 1, 1}, {5, 4, 1}, {3, 2, 2}, {1, 9, 1}, {20, 1, 1}}[k.rng.IntN(5)]
	c.Block = [][3]int{{32, 1, 1}, {16, 4, 1}, {40, 1, 1}, {8, 2, 2}}[k.rng.IntN(4)]
	c.count = binary.LittleEndian.AppendUint32(nil, uint32(k.rng.IntN(400)))
	return c, nil
}

// start writes what comes before the statements: %i0 to %i2 are the block's
// coordinates, %i3 and %i4 the thread's.
func (k *generator) start() {
	k.emit(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 buffer, .param .u32 count) {")
	k.emit(".reg .b64 %%base, %%a, %%d0; .reg .b32 %%i<%d>, %%c<3>, %%n, %%v; .reg .b16 %%h0; .reg .pred %%q, %%g;", registers)
	if k.wide {
		k.emit(".reg .b64 %%v8; .reg .b16 %%v2; .reg .b32 %%s, %%s0, %%s1, %%c3, %%c4; .shared .align 8 .b8 tile[%d];", sharedBytes)
	}
	k.emit("ld.param.u64 %%base, [buffer]; ld.param.u32 %%n, [count]; mov.u32 %%v, 0;")
	k.emit("mov.u32 %%i0, %%ctaid.x; mov.u32 %%i1, %%ctaid.y; mov.u32 %%i2, %%ctaid.z; mov.u32 %%i3, %%tid.x; mov.u32 %%i4, %%tid.y;")
	k.emit("mov.u32 %%i5, %%ntid.x; mad.lo.s32 %%i5, %%i0, %%i5, %%i3; mov.u32 %%i6, %%n; mul.lo.s32 %%i7, %%i1, %d; add.s32 %%i7, %%i7, %%i5;", 16*k.rng.IntN(8))
}

// end writes the end of the kernel and lowers it.
func (k *generator) end() (*Case, error) {
	k.emit("ret;\n}")
	c := &Case{Text: k.text.String()}
	file, err := ptx.Parse("affine.ptx", []byte(c.Text))
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, c.Text)
	}
	if c.Program, err = ptxexec.Lower(file, "k"); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, c.Text)
	}
	return c, nil
}

// Kernel is the launch, ready to execute.
func (c *Case) Kernel(taint bool) (*ptxexec.Kernel, error) {
	return ptxexec.NewKernel(c.Program, ptxexec.LaunchConfig{
		Grid: c.Grid, Block: c.Block, Options: ptxexec.Options{Taint: taint},
		Args: []ptxexec.Arg{{Name: "buffer", Buffer: &ptxexec.Buffer{Contents: make([]byte, 4*words+64), ElementBytes: 4}}, {Name: "count", Bytes: c.count}},
	})
}
