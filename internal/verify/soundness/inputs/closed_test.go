package inputs

import (
	"strings"
	"testing"
)

// directed are kernels in which something about a closed covering execution was wrong
// once, or would be.
var directed = map[string]struct {
	body        string
	grid, block int
	bounds      bool
	loops       bool   // it has the arguments of DrawLoops
	narrow      bool   // its addresses have 32 bits
	staged      bool   // it is covered with stages
	functions   bool   // open results are functions of their operands
	not         string // covered, for this
}{
	// Open results, of equal operands and of others; and a barrier where such decide.
	"open results of lanes":        {functions: true, body: "mov.b32 %c, %lane; ex2.approx.f32 %c, %c; setp.gt.u32 %p0, %c, 100; @%p0 bra A; add.u32 %x, %t, 1; bra B; A: add.u32 %x, %t, 2; add.u32 %x, %x, 2; B:"},
	"open results of warps":        {functions: true, block: 64, not: "a barrier where control depends on data", body: "mov.b32 %c, %w; ex2.approx.f32 %c, %c; setp.gt.u32 %p0, %c, 100; @%p0 bra A; bar.sync 0; A:"},
	"open results of data":         {functions: true, block: 64, staged: true, body: "ld.global.u32 %c, [%u]; ex2.approx.f32 %c, %c; setp.gt.f32 %p0, %c, 0f00000000; @%p0 bra A; bar.sync 0; A:"},
	"open results of a number":     {functions: true, block: 64, staged: true, body: "mov.b32 %c, 0f3f000000; lg2.approx.f32 %c, %c; setp.gt.u32 %p0, %c, 100; @%p0 bra A; bar.sync 0; A:"},
	"open results, if they differ": {block: 64, not: "a barrier where control depends on data", body: "ld.global.u32 %c, [%u]; ex2.approx.f32 %c, %c; setp.gt.u32 %p0, %c, 100; @%p0 bra A; bar.sync 0; A:"},
	"open result of a number":      {block: 64, not: "a barrier where control depends on data", body: "mov.b32 %c, 0f3f000000; lg2.approx.f32 %c, %c; setp.gt.u32 %p0, %c, 100; @%p0 bra A; bar.sync 0; A:"},
	"division by zero, or not":     {functions: true, body: "rem.u32 %c, 7, %lane; setp.gt.u32 %p0, %c, 100; @%p0 bra A; add.u32 %x, %t, 1; bra C; A: sub.u32 %x, %t, 1; C: div.u32 %c, 7, 0; setp.gt.u32 %p0, %c, 100; @%p0 bra B; add.u32 %x, %t, 1; B:"},
	// The low half of a number does not say where the number lies.
	"low half of a number": {body: "ld.global.u64 %d, [%u]; cvt.u32.u64 %c, %d; setp.lt.s32 %p0, %c, 5; @!%p0 bra A; setp.gt.s64 %p1, %d, -99; @!%p1 bra A; add.u32 %c, %c, 1; A:"},
	// A predicate that comes from a barrier.
	"predicate of a barrier": {grid: 4, block: 64, body: "setp.lt.u32 %p1, %b, 1; ld.global.u32 %x, [%u]; setp.gt.u32 %p2, %x, 0; bar.red.or.pred %p1, 0, %p2; @!%p1 bra A; setp.gt.u32 %p3, %b, 0; @!%p3 bra A; add.u32 %c, %b, 1; A:"},
	// Equal to something else in each iteration.
	"goes on while equal": {not: "no bound is known", body: "mov.u32 %c, 0; L: ld.global.u32 %x, [%ul]; add.u64 %ul, %ul, 4; setp.eq.u32 %p0, %c, %x; add.u32 %c, %c, 1; @%p0 bra L;"},
	// What an iteration excludes comes from outside.
	"narrow at the end":           {body: "mov.u32 %c, %n; mov.u32 %r0, 0; L: setp.gt.u32 %p0, %c, 4; @!%p0 bra A; add.u32 %r1, %r0, 1; A: setp.gt.u32 %p1, %n, 3; @%p1 bra E; ld.global.u32 %x, [%u]; and.b32 %x, %x, 1; min.u32 %c, %x, %n; add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 3; @%p2 bra L; E:"},
	"narrow at the end, together": {body: "mov.u32 %c, %n; mov.u32 %r0, 0; L: setp.gt.u32 %p0, %c, 4; @!%p0 bra A; add.u32 %r1, %r0, 1; A: setp.gt.u32 %p1, %n, 3; @%p1 bra E; ld.global.u32 %x, [%u]; and.b32 %x, %x, 1; add.u32 %c, %x, 1; add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 3; @%p2 bra L; E:"},
	// The lane that is not aligned is not there.
	"alignment of who is there": {body: "ld.global.u32 %x, [%u]; setp.gt.u32 %p0, %x, 0; setp.eq.u32 %p1, %lane, 0; and.pred %p0, %p0, %p1; mul.wide.u32 %d, %n, 128; add.u64 %d, %d, %u; mul.wide.u32 %e, %lane, 128; selp.u64 %e, %e, 2, !%p1; add.u64 %d, %d, %e; setp.ne.u32 %p2, %lane, 0; or.pred %p2, %p2, %p0; @%p2 ld.global.u32 %c, [%d];"},
	// Differences beyond 64 bits.
	"a difference that wraps around": {body: "cvt.u64.u32 %d, %n; neg.s64 %d, %d; neg.s64 %d, %d; setp.gt.s64 %p0, %d, -9223372036854775808; @!%p0 bra A; add.u32 %c, %n, 1; A:"},
	// A clock does not stand still.
	"clocks":        {body: "mov.u32 %c, %clock; mov.u32 %x, %clock; sub.u32 %x, %x, %c; setp.ne.u32 %p0, %x, 0; @!%p0 bra A; add.u32 %c, %c, 1; A:"},
	"clocks in one": {body: "mov.u64 %d, %clock64; mov.u32 %c, %n; mov.u64 %e, %clock64; setp.eq.u64 %p0, %d, %e; @%p0 bra A; add.u32 %c, %c, 1; A:"},
	// Comes back to the head from a call.
	"a call before the head": {bounds: true, body: "mov.u32 %c, 0; bra H; B: add.u32 %c, %c, 1; call (%x), direct, (%c); H: setp.lt.u32 %p0, %c, %n; @%p0 bra B;"},
	// A function that begins with the head of a loop and calls itself in it.
	"a call to the head": {bounds: true, not: "call depth exceeded", body: "ld.global.u32 %x, [%ul]; and.b32 %x, %x, 3; setp.gt.u32 %p0, %x, 1; @!%p0 bra E; call (%c), spin, (%x); setp.gt.u32 %p1, %c, 9; @%p1 bra E; add.u32 %c, %c, 1; E:"},
	// Quotients by negative numbers.
	"negative divisor": {body: "mul.lo.u32 %c, %n, -4; div.s32 %x, %c, -4; setp.eq.u32 %p0, %x, 3; @%p0 bra A; add.u32 %x, %x, 1; A: add.u32 %c, %c, 7; div.s32 %x, %c, -4; setp.eq.s32 %p0, %x, -1; @%p0 bra B; add.u32 %x, %x, 1; B:"},

	// Other lanes wait while some narrow what an argument may be, and end.
	"narrow while others wait": {body: "setp.lt.u32 %p0, %lane, 8; @%p0 bra X; setp.gt.u32 %p2, %n, 3; @!%p2 bra E; add.u32 %c, %n, 1; E: ret; X: setp.gt.u32 %p1, %n, 3; @%p1 bra Z; add.u32 %c, %n, 2; ret; Z: add.u32 %c, %n, 3;"},
	// Of a disjunction that holds one part may not.
	"disjunction": {body: "ld.global.u32 %x, [%u]; setp.gt.u32 %p1, %x, 0; setp.gt.or.u32 %p0, %n, 4, %p1; @!%p0 bra A; setp.gt.u32 %p2, %n, 4; @%p2 bra A; add.u32 %c, %n, 1; A:"},
	// A test that iterations go around.
	"test beside": {body: "mov.u32 %c, 0; L: add.u32 %c, %c, 1; ld.global.u32 %x, [%ul]; setp.gt.u32 %p0, %x, 0; @%p0 bra S; setp.ge.u32 %p1, %c, 2; @%p1 bra E; S: setp.lt.u32 %p2, %c, 6; @%p2 bra L; E:"},
	// Buffers that the kernel writes, and elements next to one another.
	"written elements": {loops: true, body: "ld.global.u32 %x, [%rows]; add.u32 %c, %x, 7; st.global.u32 [%rows], %c; ld.global.u32 %c, [%rows]; setp.eq.u32 %p0, %c, %x; @%p0 bra A; add.u32 %c, %n, 1; A:"},
	"next elements":    {loops: true, body: "ld.global.u32 %x, [%rows+8]; ld.global.u32 %c, [%rows+12]; sub.u32 %c, %c, %x; setp.gt.u32 %p0, %c, 4; @!%p0 bra A; add.u32 %c, %n, 1; A: setp.gt.u32 %p0, %c, 0; @!%p0 bra B; add.u32 %c, %n, 1; B:"},
	// Lanes leave in different iterations, and part behind the loop.
	"parted behind exits": {body: "mov.u32 %c, 0; L: ld.global.u32 %x, [%ul]; add.u32 %c, %c, 1; setp.lt.u32 %p0, %c, %x; setp.lt.and.u32 %p0, %c, 5, %p0; @%p0 bra L; setp.gt.u32 %p2, %c, 1; @%p2 bra A; add.u32 %x, %c, 1; bra B; A: add.u32 %x, %c, 2; add.u32 %x, %x, 3; B:"},
	// The same on each of two sides, but not behind them.
	"parted by sides":     {body: "ld.global.u32 %x, [%ul]; setp.gt.u32 %p0, %x, 0; @%p0 bra A; mov.u32 %c, %n; bra B; A: add.u32 %c, %n, 1; B: setp.gt.u32 %p1, %c, 3; @%p1 bra D; add.u32 %x, %c, 1; bra E; D: add.u32 %x, %c, 2; add.u32 %x, %x, 3; E:"},
	"predicates of sides": {body: "ld.global.u32 %x, [%u]; setp.gt.u32 %p0, %x, 0; setp.gt.u32 %p1, %n, 3; @%p0 bra A; setp.gt.u32 %p1, %n, 5; A: @!%p1 bra B; setp.gt.u32 %p2, %n, 5; @%p2 bra B; add.u32 %c, %n, 1; B:"},
	"numbers of sides":    {body: "ld.global.u32 %x, [%u]; setp.gt.u32 %p0, %x, 0; @%p0 bra A; mov.u32 %c, 9; bra B; A: mov.u32 %c, 1; B: setp.gt.u32 %p1, %c, 5; @!%p1 bra E; add.u32 %x, %c, 1; E:"},
	// Stores at addresses in a range.
	"store in a range":      {body: "st.shared.u32 [s], 0; st.shared.u32 [s+4], 0; ld.global.u32 %x, [%u]; and.b32 %x, %x, 1; shl.b32 %x, %x, 2; mov.u32 %c, s; add.u32 %x, %x, %c; st.shared.u32 [%x], 5; ld.shared.u32 %x, [s+4]; setp.eq.u32 %p0, %x, 0; @%p0 bra A; add.u32 %c, %n, 1; A:"},
	"store beside a buffer": {body: "ld.global.u32 %x, [%u]; and.b32 %x, %x, 7; mul.wide.u32 %d, %x, 4; add.u64 %d, %d, %a; sub.u64 %d, %d, 16; st.global.u32 [%d], 77; ld.global.u32 %x, [%a]; setp.eq.u32 %p0, %x, 77; @!%p0 bra A; add.u32 %c, %n, 1; A: ld.global.u32 %x, [%a+4]; setp.eq.u32 %p0, %x, 77; @!%p0 bra B; add.u32 %c, %n, 1; B:"},
	// What one iteration changes in memory the next but three sees.
	"changes in memory": {body: "mov.u32 %x, 0; st.shared.u32 [s], %x; st.shared.u32 [s+16], %x; st.shared.u32 [s+32], %x; st.shared.u32 [s+48], %x; st.shared.u32 [s+64], %x; st.shared.u32 [s+80], %x; mov.u32 %c, 0;\n" +
		"L: ld.shared.u32 %x, [s+80]; setp.eq.u32 %p0, %x, 0; @%p0 bra A; add.u32 %x, %c, 1; A: ld.shared.u32 %x, [s+64]; setp.eq.u32 %p0, %x, 0; @%p0 bra B; st.shared.u32 [s+80], 1; B: ld.shared.u32 %x, [s+48]; setp.eq.u32 %p0, %x, 0; @%p0 bra C; st.shared.u32 [s+64], 1; C:\n" +
		"ld.shared.u32 %x, [s+32]; setp.eq.u32 %p0, %x, 0; @%p0 bra D; st.shared.u32 [s+48], 1; D: ld.shared.u32 %x, [s+16]; setp.eq.u32 %p0, %x, 0; @%p0 bra E; st.shared.u32 [s+32], 1; E: ld.shared.u32 %x, [s]; setp.eq.u32 %p0, %x, 0; @%p0 bra F; st.shared.u32 [s+16], 1; F: st.shared.u32 [s], 1;\n" +
		"add.u32 %c, %c, 1; setp.lt.u32 %p1, %c, 12; @%p1 bra L;"},
	// What happens in the last iteration only.
	"last iteration": {body: "mov.u32 %c, 0; L: setp.eq.u32 %p0, %c, 5; @!%p0 bra A; add.u32 %x, %c, 1; A: add.u32 %c, %c, 1; setp.lt.u32 %p1, %c, 6; @%p1 bra L;"},
	// Registers that move by another distance in each iteration, or lane.
	"geometric":             {body: "mov.u32 %c, 64; L: setp.gt.s32 %p1, %c, 0; shr.u32 %c, %c, 1; @%p1 bra L;"},
	"by an argument":        {body: "mov.u32 %c, 0; mov.u32 %r0, 0; L: setp.gt.u32 %p0, %c, 10; @!%p0 bra A; add.u32 %x, %c, 1; A: add.u32 %c, %c, %n; add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 6; @%p1 bra L;"},
	"by data of each lane":  {body: "mov.u32 %c, 0; mov.u32 %r0, 0; L: setp.gt.u32 %p0, %c, 10; @!%p0 bra A; add.u32 %x, %c, 1; A: ld.global.u32 %x, [%ul]; and.b32 %x, %x, 3; add.u32 %c, %c, %x; add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 6; @%p1 bra L;"},
	"by the lane":           {body: "mov.u32 %c, 0; mov.u32 %r0, 0; L: setp.gt.u32 %p0, %c, 10; @!%p0 bra A; add.u32 %x, %c, 1; A: add.u32 %c, %c, %lane; add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 6; @%p1 bra L;"},
	"predicate of the last": {body: "mov.u32 %r0, 0; setp.ne.u32 %p0, %t, %t; L: @!%p0 bra A; add.u32 %x, %n, 1; A: setp.gt.u32 %p0, %r0, 1; add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 6; @%p1 bra L;"},
	// Where an access lies in its segment, and the ends of ranges.
	"shifted access":  {body: "mul.wide.u32 %d, %n, 4; add.u64 %d, %d, %u; mul.wide.u32 %e, %lane, 4; add.u64 %d, %d, %e; ld.global.u32 %c, [%d];"},
	"last of a range": {grid: 4, body: "setp.eq.u32 %p0, %n, 6; @!%p0 bra A; add.u32 %c, %n, 1; A: setp.eq.u32 %p0, %b, 3; @!%p0 bra B; add.u32 %c, %n, 1; B:"},
	// Lanes wait inside the loop for those that go on.
	"others wait inside": {bounds: true, body: "mov.u32 %c, 0; L: add.u32 %c, %c, 1; ld.global.u32 %x, [%ul]; setp.gt.u32 %p0, %x, %c; @%p0 bra L; ld.global.u32 %x, [%ul+4]; setp.gt.u32 %p1, %x, %c; @%p1 bra L; add.u32 %x, %c, 1;"},
	// In a loop, lanes tell others by memory, and store or not.
	"stores of some": {body: "st.shared.u32 [%so], 0; mov.u32 %c, 0; L: ld.global.u32 %x, [%ul]; setp.gt.u32 %p0, %x, %c; @!%p0 bra E; st.shared.u32 [%so], 1; add.u32 %c, %c, 1; setp.lt.u32 %p1, %c, 4; @%p1 bra L; E: ld.shared.u32 %x, [%so]; setp.eq.u32 %p0, %x, 1; @%p0 bra A; add.u32 %x, %c, 1; A:"},
	// A place that may be another one when it is asked for again.
	"places": {body: "mov.u32 %c, %smid; mov.u32 %x, %smid; setp.ne.u32 %p0, %c, %x; @!%p0 bra B; add.u32 %c, %n, 1; B:"},
	// Addresses of 32 bits, upwards and downwards, in global, shared and generic memory.
	"narrow addresses": {narrow: true, grid: 3, body: "mad.lo.u32 %d, %t, 4, %u; sub.u32 %d, %d, 4; mad.lo.u32 %d, %b, 4, %d; mad.lo.u32 %d, %n, 8, %d; ld.global.u32 %c, [%d+4]; mov.u32 %c, 0; mad.lo.u32 %x, %n, 4, %u;\n" +
		"L: ld.global.u32 %d, [%x]; sub.u32 %x, %x, 4; setp.ge.u32 %p0, %x, %u; @%p0 bra L; mov.u32 %d, s; mad.lo.u32 %d, %n, -8, %d; mad.lo.u32 %d, %t, 8, %d; ld.shared.u32 %x, [%d+64]; cvta.shared.u32 %d, %d; ld.u32 %x, [%d+64]; mad.lo.u32 %d, %t, 12, %u; mad.lo.u32 %d, %n, 4, %d; ld.u32 %x, [%d];"},
	// What is found in several iterations is dealt with behind all of them.
	"found in several": {body: "mov.u32 %c, 0; L: ld.global.u32 %x, [%ul]; and.b32 %x, %x, 3; setp.ne.u32 %p0, %x, %c; @%p0 bra N; add.u32 %x, %c, 1; add.u32 %x, %x, 2; bra E; N: add.u32 %c, %c, 1; setp.lt.u32 %p1, %c, 4; @%p1 bra L; E:"},
	// Barriers in loops, ended by an argument, by what all load, and by a reduction.
	"barriers in a loop":          {loops: true, staged: true, grid: 3, block: 64, body: "mov.u32 %c, 0; L: add.u32 %c, %c, 1; bar.sync 0; add.u32 %x, %c, 2; bar.sync 0; setp.lt.s32 %p0, %c, %n; @%p0 bra L; add.u32 %x, %x, 1;"},
	"barriers tested at first":    {loops: true, staged: true, block: 64, body: "mov.u32 %c, 0; L: setp.ge.s32 %p0, %c, %n; @%p0 bra E; bar.sync 0; add.u32 %x, %c, 2; bar.sync 0; add.u32 %c, %c, 1; bra L; E: add.u32 %x, %x, 1;"},
	"barriers in a loop in one":   {loops: true, staged: true, block: 64, body: "mov.u32 %r0, 0; H: mov.u32 %c, 0; L: bar.sync 0; add.u32 %c, %c, 1; setp.lt.u32 %p0, %c, %n; @%p0 bra L; add.u32 %x, %c, 2; bar.sync 0; add.u32 %r0, %r0, 1; setp.lt.s32 %p1, %r0, %m; @%p1 bra H;"},
	"barriers by what all load":   {loops: true, staged: true, grid: 4, block: 96, body: "ld.global.u32 %r0, [%vals+4]; mov.u32 %c, 0; L: bar.sync 0; add.u32 %c, %c, 1; setp.lt.s32 %p0, %c, %r0; @%p0 bra L; setp.gt.u32 %p1, %b, 1; @%p1 bra E; bar.sync 0; add.u32 %x, %c, 1; E:"},
	"barriers until none changes": {loops: true, bounds: true, staged: true, block: 64, body: "mov.u32 %c, 0; L: ld.global.u32 %x, [%ul]; add.u32 %c, %c, 1; setp.lt.u32 %p0, %c, %x; bar.red.or.pred %p1, 0, %p0; setp.lt.and.u32 %p1, %c, 6, %p1; @%p1 bra L;"},
	// One block goes, others stay.
	"barriers of some blocks": {loops: true, staged: true, grid: 4, block: 64, body: "setp.gt.u32 %p0, %b, %n; @%p0 bra X; bar.sync 0; add.u32 %c, %n, 1; bar.sync 0; ret; X: add.u32 %c, %n, 2;"},
	// Iterations and what lies behind a loop change what others read.
	"stored behind a loop":          {loops: true, staged: true, block: 64, body: "st.shared.u32 [%so], 0; bar.sync 0; mov.u32 %c, 0; L: ld.shared.u32 %x, [s]; setp.eq.u32 %p1, %x, 0; @%p1 bra A; add.u32 %x, %x, 1; A: setp.ge.u32 %p0, %c, %n; @%p0 bra E; bar.sync 0; add.u32 %c, %c, 1; bra L; E: setp.eq.u32 %p2, %t, 40; @%p2 st.shared.u32 [s], 1;"},
	"stored in an iteration before": {loops: true, staged: true, block: 64, body: "st.shared.u32 [%so], 0; bar.sync 0; mov.u32 %c, 0; L: ld.shared.u32 %x, [s]; setp.eq.u32 %p1, %x, 0; @%p1 bra A; add.u32 %x, %x, 1; A: bar.sync 0; setp.eq.u32 %p2, %t, 40; @%p2 st.shared.u32 [s], 1; add.u32 %c, %c, 1; setp.lt.u32 %p0, %c, %n; @%p0 bra L;"},
	// Iterations that pass a barrier, and others.
	"barriers in some iterations": {loops: true, not: "a loop of which iterations may pass a barrier or none", block: 64, body: "ld.global.u32 %r0, [%vals]; mov.u32 %c, 0; L: setp.gt.s32 %p1, %r0, 3; @%p1 bra N; bar.sync 0; N: add.u32 %c, %c, 1; setp.lt.u32 %p0, %c, %n; @%p0 bra L;"},
	// Warps do not go together.
	"barriers by the warp's data":     {loops: true, not: "a barrier where control depends on data", block: 64, body: "mad.lo.u32 %x, %w, 8, 0; mul.wide.u32 %d, %x, 4; add.u64 %d, %d, %vals; ld.global.u32 %r0, [%d]; setp.gt.u32 %p0, %r0, 3; @%p0 bra A; bar.sync 0; add.u32 %c, %n, 1; A:"},
	"barriers by the lane's data":     {loops: true, not: "a barrier where control depends on data", block: 64, body: "ld.global.u32 %x, [%ul]; setp.gt.u32 %p0, %x, 3; @%p0 bra A; bar.sync 0; add.u32 %c, %n, 1; A:"},
	"barriers by the warp's result":   {loops: true, not: "a barrier where control depends on data", block: 64, body: "mul.lo.u32 %x, %n, %n; add.u32 %r0, %w, 1; shr.u32 %x, %x, %r0; setp.gt.u32 %p0, %x, 4; @%p0 bra A; bar.sync 0; add.u32 %c, %n, 1; A:"},
	"barriers by two iterations":      {loops: true, not: "a barrier where control depends on data", block: 64, body: "mov.u32 %c, 0; L: bar.sync 0; add.u32 %c, %c, 1; setp.lt.u32 %p0, %c, 100; @%p0 bra L; mov.u32 %r0, 0; M: bar.sync 0; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 120; @%p0 bra M; setp.eq.u32 %p2, %w, 0; selp.u32 %x, %c, %r0, %p2; add.u32 %x, %x, %n; setp.gt.u32 %p0, %x, 103; @%p0 bra A; bar.sync 0; A:"},
	"barriers by two reductions":      {loops: true, not: "a barrier where control depends on data", block: 64, body: "ld.global.u32 %x, [%ul]; setp.gt.u32 %p0, %x, 1; setp.gt.u32 %p1, %x, 3; bar.red.popc.u32 %c, 0, %p0; bar.red.popc.u32 %r0, 0, %p1; setp.eq.u32 %p2, %w, 0; selp.u32 %x, %c, %r0, %p2; setp.gt.u32 %p0, %x, 20; @%p0 bra A; bar.sync 0; A:"},
	"barriers by uncounted ones":      {loops: true, not: "a barrier where control depends on data", block: 64, body: "ld.global.u32 %x, [%ul]; setp.gt.u32 %p4, %x, 1; setp.gt.u32 %p5, %x, 3; setp.eq.u32 %p1, %w, 0; setp.ne.u32 %p0, %t, %t; @%p1 bra W; @%p0 bar.red.popc.u32 %r1, 0, %p0; bar.red.popc.u32 %c, 0, %p4; bar.red.popc.u32 %r0, 0, %p5; bra J; W: bar.red.popc.u32 %r0, 0, %p4; bar.red.popc.u32 %c, 0, %p5; J: setp.gt.u32 %p2, %c, 20; @%p2 bra A; bar.sync 0; add.u32 %c, %c, 1; A:"},
	"barriers behind who goes back":   {loops: true, staged: true, block: 64, body: "mov.u32 %c, 0; L: ld.global.s32 %x, [%vals+4]; bar.sync 0; setp.gt.s32 %p0, %x, %c; @%p0 bra A; bar.sync 0; add.u32 %x, %c, 1; ret; A: bar.sync 0; add.u32 %c, %c, 1; setp.lt.u32 %p1, %c, 99; @%p1 bra L; ret;"},
	"barriers until a warp ends":      {loops: true, not: "whether all warps of the block come here as often as each other is not known", block: 64, body: "setp.eq.u32 %p1, %w, 0; mov.u32 %c, 0; L: setp.ge.s32 %p0, %c, %n; @%p0 bra E; bar.sync 0; setp.eq.and.u32 %k, %c, 3, %p1; selp.u32 %x, 1, 0, %k; call (%x), quit, (%x); add.u32 %c, %c, 1; bra L; E:"},
	"barriers behind ends of threads": {loops: true, not: "whether the warp arrives depends on data", block: 64, body: "ld.global.u32 %x, [%ul]; setp.gt.u32 %p0, %x, 3; @%p0 exit; bar.sync 0; add.u32 %c, %n, 1;"},
	"barriers behind a part":          {loops: true, not: "whether the warp arrives depends on data", block: 64, body: "mul.wide.u32 %d, %w, 32; add.u64 %d, %d, %vals; ld.global.u32 %r0, [%d]; setp.gt.u32 %p0, %r0, 3; @!%p0 bra A; add.u32 %c, %n, 2; ret; A: bar.sync 0; add.u32 %c, %n, 1; ret;"},
	"barriers behind two parts":       {loops: true, not: "whether the warp arrives depends on data", block: 64, body: "ld.global.s32 %r0, [%vals+4]; setp.gt.s32 %p0, %r0, 0; @%p0 bra M; add.u32 %c, %n, 3; ret; M: mul.wide.u32 %d, %w, 32; add.u64 %d, %d, %vals; ld.global.s32 %x, [%d]; setp.gt.s32 %p1, %x, 1; @%p1 bra A; add.u32 %c, %n, 2; ret; A: bar.sync 0; add.u32 %c, %n, 1; ret;"},
	"barriers behind ends of warps":   {loops: true, not: "whether the warp arrives depends on data", block: 64, body: "mul.wide.u32 %d, %w, 32; add.u64 %d, %d, %vals; ld.global.s32 %x, [%d]; setp.gt.s32 %p0, %x, 1; @%p0 exit; bar.sync 0; add.u32 %c, %n, 1;"},
	// Lanes leave a loop and come back to it by the head of one around it: others wait for them
	// inside, or they meet others at the head.
	"come back to others inside":   {bounds: true, body: "ld.global.u32 %x, [%ul]; and.b32 %x, %x, 7; mov.u32 %r0, 0; setp.eq.u32 %p2, %lane, 0; H: mov.u32 %c, 0; L: setp.eq.and.u32 %p0, %r0, 0, %p2; mov.u32 %r0, 1; @%p0 bra H; and.b32 %r1, %x, 1; setp.ne.and.u32 %p1, %r1, 0, !%p2; shr.u32 %x, %x, 1; @%p1 bra L;"},
	"come back with others inside": {bounds: true, body: "ld.global.u32 %x, [%ul]; and.b32 %x, %x, 3; H: mov.u32 %c, 0; bra L; M: and.b32 %r0, %x, 1; setp.ne.u32 %p0, %r0, 0; shr.u32 %x, %x, 1; mov.u32 %c, 1; @%p0 bra H; L: setp.eq.u32 %p1, %c, 0; mov.u32 %c, 2; @%p1 bra M;"},
	// Loops that count by fours, and masks that only look so.
	"counts by fours":    {body: "mad.lo.u32 %c, %n, 8, 3; and.b32 %r0, %c, 3; sub.u32 %r1, %c, %r0; setp.eq.u32 %p0, %r1, 0; @%p0 bra E; L: sub.u32 %r1, %r1, 4; setp.ne.u32 %p0, %r1, 0; @%p0 bra L; E: and.b32 %r2, %c, -4; M: setp.eq.u32 %p0, %r2, 0; @%p0 bra F; sub.u32 %r2, %r2, 4; bra M; F:"},
	"low bits of others": {loops: true, body: "and.b32 %r0, %n, 3; sub.u32 %r1, %m, %r0; and.b32 %r1, %r1, 3; setp.eq.u32 %p0, %r1, 0; @%p0 bra A; add.u32 %c, %n, 1; A: add.u32 %r1, %n, 1; sub.u32 %r1, %r1, %r0; and.b32 %r1, %r1, 3; setp.eq.u32 %p0, %r1, 1; @%p0 bra B; add.u32 %c, %n, 1; B:"},
	// Lanes of the second side have ended; what it supposes is not so on the first.
	"quotients of the first side": {grid: 40, body: "mov.u32 %r1, 0; setp.ge.u32 %p0, %b, 6; @%p0 bra O; call (%x), gone, (%b); bra P; O: shr.u32 %r1, %b, 2; P: mov.u32 %c, 0; L: setp.ge.u32 %p1, %c, %r1; @%p1 bra E; add.u32 %c, %c, 1; bra L; E:"},
	"masks with holes":            {body: "and.b32 %r0, %n, 5; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra A; add.u32 %c, %n, 1; A: rem.u32 %r1, %r0, 3; setp.eq.u32 %p0, %r1, 0; @%p0 bra B; add.u32 %c, %n, 1; B:"},
	// Blocks of two dimensions, and a loop in a loop.
	"triangular": {loops: true, grid: 3, body: "mov.u32 %r0, 0; H: mov.u32 %c, %r0; L: add.u32 %c, %c, %y; add.u32 %c, %c, 1; setp.le.u32 %p0, %c, %n; @%p0 bra L; add.u32 %r0, %r0, 1; setp.lt.s32 %p1, %r0, %m; @%p1 bra H;"},
}

