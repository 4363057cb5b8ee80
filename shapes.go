package warpbound

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/conf"
)

// CacheShape is the shape of a cache. What is 0 or "" is as the GPU has it; on a GPU
// without a data cache SizeBytes and Ways are needed, and a line has 128 bytes.
type CacheShape struct {
	SizeBytes   int64
	Ways        int
	LineBytes   int
	Replacement string // lru, fifo or plru
	Index       string // linear or fermi-hash
}

// CacheReplacements names what can be CacheShape.Replacement.
func CacheReplacements() []string {
	return []string{cache.LRU.String(), cache.FIFO.String(), cache.PLRU.String()}
}

// CacheIndexes names what can be CacheShape.Index.
func CacheIndexes() []string { return []string{cache.Linear.String(), cache.FermiHash.String()} }

func shapeOf(c *cache.Config) CacheShape {
	return CacheShape{
		SizeBytes: int64(c.Bytes()), Ways: c.Ways, LineBytes: c.LineBytes, Replacement: c.Replacement.String(), Index: c.Index.String(),
	}
}

// defaultLineBytes is the line of a GPU without a data cache.
const defaultLineBytes = 128

// maxCacheBytes keeps the arithmetic of sizes far from overflow; no cache of
// cache.MaxLines lines is larger.
const maxCacheBytes = 1 << 40

// configs are the caches of an option Shapes on a GPU.
func configs(shapes []CacheShape, d *gpu.Description) ([]cache.Config, error) {
	if len(shapes) == 0 {
		shapes = []CacheShape{{}}
	}
	var out []cache.Config
	var errs []error
	for i := range shapes {
		of := fmt.Sprintf("Shapes[%d]", i)
		c, err := shapes[i].config(of, d)
		var wrong *OptionError
		switch {
		case errors.As(err, &wrong) && wrong.Option == of:
			errs = append(errs, err)
		case err != nil: // of the other shapes, too
			return nil, err
		}
		out = append(out, c)
	}
	return out, errors.Join(errs[:min(len(errs), conf.MaxErrors)]...)
}

// config is the cache of a shape, which is the option of, on a GPU.
func (s *CacheShape) config(of string, d *gpu.Description) (cache.Config, error) {
	c := cache.Config{LineBytes: defaultLineBytes, SectorBytes: defaultLineBytes}
	size := s.SizeBytes
	switch {
	case d.L1D != nil:
		c = cache.OfL1D(d.L1D)
		size = cmp.Or(size, int64(c.Bytes()))
	case s.SizeBytes == 0 || s.Ways == 0:
		return c, &OptionError{Option: "GPU", Value: d.Name, Msg: "it has no table [l1d], expected a GPU with caches such as gtx480 or rtx3070, or caches with their size and ways"}
	}
	if n := s.LineBytes; n != 0 {
		if err := checkLine(of+".LineBytes", n); err != nil {
			return c, err
		}
		if c.SectorBytes == c.LineBytes || c.SectorBytes > n {
			c.SectorBytes = n
		}
		c.LineBytes = n
	}
	c.Ways = cmp.Or(s.Ways, c.Ways)
	if c.Ways < 1 || c.Ways > cache.MaxWays {
		return c, &OptionError{Option: of + ".Ways", Value: c.Ways, Msg: fmt.Sprintf("expected 1 to %d", cache.MaxWays)}
	}
	if size < 1 || size > maxCacheBytes {
		return c, &OptionError{Option: of + ".SizeBytes", Value: size, Msg: fmt.Sprintf("expected 1 to %d", int64(maxCacheBytes))}
	}
	if err := s.words(of, &c); err != nil {
		return c, err
	}
	shape := fmt.Sprintf("%d bytes in %d ways of %d-byte lines: ", size, c.Ways, c.LineBytes)
	set := int64(c.Ways) * int64(c.LineBytes)
	sets := size / set
	if size%set != 0 || bits.OnesCount64(uint64(sets)) != 1 {
		return c, &OptionError{Option: of, Msg: shape + fmt.Sprintf("expected a power of two of sets, which have %d bytes", set)}
	}
	c.Sets = int(sets)
	if s.Index == "" && c.Index != cache.Linear && c.Check() != nil {
		c.Index = cache.Linear
	}
	if err := c.Check(); err != nil {
		return c, &OptionError{Option: of, Msg: shape + strings.ReplaceAll(strings.ReplaceAll(err.Error(), cache.ErrConfig.Error()+": ", ""), "\n", "; ")}
	}
	return c, nil
}

// checkLine checks an option that is the bytes of a line.
func checkLine(option string, n int) error {
	if n < 4 || n > 1<<16 || bits.OnesCount(uint(n)) != 1 {
		return &OptionError{Option: option, Value: n, Msg: "expected a power of two from 4 to 65536"}
	}
	return nil
}

// words reads the replacement and the index of a shape, which is the option of.
func (s *CacheShape) words(of string, c *cache.Config) error {
	if s.Replacement != "" {
		if err := oneOf(of+".Replacement", s.Replacement, cache.LRU.String(), cache.FIFO.String(), cache.PLRU.String()); err != nil {
			return err
		}
		for _, r := range []cache.Replacement{cache.LRU, cache.FIFO, cache.PLRU} {
			if r.String() == s.Replacement {
				c.Replacement = r
			}
		}
	}
	if s.Index != "" {
		if err := oneOf(of+".Index", s.Index, cache.Linear.String(), cache.FermiHash.String()); err != nil {
			return err
		}
		c.Index = cache.Linear
		if s.Index == cache.FermiHash.String() {
			c.Index = cache.FermiHash
		}
	}
	return nil
}
