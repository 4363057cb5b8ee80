// Package host tells what the machine has that warpbound runs on.
package host

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

// FreeMemory is what the machine and the control group of the process have left, as
// far as Linux tells, in bytes; elsewhere math.MaxInt64.
func FreeMemory() int64 {
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