// directedOutcome runs one of them.
func directedOutcome(t *testing.T, name string) (*Outcome, error) {
	k := directed[name]
	c := Case{Seed: 5, Grid: max(k.grid, 1), Block: max(k.block, 32), GPU: "gtx480", AllBounds: k.bounds, Functions: k.functions}
	c.PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" + functions + ".visible .entry k(.param .u64 pa, .param .u64 pu, .param .u32 n) {\n" + prologue + k.body + "\n\tret;\n}\n"
	if k.narrow {
		c.PTX = ".version 8.0\n.target sm_90\n.address_size 32\n.visible .entry k(.param .u32 pa, .param .u32 pu, .param .u32 n) { .reg .b32 %a, %u, %n, %t, %b, %c, %x, %d; .reg .pred %p<4>; .shared .align 4 .b8 s[512];\n" +
			"ld.param.u32 %a, [pa]; ld.param.u32 %u, [pu]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n" + k.body + "\n\tret;\n}\n"
	}
	if k.loops {
		c.Loops, c.BlockY = true, 2
		if k.block > 0 {
			c.BlockY = 1
		}
		c.PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" + functions + signature + loopRegisters + prologue + loopPrologue + k.body + "\n\tret;\n}\n"
	}
	return c.Run(t.Context(), 32)
}

