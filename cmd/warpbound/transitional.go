package main

import (
	"errors"

	"github.com/warpbound/warpbound/internal/simt"
)

// update says how much of the whole is done.
func (p *progress) update(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at.Done, p.at.Total = done, total
}

// failedRaw says that a kernel failed, without the library.
func failedRaw(err error) bool {
	var failed *simt.RuntimeError
	return errors.As(err, &failed)
}
