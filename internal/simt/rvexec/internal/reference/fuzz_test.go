package reference_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// FuzzProgram executes any words as a program. The first four bytes are the
// shape of the machine and the seed of its registers and of the order of warps.
func FuzzProgram(f *testing.F) {
	for i := range byte(16) {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		shape := []byte{i, i >> 1, i, 0}
		var t testing.T
		words := encode(&t, generate(r, variants[i%2], 1+int(i>>1)%4, 1+int(i)%8)...)
		for _, w := range words {
			shape = binary.LittleEndian.AppendUint32(shape, w)
		}
		f.Add(shape)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 8 || len(data) > 2048 {
			return
		}
		s := setup{cores: 1 + int(data[3]&1), warps: 1 + int(data[1])%4, threads: 1 + int(data[0])%8, variant: variants[data[0]%2], writable: data[3]&2 != 0}
		for i := 4; i+4 <= len(data); i += 4 {
			s.words = append(s.words, binary.LittleEndian.Uint32(data[i:]))
		}
		r := rand.New(rand.NewPCG(uint64(data[2]), uint64(data[3])))
		p := newPair(t, s)
		p.prepare(r)
		if _, err := p.run(r, 1000); err != nil {
			t.Fatalf("%v\n%s", err, listing(s.words))
		}
	})
}
