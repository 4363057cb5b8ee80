package fault

import (
	"fmt"
	"sync/atomic"
)

var active atomic.Int64

// On tells whether the fault is active.
func On(id ID) bool { return ID(active.Load()) == id }

// Set makes id the one active fault, None for no fault. Analyses running at
// the time see either. In a build without the planted faults it panics: a test would
// take a fault that is not there for one that nobody notices.
func Set(id ID) {
	if !Planted && id != None {
		panic(fmt.Sprintf("fault: %s is not planted in this build, which wants the overlay that the documentation of package fault speaks of", id.Name()))
	}
	active.Store(int64(id))
}
