package analysis

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/isa"
)

// accesses tries each access to memory with as few transactions as a full warp needs, in
// shared memory, and as one that hits the L1 data cache.
func (w *whatIf) accesses() error {
	for i, yes := range w.executed {
		pc := int32(i)
		in := &w.r.Program.Instructions[pc]
		if !yes || in.Unplaced || in.WidthBytes == 0 {
			continue
		}
		switch in.Kind {
		case isa.Load, isa.Store, isa.Atomic, isa.AsyncCopy:
		default:
			continue
		}
		for _, try := range []func(int32, WhatIfRow) error{w.coalesced, w.shared, w.hits} {
			pos := lineOf(in)
			row := WhatIfRow{Kind: OfAccess, Name: fmt.Sprintf("%s:%d %s", pos.File, pos.Line, in.Opcode), Pos: in.Pos}
			if err := try(pc, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// fewest is how many transactions an access of a full warp makes at least.
func (w *whatIf) fewest(pc int32, rule gpu.TransactionRule) int32 {
	m := &w.r.Machine.Desc.Memory
	threads := int64(w.r.Machine.Desc.SM.WarpSize)
	bytes := min(threads, int64(w.r.Block[0])*int64(w.r.Block[1])*int64(w.r.Block[2])) * int64(w.r.Program.Instructions[pc].WidthBytes)
	each := m.SegmentBytes
	switch rule {
	case gpu.OneTransaction:
		return 1
	case gpu.Banks:
		each = int64(m.SharedBanks) * m.BankWordBytes
	}
	return int32((bytes + each - 1) / each)
}

// transactions is the launch's path with other numbers of transactions of an instruction.
func (w *whatIf) transactions(pc int32, of func(n int32) int32) (p *path.Recorded, changed bool) {
	out := *w.r.Path
	out.Symbols = slices.Clone(out.Symbols)
	for i := range out.Symbols {
		if s := &out.Symbols[i]; s.PC == pc {
			n := of(s.Transactions)
			changed = changed || n != s.Transactions
			s.Transactions = n
		}
	}
	return &out, changed
}

func (w *whatIf) coalesced(pc int32, row WhatIfRow) error {
	t := &w.r.Timing[pc]
	if t.Transactions == gpu.OneTransaction {
		return nil
	}
	fewest := w.fewest(pc, t.Transactions)
	p, changed := w.transactions(pc, func(n int32) int32 { return min(n, fewest) })
	if !changed {
		return nil
	}
	most := int32(0)
	for _, s := range w.r.Path.Symbols {
		if s.PC == pc {
			most = max(most, s.Transactions)
		}
	}
	row.From, row.To = int64(most), int64(fewest)
	row.Change = fmt.Sprintf("coalesced: at most %d transactions, not %d", fewest, most)
	if t.Transactions == gpu.Banks {
		row.Change = fmt.Sprintf("no bank conflicts: at most %d transactions, not %d", fewest, most)
	}
	return w.add(row, w.r.On(w.r.Machine, w.r.Timing, w.r.Occupancy, p))
}

// timed is the launch with another timing of an instruction.
func (w *whatIf) timed(pc int32, t gpu.Timing) []gpu.Timing {
	out := slices.Clone(w.r.Timing)
	out[pc] = t
	return out
}

func (w *whatIf) shared(pc int32, row WhatIfRow) error {
	c := w.r.Program.Instructions[pc].Class
	if c.Space != isa.Global {
		return nil
	}
	c.Space = isa.Shared
	t, _, err := w.r.Machine.Timing(c)
	if err != nil {
		return nil // the machine has no such instructions
	}
	fewest := w.fewest(pc, t.Transactions)
	p, _ := w.transactions(pc, func(int32) int32 { return fewest })
	row.Change = "in shared memory, without bank conflicts"
	return w.add(row, w.r.On(w.r.Machine, w.timed(pc, t), w.r.Occupancy, p))
}

func (w *whatIf) hits(pc int32, row WhatIfRow) error {
	d, in := w.r.Machine.Desc, &w.r.Program.Instructions[pc]
	if d.L1D == nil || in.Kind != isa.Load || in.Class.Space != isa.Global || in.Uncached {
		return nil
	}
	t := w.r.Timing[pc]
	t.LatencyCycles = max(0, d.L1D.HitLatencyCycles+d.Issue.DependencyDepthCycles-t.InitiationCycles)
	row.Change = fmt.Sprintf("every access hits the L1 data cache: %d cycles", d.L1D.HitLatencyCycles)
	return w.add(row, w.r.On(w.r.Machine, w.timed(pc, t), w.r.Occupancy, w.r.Path))
}

// barriers tries each barrier as a plain instruction, at which no warp waits, and all of them.
func (w *whatIf) barriers() error {
	var pcs []int32
	for _, c := range w.r.Path.Classes {
		for _, x := range c.Warps {
			if x.Warp.HasChoices() || w.r.Path.Irregular != "" {
				return nil // sections are not known one by one
			}
			for _, s := range x.Warp.Sections[:max(len(x.Warp.Sections)-1, 0)] {
				if pc := w.lastPC(s); !slices.Contains(pcs, pc) {
					pcs = append(pcs, pc)
				}
			}
		}
	}
	slices.Sort(pcs)
	try := func(row WhatIfRow, without func(pc int32) bool) error {
		row.Kind, row.Change = OfBarrier, "no warp waits at it"
		p, err := w.joined(without)
		if err != nil {
			return err
		}
		return w.add(row, w.r.On(w.r.Machine, w.r.Timing, w.r.Occupancy, p))
	}
	for _, pc := range pcs {
		in := &w.r.Program.Instructions[pc]
		pos := lineOf(in)
		if err := try(WhatIfRow{Name: fmt.Sprintf("%s:%d %s", pos.File, pos.Line, in.Opcode), Pos: in.Pos}, func(x int32) bool { return x == pc }); err != nil {
			return err
		}
	}
	if len(pcs) > 1 {
		return try(WhatIfRow{Name: "all barriers"}, func(int32) bool { return true })
	}
	return nil
}

// lastPC is the instruction that ends a section.
func (w *whatIf) lastPC(s *seq.Seq) int32 {
	items := s.Items()
	last := items[len(items)-1]
	if last.Body != nil {
		return w.lastPC(last.Body)
	}
	return w.r.Path.Symbols[last.Symbols[len(last.Symbols)-1]].PC
}

// joined is the path in which some barriers do not end sections.
func (w *whatIf) joined(without func(pc int32) bool) (*path.Recorded, error) {
	out := *w.r.Path
	out.Classes = slices.Clone(out.Classes)
	made := map[*path.Warp]*path.Warp{}
	for i := range out.Classes {
		c := &out.Classes[i]
		c.Warps = slices.Clone(c.Warps)
		for j := range c.Warps {
			x := &c.Warps[j]
			if made[x.Warp] == nil {
				warp := *x.Warp
				var err error
				if warp.Sections, err = w.join(x.Warp.Sections, without); err != nil {
					return nil, err
				}
				warp.Barriers -= int64(len(x.Warp.Sections) - len(warp.Sections))
				made[x.Warp] = &warp
			}
			x.Warp = made[x.Warp]
		}
	}
	return &out, nil
}

// mostRepeats is the longest group of sections of which repetitions are noticed.
const mostRepeats = 4

func (w *whatIf) join(sections []*seq.Seq, without func(pc int32) bool) ([]*seq.Seq, error) {
	var out []*seq.Seq
	var open []*seq.Seq // to be one section
	known := map[*seq.Seq]bool{}
	for i, s := range sections {
		open = append(open, s)
		if i+1 < len(sections) {
			no, seen := known[s]
			if !seen {
				no = without(w.lastPC(s))
				known[s] = no
			}
			if no {
				continue
			}
		}
		one, err := folded(open)
		if err != nil {
			return nil, err
		}
		out, open = append(out, one), open[:0]
	}
	return out, nil
}

// folded is sections one after the other, with repetitions of up to mostRepeats of them as
// loops.
func folded(list []*seq.Seq) (*seq.Seq, error) {
	if len(list) == 1 {
		return list[0], nil
	}
	var items []seq.Item
	for i := 0; i < len(list); {
		n, times := 1, 1
		for period := 1; period <= mostRepeats && i+2*period <= len(list); period++ {
			k := 1
			for i+(k+1)*period <= len(list) && slices.Equal(list[i:i+period], list[i+k*period:i+(k+1)*period]) {
				k++
			}
			if k*period > n*times && k > 1 {
				n, times = period, k
			}
		}
		var group []seq.Item
		for _, s := range list[i : i+n] {
			group = append(group, s.Items()...)
		}
		if times == 1 {
			items = append(items, group...)
		} else {
			body, err := seq.New(group...)
			if err != nil {
				return nil, err
			}
			items = append(items, seq.Repeat(int64(times), body))
		}
		i += n * times
	}
	return seq.New(items...)
}
