package l1d

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// published is the listing of the example in Huangfu2017, Section III-D, as
// printed there.
const published = `-num_pcs 2
-pc_addrs [ 64 , 80 ]
-grid [ 1 , 2 , 1 ]
-block [ 16 , 4 , 1 ]
Block [ 0 , 0 , 0 ]
Warp0 [ 1 , 0 ]
Warp0 [ [ [ 0 , 128 , 256 , 384 ] , L ] , None ]
Warp1 [ 1 , 0 ]
Warp1 [ [ [ 0 , 128 , 256 , 384 ] , L ] , None ]
Block [ 0 , 1 , 0 ]
Warp0 [ 0 , 1 ]
Warp0 [ None , [ [ 2048 , 2176 , 2304 , 2432 ] , S ] ]
Warp1 [ 0 , 1 ]
Warp1 [ None , [ [ 2048 , 2176 , 2304 , 2432 ] , S ] ]
`

func write(t *testing.T, a *Analysis, k simt.Kernel, opt ListingOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := a.WriteListing(context.Background(), &out, k, opt); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestListingIsThePublishedOne(t *testing.T) {
	l := openExample(t, "huangfu/listing/listing.toml")
	a, k := analyse(t, tainted(t, l)), fresh(t, l)
	origin, ok := k.BufferAddress("words")
	if !ok {
		t.Fatal("no buffer")
	}
	if got := write(t, a, k, ListingOptions{Origin: origin}); got != published {
		t.Errorf("got\n%s\nwant\n%s", got, published)
	}
}

// A loop: warp 0 goes round twice, warp 1 not at all.
func TestListingOfALoop(t *testing.T) {
	a, k := source{grid: 1, block: 64, text: `
	mul.wide.u32 %rd1, %tid, 4; add.u64 %rd1, %rd1, %base;
	mov.u32 %r0, 0;
	setp.ge.u32 %p0, %tid, 32;
	@%p0 bra END;
L:	ld.global.u32 %r1, [%rd1];
	add.u64 %rd1, %rd1, 256;
	red.global.add.u32 [%base], 1;
	add.u32 %r0, %r0, 1;
	setp.lt.u32 %p1, %r0, 2;
	@%p1 bra L;
END: st.global.u32 [%rd1+512], %r0;
	ret;`}.pair(t)
	origin, _ := k.BufferAddress("buffer")
	want := `-num_pcs 3
-pc_addrs [ 64 , 80 , 112 ]
-grid [ 1 , 1 , 1 ]
-block [ 64 , 1 , 1 ]
Block [ 0 , 0 , 0 ]
Warp0 [ 2 , 2 , 1 ]
Warp0 0 [ [ 0 , 64 ] , L ]
Warp0 1 [ [ 0 ] , A ]
Warp0 0 [ [ 256 , 320 ] , L ]
Warp0 1 [ [ 0 ] , A ]
Warp0 2 [ [ 1024 , 1088 ] , S ]
Warp1 [ 0 , 0 , 1 ]
Warp1 [ None , None , [ [ 640 , 704 ] , S ] ]
`
	if got := write(t, a, k, ListingOptions{Origin: origin, LineBytes: 64}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestListingWithoutAccesses(t *testing.T) {
	want := "-num_pcs 0\n-pc_addrs [ ]\n-grid [ 2 , 1 , 1 ]\n-block [ 1 , 1 , 1 ]\nBlock [ 0 , 0 , 0 ]\nWarp0 [ ]\nWarp0 [ ]\nBlock [ 1 , 0 , 0 ]\nWarp0 [ ]\nWarp0 [ ]\n"
	a, k := source{grid: 2, block: 1, text: "ret;"}.pair(t)
	if got := write(t, a, k, ListingOptions{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, os.ErrClosed
	}
	return len(p), nil
}

func TestListingErrors(t *testing.T) {
	a, k := source{grid: 4096, block: 32, text: "st.global.u32 [%base], %tid; ret;"}.pair(t)
	if err := a.WriteListing(context.Background(), &failingWriter{1000}, k, ListingOptions{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a writer that fails: %v", err)
	}
	for _, n := range []int{-128, 2, 96} {
		if err := a.WriteListing(context.Background(), &failingWriter{}, k, ListingOptions{LineBytes: n}); err == nil || !strings.Contains(err.Error(), "power of two") {
			t.Errorf("lines of %d bytes: %v", n, err)
		}
	}
	a, k = longLoop(13).pair(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := a.WriteListing(ctx, io.Discard, k, ListingOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	if err := a.WriteListing(context.Background(), io.Discard, k, ListingOptions{Limits: simt.Limits{MaxInstructions: 1000}}); !errors.Is(err, simt.ErrInstructionLimit) {
		t.Errorf("an instruction limit: %v", err)
	}
	_, other := longLoop(4).pair(t)
	if err := a.WriteListing(context.Background(), io.Discard, other, ListingOptions{}); !errors.Is(err, ErrOrder) {
		t.Errorf("a kernel of another program: %v", err)
	}
}
