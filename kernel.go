package warpbound

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/filekind"
	"github.com/warpbound/warpbound/internal/formula"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/propose"
	"github.com/warpbound/warpbound/launch"
	"github.com/warpbound/warpbound/ptx"
)

// KernelOptions state a launch of a kernel without a launch file.
type KernelOptions struct {
	Entry       string // the kernel; may be "" where the module has a single one
	Grid, Block [3]int // extents of 0 are 1
	// LeastGrid asks for a bound on every grid from this one to Grid, in which the bound can
	// be a formula, too (grid.x, grid.y and grid.z of AnalyzeOptions.Parametric); extents of
	// 0 are those of Grid.
	LeastGrid [3]int
	// LeastBlock asks for a bound on every size of block from this one to Block, by steps of
	// BlockStep threads in each direction; extents of 0 are those of Block, steps of 0 are 1.
	// Each is analysed by itself, and the bound can be a formula for each (block.x, block.y
	// and block.z of AnalyzeOptions.Parametric).
	LeastBlock, BlockStep [3]int
	DynamicSharedBytes    int64
	// Args are the scalar arguments: NAME=VALUE, or NAME=MIN..MAX for any integer in a
	// range, where NAME is that of the parameter or its number, from 0. Integers have to
	// be stated; floating-point numbers may be any.
	Args []string
	// Facts is the path of a file of facts (docs/launch-format.md), "" for none.
	Facts string
}

// anyBufferBytes is the size of the buffers of a kernel without a launch file, all
// together. Nothing in them is known.
const anyBufferBytes = 1 << 31

// Kernel is a kernel with a grid, a block and scalar arguments, without the contents of
// its buffers.
type Kernel struct {
	sizes  []Launch // each with another size of block
	ranges []formula.Argument
}

// OpenKernel is Open for a kernel of a PTX module without a launch file: it can be bounded
// for every input ([Kernel.Analyze]), and is not executed. Its pointers lead to different
// buffers that begin at multiples of 256 bytes, and hold anything. So do its textures, of
// which nothing else is known either; objects of textures and samplers need no value.
//
// Arguments that are missing or of no parameter are an [OptionError], and so are
// parameters that need a launch file: structures.
func OpenKernel(path string, o KernelOptions) (*Kernel, error) {
	src, err := filekind.Read(path, "PTX")
	if err != nil {
		return nil, explain(err)
	}
	m, err := ptx.Parse(path, src)
	if err == nil {
		err = ptx.Check(m)
	}
	if err != nil {
		return nil, explain(err)
	}
	entry, err := (&ProposeOptions{Entry: o.Entry}).entry(m)
	if err != nil {
		return nil, err
	}
	params := propose.Signature(m, entry)
	args, err := o.arguments(entry.Name, params)
	if err != nil {
		return nil, err
	}
	var more []launch.Fact
	if o.Facts != "" {
		data, err := os.ReadFile(o.Facts)
		if err != nil {
			return nil, &OptionError{Option: "Facts", Value: o.Facts, Msg: err.Error()}
		}
		if more, err = launch.ParseFacts(o.Facts, data); err != nil {
			return nil, explain(err)
		}
	}
	sizes, err := o.sizes()
	if err != nil {
		return nil, err
	}
	k := &Kernel{ranges: o.blockRanges()}
	for _, block := range sizes {
		f, err := launch.New(launch.Launch{Kernel: path, Entry: entry.Name, Grid: o.Grid, Block: block, DynamicSharedBytes: o.DynamicSharedBytes, Args: args})
		if err != nil {
			return nil, explain(err)
		}
		f.AddFacts(more)
		for i, n := range o.LeastGrid {
			if n < 0 || n > f.Grid[i] {
				return nil, &OptionError{Option: "LeastGrid", Value: fmt.Sprint(o.LeastGrid), Msg: fmt.Sprintf("expected extents from 1, or 0, to those of Grid, %v", f.Grid)}
			}
		}
		l, err := load.Bring(f)
		if err != nil {
			return nil, explain(err)
		}
		l.LeastGrid, l.AnyTextures = o.LeastGrid, true
		k.sizes = append(k.sizes, Launch{opened: l})
	}
	return k, nil
}

