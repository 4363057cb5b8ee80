package static

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/warpbound/warpbound/l1d/cache"
)

// Start is the state of the cache before the first access.
type Start uint8

const (
	Cold     Start = iota // empty
	AnyStart              // anything, lines of the system included
)

// System is what is analysed.
type System struct {
	Cache cache.Config
	Start Start
	Warps int
	// Accesses gives the byte addresses and kinds of the accesses of a warp, from
	// 0, in program order; the same ones each time. What passes the tags
	// by, such as atomics performed at the L2, is left out.
	Accesses func(warp int) iter.Seq2[uint64, cache.Kind]
}

// ErrSystem is wrapped by every error of this package but those about the cache.
var ErrSystem = errors.New("static: bad system")

// Who makes an access of some sort to a line: a warp, nobody or many.
const (
	nobody int32 = -1
	many   int32 = -2
)

// line is a line of the system and who, in the whole system,
type line struct {
	set     int32
	uses    int32 // may make it younger: loads, stores that allocate or may hit and stay
	fills   int32 // brings it in
	removes int32 // removes it
}

// other says whether a warp other than w is among who.
func other(who, w int32) bool { return who == many || who != nobody && who != w }

func join(who *int32, w int32) {
	switch *who {
	case nobody:
		*who = w
	case w:
	default:
		*who = many
	}
}

// Analysis is a System with all its lines: memory in proportion to the distinct
// lines. It serves one caller at a time.
type Analysis struct {
	sys   System
	index table
	lines []line
	// sectors: by line, by sector: who brings the sector in.
	sectors []int32
	perLine int     // sectors
	inSet   []int32 // by set: lines that can be in it, apart from those of an unknown start
	own     []int32 // lines that one warp alone uses, warp by warp
	ownAt   []int32 // by warp: where its lines begin in own

	keeps, drops int
	w            walker
}

// Analyse reads the accesses of all warps. An error wraps cache.ErrConfig or
// ErrSystem.
func Analyse(s System) (*Analysis, error) {
	if err := s.Cache.Check(); err != nil {
		return nil, err
	}
	switch {
	case s.Start > AnyStart:
		return nil, fmt.Errorf("%w: unknown start %d", ErrSystem, s.Start)
	case s.Warps < 0 || s.Warps >= math.MaxInt32:
		return nil, fmt.Errorf("%w: %d warps", ErrSystem, s.Warps)
	case s.Accesses == nil:
		return nil, fmt.Errorf("%w: no accesses", ErrSystem)
	}
	a := &Analysis{sys: s, index: newTable(), perLine: s.Cache.LineBytes / s.Cache.SectorBytes, keeps: keeps(s.Cache), drops: drops(s.Cache)}
	for w := range s.Warps {
		for addr, k := range s.Accesses(w) {
			if err := a.note(int32(w), addr, k); err != nil {
				return nil, err
			}
		}
	}
	a.count()
	a.w = newWalker(len(a.lines), s.Cache.Sets)
	return a, nil
}

// note enters one access.
func (a *Analysis) note(w int32, addr uint64, k cache.Kind) error {
	c := &a.sys.Cache
	number := c.Line(addr)
	id := a.index.add(number)
	if int(id) == len(a.lines) {
		if id == math.MaxInt32 {
			return fmt.Errorf("%w: more than %d lines", ErrSystem, math.MaxInt32)
		}
		a.lines = append(a.lines, line{int32(c.Set(number)), nobody, nobody, nobody})
		for range a.perLine {
			a.sectors = append(a.sectors, nobody)
		}
	}
	l := &a.lines[id]
	switch {
	case k == cache.Load || c.WriteAllocate:
		join(&l.fills, w)
		join(&a.sectors[int(id)*a.perLine+a.sector(addr)], w)
		join(&l.uses, w)
	case c.WriteEvict:
		join(&l.removes, w)
	case !planted(passingStoresNoUse):
		join(&l.uses, w)
	}
	return nil
}

// sector is the sector of a byte in its line.
func (a *Analysis) sector(addr uint64) int {
	return int(addr / uint64(a.sys.Cache.SectorBytes) % uint64(a.perLine))
}

// present says whether a line can be in the cache and be used there: with a cold
// start somebody must bring it in.
func (a *Analysis) present(l *line) bool {
	if a.sys.Start == Cold {
		return l.fills != nobody
	}
	return l.uses != nobody
}

// count fills inSet, own and ownAt.
func (a *Analysis) count() {
	a.inSet = make([]int32, a.sys.Cache.Sets)
	a.ownAt = make([]int32, a.sys.Warps+1)
	for i := range a.lines {
		if l := &a.lines[i]; a.present(l) {
			a.inSet[l.set]++
			if l.uses >= 0 {
				a.ownAt[l.uses+1]++
			}
		}
	}
	for w := range a.sys.Warps {
		a.ownAt[w+1] += a.ownAt[w]
	}
	a.own = make([]int32, a.ownAt[a.sys.Warps])
	next := append([]int32(nil), a.ownAt...)
	for i := range a.lines {
		if l := &a.lines[i]; a.present(l) && l.uses >= 0 {
			a.own[next[l.uses]] = int32(i)
			next[l.uses]++
		}
	}
}

// Lines is the number of distinct lines of the system.
func (a *Analysis) Lines() int { return len(a.lines) }
