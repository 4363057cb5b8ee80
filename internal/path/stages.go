package path

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// Where the warps of a block go together through forks and loops with barriers, what they
// execute between barriers are sections that come in an order, and as often, as an
// expression over them says: the stages of the block (docs/soundness/closed.md, lemma B
// (together)).

// node is what a warp executes without a barrier, and behind it a barrier, or a fork or a
// loop with barriers inside.
type node struct {
	ways
	then *inner // nil for a barrier
}

// inner is a fork, of which one side is taken, or a loop.
type inner struct {
	parts []side
	loop  *simt.LoopEnd // nil for a fork
}

// ErrStages is the error of warps that are told to part at barriers: the execution that
// tells it would be wrong, and covers nothing.
var ErrStages = errors.New("warps of a block do not pass the same barriers")

// node ends what a warp executes without a barrier.
func (r *coverRecorder) node(warp int, then *inner) {
	l := r.top(warp)
	if l.back || l.over {
		r.err = errors.Join(r.err, ErrStages)
	}
	l.nodes = append(l.nodes, node{r.finish(l.fold), then})
	l.fold = r.folder()
}

// barrier notes that a warp passes one.
func (r *coverRecorder) barrier(warp int) { r.node(warp, nil) }

// joinParts is Join of sides with barriers.
func (r *coverRecorder) joinParts(warp int, first, second side, alike bool, how simt.Joined) {
	nothing := func(s *side) bool { return len(s.nodes) == 0 && s.all.Len() == 0 }
	if how.Late || !alike && !nothing(&first) && !nothing(&second) {
		r.err = errors.Join(r.err, ErrStages)
	}
	first.ended, second.ended = how.FirstEnded, how.SecondEnded
	r.node(warp, &inner{parts: []side{first, second}})
	if first.back || second.back {
		r.top(warp).over = true
	}
}

// loopOf is EndLoop of a loop with barriers.
func (r *coverRecorder) loopOf(warp int, of side, tails []*choice.Expr, how *simt.LoopEnd) {
	for _, t := range tails {
		if t.Len() > 0 {
			r.err = errors.Join(r.err, ErrStages)
		}
	}
	loop := *how
	r.node(warp, &inner{parts: []side{of}, loop: &loop})
	r.tooLarge()
}

// sections are those of each warp of a block, and how they come: nil if each comes once.
func (r *coverRecorder) sections(parts []side) ([][]*choice.Expr, *choice.Expr, error) {
	out := make([][]*choice.Expr, len(parts))
	plain := true
	for i := range parts {
		for _, n := range parts[i].nodes {
			plain = plain && n.then == nil
			out[i] = append(out[i], n.all)
		}
		out[i] = append(out[i], parts[i].all)
	}
	if plain {
		return out, nil, nil
	}
	s := stager{r: r, warps: len(parts), ids: map[string]int32{}}
	refs := make([]*side, len(parts))
	for i := range parts {
		refs[i] = &parts[i]
	}
	whole := s.side(refs, true)
	stages := s.whole(&whole.leaving)
	if s.err != nil {
		return nil, nil, s.err
	}
	if stages == nil || !whole.arriving.none() {
		return nil, nil, ErrStages
	}
	for i := range out {
		out[i] = make([]*choice.Expr, len(s.table))
		for k, section := range s.table {
			out[i][k] = section[i]
		}
	}
	return out, stages, nil
}

// stager makes the stages of a block of what its warps execute.
type stager struct {
	r     *coverRecorder
	warps int
	table [][]*choice.Expr // sections: what each warp executes
	ids   map[string]int32
	err   error
}

// staged is what all warps execute together: one of paths without a barrier, or one of
// those with barriers. Lists have an entry for each warp.
type staged struct {
	plain       []*choice.Expr // nil: there is none
	first, last []*choice.Expr // up to the first barrier, and from the last one
	between     *choice.Expr   // over sections between barriers; nil: there is none
}

func (s *staged) none() bool { return s.plain == nil && s.between == nil }

// stagedWays are staged that do not come back to the head of the loop around, and those
// that do.
type stagedWays struct{ leaving, arriving staged }

// made keeps the first error.
func (s *stager) made(e *choice.Expr, err error) *choice.Expr {
	if err != nil {
		s.err = errors.Join(s.err, err)
		return s.r.stages.Empty()
	}
	return e
}

// each makes a list of two.
func (s *stager) each(a, b []*choice.Expr, join func(...*choice.Expr) (*choice.Expr, error)) []*choice.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := make([]*choice.Expr, s.warps)
	for i := range out {
		out[i] = s.r.made(join(a[i], b[i]))
	}
	return out
}

func (s *stager) concat(a, b []*choice.Expr) []*choice.Expr {
	if a == nil || b == nil {
		return nil
	}
	return s.each(a, b, s.r.build.Concat)
}

// section is the symbol of a section.
func (s *stager) section(of []*choice.Expr) *choice.Expr {
	var key []byte
	for _, e := range of {
		key = binary.AppendVarint(key, int64(e.ID()))
	}
	id, ok := s.ids[string(key)]
	if !ok {
		id = int32(len(s.table))
		s.table = append(s.table, of)
		s.ids[string(key)] = id
	}
	return s.made(s.r.stages.Run(id))
}

// whole is the expression of what has no barrier around.
func (s *stager) whole(of *staged) *choice.Expr {
	var out []*choice.Expr
	if of.plain != nil {
		out = append(out, s.section(of.plain))
	}
	if of.between != nil {
		out = append(out, s.made(s.r.stages.Concat(s.section(of.first), of.between, s.section(of.last))))
	}
	if len(out) == 0 {
		return nil
	}
	return s.made(s.r.stages.One(out...))
}

