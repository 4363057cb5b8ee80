package highs

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// collector holds the garbage collector off while a module runs. It cannot start or
// end a cycle before every goroutine has stopped at a point it knows, and code of
// the module has such points in host calls only: HiGHS makes none for many seconds
// in the presolve of a large model. All goroutines would wait for that, the one
// that enforces the time limit too. The memory limit still starts the collector
// where garbage comes to more than the modules may need.
type collector struct {
	mu      sync.Mutex
	running int
	percent int   // GOGC before the first
	limit   int64 // memory limit before the first, in bytes
	allowed int64 // and the one set
}

var garbage collector

// hold is to be followed by release. The module may use so many bytes.
func (c *collector) hold(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running++; c.running == 1 {
		c.percent = debug.SetGCPercent(-1)
		c.limit, c.allowed = debug.SetMemoryLimit(-1), 0
	}
	// A memory that grows leaves its smaller self behind.
	c.allowed = max(c.allowed, inUse()+2*bytes)
	debug.SetMemoryLimit(min(c.allowed, c.limit))
}

func (c *collector) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 {
		debug.SetMemoryLimit(c.limit)
		debug.SetGCPercent(c.percent)
	}
}

// inUse is the memory of the process, without stopping anything to find out.
func inUse() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(min(sample[0].Value.Uint64(), math.MaxInt64/4))
}
