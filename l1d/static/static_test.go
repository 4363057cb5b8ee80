package static

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// No claim is wrong in any interleaving of tiny systems.
func TestEveryInterleaving(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		if err := tiny(r); err != nil {
			t.Fatal(err)
		}
	}
}

// No claim is wrong in random interleavings of larger systems.
func TestRandomInterleavings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		for range 20 {
			if err := large(r); err != nil {
				t.Fatal(err)
			}
		}
	})
}
