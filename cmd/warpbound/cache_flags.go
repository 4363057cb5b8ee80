package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/conf"
)

// defaultLineBytes is the line of a GPU without a data cache.
const defaultLineBytes = 128

// cacheFlags choose the shapes of caches. What is not given is the description's.
type cacheFlags struct {
	sizes, ways []int
	line        int
	replacement string
	index       string
}

var (
	replacements = []string{cache.LRU.String(), cache.FIFO.String(), cache.PLRU.String()}
	indexes      = []string{cache.Linear.String(), cache.FermiHash.String()}
)

func (f *cacheFlags) flags(cmd *cobra.Command) {
	cmd.Flags().IntSliceVar(&f.sizes, "size", nil, "sizes in kB of 1024 bytes (default: the description's)")
	cmd.Flags().IntSliceVar(&f.ways, "ways", nil, "ways (default: the description's)")
	cmd.Flags().IntVar(&f.line, "line", 0, "bytes of a line (default: the description's)")
	cmd.Flags().StringVar(&f.replacement, "replacement", "", "lru, fifo or plru (default: the description's)")
	cmd.Flags().StringVar(&f.index, "index", "", "linear or fermi-hash (default: the description's where it is known for the sets, otherwise linear)")
	_ = cmd.RegisterFlagCompletionFunc("replacement", words(replacements...))
	_ = cmd.RegisterFlagCompletionFunc("index", words(indexes...))
	for _, name := range []string{"size", "ways", "line"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// configs are the caches asked for, by size and then ways.
func (f *cacheFlags) configs(cmd *cobra.Command, d *gpu.Description) ([]cache.Config, error) {
	base, size, err := f.base(cmd, d)
	if err != nil {
		return nil, err
	}
	sizes := []int64{size}
	if cmd.Flags().Changed("size") {
		if sizes, err = f.sizeBytes(); err != nil {
			return nil, err
		}
	}
	ways := []int{base.Ways}
	if cmd.Flags().Changed("ways") {
		ways = f.ways
	}
	var out []cache.Config
	var errs []error
	for _, size := range sizes {
		for _, w := range ways {
			c, err := f.shaped(base, size, w)
			if err != nil {
				errs = append(errs, err)
			}
			out = append(out, c)
		}
	}
	return out, errors.Join(errs[:min(len(errs), conf.MaxErrors)]...)
}

// base is the description's cache, and its size, with the flags that are not lists.
func (f *cacheFlags) base(cmd *cobra.Command, d *gpu.Description) (base cache.Config, size int64, err error) {
	switch {
	case d.L1D != nil:
		base = cache.OfL1D(d.L1D)
	case !cmd.Flags().Changed("size") || !cmd.Flags().Changed("ways"):
		return base, 0, fmt.Errorf("%s has no table [l1d], expected a GPU with caches such as gtx480 or rtx3070, or --size and --ways", d.Name)
	default:
		base = cache.Config{LineBytes: defaultLineBytes, SectorBytes: defaultLineBytes}
	}
	size = base.Bytes()
	if cmd.Flags().Changed("line") {
		if err := checkLine(f.line); err != nil {
			return base, 0, err
		}
		if base.SectorBytes == base.LineBytes || base.SectorBytes > f.line {
			base.SectorBytes = f.line
		}
		base.LineBytes = f.line
	}
	if f.replacement != "" {
		if err := oneOf("replacement", f.replacement, replacements...); err != nil {
			return base, 0, err
		}
		for r := range replacements {
			if replacements[r] == f.replacement {
				base.Replacement = cache.Replacement(r)
			}
		}
	}
	if f.index != "" {
		if err := oneOf("index", f.index, indexes...); err != nil {
			return base, 0, err
		}
		base.Index = cache.Linear
		if f.index == cache.FermiHash.String() {
			base.Index = cache.FermiHash
		}
	}
	return base, size, nil
}

func (f *cacheFlags) sizeBytes() ([]int64, error) {
	var out []int64
	for _, s := range f.sizes {
		if err := atLeast("size", int64(s), 1); err != nil {
			return nil, err
		}
		if s > maxSizeKB {
			return nil, fmt.Errorf("--size %d: expected at most %d kB", s, maxSizeKB)
		}
		out = append(out, int64(s)<<10)
	}
	return out, nil
}

// maxSizeKB keeps the arithmetic of sizes far from overflow; no cache of
// cache.MaxLines lines is larger.
const maxSizeKB = 1 << 30

// shaped is base with a size and a number of ways.
func (f *cacheFlags) shaped(base cache.Config, size int64, ways int) (cache.Config, error) {
	c := base
	c.Ways = ways
	if ways < 1 || ways > cache.MaxWays {
		return c, fmt.Errorf("--ways %d: expected 1 to %d", ways, cache.MaxWays)
	}
	set := int64(ways) * int64(c.LineBytes)
	sets := size / set
	if size%set != 0 || sets&(sets-1) != 0 || sets < 1 {
		return c, fmt.Errorf("%s: expected a power of two of sets, %d bytes in sets of %d", f.shape(&c, size), size, set)
	}
	c.Sets = int(sets)
	if f.index == "" && c.Index != cache.Linear && c.Check() != nil {
		c.Index = cache.Linear
	}
	if err := c.Check(); err != nil {
		return c, fmt.Errorf("%s: %s", f.shape(&c, size), strings.ReplaceAll(strings.ReplaceAll(err.Error(), cache.ErrConfig.Error()+": ", ""), "\n", "; "))
	}
	return c, nil
}

// shape names a cache in the words of the flags.
func (f *cacheFlags) shape(c *cache.Config, size int64) string {
	return fmt.Sprintf("--size %d --ways %d --line %d", size>>10, c.Ways, c.LineBytes)
}

// checkLine checks --line.
func checkLine(bytes int) error {
	if bytes < 4 || bytes > 1<<16 || bytes&(bytes-1) != 0 {
		return fmt.Errorf("--line %d: expected a power of two from 4 to 65536", bytes)
	}
	return nil
}
