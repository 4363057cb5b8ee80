package cache

import "testing"

// FuzzAccess reads a configuration from the first bytes and accesses from the
// rest, two bytes each, and compares the cache with the reference; LRU caches
// without sectors with their stack, too.
func FuzzAccess(f *testing.F) {
	f.Fuzz(func(t *testing.T, shape, data []byte) {
		if len(shape) < 5 {
			return
		}
		c := Config{
			Sets: 1 << (shape[0] & 7), Ways: int(shape[1]) + 1,
			LineBytes: 128, SectorBytes: 128 >> (shape[3] & 7),
			Replacement: Replacement(shape[2] & 3), Index: Index(shape[2] >> 2 & 3),
			WriteBack: shape[4]&1 > 0, WriteAllocate: shape[4]&2 > 0, WriteEvict: shape[4]&4 > 0,
		}
		m, err := New(c)
		if err != nil {
			return
		}
		ref := newReference(c)
		var st *stack
		if stackable(c) {
			st = newStack(c)
		}
		for i := 0; i+1 < len(data); i += 2 {
			addr := uint64(data[i])<<7 | uint64(data[i+1]&0x7f)
			k := Kind(data[i+1] >> 7)
			got, want := m.Access(addr, k), ref.access(addr, k)
			if got != want {
				t.Fatalf("%+v: %d: %v %#x: %+v, want %+v", c, i/2, k, addr, got, want)
			}
			if st != nil {
				if d := st.access(addr, k); (d > 0) != got.Hit {
					t.Fatalf("%+v: %d: %v %#x: stack distance %d, hit %v", c, i/2, k, addr, d, got.Hit)
				}
			}
		}
	})
}
