package taint

import (
	"cmp"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// Log is what was seen to depend on data, once for each instruction and kind. The zero
// value is empty.
type Log struct{ seen map[key]simt.Taint }

type key struct {
	pc   int32
	kind simt.TaintKind
}

// Note adds what was seen of the instruction of p at pc, the first time.
func (l *Log) Note(p *isa.Program, pc int32, kind simt.TaintKind, register string) {
	k := key{pc, kind}
	if _, seen := l.seen[k]; seen {
		return
	}
	if l.seen == nil {
		l.seen = map[key]simt.Taint{}
	}
	in := &p.Instructions[pc]
	l.seen[k] = simt.Taint{PC: pc, Kind: kind, Pos: in.Pos, Source: in.Source, Register: register}
}

// List is the log by instruction.
func (l *Log) List() []simt.Taint { return l.Without(&Log{}) }

// Without is List without what another log has as well.
func (l *Log) Without(other *Log) []simt.Taint {
	out := make([]simt.Taint, 0, len(l.seen))
	for k, t := range l.seen {
		if _, also := other.seen[k]; !also {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b simt.Taint) int {
		return cmp.Or(cmp.Compare(a.PC, b.PC), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}
