package forsberg2021

import (
	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/warpbound/warpbound/internal/premtime/study"
)

// The files of Forsberg2021.
const (
	loopsFile        = "prem-base.csv"
	phasesFile       = "prem-schemes.csv"
	threadLoopsFile  = "prem-threads-base.csv"
	threadPhasesFile = "prem-threads-schemes.csv"
	factorLoopsFile  = "prem-machines.csv"
)

var useHeader = []string{"accesses", "requests", "l1_hits", "dram_transfers", "dram_row_misses", "dram_wait_cycles", "dram_busy_millicycles", "cpu_bytes"}

func useNumbers(u *study.Use) []*int64 {
	return []*int64{&u.Accesses, &u.Requests, &u.Hits, &u.Transfers, &u.RowMisses, &u.WaitCycles, &u.BusyMillicycles, &u.CPUBytes}
}

// prefixed puts a word before names.
func prefixed(word string, names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = word + n
	}
	return out
}

// loopHeader is that of loopsFile.
func loopHeader() []string {
	h := []string{"gpu", "kernel", "defines", "threads", "launches", "cycles"}
	h = append(h, useHeader...)
	for _, kind := range premKinds {
		h = append(h, kind+"_cycles")
		h = append(h, prefixed(kind+"_", useHeader)...)
	}
	return h
}

// numbers are what was measured, in the order of the file.
func (r *loopRow) numbers() []*int64 {
	out := append([]*int64{&r.Threads, &r.Launches, &r.Alone.Cycles}, useNumbers(&r.Alone.Memory)...)
	for i := range r.Beside {
		out = append(out, &r.Beside[i].Cycles)
		out = append(out, useNumbers(&r.Beside[i].Memory)...)
	}
	return out
}

func encodeLoops(rows []loopRow) []byte {
	records := [][]string{loopHeader()}
	for i := range rows {
		cells := []string{rows[i].GPU, rows[i].Kernel, rows[i].Defines}
		for _, n := range rows[i].numbers() {
			cells = append(cells, kit.Number(*n))
		}
		records = append(records, cells)
	}
	return kit.Encode(records)
}

func decodeLoop(f *kit.Fields) loopRow {
	r := loopRow{GPU: f.Text(), Kernel: f.Text(), Defines: f.Text()}
	for _, n := range r.numbers() {
		*n = f.Number()
	}
	return r
}

var timesHeader = []string{"memory_ns", "compute_ns", "intervals", "code_ns", "sync_ns", "last_ns", "setup_ns", "best_ns", "fair_ns"}

func (t *times) numbers() []*int64 {
	return []*int64{&t.Mem, &t.Comp, &t.Intervals, &t.Code, &t.Sync, &t.Last, &t.Setup, &t.Best, &t.Fair}
}

var guardHeader = []string{"cycles", "hand_overs", "misses", "longest_memory_cycles", "longest_compute_cycles"}

func phaseHeader() []string {
	h := append([]string{"kernel", "scheme", "compatible", "group", "bounded_group", "input_dependent", "threads", "unroll", "cycles"}, useHeader...)
	h = append(h, timesHeader...)
	h = append(h, prefixed("bounded_", timesHeader)...)
	h = append(h, "guard_memory_budget_cycles", "guard_compute_budget_cycles", "guard_raises")
	for _, kind := range append([]string{"alone"}, premKinds...) {
		h = append(h, prefixed("guard_"+kind+"_", guardHeader)...)
	}
	return h
}

func (r *phaseRow) numbers() []*int64 {
	out := append([]*int64{&r.Threads, &r.Unroll, &r.Cycles}, useNumbers(&r.Memory)...)
	out = append(out, r.Simulated.numbers()...)
	out = append(out, r.Bounded.numbers()...)
	g := &r.Guarded
	out = append(out, &g.BudgetMem, &g.BudgetComp, &g.Raises)
	for i := range g.Runs {
		x := &g.Runs[i]
		out = append(out, &x.Cycles, &x.HandOvers, &x.Misses, &x.LongestMem, &x.LongestComp)
	}
	return out
}

func encodePhases(rows []phaseRow) []byte {
	records := [][]string{phaseHeader()}
	for i := range rows {
		r := &rows[i]
		depends := ""
		if r.InputDependent {
			depends = "yes"
		}
		cells := []string{r.Kernel, r.Scheme, r.Compatible, r.Simulated.Group, r.Bounded.Group, depends}
		for _, n := range r.numbers() {
			cells = append(cells, kit.Number(*n))
		}
		records = append(records, cells)
	}
	return kit.Encode(records)
}

func decodePhase(f *kit.Fields) phaseRow {
	r := phaseRow{Kernel: f.Text(), Scheme: f.Text(), Compatible: f.Text()}
	r.Simulated.Group, r.Bounded.Group = f.Text(), f.Text()
	r.InputDependent = f.Text() == "yes"
	for _, n := range r.numbers() {
		*n = f.Number()
	}
	return r
}

// write stores the measurements below root.
func (r *results) write(root string) error {
	for name, data := range map[string][]byte{
		loopsFile: encodeLoops(r.loops), phasesFile: encodePhases(r.phases),
		threadLoopsFile: encodeLoops(r.threadLoops), threadPhasesFile: encodePhases(r.threadPhases),
		factorLoopsFile: encodeLoops(r.factorLoops),
	} {
		if err := kit.Store(root, name, data); err != nil {
			return err
		}
	}
	return nil
}

// read loads them.
func read(root string) (*results, error) {
	var r results
	var err error
	for name, rows := range map[string]*[]loopRow{loopsFile: &r.loops, threadLoopsFile: &r.threadLoops, factorLoopsFile: &r.factorLoops} {
		if *rows, err = kit.Load(root, name, loopHeader(), decodeLoop); err != nil {
			return nil, err
		}
	}
	for name, rows := range map[string]*[]phaseRow{phasesFile: &r.phases, threadPhasesFile: &r.threadPhases} {
		if *rows, err = kit.Load(root, name, phaseHeader(), decodePhase); err != nil {
			return nil, err
		}
	}
	return &r, nil
}
