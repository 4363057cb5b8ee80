//go:build !linux && !darwin

package guard

import "fmt"

// MapToken maps a file as shared memory, which is not supported on this system;
// it returns an error that wraps [ErrNotSupported]. [NewToken] works on memory
// that the caller has mapped.
func MapToken(path string) (*Token, error) {
	return nil, fmt.Errorf("map %s: %w", path, ErrNotSupported)
}
