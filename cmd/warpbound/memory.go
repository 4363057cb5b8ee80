package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// memoryFlag is a number of bytes that a method may allocate: one that the machine
// does not have would end the process where it is touched.
type memoryFlag string

// bytes is the budget: by default the smaller of the given one and three quarters
// of what the machine has free.
func (f memoryFlag) bytes(byDefault int64) (int64, error) { return f.within(byDefault, freeMemory()) }

// within is bytes on a machine that has so many bytes free.
func (f memoryFlag) within(byDefault, free int64) (int64, error) {
	if f == "" {
		// Not 0, which methods take for a default of their own.
		return max(min(byDefault, free/4*3), leastMemory), nil
	}
	n, err := parseBytes("memory", string(f))
	if err == nil && n > free {
		err = fmt.Errorf("--memory %s: expected at most the %d MiB that this machine has free", f, free>>20)
	}
	return n, err
}

// leastMemory is the budget where nothing is free.
const leastMemory = 1 << 20

// parseBytes reads a number of bytes with a unit.
func parseBytes(flag, text string) (int64, error) {
	units := []struct {
		name  string
		bytes int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err == nil && n >= 1 && n <= 1<<20 {
			return n * u.bytes, nil
		}
	}
	return 0, fmt.Errorf("--%s %q: expected a whole number with KiB, MiB, GiB or TiB, such as 512MiB", flag, text)
}

// freeMemory is what the machine and the control group of the process have left, as
// far as Linux tells; elsewhere everything.
func freeMemory() int64 {
	free := int64(math.MaxInt64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		free = min(free, availableOf(text))
	}
	most, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return free
	}
	used, err := os.ReadFile("/sys/fs/cgroup/memory.current")
	if err != nil {
		return free
	}
	// Without it no cache counts as free.
	stat, _ := os.ReadFile("/sys/fs/cgroup/memory.stat")
	return min(free, leftOf(most, used, stat))
}

// availableOf reads the line MemAvailable of /proc/meminfo, in kB.
func availableOf(meminfo []byte) int64 {
	for line := range bytes.Lines(meminfo) {
		if value, ok := strings.CutPrefix(string(line), "MemAvailable:"); ok {
			value = strings.TrimSuffix(strings.TrimSpace(value), " kB")
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n <= math.MaxInt64>>10 {
				return n << 10
			}
		}
	}
	return math.MaxInt64
}

// leftOf is what files of a control group say is left: the limit less what is used,
// of which the kernel gives back the cache of files that have not been used for a
// while. "max" is no limit.
func leftOf(most, used, stat []byte) int64 {
	m, err := strconv.ParseInt(string(bytes.TrimSpace(most)), 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	u, err := strconv.ParseInt(string(bytes.TrimSpace(used)), 10, 64)
	if err != nil {
		return m
	}
	for line := range bytes.Lines(stat) {
		if value, ok := strings.CutPrefix(string(line), "inactive_file "); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil && n >= 0 {
				u = max(u-n, 0)
			}
		}
	}
	return max(m-u, 0)
}
