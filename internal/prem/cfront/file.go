package cfront

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// parseTime is how long reading a C file may take: the parser has no deadline of
// its own and does not terminate on some malformed inputs.
const parseTime = 10 * time.Second

// maxSourceBytes bounds the C files that are read, below what the parser takes.
const maxSourceBytes = 4 << 20

// ParseFile is ParseWith for a file on disk, whose headers are looked for in dirs,
// too. It returns whatever the file holds: with the context's error if the context
// ends first.
func ParseFile(ctx context.Context, file string, defines map[string]string, dirs []string) (*loop.Unit, error) {
	source, err := ReadSource(file)
	if err != nil {
		return nil, err
	}
	type result struct {
		p   *loop.Unit
		err error
	}
	done := make(chan result, 1)
	go func() {
		p, err := ParseWith(file, string(source), defines, Headers{Read: readHeader, Dirs: dirs})
		done <- result{p, err}
	}()
	select {
	case r := <-done:
		return r.p, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(parseTime):
		return nil, fmt.Errorf("%s: the C parser did not come to an end in %v; is the file complete C99?", file, parseTime)
	}
}

// ReadSource reads a C file or a header. What is no regular file could have no end,
// and is refused.
func ReadSource(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: no regular file, expected C", file)
	case info.Size() > maxSourceBytes:
		return nil, fmt.Errorf("%s: %d bytes, expected at most %d", file, info.Size(), maxSourceBytes)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Some files are longer than they say, those of /proc for instance.
	data, err := io.ReadAll(io.LimitReader(f, maxSourceBytes+1))
	if err == nil && len(data) > maxSourceBytes {
		err = fmt.Errorf("%s: more than %d bytes, expected at most that", file, maxSourceBytes)
	}
	return data, err
}

// readHeader reads a header, of which folders and what lies below a file have none.
func readHeader(file string) (string, error) {
	if info, err := os.Stat(file); errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir() {
		return "", fs.ErrNotExist
	}
	data, err := ReadSource(file)
	return string(data), err
}
