package static

import (
	"errors"
	"fmt"
	"math"

	"github.com/warpbound/warpbound/internal/cache"
)

// ErrSystem is wrapped by every error of this package but those about the cache.
var ErrSystem = errors.New("static: bad system")

// Who makes an access of some sort to a line: a warp, nobody or many.
const (
	nobody int32 = -1
	many   int32 = -2
)

// line is a line of the system and who, in the whole system, may make it younger
// (loads, stores that allocate or may hit and stay) and who removes it.
type line struct {
	number  uint64
	uses    int32
	removes int32
}

// other says whether a warp other than w is among who.
func other(who, w int32) bool { return who == many || who != nobody && who != w }

// one stands for the only access of its sort where warps keep no order.
const one int32 = 0

// join enters an access of a warp.
func (s *Lines) join(who *int32, w int32) {
	switch {
	case *who == nobody && s.order == NoOrder:
		*who = one
	case *who == nobody:
		*who = w
	case *who != w || s.order == NoOrder:
		*who = many
	}
}

// Order says in which order the accesses of one warp reach the tags.
type Order uint8

const (
	ProgramOrder Order = iota
	NoOrder            // any
)

// Lines says of every line of a system, and of every sector, which warps access it:
// whatever the order, and all that the analyses of several caches need to know of
// the system. Its memory is in proportion to the distinct lines, up to a limit; the
// accesses themselves are not kept.
type Lines struct {
	order   Order
	line    cache.Config // of which the line and sector sizes and the stores matter
	perLine int          // sectors
	limit   int
	index   table
	lines   []line
	sectors []int32 // by line, by sector: who brings the sector in
	warps   int     // 1 + the highest warp
	beyond  bool    // lines were left out

	sealed bool
	own    []int32 // lines that one warp alone uses, warp by warp
	ownAt  []int32 // by warp: where its lines begin in own
}

// DefaultLines is a limit for Lines: a GiB in lines of 128 bytes. They take about 30
// bytes each, and every Analysis 6 bytes more.
const DefaultLines = 1 << 23

// NewLines has no lines. Of c the sizes of lines and sectors matter, and what
// stores do; order says what the hardware keeps of a warp's. Beyond limit, 0
// for DefaultLines, further lines are left out: nothing is claimed of them, and
// of the others only what holds however many there are. An error wraps
// cache.ErrConfig or ErrSystem.
func NewLines(c cache.Config, order Order, limit int) (*Lines, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = DefaultLines
	}
	if limit < 1 || limit >= crowded {
		return nil, fmt.Errorf("%w: a limit of %d lines", ErrSystem, limit)
	}
	if order > NoOrder {
		return nil, fmt.Errorf("%w: unknown order %d", ErrSystem, order)
	}
	return &Lines{order: order, line: c, perLine: c.LineBytes / c.SectorBytes, limit: limit, index: newTable()}, nil
}

// Serves says whether the lines are those that an analysis of c needs: lines and
// sectors have the same sizes, and stores do the same.
func (s *Lines) Serves(c cache.Config) bool {
	return s.line.LineBytes == c.LineBytes && s.line.SectorBytes == c.SectorBytes &&
		s.line.WriteAllocate == c.WriteAllocate && s.line.WriteEvict == c.WriteEvict
}

// Note enters one access of a warp, from 0. The order of the calls does not matter.
// What passes the tags by, such as atomics performed at the L2, is left out.
func (s *Lines) Note(warp int64, addr uint64, k cache.Kind) error {
	switch {
	case warp < 0 || warp >= math.MaxInt32:
		return fmt.Errorf("%w: warp %d", ErrSystem, warp)
	case s.sealed:
		return fmt.Errorf("%w: an access of warp %d after the analysis", ErrSystem, warp)
	}
	w := int32(warp)
	if s.order == ProgramOrder {
		s.warps = max(s.warps, int(warp)+1)
	} else {
		w = one
	}
	id := s.index.find(s.lines, s.line.Line(addr))
	if id == absent {
		if len(s.lines) >= s.limit {
			s.beyond = true
			return nil
		}
		id = int32(len(s.lines))
		s.lines = append(s.lines, line{s.line.Line(addr), nobody, nobody})
		s.index.add(s.lines)
		for range s.perLine {
			s.sectors = append(s.sectors, nobody)
		}
	}
	l := &s.lines[id]
	switch {
	case k == cache.Load || s.line.WriteAllocate:
		s.join(&s.sectors[int(id)*s.perLine+s.sector(addr)], w)
		s.join(&l.uses, w)
	case s.line.WriteEvict:
		s.join(&l.removes, w)
	default:
		s.join(&l.uses, w)
	}
	return nil
}

// sector is the sector of a byte in its line.
func (s *Lines) sector(addr uint64) int {
	return int(addr / uint64(s.line.SectorBytes) % uint64(s.perLine))
}

// Complete says that no line was left out.
func (s *Lines) Complete() bool { return !s.beyond }

// At is a line and a sector of it.
type At struct {
	id     int32
	sector int32
}

// Find is where a byte is. An error says that it was not noted.
func (s *Lines) Find(addr uint64) (At, error) {
	id := s.index.find(s.lines, s.line.Line(addr))
	if id == absent && !s.beyond {
		return At{}, fmt.Errorf("%w: the access at %#x was not noted", ErrSystem, addr)
	}
	return At{id, int32(s.sector(addr))}, nil
}

// filled says whether somebody brings a sector of a line in.
func (s *Lines) filled(id int32) bool {
	for _, who := range s.sectors[int(id)*s.perLine : (int(id)+1)*s.perLine] {
		if who != nobody {
			return true
		}
	}
	return false
}

// present says whether a line can be in the cache and be used there: with a cold
// start somebody must bring it in.
func (s *Lines) present(id int32, start Start) bool {
	if start == Cold {
		return s.filled(id)
	}
	return s.lines[id].uses != nobody
}

// seal ends the noting: it fills own and ownAt.
func (s *Lines) seal() {
	if s.sealed {
		return
	}
	s.sealed = true
	if s.order == NoOrder {
		return
	}
	s.ownAt = make([]int32, s.warps+1)
	for i := range s.lines {
		if u := s.lines[i].uses; u >= 0 {
			s.ownAt[u+1]++
		}
	}
	for w := range s.warps {
		s.ownAt[w+1] += s.ownAt[w]
	}
	s.own = make([]int32, s.ownAt[s.warps])
	// Filled from the back, so that each end moves to the beginning.
	next := s.ownAt[1:]
	for i := len(s.lines) - 1; i >= 0; i-- {
		if u := s.lines[i].uses; u >= 0 {
			next[u]--
			s.own[next[u]] = int32(i)
		}
	}
	copy(s.ownAt, next)
	s.ownAt[s.warps] = int32(len(s.own))
}
