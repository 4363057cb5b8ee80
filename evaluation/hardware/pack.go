package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/verify/soundness/kernels"
	"github.com/warpbound/warpbound/launch"
)

// errOther is a launch that the format of packed launches has no words for.
var errOther = errors.New("textures, samplers, pointers, structures or RISC-V")

// executedFile says how many warp instructions of PTX each launch executes.
const executedFile = "executed.csv"

// packer writes launches into a directory.
type packer struct {
	dir   string
	index *bufio.Writer
	// executed has the warp instructions of each launch.
	executed bytes.Buffer
	ptx      map[string]string // files written so far, by where they were
}

// pack writes launches and what their buffers hold after them. It returns those that
// were left out, with the reason.
func pack(ctx context.Context, dir string, paths []string, drawn uint64) (left []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, "index"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &packer{dir: dir, index: bufio.NewWriter(f), ptx: map[string]string{}}
	for _, path := range paths {
		switch err := p.launch(ctx, path); {
		case errors.Is(err, errOther):
			left = append(left, fmt.Sprintf("%s: %v", path, err))
		case err != nil:
			return nil, err
		}
	}
	for seed := range drawn {
		if err := p.drawn(ctx, seed); err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, executedFile), append([]byte("launch,warp_instructions\n"), p.executed.Bytes()...), 0o666); err != nil {
		return nil, err
	}
	return left, errors.Join(p.index.Flush(), f.Close())
}

// drawn packs the kernel that the campaigns of package kernels draw from a seed, if
// its outcome is settled.
func (p *packer) drawn(ctx context.Context, seed uint64) error {
	c := kernels.Draw(seed)
	e, err := c.Execute(ctx)
	if e == nil || err != nil {
		return err
	}
	kernel := fmt.Sprintf("drawn-%d.ptx", seed)
	if err := os.WriteFile(filepath.Join(p.dir, kernel), []byte(c.PTX), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(p.index, "launch drawn/%d %s k %d 1 1 %d 1 1 0\n", seed, kernel, c.Grid, c.Block)
	for _, b := range []struct {
		name          string
		before, after []byte
	}{{"in", e.In, e.InAfter}, {"out", e.Out, e.OutAfter}} {
		fmt.Fprintf(p.index, "buffer %s b32 %d 0 0", b.name, len(b.before))
		for _, data := range [][]byte{b.before, b.after} {
			name, err := p.file(data)
			if err != nil {
				return err
			}
			fmt.Fprintf(p.index, " %s", name)
		}
		fmt.Fprintln(p.index)
	}
	fmt.Fprintln(p.index, "scalar 10000000")
	return nil
}

func (p *packer) launch(ctx context.Context, path string) error {
	l, err := load.Open(path)
	if err != nil {
		return err
	}
	f := l.File
	if f.IsELF() || len(f.Textures)+len(f.Samplers)+len(f.Buffers) > 0 {
		return errOther
	}
	for _, list := range [][]launch.Arg{f.Args, f.Variables} {
		for i := range list {
			if list[i].Kind == launch.Struct || len(list[i].Fields) > 0 || len(list[i].Pointers()) > 0 {
				return errOther
			}
		}
	}
	k, err := l.Kernel(false)
	if err != nil {
		return l.Place(err)
	}
	executed, err := simt.Run(ctx, k, simt.Limits{})
	if err != nil {
		return l.Place(err)
	}
	fmt.Fprintf(&p.executed, "%s,%d\n", filepath.ToSlash(path), executed)
	kernel, err := p.kernel(f.Kernel)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.index, "launch %s %s %s", filepath.ToSlash(path), kernel, k.Program().Name)
	for _, n := range append(f.Grid[:], f.Block[:]...) {
		fmt.Fprintf(p.index, " %d", n)
	}
	fmt.Fprintf(p.index, " %d\n", f.DynamicSharedBytes)
	for i := range f.Args {
		a := &f.Args[i]
		if a.Kind == launch.Scalar {
			fmt.Fprintf(p.index, "scalar %s\n", hex.EncodeToString(littleEndian(a.Bits, a.Type.Bytes())))
			continue
		}
		if err := p.contents(k, a, fmt.Sprintf("buffer %s %s %d %d %d", a.Name, a.Type, a.Bytes(), a.Before*a.Type.Bytes(), a.After*a.Type.Bytes())); err != nil {
			return err
		}
	}
	for i := range f.Variables {
		a := &f.Variables[i]
		if err := p.contents(k, a, fmt.Sprintf("variable %s %s %d", a.Name, a.Type, a.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// contents writes a line, and the files with what a buffer holds before and after.
func (p *packer) contents(k load.Executable, a *launch.Arg, line string) error {
	before, err := a.Contents()
	if err != nil {
		return err
	}
	fmt.Fprint(p.index, line)
	for _, data := range [][]byte{before, k.Buffer(a.Name)} {
		name, err := p.file(data)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.index, " %s", name)
	}
	_, err = fmt.Fprintln(p.index)
	return err
}

// file writes bytes under a name of their own; zeros need none.
func (p *packer) file(data []byte) (string, error) {
	if len(bytes.Trim(data, "\x00")) == 0 {
		return "-", nil
	}
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:8]) + ".bin" // the same contents once
	return name, os.WriteFile(filepath.Join(p.dir, name), data, 0o666)
}

// kernel copies a PTX file once.
func (p *packer) kernel(path string) (string, error) {
	if name, ok := p.ptx[path]; ok {
		return name, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%d-%s", len(p.ptx), strings.ReplaceAll(filepath.Base(path), " ", "_"))
	p.ptx[path] = name
	return name, os.WriteFile(filepath.Join(p.dir, name), text, 0o666)
}

// littleEndian is a scalar as it lies in memory.
func littleEndian(bits uint64, n int64) []byte {
	var out []byte
	for i := range n {
		out = append(out, byte(bits>>(8*i)))
	}
	return out
}
