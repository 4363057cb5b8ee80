package affine

import "testing"

// Every kernel drawn can be lowered and launched, and wide ones are others.
func TestKernels(t *testing.T) {
	for seed := range uint64(300) {
		for _, draw := range []func(uint64) (*Case, error){Random, Wide} {
			c, err := draw(seed)
			if err != nil {
				t.Fatalf("kernel %d: %v", seed, err)
			}
			if _, err := c.Kernel(true); err != nil {
				t.Fatalf("kernel %d: %v\n%s", seed, err, c.Text)
			}
		}
	}
}
