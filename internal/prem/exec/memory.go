package exec

import (
	"encoding/binary"
	"fmt"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// packed writes a buffer's elements, little endian, one every stride bytes.
func packed(b *loop.Buffer, offset, stride int64) []byte {
	out := make([]byte, int64(len(b.Bits))*stride)
	pack(out, b, offset, stride)
	return out
}

func pack(out []byte, b *loop.Buffer, offset, stride int64) {
	at := offset
	if b.Elem.Size() == 4 {
		for _, x := range b.Bits {
			binary.LittleEndian.PutUint32(out[at:], uint32(x))
			at += stride
		}
		return
	}
	for _, x := range b.Bits {
		binary.LittleEndian.PutUint64(out[at:], x)
		at += stride
	}
}

// unpack is the inverse of pack.
func unpack(b *loop.Buffer, data []byte, offset, stride int64) {
	at := offset
	for i := range b.Bits {
		switch {
		case b.Elem == loop.Int:
			b.Bits[i] = uint64(int64(int32(binary.LittleEndian.Uint32(data[at:]))))
		case b.Elem.Size() == 4:
			b.Bits[i] = uint64(binary.LittleEndian.Uint32(data[at:]))
		default:
			b.Bits[i] = binary.LittleEndian.Uint64(data[at:])
		}
		at += stride
	}
}

// packRecord lays the members of structures out as C does, those that the kernel
// does not use included: others may look at the memory.
func packRecord(f *loop.Frame, r *loop.Record, buffers map[*loop.Array]*loop.Buffer) ([]byte, error) {
	var out []byte
	for _, m := range r.Members {
		b := buffers[m.Array]
		if b == nil {
			b = f.Buffer(m.Array)
		}
		if b == nil {
			continue
		}
		if out == nil {
			out = make([]byte, int64(len(b.Bits))*r.Bytes)
		}
		if n := m.Array.Offset + b.Elem.Size(); m.Array.Offset < 0 || n > r.Bytes || int64(len(b.Bits))*r.Bytes != int64(len(out)) {
			return nil, &loop.Error{Pos: r.At, Msg: fmt.Sprintf("member %s of %s: %d elements at byte %d of %d", m.Name, r.Name, len(b.Bits), m.Array.Offset, r.Bytes)}
		}
		pack(out, b, m.Array.Offset, r.Bytes)
	}
	return out, nil
}
