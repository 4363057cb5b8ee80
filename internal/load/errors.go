package load

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// EntryError says that a launch names no kernel of its file, or one that is not
// there. Nobody else chooses one.
type EntryError struct {
	At      *conf.Error // where the launch should have named it, and what is wrong
	Module  string      // path of the kernel's file
	Entry   string      // the name asked for, "" where none was
	Entries []string    // the kernels of the file, in its order
}

func (e *EntryError) Error() string { return e.At.Error() }

// Unwrap gives the error without the names.
func (e *EntryError) Unwrap() error { return e.At }

// Place puts the place in front of an error about an opened launch: of the
// instruction where the kernel failed or was interrupted, or else the launch file's
// name.
func (l *Opened) Place(err error) error {
	var settings conf.ErrorList
	var setting *conf.Error
	switch {
	case err == nil, errors.As(err, &settings), errors.As(err, &setting):
		return err
	}
	var cut *simt.Interrupted
	if errors.As(err, &cut) {
		placed := *cut
		if p := l.Program(); cut.PC >= 0 && int(cut.PC) < len(p.Instructions) {
			placed.Pos = p.Instructions[cut.PC].Pos
		} else {
			placed.Pos = isa.Position{}
		}
		return &placed
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	var failed *simt.RuntimeError
	if !errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", l.File.Path, err)
	}
	when := strings.TrimSuffix(err.Error(), failed.Error())
	placed := *failed
	placed.Locate(l.Program())
	if when = strings.TrimSuffix(when, ": "); when != "" {
		return fmt.Errorf("%w, %s", &placed, when)
	}
	return &placed
}
