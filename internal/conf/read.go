package conf

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Read returns the text of a file, at most a byte more than Parse takes. A pipe or
// a device is refused: it may have no end or no writer, and files are read more
// than once.
func Read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, bare(err))
	}
	if m := info.Mode(); !m.IsRegular() && !m.IsDir() {
		what := "a device"
		switch {
		case m&os.ModeNamedPipe != 0:
			what = "a pipe"
		case m&os.ModeSocket != 0:
			what = "a socket"
		}
		return nil, &Error{Pos: Pos{File: path}, Msg: what + ", expected a regular file: it is read more than once"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
}

// bare takes the path out of an error of package os.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
