package cache

import "math/bits"

// trees is the tree-PLRU state of every set. The ways are the leaves of a complete
// binary tree; the bit of an inner node says in which half the next victim is (0:
// the lower ways). A use of a way turns the bits on its path away from it. Node 1
// is the root, nodes 2n and 2n+1 are below node n.
type trees struct {
	ways, levels int
	words        int      // 64-bit words of a set, in node and in used
	node         []uint64 // by set: bit n: node n
	used         []uint64 // by set: bit w: way w holds a line
}

func newTrees(sets, ways int) trees {
	words := (ways + 63) / 64
	return trees{
		ways: ways, levels: bits.TrailingZeros(uint(ways)), words: words,
		node: make([]uint64, sets*words), used: make([]uint64, sets*words),
	}
}

// reset empties every way and points every tree at way 0.
func (t *trees) reset() {
	clear(t.node)
	clear(t.used)
}

// touch turns the path of a way away from it.
func (t *trees) touch(set, way int) {
	node := t.node[set*t.words : (set+1)*t.words]
	n := 1
	for level := t.levels - 1; level >= 0; level-- {
		half := way >> level & 1
		if half == 0 {
			node[n>>6] |= 1 << (n & 63)
		} else {
			node[n>>6] &^= 1 << (n & 63)
		}
		n = 2*n + half
	}
}

// fill uses the lowest empty way, or the victim, and returns it.
func (t *trees) fill(set int) int {
	way := t.empty(set)
	if way < 0 {
		node := t.node[set*t.words : (set+1)*t.words]
		n := 1
		for range t.levels {
			n = 2*n + int(node[n>>6]>>(n&63)&1)
		}
		way = n - t.ways
	}
	t.used[set*t.words+way>>6] |= 1 << (way & 63)
	t.touch(set, way)
	return way
}

// empty is the lowest way without a line, -1 if there is none.
func (t *trees) empty(set int) int {
	for i, w := range t.used[set*t.words : (set+1)*t.words] {
		if way := 64*i + bits.TrailingZeros64(^w); ^w != 0 && way < t.ways {
			return way
		}
	}
	return -1
}

// free empties a way; the bits of the tree stay.
func (t *trees) free(set, way int) {
	t.used[set*t.words+way>>6] &^= 1 << (way & 63)
}
