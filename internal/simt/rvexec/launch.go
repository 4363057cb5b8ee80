package rvexec

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// Variant is a dated state of the machine.
type Variant uint8

// The variants.
const (
	V22     Variant = iota // Vortex 2.2
	Feb2024                // February 2024
	numVariants
)

func (v Variant) String() string {
	if v < numVariants {
		return [...]string{"v2.2", "feb-2024"}[v]
	}
	return fmt.Sprintf("variant(%d)", uint8(v))
}

// The memory map; see the package's page.
const (
	UserBase        uint32 = 0x10000    // lowest address of user memory
	ArgumentAddr    uint32 = 0x7ffff000 // where the argument is put by default
	LocalBytes      uint32 = 16 << 10   // local memory of a core
	consoleBytes    uint32 = 64
	dumpBytes       uint32 = 256 // performance-monitor dump of a core
	exitCodeOffset  uint32 = 8   // in the first core's dump
	maxCores               = 64
	maxWarps               = 32 // CSR masks of warps have 32 bits
	pageBits               = 16
	defaultMemBytes        = 1 << 30
)

// UserEnd is where user memory ends: stacks grow down from it, local memory
// starts at it.
func (v Variant) UserEnd() uint32 {
	if v == Feb2024 {
		return 0xff000000
	}
	return 0xffff0000
}

// consoleBase is the address of the console; the dumps follow it.
func (v Variant) consoleBase() uint32 {
	if v == Feb2024 {
		return 0xff004000
	}
	return 0x40
}

// barriers is how many barriers a core of that many warps has.
func (v Variant) barriers(warps int) int {
	if v == Feb2024 {
		return 4
	}
	return max(1, warps/2)
}

// Region is memory with contents given by the launch.
type Region struct {
	Name string // for messages; may be empty
	Addr uint32
	Data []byte // copied
	// Known says that an analysis may rely on the contents, but for those of Unknown,
	// which ascend.
	Known   bool
	Unknown []Range
}

// Range is the bytes from From to before To.
type Range struct{ From, To int64 }

// LaunchConfig is everything a program needs to run.
type LaunchConfig struct {
	Cores   int // 1 to 64; 0 means 1
	Warps   int // of a core, 1 to 32
	Threads int // of a warp, 1 to 32
	Variant Variant
	// Argument is put at ArgumentAddr, 0 meaning 0x7ffff000, a multiple of 4;
	// mscratch holds that address, with an empty argument too.
	Argument     []byte
	ArgumentAddr uint32
	// Memory is put into user memory besides the program. Regions, argument
	// and segments must not overlap.
	Memory []Region
	// StartPC is the address warp 0 starts at; 0 means the image's entry.
	StartPC uint32
	// MaxMemoryBytes bounds the user memory that is written to, counted in
	// pages of 64 KiB; 0 means 1 GiB.
	MaxMemoryBytes int64
	// Taint makes the warps follow which values depend on memory that is not known;
	// see Kernel.Taints. It costs time and memory.
	Taint bool
	// Facts are what the launch states of all its executions. Covering executions rely on
	// those about loops.
	Facts []facts.Fact
	// ReportLoops asks covering executions what they find of every loop.
	ReportLoops bool
	// Vary, if not nil, decides anew at every execution what another machine or
	// another run shows otherwise. It serves to test the claims of taint mode.
	Vary *rand.Rand
}

// check completes l and reports everything that is wrong with it, joined.
func (l *LaunchConfig) check(img *rv.Image) error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: "+format, append([]any{img.Name}, args...)...))
	}
	if l.Cores == 0 {
		l.Cores = 1
	}
	if l.ArgumentAddr == 0 {
		l.ArgumentAddr = ArgumentAddr
	}
	if l.StartPC == 0 {
		l.StartPC = img.Entry
	}
	if l.MaxMemoryBytes == 0 {
		l.MaxMemoryBytes = defaultMemBytes
	}
	if l.Variant >= numVariants {
		bad("%v is none of %v and %v", l.Variant, V22, Feb2024)
		l.Variant = V22
	}
	if l.Cores < 1 || l.Cores > maxCores {
		bad("%d cores, want 1 to %d", l.Cores, maxCores)
	}
	if l.Warps < 1 || l.Warps > maxWarps {
		bad("%d warps a core, want 1 to %d", l.Warps, maxWarps)
	}
	if l.Threads < 1 || l.Threads > simt.MaxLanes {
		bad("%d threads a warp, want 1 to %d", l.Threads, simt.MaxLanes)
	}
	if l.MaxMemoryBytes < 0 {
		bad("at most %d bytes of memory", l.MaxMemoryBytes)
	}
	if l.ArgumentAddr%4 != 0 {
		bad("argument address %#x is not a multiple of 4", l.ArgumentAddr)
	}
	if len(img.Insts) != len(img.Text) || img.TextBase%4 != 0 {
		bad("%d instructions for %d words from %#x", len(img.Insts), len(img.Text), img.TextBase)
	} else if _, ok := img.Index(l.StartPC); !ok {
		bad("start address %#x is no instruction; the text is %#x to %#x", l.StartPC, img.TextBase, uint64(img.TextBase)+4*uint64(len(img.Text)))
	}
	l.checkPlaces(img, bad)
	return errors.Join(errs...)
}

// checkPlaces verifies that what is put into memory fits and does not overlap.
func (l *LaunchConfig) checkPlaces(img *rv.Image, bad func(string, ...any)) {
	type place struct {
		what     string
		from, to uint64
	}
	var places []place
	add := func(what string, addr uint32, bytes int, memBytes uint32) {
		n := max(uint64(bytes), uint64(memBytes))
		p := place{what, uint64(addr), uint64(addr) + n}
		if n == 0 {
			return
		}
		if p.from < uint64(UserBase) || p.to > uint64(l.Variant.UserEnd()) {
			bad("%s at %#x to %#x is outside user memory, %#x to %#x", what, p.from, p.to, UserBase, l.Variant.UserEnd())
		}
		places = append(places, p)
	}
	for i := range img.Segments {
		s := &img.Segments[i]
		add(fmt.Sprintf("segment %d", i), s.Addr, len(s.Data), s.MemBytes)
	}
	add("the argument", l.ArgumentAddr, len(l.Argument), 0)
	for i := range l.Memory {
		add(fmt.Sprintf("memory region %d", i), l.Memory[i].Addr, len(l.Memory[i].Data), 0)
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(places); i++ {
		if a, b := places[i-1], places[i]; b.from < a.to {
			bad("%s at %#x to %#x overlaps %s at %#x to %#x", b.what, b.from, b.to, a.what, a.from, a.to)
		}
	}
}
