package l1d_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/simt"
)

// The example of Huangfu2017, Section III-D: what is accessed, and what hits in
// a cache of 16 KB.
func ExampleAnalyse() {
	ctx := context.Background()
	launch, err := load.Open("../../../examples/huangfu/listing/listing.toml")
	if err != nil {
		log.Fatal(err)
	}
	tainted, err := launch.Kernel(true)
	if err != nil {
		log.Fatal(err)
	}
	a, err := l1d.Analyse(ctx, tainted, l1d.AnalyseOptions{})
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := launch.Kernel(false)
	if err != nil {
		log.Fatal(err)
	}
	origin, _ := kernel.BufferAddress("words")
	if err := a.WriteListing(ctx, os.Stdout, kernel, l1d.ListingOptions{Origin: origin}); err != nil {
		log.Fatal(err)
	}
	residency := l1d.Residency{Blocks: simt.NumBlocks(kernel.Grid()), SMs: 1, BlocksPerSM: 2}
	e, err := a.Estimate(ctx, launch.Fresh, residency, []cache.Config{{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, WriteEvict: true}}, l1d.EstimateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for i, x := range e.Instructions {
		both := e.Caches[0].ByInstruction[i].Both()
		fmt.Printf("pc %d %v: %d of %d hit\n", x.PC, x.Kind, both.Hits, both.Accesses)
	}
	// Output:
	// -num_pcs 2
	// -pc_addrs [ 64 , 80 ]
	// -grid [ 1 , 2 , 1 ]
	// -block [ 16 , 4 , 1 ]
	// Block [ 0 , 0 , 0 ]
	// Warp0 [ 1 , 0 ]
	// Warp0 [ [ [ 0 , 128 , 256 , 384 ] , L ] , None ]
	// Warp1 [ 1 , 0 ]
	// Warp1 [ [ [ 0 , 128 , 256 , 384 ] , L ] , None ]
	// Block [ 0 , 1 , 0 ]
	// Warp0 [ 0 , 1 ]
	// Warp0 [ None , [ [ 2048 , 2176 , 2304 , 2432 ] , S ] ]
	// Warp1 [ 0 , 1 ]
	// Warp1 [ None , [ [ 2048 , 2176 , 2304 , 2432 ] , S ] ]
	// pc 8 L: 4 of 8 hit
	// pc 10 S: 0 of 8 hit
}
