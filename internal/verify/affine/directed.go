package affine

import (
	"fmt"
	"math/rand/v2"
)

// Directed are kernels in which blocks are easily taken for alike that are not,
// each for a reason of its own that random kernels seldom have.
func Directed() ([]*Case, error) {
	var out []*Case
	for _, d := range []struct {
		why   string
		block int
		text  string
	}{
		{"a dividend that becomes negative", 8, `
	mul.lo.s32 %i5, %i0, -4; add.s32 %i5, %i5, 10; div.s32 %i5, %i5, 4; add.s32 %i5, %i5, 38; add.s32 %i5, %i5, %i3;
	mad.wide.s32 %a, %i5, 4, %base; ld.global.u32 %v, [%a];`},
		{"a number cut to fewer bits", 32, `
	mul.lo.s32 %i5, %i0, 8; add.s32 %i5, %i5, 240; cvt.u8.u32 %i5, %i5; setp.gt.u32 %q, %i5, 100; @%q bra E; mov.u32 %v, 1; E:`},
		{"lanes that choose differently", 32, `
	mul.lo.s32 %i5, %i0, 8; setp.lt.u32 %q, %i3, 16; selp.b32 %i5, %i5, %i3, %q; mad.wide.s32 %a, %i5, 4, %base; ld.global.u32 %v, [%a];`},
		{"a minimum in some lanes", 32, `
	mul.lo.s32 %i5, %i3, 64; mad.lo.s32 %i6, %i0, 8, 8; min.s32 %i5, %i5, %i6; setp.lt.s32 %q, %i5, 32; @%q bra E; mov.u32 %v, 1; E:`},
		{"an access beyond the end", 32, `
	mad.lo.s32 %i5, %i0, 512, %i3; mad.wide.s32 %a, %i5, 4, %base; ld.global.u32 %v, [%a];`},
		{"an access that is not aligned", 32, `
	mad.wide.s32 %a, %i0, 2, %base; ld.global.u32 %v, [%a];`},
		{"one access twice", 8, `
	mul.lo.s32 %i5, %i0, 32; mov.u32 %c0, 2;
L:	add.s32 %i6, %i5, %i3; mad.wide.s32 %a, %i6, 4, %base; ld.global.u32 %v, [%a];
	add.s32 %i5, %i5, %i0; sub.s32 %c0, %c0, 1; setp.gt.s32 %q, %c0, 0; @%q bra L;`},
		{"bytes in shared memory", 32, fmt.Sprintf(`
	and.b32 %%s, %%i0, 3; mad.lo.s32 %%s, %%i3, %d, %%s; ld.shared.u8 %%v2, [%%s];`, conflicting)},
		{"a value that doubles in a loop", 32, `
	mov.u32 %s0, 1;
L:	ld.global.u32 %v, [%base]; add.s32 %s0, %s0, %s0; setp.lt.s32 %q, %s0, 100000; @%q bra L;`},
		{"lanes that wait outside a loop", 32, `
	mov.u32 %c3, 0; mov.u32 %i5, %i3;
L:	and.b32 %s, %i3, 1; setp.eq.s32 %q, %s, 0; @%q bra Q;
	add.s32 %c3, %c3, 1; setp.ne.s32 %q, %c3, 3; @%q bra S; mul.lo.s32 %i5, %i0, 8;
S:	setp.lt.s32 %q, %c3, 8; @%q bra L;
Q:	mad.wide.s32 %a, %i5, 4, %base; ld.global.u32 %v, [%a];`},
		{"a loop as long as the block says", 32, `
	mov.u32 %c3, 0; mad.lo.s32 %s0, %i0, 3, 40;
L:	mad.wide.s32 %a, %c3, 4, %base; ld.global.u32 %v, [%a]; add.s32 %c3, %c3, 1; setp.lt.s32 %q, %c3, %s0; @%q bra L;`},
	} {
		k := &generator{rng: rand.New(rand.NewPCG(0, 30)), wide: true}
		k.start()
		k.emit("%s", d.text)
		c, err := k.end()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.why, err)
		}
		c.Grid, c.Block, c.count = [3]int{20, 1, 1}, [3]int{d.block, 1, 1}, make([]byte, 4)
		out = append(out, c)
	}
	return out, nil
}

// conflicting is a distance of lanes in bytes at which the bank conflicts depend
// on where in its word the first lane is.
const conflicting = 33