// arguments are those of a kernel's parameters.
func (o *KernelOptions) arguments(kernel string, params []propose.Param) ([]launch.Arg, error) {
	given := make([]string, len(params))
	for _, text := range o.Args {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, &OptionError{Option: "Args", Value: text, Msg: "expected NAME=VALUE or NAME=MIN..MAX"}
		}
		at := -1
		var names []string
		for i, p := range params {
			if p.Name == name || strconv.Itoa(i) == name {
				at = i
			}
			names = append(names, p.Name)
		}
		switch {
		case at < 0:
			return nil, &OptionError{Option: "Args", Value: text, Msg: fmt.Sprintf("%s has no such parameter, %s", kernel, conf.Suggest(name, names))}
		case params[at].Pointer:
			return nil, &OptionError{Option: "Args", Value: text, Msg: "the parameter is a pointer, expected a scalar"}
		case given[at] != "":
			return nil, &OptionError{Option: "Args", Value: text, Msg: "the parameter has a value already, expected one"}
		}
		given[at] = value
	}
	pointers := int64(0)
	for _, p := range params {
		if p.Pointer {
			pointers++
		}
	}
	var out []launch.Arg
	for i, p := range params {
		a := launch.Arg{Name: p.Name, Type: launch.TypeNamed(p.Type)}
		switch {
		case p.Type == "":
			return nil, &OptionError{Option: "Args", Msg: fmt.Sprintf("parameter %d (%s) of %s is a structure, expected a launch file", i, p.Name, kernel)}
		case p.Pointer:
			a.Kind, a.Type, a.Count = launch.Buffer, launch.B8, anyBufferBytes/pointers
		case given[i] != "":
			if err := scalarArg(&a, given[i]); err != nil {
				return nil, &OptionError{Option: "Args", Value: p.Name + "=" + given[i], Msg: err.Error()}
			}
		case p.Unused: // whatever it is
		case p.Float, p.Texture:
			a.Range = &launch.Integers{Min: math.MinInt64 >> (64 - a.Type.Bits()), Max: math.MaxInt64 >> (64 - a.Type.Bits())}
		default:
			return nil, &OptionError{Option: "Args", Msg: fmt.Sprintf("parameter %d (%s, %s) of %s has no value, expected %s=VALUE or %s=MIN..MAX", i, p.Name, p.Type, kernel, p.Name, p.Name)}
		}
		out = append(out, a)
	}
	return out, nil
}

// scalarArg reads a value or a range.
func scalarArg(a *launch.Arg, text string) error {
	low, high, ranged := strings.Cut(text, "..")
	if a.Type.IsFloat() {
		if ranged {
			return fmt.Errorf("the parameter is a %s, expected a number", a.Type)
		}
		x, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil:
			return fmt.Errorf("expected a number")
		case a.Type == launch.F32:
			a.Bits = uint64(math.Float32bits(float32(x)))
		case a.Type == launch.F64:
			a.Bits = math.Float64bits(x)
		default:
			return fmt.Errorf("the parameter is a %s, expected none: it may be any", a.Type)
		}
		return nil
	}
	if signed := launch.TypeNamed("s" + strings.TrimPrefix(a.Type.String(), "u")); strings.HasPrefix(text, "-") && signed != launch.NoType {
		a.Type = signed // compilers write int as .u32
	}
	number := func(s string) (int64, error) {
		x, err := strconv.ParseInt(s, 0, 64)
		if err != nil || !a.Type.Holds(x) {
			return 0, fmt.Errorf("expected integers of type %s", a.Type)
		}
		return x, nil
	}
	lo, err := number(low)
	if err != nil {
		return err
	}
	hi := lo
	if ranged {
		if hi, err = number(high); err != nil {
			return err
		}
		if hi < lo {
			return fmt.Errorf("the range is empty, expected MIN..MAX")
		}
		a.Range = &launch.Integers{Min: lo, Max: hi}
	}
	a.Bits = uint64(hi) & (1<<a.Type.Bits() - 1)
	return nil
}
