package load

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// reserve is what a command needs of its address space besides buffers.
const reserve = 256 << 20

// room is how many bytes of buffers the process can still allocate under its limit of
// address space (ulimit -v), beyond which the run-time system would end it; most where
// there is none.
func room(most int64) int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur > uint64(1<<62) {
		return most
	}
	used := int64(0)
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		pages, _, _ := strings.Cut(string(text), " ")
		if n, err := strconv.ParseInt(pages, 10, 64); err == nil {
			used = n * int64(os.Getpagesize())
		}
	}
	return max(1, min(most, int64(limit.Cur)-used-reserve))
}
