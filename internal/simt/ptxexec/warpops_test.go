package ptxexec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// The definition of shfl as CUDA gives it: width is a power of two, lanes stay
// within their segment of width lanes.
func shuffleOracle(mode string, lane, b, width int) (source int, ok bool) {
	first := lane / width * width
	switch mode {
	case "up":
		source, ok = lane-b, lane-b >= first
	case "down":
		source, ok = lane+b, lane+b < first+width
	case "bfly":
		source = lane ^ b
		ok = source < first+width
	default:
		source, ok = first+b%width, true
	}
	if !ok {
		source = lane
	}
	return source, ok
}

func TestShuffles(t *testing.T) {
	for _, mode := range []string{"up", "down", "bfly", "idx"} {
		for _, width := range []int{32, 8, 1} {
			for _, b := range []int{0, 1, 3, 5, 17} {
				c := (32-width)<<8 | 31
				if mode == "up" {
					c = (32 - width) << 8
				}
				for _, form := range []string{"shfl.%s.b32 %%r1|%%p1, %%r2, %d, %d;", "shfl.sync.%s.b32 %%r1|%%p1, %%r2, %d, %d, -1;"} {
					inst := fmt.Sprintf(form, mode, b, c)
					got := runBody(t, `mad.lo.u32 %r2, %t, 3, 7; `+inst+` selp.b32 %r3, 1000, 0, %p1; add.u32 %r1, %r1, %r3; st.global.u32 [%o], %r1; ret;`, 32, 32)
					expect(t, got, func(i uint32) uint32 {
						source, ok := shuffleOracle(mode, int(i), b, width)
						v := uint32(source)*3 + 7
						if ok {
							v += 1000
						}
						return v
					})
				}
			}
		}
	}
}

func TestVotesAndMatches(t *testing.T) {
	got := runBody(t, `
	setp.lt.u32 %p1, %t, 10; setp.lt.u32 %p2, %t, 32;
	vote.ballot.b32 %r1, %p1;
	vote.sync.any.pred %p3, %p1, -1; vote.sync.all.pred %p4, %p1, -1; vote.uni.pred %p5, %p2; vote.sync.uni.pred %p6, %p1, -1; vote.all.pred %p7, !%p1;
	selp.b32 %r2, 0x10000, 0, %p3; or.b32 %r1, %r1, %r2;
	selp.b32 %r2, 0x20000, 0, %p4; or.b32 %r1, %r1, %r2;
	selp.b32 %r2, 0x40000, 0, %p5; or.b32 %r1, %r1, %r2;
	selp.b32 %r2, 0x80000, 0, %p6; or.b32 %r1, %r1, %r2;
	selp.b32 %r2, 0x100000, 0, %p7; or.b32 %r1, %r1, %r2;
	st.global.u32 [%o], %r1; ret;`, 32, 32)
	expect(t, got, func(uint32) uint32 { return 0x503ff })

	got = runBody(t, `and.b32 %r1, %t, 3; match.any.sync.b32 %r2, %r1, 0xffffffff; st.global.u32 [%o], %r2; ret;`, 32, 32)
	expect(t, got, func(i uint32) uint32 { return 0x11111111 << (i & 3) })

	got = runBody(t, `
	setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;
	match.all.sync.b32 %r1|%p2, %t, 0xffff0000; bra END;
LOW:	mov.u64 %rd1, 5; match.all.sync.b64 %r1|%p2, %rd1, 0xffff;
END:	selp.b32 %r2, 0x10000, 0, %p2; or.b32 %r1, %r1, %r2; st.global.u32 [%o], %r1; ret;`, 32, 32)
	expect(t, got, func(i uint32) uint32 {
		if i < 16 {
			return 0x1ffff
		}
		return 0
	})
}

// elect.sync names the lowest lane of its mask and holds for that lane only.
func TestElect(t *testing.T) {
	got := runBody(t, `
	mov.u32 %r1, 0; setp.lt.u32 %p1, %t, 5; @%p1 bra END;
	elect.sync %r1|%p2, 0xffffffe0; selp.b32 %r2, 100, 0, %p2; add.u32 %r1, %r1, %r2;
END:	st.global.u32 [%o], %r1; ret;`, 32, 32)
	expect(t, got, func(i uint32) uint32 {
		switch {
		case i < 5:
			return 0
		case i == 5:
			return 105
		}
		return 5
	})
}

func TestReductionsOverLanes(t *testing.T) {
	for op, want := range map[string]uint32{"add.u32": 32*31/2*5 - 64, "min.s32": ^uint32(1), "max.u32": ^uint32(1), "and.b32": 0, "or.b32": ^uint32(0), "xor.b32": 0} {
		got := runBody(t, "mad.lo.u32 %r1, %t, 5, -2; redux.sync."+op+" %r2, %r1, -1; st.global.u32 [%o], %r2; ret;", 32, 32)
		if op == "xor.b32" {
			for i := range uint32(32) {
				want ^= i*5 - 2
			}
		}
		expect(t, got, func(uint32) uint32 { return want })
	}
}

// Two groups with their own masks execute one instruction together.
func TestMemberMasksMakeGroups(t *testing.T) {
	got := runBody(t, `
	setp.lt.u32 %p1, %t, 8; selp.b32 %r1, 0xff, 0xffffff00, %p1;
	redux.sync.add.u32 %r2, %t, %r1; bar.warp.sync %r1;
	st.global.u32 [%o], %r2; ret;`, 32, 32)
	expect(t, got, func(i uint32) uint32 {
		if i < 8 {
			return 28
		}
		return 31*16 - 28
	})
}

func TestMissingMembersAreErrors(t *testing.T) {
	for inst, want := range map[string]string{
		"@%p1 shfl.sync.idx.b32 %r1, %t, 0, 31, -1; bar.warp.sync -1;":     "lanes 0xffffff00 of member mask 0xffffffff do not execute",
		"selp.b32 %r1, 0xffff, 0xffffff00, %p1; bar.warp.sync %r1;":        "lanes 0xff00 are in the member mask 0xffff of others",
		"vote.sync.any.pred %p2, %p1, 0xff;":                               "lanes 0xffffff00 are not in their own member mask 0xff",
		"@%p1 bra L; bar.warp.sync -1; L: redux.sync.add.u32 %r1, %t, -1;": "do not execute the instruction together",
	} {
		_, err := simt.Run(context.Background(), bodyKernel(t, kernel("setp.lt.u32 %p1, %t, 8; "+inst+" ret;"), 32, 32), simt.Limits{})
		if !errors.Is(err, simt.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", inst, err, want)
		}
	}
	// Lanes that have exited need not come, nor those that wait at the end.
	runBody(t, "setp.ge.u32 %p1, %t, 8; @%p1 bra L; shfl.sync.idx.b32 %r1, %t, 0, 31, -1; bar.warp.sync -1; L: ret;", 32, 32)
	runBody(t, "setp.ge.u32 %p1, %t, 8; @%p1 exit; shfl.sync.idx.b32 %r1, %t, 0, 31, -1; bar.warp.sync -1; ret;", 32, 32)
}
