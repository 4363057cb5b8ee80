package launch

import (
	"fmt"
	"io"

	"github.com/warpbound/warpbound/internal/conf"
)

// Where a RISC-V program finds the buffers of its launch: from UserBase on, which
// the memory map of Vortex leaves to users, and below the pages of its arguments.
const (
	UserBase     uint32 = 0x1_0000
	userEnd      uint32 = 0x7fff_0000
	MaxUserBytes        = int64(userEnd - UserBase) // of all buffers together
	// BufferAlign is what buffers start at multiples of: a line of the caches.
	BufferAlign uint32 = 64
	// MaxArgumentBytes is the size of the page in which programs of the state of
	// February 2024 find their arguments.
	MaxArgumentBytes int64 = 4096
)

// riscv reads what a RISC-V program is launched with.
func (l *Launch) riscv(f *file, root *conf.Node, errs *conf.ErrorList) {
	refuseKeys(root, errs, "is for PTX kernels, expected cores, warps and threads", "grid", "block")
	refuseKeys(root, errs, "is for PTX kernels, expected none: a core has its local memory", "dynamic_shared_bytes")
	needKeys(root, errs, "an integer from 1 to 32", "warps", "threads")
	if f.Argument != "" {
		refuseKeys(root, errs, "is a second description of the argument block, expected argument or [[args]]", "args")
	}
	refuseKeys(root, errs, "is for PTX kernels, expected only [[args]]", "buffers", "variables")
	if v := root.Get("argument"); v != nil && v.Kind == conf.String && v.Text == "" {
		errs.Addf(v.Pos, "argument is empty, expected a path")
	}
	l.RISCV = &RISCV{Cores: max(1, f.Cores), Warps: f.Warps, Threads: f.Threads, Variant: f.Variant, Argument: l.resolve(f.Argument)}
	l.Grid = [3]int{l.RISCV.Cores, 1, 1}
	l.Block = [3]int{max(1, f.Warps) * max(1, f.Threads), 1, 1}
	l.argumentPos = place(root, "argument")
}

// Placed is a buffer of a RISC-V program in memory.
type Placed struct {
	Arg  *Arg
	Addr uint32
	Data []byte // contents before the launch
}

// Place makes the argument block of a RISC-V program and the buffers it names.
// Arguments lie one after the other as the members of a C structure do: scalars
// at multiples of their size, addresses of buffers as 32-bit numbers, structures
// at multiples of 4. Buffers lie in order from UserBase on.
func (l *Launch) Place() (block []byte, buffers []Placed, err error) {
	if l.RISCV == nil {
		return nil, nil, fmt.Errorf("%s: %s is no RISC-V program", l.Path, l.Kernel)
	}
	if l.RISCV.Argument != "" {
		block, err = readArgument(l.RISCV.Argument)
		if err != nil {
			return nil, nil, &Error{Pos: l.argumentPos, Msg: fmt.Sprintf("argument: %s: %v", l.RISCV.Argument, err)}
		}
		return block, nil, nil
	}
	next := UserBase
	for i := range l.Args {
		a := &l.Args[i]
		data, err := l.Materialise(i)
		if err != nil {
			return nil, nil, err
		}
		align := int(min(a.Bytes(), 8))
		switch a.Kind {
		case Struct:
			align = 4
		case Buffer:
			// Alignment may take a buffer that Parse counted beyond the end.
			if uint64(next)+uint64(len(data)) > uint64(userEnd) {
				return nil, nil, &Error{Pos: a.pos, Msg: fmt.Sprintf("args.%s ends at 0x%x, expected buffers to end below 0x%x", a.Name, uint64(next)+uint64(len(data)), userEnd)}
			}
			buffers = append(buffers, Placed{Arg: a, Addr: next, Data: data})
			address := appendBits(nil, U32, uint64(next))
			next += (uint32(len(data)) + BufferAlign - 1) / BufferAlign * BufferAlign
			data, align = address, len(address)
		}
		for len(block)%align != 0 {
			block = append(block, 0)
		}
		block = append(block, data...)
		if int64(len(block)) > MaxArgumentBytes {
			return nil, nil, &Error{Pos: a.pos, Msg: fmt.Sprintf("args.%s brings the arguments to %d bytes, expected at most %d", a.Name, len(block), MaxArgumentBytes)}
		}
	}
	return block, buffers, nil
}

func readArgument(path string) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxArgumentBytes+1))
	if err == nil && (len(data) == 0 || int64(len(data)) > MaxArgumentBytes) {
		err = fmt.Errorf("%s, expected 1 to %d bytes", size(data), MaxArgumentBytes)
	}
	return data, err
}

func size(data []byte) string {
	if len(data) == 0 {
		return "no bytes"
	}
	return fmt.Sprintf("more than %d bytes", MaxArgumentBytes)
}
