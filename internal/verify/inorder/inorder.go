// Package inorder tries the cases of campaigns several at a time and gives what came of
// them in their order, so that what a campaign reports depends on its seed alone.
package inorder

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// ahead is how many outcomes a worker keeps before they are asked for.
const ahead = 64

// Try tries the cases from 0 to n-1, so many at a time (0: one per processor), and
// yields their outcomes in order. The first error, also that of ctx, is yielded last.
// The cases still running are cancelled and have ended when the loop over the outcomes
// does.
func Try[T any](ctx context.Context, n, workers int, try func(ctx context.Context, i int) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		type outcome struct {
			of  T
			err error
		}
		if workers <= 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		ctx, cancel := context.WithCancel(ctx)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		outcomes := make([]chan outcome, workers)
		for w := range workers {
			outcomes[w] = make(chan outcome, ahead)
			wg.Go(func() {
				for i := w; i < n; i += workers {
					of, err := try(ctx, i)
					select {
					case outcomes[w] <- outcome{of, err}:
					case <-ctx.Done():
						return
					}
				}
			})
		}
		for i := range n {
			var o outcome
			select {
			case o = <-outcomes[i%workers]:
			case <-ctx.Done():
				o.err = ctx.Err()
			}
			if !yield(o.of, o.err) || o.err != nil {
				return
			}
		}
	}
}
