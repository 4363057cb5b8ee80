package launch

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
)

// New completes and checks a launch that a program put together instead of writing
// a file: Kernel, Entry, Grid, Block, DynamicSharedBytes, Args, Buffers and
// Variables, or RISCV in place of Grid and Block. Extents that are 0 count as 1.
// Path, which messages begin with, is that of the kernel where it is empty. What only
// a file can say, Init.Pointers, Fields and textures among it, is refused.
//
// The error is an ErrorList, whose positions have no line.
func New(of Launch) (*Launch, error) {
	l := &of
	l.Args, l.Buffers, l.Variables = slices.Clone(of.Args), slices.Clone(of.Buffers), slices.Clone(of.Variables)
	if l.Path == "" {
		l.Path = l.Kernel
	}
	at := Pos{File: l.Path}
	l.dir, l.kernelPos, l.argumentPos = "", at, at
	var errs conf.ErrorList
	if l.Kernel == "" {
		errs.Addf(at, "no Kernel, expected the path of a .ptx or .elf file")
	}
	limit := MaxBufferBytes
	if l.RISCV != nil {
		limit = MaxUserBytes
		l.cores(&errs)
	} else {
		l.geometry(&errs)
	}
	if l.IsELF() != (l.RISCV != nil) {
		errs.Addf(at, "kernel %s: expected RISCV with a file named .elf, and with no other", l.Kernel)
	}
	if len(l.Textures)+len(l.Samplers)+len(l.Loops)+len(l.Facts) > 0 {
		errs.Addf(at, "textures, samplers, loops and facts, expected them of a launch file")
	}
	for _, list := range []struct {
		key  string
		args []Arg
	}{{"args", l.Args}, {"buffers", l.Buffers}, {"variables", l.Variables}} {
		for i := range list.args {
			a := &list.args[i]
			a.key, a.pos, a.countPos, a.Init.pos = list.key+"."+a.Name, at, at, at
			if msg := a.incomplete(); msg != "" {
				errs.Addf(at, "%s %s", a.key, msg)
			}
			if slices.ContainsFunc(list.args[:i], func(o Arg) bool { return o.Name == a.Name }) {
				errs.Addf(at, "%s is given twice, expected another name", a.key)
			}
		}
	}
	if len(errs) == 0 {
		l.total(limit, &errs)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if err := l.checkFiles(); err != nil {
		return nil, err
	}
	return l, nil
}

// incomplete says what an argument that a program made lacks, "" for nothing.
func (a *Arg) incomplete() string {
	switch {
	case !argumentName.MatchString(a.Name):
		return fmt.Sprintf("is named %q, expected a name of letters, digits and _", a.Name)
	case a.Kind > Struct:
		return fmt.Sprintf("is of kind %d, expected Scalar, Buffer or Struct", a.Kind)
	case len(a.Fields) > 0 || a.Stride != 0 || a.Init.Kind > File || a.Init.Kind == Pointers:
		return "has members or pointers, expected them of a launch file"
	case a.Kind == Struct && a.File == "":
		return "is a structure without a file, expected the path of its bytes"
	case a.Kind == Struct:
		return ""
	case a.Type == NoType || int(a.Type) >= len(types):
		return "has no type, expected one such as launch.F32"
	case a.Kind == Buffer && (a.Count < 1 || a.Count > MaxBufferBytes/a.Type.Bytes()):
		return fmt.Sprintf("has a count of %d, expected 1 to %d", a.Count, MaxBufferBytes/a.Type.Bytes())
	case a.Before < 0 || a.After < 0 || a.Before > MaxAround || a.After > MaxAround:
		return fmt.Sprintf("has %d elements before and %d after it, expected 0 to %d", a.Before, a.After, MaxAround)
	}
	return ""
}

// MaxAround bounds Arg.Before and Arg.After.
const MaxAround = 1 << 30

// geometry checks what a PTX kernel is launched with.
func (l *Launch) geometry(errs *conf.ErrorList) {
	for i := range 3 {
		l.Grid[i], l.Block[i] = one(l.Grid[i]), one(l.Block[i])
	}
	const most, deep = 1<<31 - 1, 65535
	threads := int64(1)
	for _, n := range l.Block {
		if threads *= int64(n); n < 1 || n > int(MaxThreadsPerBlock) || threads > MaxThreadsPerBlock {
			errs.Addf(l.kernelPos, "block is %v, expected extents of 1 or more and at most %d threads", l.Block, MaxThreadsPerBlock)
			break
		}
	}
	if l.Block[2] > MaxBlockDepth {
		errs.Addf(l.kernelPos, "block is %v, expected at most %d in z", l.Block, MaxBlockDepth)
	}
	if g := l.Grid; g[0] < 1 || g[1] < 1 || g[2] < 1 || g[0] > most || g[1] > deep || g[2] > deep {
		errs.Addf(l.kernelPos, "grid is %v, expected 1 to %d in x and 1 to %d in y and z", g, most, deep)
	}
	if n := l.DynamicSharedBytes; n < 0 || n > MaxDynamicSharedBytes {
		errs.Addf(l.kernelPos, "%d bytes of dynamic shared memory, expected 0 to %d", n, MaxDynamicSharedBytes)
	}
}

// cores checks what a RISC-V program is launched with.
func (l *Launch) cores(errs *conf.ErrorList) {
	r := *l.RISCV
	r.Cores, r.Warps, r.Threads = one(r.Cores), one(r.Warps), one(r.Threads)
	l.RISCV = &r
	if r.Cores < 1 || r.Cores > 64 || r.Warps < 1 || r.Warps > 32 || r.Threads < 1 || r.Threads > 32 {
		errs.Addf(l.kernelPos, "%d cores of %d warps of %d threads, expected 1 to 64 of 1 to 32 of 1 to 32", r.Cores, r.Warps, r.Threads)
	}
	if v := r.Variant; v != "" && v != V22 && v != Feb2024 {
		errs.Addf(l.kernelPos, "variant is %q, expected %s or %s", v, V22, Feb2024)
	}
	if r.Argument != "" && len(l.Args) > 0 {
		errs.Addf(l.kernelPos, "a file and Args for the argument block, expected one of them")
	}
	if len(l.Buffers)+len(l.Variables) > 0 || l.DynamicSharedBytes != 0 || l.Grid != [3]int{} || l.Block != [3]int{} {
		errs.Addf(l.kernelPos, "a grid, a block, shared memory, buffers or variables, expected them of PTX kernels only")
	}
	l.Grid, l.Block = [3]int{r.Cores, 1, 1}, [3]int{r.Warps * r.Threads, 1, 1}
	l.outside(errs)
}

// one is an extent, of which 0 says nothing.
func one(n int) int {
	if n == 0 {
		return 1
	}
	return n
}