func TestDirectedClosedKernels(t *testing.T) {
	for name, k := range directed {
		t.Run(name, func(t *testing.T) {
			out, err := directedOutcome(t, name)
			if err != nil {
				t.Fatal(err)
			}
			if out.Wrong != "" {
				t.Error(out.Wrong)
			}
			if k.not == "" && !out.Closed || !strings.Contains(out.NotClosed, k.not) {
				t.Errorf("covered in closed form: %v, %s", out.Closed, out.NotClosed)
			}
			if out.Staged != k.staged {
				t.Errorf("covered with stages: %v", out.Staged)
			}
		})
	}
}

// Lanes that end in one iteration take no part in the reduction of the next: drawn kernels of
// which a warp took a path that was not covered, or whose warps end before others.
func TestReductionsBehindEnds(t *testing.T) {
	for _, seed := range []uint64{261374, 260706, 260863} {
		s, err := Run(t.Context(), Config{Seed: seed, Cases: 1, StopAfter: 3, Draw: DrawFunctions})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Violations {
			t.Error(&s.Violations[i])
		}
	}
}

// The search for the prices of a certificate ends at other ones than that of the analysis,
// which does not follow every order of parts that take long.
func TestCertificatesWithOtherPrices(t *testing.T) {
	s, err := Run(t.Context(), Config{Seed: 91753, Cases: 1})
	if err != nil {
		t.Fatal(err)
	}
	if s.Priced == 0 {
		t.Error("no certificate with prices")
	}
	for i := range s.Violations {
		t.Error(&s.Violations[i])
	}
}
