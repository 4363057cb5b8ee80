//go:build linux || darwin

package guard

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// MapToken maps the first [TokenBytes] of the file at path, created and
// extended where needed, as shared memory and sets up a token there as
// [NewToken] does. Other processes see it by mapping the same file.
func MapToken(path string) (*Token, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("guard: %w", err)
	}
	t, err := mapFile(f)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("guard: %w", closeErr)
	}
	if err != nil {
		if t != nil {
			_ = t.Close()
		}
		return nil, err
	}
	return t, nil
}

func mapFile(f *os.File) (*Token, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("guard: %w", err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: %s is not a regular file", ErrToken, f.Name())
	case info.Size() < TokenBytes && info.Size() > 0:
		return nil, fmt.Errorf("%w: %s has %d bytes, want none or at least %d", ErrToken, f.Name(), info.Size(), TokenBytes)
	case info.Size() == 0:
		if err := f.Truncate(TokenBytes); err != nil {
			return nil, fmt.Errorf("guard: %w", err)
		}
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, TokenBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("guard: map %s: %w", f.Name(), err)
	}
	t, err := adopt(unsafe.Slice((*uint32)(unsafe.Pointer(&mem[0])), TokenWords))
	if err != nil {
		_ = syscall.Munmap(mem)
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	t.unmap = func() error {
		if err := syscall.Munmap(mem); err != nil {
			return fmt.Errorf("guard: unmap: %w", err)
		}
		return nil
	}
	return t, nil
}

// adopt sets up a token in a file's memory, but only where the file is empty or
// holds one: anything else is other data.
func adopt(words []uint32) (*Token, error) {
	for _, w := range words {
		if w != 0 {
			return OpenToken(words)
		}
	}
	return NewToken(words)
}
