//go:build unix

package host

import (
	"runtime"
	"syscall"
)

// Lazy is memory that takes room only where it is written to, all zero, until what owns it
// is collected. It is none of the garbage collector's: that would clear it when it is used
// again, all of it, and wait for as much garbage.
func Lazy[T any](owner *T, size uint64) []byte {
	data, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]byte, size)
	}
	runtime.AddCleanup(owner, func(data []byte) { _ = syscall.Munmap(data) }, data)
	return data
}
