//go:build !linux

package load

// room is how many bytes of buffers the process can allocate.
func room(most int64) int64 { return most }
