package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

// shapeFlags choose the shapes of caches. What is not given is the description's.
type shapeFlags struct {
	sizes, ways []int
	each        warpbound.CacheShape // but for its size and ways
}

func (f *shapeFlags) flags(cmd *cobra.Command) {
	cmd.Flags().IntSliceVar(&f.sizes, "size", nil, "sizes in kB of 1024 bytes (default: the description's)")
	cmd.Flags().IntSliceVar(&f.ways, "ways", nil, "ways (default: the description's)")
	cmd.Flags().IntVar(&f.each.LineBytes, "line", 0, "bytes of a line (default: the description's)")
	cmd.Flags().StringVar(&f.each.Replacement, "replacement", "", "lru, fifo or plru (default: the description's)")
	cmd.Flags().StringVar(&f.each.Index, "index", "", "linear or fermi-hash (default: the description's where it is known for the sets, otherwise linear)")
	_ = cmd.RegisterFlagCompletionFunc("replacement", words(warpbound.CacheReplacements()...))
	_ = cmd.RegisterFlagCompletionFunc("index", words(warpbound.CacheIndexes()...))
	for _, name := range []string{"size", "ways", "line"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// maxSizeKB keeps the arithmetic of sizes far from overflow.
const maxSizeKB = 1 << 30

// shapes are the caches asked for, by size and then ways.
func (f *shapeFlags) shapes(cmd *cobra.Command) ([]warpbound.CacheShape, error) {
	if err := givenAtLeastOne(cmd, "line", f.each.LineBytes); err != nil {
		return nil, err
	}
	if err := givenAtLeastOne(cmd, "size", f.sizes...); err != nil {
		return nil, err
	}
	if err := givenAtLeastOne(cmd, "ways", f.ways...); err != nil {
		return nil, err
	}
	sizes, ways := f.sizes, f.ways
	if sizes == nil {
		sizes = []int{0}
	}
	if ways == nil {
		ways = []int{0}
	}
	var out []warpbound.CacheShape
	for _, kB := range sizes {
		if kB > maxSizeKB {
			return nil, fmt.Errorf("--size %d: expected at most %d kB", kB, maxSizeKB)
		}
		for _, w := range ways {
			s := f.each
			s.SizeBytes, s.Ways = int64(kB)<<10, w
			out = append(out, s)
		}
	}
	return out, nil
}

// givenAtLeastOne refuses values below 1 of a flag that is given: 0 is the default in
// options of the library.
func givenAtLeastOne(cmd *cobra.Command, flag string, values ...int) error {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	for _, n := range values {
		if err := atLeast(flag, int64(n), 1); err != nil {
			return err
		}
	}
	return nil
}
