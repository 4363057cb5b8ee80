package ptxexec

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// What facts change in a covering execution, which of them are used, and what is found of
// loops.
func TestCoverWithinFacts(t *testing.T) {
	const load = "ld.global.u32 %r2, [%d3]; setp.gt.u32 %p0, %r2, 5; " // pc 6 and 7
	const loop = load + "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra L; add.u32 %r3, %r1, 1; ret;"
	const twice = load + "mov.u32 %r3, 0; M: add.u32 %r3, %r3, 1; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra L; setp.lt.u32 %p2, %r3, 2; @%p2 bra M; ret;"
	at := func(kind facts.Kind, label string, most int64) facts.Fact {
		return facts.Fact{Kind: kind, Name: label, Pos: conf.Pos{File: "k.toml", Line: 1, Col: 1}, Most: most}
	}
	for name, c := range map[string]struct {
		body, want, err string
		facts           []facts.Fact
		unused          []bool // where not all are used by the execution
		seen            string // label of a loop
		found           facts.Covered
	}{
		"an entry": {body: loop, facts: []facts.Fact{at(facts.PerEntry, "L", 1)}, want: "6:1 7 8 9 10 [ 8 9 10 [ | ] | ] 11 12",
			seen: "L", found: facts.Covered{Entered: true, Most: 1, Data: true, Bounded: true}},
		"a total": {body: loop, facts: []facts.Fact{at(facts.PerThread, "L", 1)}, want: "6:1 7 8 9 10 [ 8back 9 10 [ | ] | ] 11 12"},
		"a total of all lanes that are certain": {body: "mov.u32 %r3, 0; M: mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra L; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 2; @%p2 bra M; ret;",
			facts: []facts.Fact{at(facts.PerThread, "L", 3)}, err: "goes back to its head more than 3 times in all"},
		"a total that is not reached": {body: "mov.u32 %r3, 0; M: mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra L; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 2; @%p2 bra M; ret;",
			facts: []facts.Fact{at(facts.PerThread, "L", 4)}, want: "6 7 8 9 10 8back 9 10 8back 9 10 11 12 13 7 8 9 10 8back 9 10 8back 9 10 11 12 13 14", unused: []bool{false},
			seen: "L", found: facts.Covered{Entered: true, Most: 2}},
		"ways back behind a fork": {body: twice, facts: []facts.Fact{at(facts.PerEntry, "L", 1), at(facts.PerWarp, "L", 1)}, unused: []bool{true, false},
			want: "6:1 7 8 9 10 11 12 [ 10back 11 12 [ | ] | ] 13 14 9 10 11 12 [ 10back 11 12 [ | ] | ] 13 14 15"},
		"a way back that may be an entry": {body: load + "mov.u32 %r3, 0; @%p0 bra L; mov.u32 %r3, 1; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 2; @%p1 bra L; ret;",
			facts: []facts.Fact{at(facts.PerEntry, "L", 2), at(facts.PerWarp, "L", 9)}, unused: []bool{false, false}, want: "6:1 7 8 9 [ | 10 ] 11 12 13 [ 11back 12 13 | ] 14"},
		"ways back that may be entries": {body: load + "mov.u32 %r3, 0; mov.u32 %r5, 0; H: add.u32 %r3, %r3, 1; L: add.u32 %r5, %r5, 1; setp.gt.u32 %p3, %r5, 3; @%p3 bra E; @%p0 bra H; bra L; E: ret;",
			facts: []facts.Fact{at(facts.PerThread, "L", 1), at(facts.PerWarp, "L", 1)}, unused: []bool{false, false},
			want: "6:1 7 8 9 10 11 12 13 14 [ 10 | 15 ] 11 12 13 14 [ 10 | 15 ] 11 12 13 14 [ 10 | 15 ] 11 12 13 16"},
		"a uniform branch": {body: load + "@%p0 bra A; add.u32 %r3, %r1, 1; bra B; A: sub.u32 %r3, %r1, 1; B: ret;", facts: []facts.Fact{at(facts.Uniform, "8", 0)},
			want: "6:1 7 8alike [ 11 | 9 10 ] 12"},
		"a uniform branch that a lane decides": {body: load + "setp.lt.u32 %p1, %r1, 4; or.pred %p2, %p0, %p1; @%p2 bra A; add.u32 %r3, %r1, 1; bra B; A: sub.u32 %r3, %r1, 1; B: ret;",
			facts: []facts.Fact{at(facts.Uniform, "10", 0)}, want: "6:1 7 8 9 10 13 14"},
		"a uniform branch that a lane does not take": {body: load + "setp.ge.u32 %p1, %r1, 4; and.pred %p2, %p0, %p1; @%p2 bra A; add.u32 %r3, %r1, 1; bra B; A: sub.u32 %r3, %r1, 1; B: ret;",
			facts: []facts.Fact{at(facts.Uniform, "10", 0)}, want: "6:1 7 8 9 10 11 12 14"},
		"a uniform branch that perhaps a lane decides": {body: load + "@%p0 bra Z; setp.lt.u32 %p1, %r1, 4; or.pred %p2, %p0, %p1; @%p2 bra A; add.u32 %r3, %r1, 1; bra B; A: sub.u32 %r3, %r1, 1; B: add.u32 %r3, %r1, 1; Z: ret;",
			facts: []facts.Fact{at(facts.Uniform, "11", 0)}, want: "6:1 7 8 [ | 9 10 11alike [ 14 | 12 13 ] 15 ] 16"},
		"a uniform branch of lanes that part": {body: "setp.lt.u32 %p1, %r1, 4; @%p1 bra A; add.u32 %r3, %r1, 1; A: ret;", facts: []facts.Fact{at(facts.Uniform, "7", 0)},
			err: "a fact of the launch does not hold: 7 (k.toml:1:1): some threads of the warp take the branch, and this one does not (block 0, thread 4"},
		"a uniform branch that is known": {body: "setp.lt.u32 %p1, %r1, 40; @%p1 bra A; add.u32 %r3, %r1, 1; A: ret;", facts: []facts.Fact{at(facts.Uniform, "7", 0)}, want: "6 7 9", unused: []bool{false}},
		"what follows a uniform branch": {body: load + "@%p0 bra A; add.u32 %r3, %r1, 1; A: ld.global.u32 %r4, [%d3]; setp.gt.u32 %p1, %r4, 7; @%p1 ret; add.u32 %r3, %r1, 2; ret;", facts: []facts.Fact{at(facts.Uniform, "8", 0)},
			want: "6:1 7 8alike [ | 9 ] 10:1 11 12 [ 13 14 | ]"},
		"a loop entered beside its head": {body: load + "@%p0 bra B; A: add.u32 %r3, %r3, 1; B: add.u32 %r3, %r3, 2; setp.gt.u32 %p1, %r2, %r3; @%p1 bra A; ret;",
			facts: []facts.Fact{at(facts.PerEntry, "B", 2)}, want: "6:1 7 8 [ | 9 ] 10 11 12 [ 9 10 11 12 [ 9 10 11 12 [ 9 | ] | ] | ] 13"},
		"a bound on an atomic": {body: "L: atom.global.add.u32 %r3, [%d1], 1; setp.gt.u32 %p1, %r3, 3; @%p1 bra L; ret;", facts: []facts.Fact{at(facts.PerEntry, "L", 1)},
			err: "bra: L (k.toml:1:1): whether the loop goes on depends on when other warps are executed, through atom.global.add.u32 at k.ptx:8:4: expected any_order = true"},
		"a bound on an atomic in any order": {body: "L: atom.global.add.u32 %r3, [%d1], 1; setp.gt.u32 %p1, %r3, 3; @%p1 bra L; ret;", facts: []facts.Fact{{Kind: facts.PerEntry, Name: "L", Most: 1, AnyOrder: true}},
			want: "6:1 7 8 [ 6:1 7 8 [ | ] | ] 9"},
		"a bound on what others have just stored": {body: "L: ld.volatile.global.u32 %r3, [%d1]; setp.gt.u32 %p1, %r3, 3; @%p1 bra L; ret;", facts: []facts.Fact{at(facts.PerEntry, "L", 1)},
			err: "through ld.volatile.global.u32 at k.ptx:8:4: expected any_order = true"},
	} {
		lines, made, err := coverWith(t, c.body, 32, func(p *Code) Options {
			list := slices.Clone(c.facts)
			for i := range list {
				f := &list[i]
				if f.Kind == facts.Uniform {
					pc, _ := strconv.Atoi(f.Name)
					f.Places = []facts.Place{{PCs: []int32{int32(pc)}}}
					continue
				}
				f.Head = p.isa.Labels[f.Name]
			}
			return Options{Facts: list, ReportLoops: true}
		})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, expected %s", name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.TrimSpace(lines[0].String()); !strings.HasSuffix(got, " 5 "+c.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		used := c.unused
		if used == nil {
			used = slices.Repeat([]bool{true}, len(c.facts))
		}
		if got := made.UsedFacts(); !slices.Equal(got, used) {
			t.Errorf("%s: used %v, want %v", name, got, used)
		}
		if c.seen != "" {
			if got := made.CoveredLoops()[made.k.prog.isa.Labels[c.seen]]; got != c.found {
				t.Errorf("%s: the loop %s: %+v, want %+v", name, c.seen, got, c.found)
			}
		}
	}
}