// either is one of two.
func (s *stager) either(a, b staged) staged {
	one := s.r.build.One
	out := staged{plain: s.each(a.plain, b.plain, one), first: s.each(a.first, b.first, one), last: s.each(a.last, b.last, one), between: a.between}
	switch {
	case a.between == nil:
		out.between = b.between
	case b.between != nil:
		out.between = s.made(s.r.stages.One(a.between, b.between))
	}
	return out
}

// behind is b behind a.
func (s *stager) behind(a, b staged) staged {
	out := staged{plain: s.concat(a.plain, b.plain)}
	if b.between != nil && a.plain != nil {
		out = s.either(out, staged{first: s.concat(a.plain, b.first), between: b.between, last: b.last})
	}
	if a.between != nil && b.plain != nil {
		out = s.either(out, staged{first: a.first, between: a.between, last: s.concat(a.last, b.plain)})
	}
	if a.between != nil && b.between != nil {
		between := s.made(s.r.stages.Concat(a.between, s.section(s.concat(a.last, b.first)), b.between))
		out = s.either(out, staged{first: a.first, between: between, last: b.last})
	}
	return out
}

// then is b behind a, of which what comes back has nothing behind it.
func (s *stager) then(a, b stagedWays) stagedWays {
	return stagedWays{
		leaving:  s.behind(a.leaving, b.leaving),
		arriving: s.either(s.behind(a.arriving, b.leaving), s.behind(a.leaving, b.arriving)),
	}
}

// plain is what warps execute without a barrier; back says that some of it comes back.
func (s *stager) plain(of []ways, back bool) stagedWays {
	var all, leaving []*choice.Expr
	leaves := true
	for _, w := range of {
		all, leaving = append(all, w.all), append(leaving, w.leaving)
		leaves = leaves && w.leaving != nil
	}
	var out stagedWays
	if back {
		out.arriving.plain = all
	}
	if leaves {
		out.leaving.plain = leaving
	}
	return out
}

// side is a side of a fork, an iteration of a loop, or, at the top, the whole: there, and in
// sides in which they end, warps that have ended pass no more barriers.
func (s *stager) side(parts []*side, top bool) stagedWays {
	n := 0
	for _, p := range parts {
		n = max(n, len(p.nodes))
	}
	empty := ways{s.r.build.Empty(), s.r.build.Empty()}
	of := make([]ways, s.warps)
	var out stagedWays
	for i := range n + 1 {
		var inners []*inner
		barriers, back := 0, false
		for w, p := range parts {
			switch {
			case i < len(p.nodes):
				of[w] = p.nodes[i].ways
				if p.nodes[i].then == nil {
					barriers++
				}
				inners = append(inners, p.nodes[i].then)
				continue
			case i == len(p.nodes):
				of[w], back = p.ways, back || p.back && !p.over
			default:
				of[w] = empty
			}
			if i < n && !top && !p.ended {
				s.err = ErrStages
			}
			inners = append(inners, nil)
		}
		if plain := s.plain(of, back); i == 0 {
			out = plain
		} else {
			out = s.then(out, plain)
		}
		if i == n {
			break
		}
		if barriers == 0 {
			out = s.then(out, s.inner(inners))
			continue
		}
		for w, p := range parts {
			if i < len(p.nodes) && p.nodes[i].then != nil || inners[w] != nil {
				s.err = ErrStages
			}
		}
		nothing := slices.Repeat([]*choice.Expr{s.r.build.Empty()}, s.warps)
		out = s.then(out, stagedWays{leaving: staged{first: nothing, between: s.r.stages.Empty(), last: nothing}})
	}
	return out
}

// inner is a fork or a loop that warps go through together; nil is one that has ended.
func (s *stager) inner(of []*inner) stagedWays {
	k := slices.IndexFunc(of, func(in *inner) bool { return in != nil })
	like := of[k]
	nothing := side{ways: ways{s.r.build.Empty(), s.r.build.Empty()}}
	var values []stagedWays
	for j := range like.parts {
		parts := make([]*side, s.warps)
		for w, in := range of {
			switch {
			case in == nil:
				parts[w] = &nothing
				continue
			case len(in.parts) != len(like.parts), (in.loop == nil) != (like.loop == nil), in.loop != nil && (in.loop.Head != like.loop.Head || in.loop.Most != like.loop.Most):
				s.err = ErrStages
				return stagedWays{}
			}
			parts[w] = &in.parts[j]
		}
		values = append(values, s.side(parts, slices.Contains(of, nil)))
	}
	if like.loop == nil {
		return stagedWays{leaving: s.either(values[0].leaving, values[1].leaving), arriving: s.either(values[0].arriving, values[1].arriving)}
	}
	return stagedWays{leaving: s.loop(like.loop, values[0])}
}

// loop is a loop: iterations that come back, and one that does not.
func (s *stager) loop(how *simt.LoopEnd, of stagedWays) staged {
	a, end := of.arriving, of.leaving
	if end.none() {
		end = a
	}
	if how.Most == 0 {
		return end
	}
	if a.between == nil || a.plain != nil {
		in := &s.r.k.Program().Instructions[how.Head]
		s.err = errors.Join(s.err, &simt.NotCovered{PC: how.Head, Loop: isa.NoPC, Pos: in.Pos, Source: in.Source, What: "a loop of which iterations may pass a barrier or none"})
		return end
	}
	more := s.made(s.r.stages.Concat(s.section(s.concat(a.last, a.first)), a.between))
	more = s.made(s.r.stages.AtMostOf(s.r.tag(how), how.Most-1, more))
	a.between = s.made(s.r.stages.Concat(a.between, more))
	return s.either(end, s.behind(a, end))
}
