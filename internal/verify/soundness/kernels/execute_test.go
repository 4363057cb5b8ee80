package kernels

import (
	"bytes"
	"context"
	"testing"
)

// Cases whose outcome is settled do something, and every reason to leave one out is met.
func TestExecute(t *testing.T) {
	settled, changed, ordered, recent, other := 0, 0, 0, 0, 0
	for seed := range uint64(200) {
		c := Draw(seed)
		e, err := c.Execute(context.Background())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		switch {
		case e != nil:
			settled++
			if !bytes.Equal(e.Out, e.OutAfter) {
				changed++
			}
			if c.ordered || c.source.recent || len(e.In) != len(e.InAfter) || len(e.Out) != len(e.OutAfter) {
				t.Errorf("seed %d: %d and %d bytes, changed to %d and %d", seed, len(e.In), len(e.Out), len(e.InAfter), len(e.OutAfter))
			}
		case c.ordered:
			ordered++
		case c.source.recent:
			recent++
		default:
			other++
		}
	}
	if changed == 0 || ordered == 0 || recent == 0 || other == 0 {
		t.Errorf("%d settled, of which %d change their output, %d with atomics, %d with recent instructions, %d whose threads meet", settled, changed, ordered, recent, other)
	}
}
