package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/npy"
)

// checkFiles verifies that the files named are there and fit. Their contents
// are read when they are needed.
func (l *Launch) checkFiles() error {
	var errs conf.ErrorList
	report := func(pos Pos, key, path string, err error) {
		if err != nil {
			errs.Addf(pos, "%s: %s: %v", key, path, err)
		}
	}
	_, err := regularFile(l.Kernel)
	report(l.kernelPos, "kernel", l.Kernel, err)
	if l.RISCV != nil && l.RISCV.Argument != "" {
		_, err := readArgument(l.RISCV.Argument)
		report(l.argumentPos, "argument", l.RISCV.Argument, err)
	}
	for _, list := range [][]Arg{l.Args, l.Buffers, l.Variables} {
		for i := range list {
			list[i].checkFiles(report)
		}
	}
	for i := range l.Textures {
		l.Textures[i].Texels.checkFiles(report)
	}
	return errs.Err()
}

func (a *Arg) checkFiles(report func(pos Pos, key, path string, err error)) {
	for k := range a.Fields {
		if f := &a.Fields[k]; f.Init.Kind == File {
			whole := a.member(f)
			report(f.Init.pos, whole.key+".init.file", f.Init.File, checkNPY(&whole))
		}
	}
	switch {
	case len(a.Fields) > 0:
	case a.Kind == Struct:
		size, err := regularFile(a.File)
		if err == nil && (size == 0 || size > MaxStructBytes) {
			err = fmt.Errorf("%d bytes, expected 1 to %d", size, MaxStructBytes)
		}
		a.structBytes = size
		report(a.pos, a.key+".bytes", a.File, err)
	case a.Kind == Buffer && a.Init.Kind == File:
		report(a.Init.pos, a.key+".init.file", a.Init.File, checkNPY(a))
	}
}

// regularFile returns the size of a file, which must be one: a device or a pipe
// might never end.
func regularFile(path string) (int64, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, errors.New("no such file, expected a path relative to the launch file")
	case err != nil:
		return 0, bare(err)
	case !info.Mode().IsRegular():
		return 0, errors.New("not a regular file")
	}
	return info.Size(), nil
}

// bare takes the path out of an error of package os: messages name it already.
func bare(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

func checkNPY(a *Arg) error {
	f, err := openRegular(a.Init.File)
	if err != nil {
		return err
	}
	defer f.Close()
	h, err := npy.ReadHeader(bufio.NewReader(f))
	if err != nil {
		return err
	}
	return a.fits(&h)
}

func openRegular(path string) (*os.File, error) {
	if _, err := regularFile(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, bare(err)
	}
	return f, nil
}

// fits says whether a file holds what a buffer needs.
func (a *Arg) fits(h *npy.Header) error {
	if allowed := types[a.Type].npy; !slices.Contains(allowed, h.Descr) {
		return fmt.Errorf("elements of type %q, expected %s for %s", h.Descr, strings.Join(allowed, " or "), a.Type)
	}
	if h.Count != a.Count {
		return fmt.Errorf("%d elements, expected count = %d", h.Count, a.Count)
	}
	return nil
}

// readNPY returns the contents of the buffer's file.
func (a *Arg) readNPY() ([]byte, error) {
	f, err := openRegular(a.Init.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h, contents, err := npy.Read(bufio.NewReader(f), a.Bytes())
	if err != nil {
		return nil, err
	}
	return contents, a.fits(&h)
}

// Files are the paths of the files that a launch is read from, the launch file first.
func (l *Launch) Files() []string {
	out := []string{l.Path, l.Kernel, l.factsFile}
	if l.RISCV != nil {
		out = append(out, l.RISCV.Argument)
	}
	for _, list := range [][]Arg{l.Args, l.Buffers, l.Variables} {
		for i := range list {
			a := &list[i]
			out = append(out, a.File, a.Init.File)
			for k := range a.Fields {
				out = append(out, a.Fields[k].Init.File)
			}
		}
	}
	for i := range l.Textures {
		out = append(out, l.Textures[i].Texels.Init.File)
	}
	return slices.DeleteFunc(out, func(path string) bool { return path == "" })
}
