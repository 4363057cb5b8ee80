package study

import (
	"context"
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// Budget is what one method may use.
type Budget struct {
	MemoryBytes int64 // 0: the method's own limit
	Timeout     time.Duration
}

// outcome is what a method that ended says.
type outcome struct {
	cycles int64 // 0 where the method has nothing to say of the instance; note says why
	// upTo are the exact makespans of 1, 2, ... warps, where the method gives them.
	upTo     []int64
	schedule *makespan.Schedule
	work     int64
	workUnit string
	note     string
}

// method is a way to an exact makespan or a safe bound.
type method struct {
	name    string
	theorem string
	exact   bool
	// reports says that run calls progress; for other methods progress is the time
	// spent of the time allowed.
	reports bool
	// eager says whether the method is run where none is named, given what is known
	// by then: it takes seconds at most.
	eager func(*runner) bool
	// run gives an outcome, or an error that is a *makespan.LimitError where a
	// budget was exhausted.
	run func(context.Context, *makespan.Instance, task) (*outcome, error)
}

// task is what a method is asked to do.
type task struct {
	Config
	budget  Budget
	witness bool
	// asked says that the method was named, exact is the exact makespan where that is
	// known, and otherwise 0.
	asked bool
	exact int64
	// best is the smallest safe figure so far.
	best int64
	// certificate is shared by the methods that need one.
	certificate *certificate
	progress    func(done, total int64)
}
