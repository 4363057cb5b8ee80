package launch

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// Materialise makes the bytes of argument i, little endian: a scalar's value, a
// buffer's initial contents, or a by-value structure. A file that has changed
// since Load is an error.
func (l *Launch) Materialise(i int) ([]byte, error) {
	if i < 0 || i >= len(l.Args) {
		return nil, fmt.Errorf("%s: argument %d of %d", l.Path, i, len(l.Args))
	}
	return l.Args[i].Contents()
}

// Contents makes the bytes of an argument, buffer or variable, as Materialise
// does. Addresses in them, which Pointers lists, are zero.
func (a *Arg) Contents() ([]byte, error) {
	switch {
	case len(a.Fields) > 0:
		return a.structures()
	case a.Kind == Scalar:
		return appendBits(nil, a.Type, a.Bits), nil
	case a.Kind == Struct:
		data, err := readStruct(a.File)
		if err == nil && int64(len(data)) != a.structBytes {
			err = fmt.Errorf("%d bytes, expected %d as before", len(data), a.structBytes)
		}
		if err != nil {
			return nil, &Error{Pos: a.pos, Msg: fmt.Sprintf("%s.bytes: %s: %v", a.key, a.File, err)}
		}
		return data, nil
	}
	return a.contents()
}

// Computed says that the contents are those of a buffer that a formula gives: they
// can be made at any time, and hold no addresses.
func (a *Arg) Computed() bool {
	return a.Kind == Buffer && len(a.Fields) == 0 && a.Init.Kind != File && a.Init.Kind != Pointers
}

// contents makes those of a buffer of elements of one type.
func (a *Arg) contents() ([]byte, error) {
	if a.Init.Kind == File {
		data, err := a.readNPY()
		if err != nil {
			return nil, &Error{Pos: a.Init.pos, Msg: fmt.Sprintf("%s.init.file: %s: %v", a.key, a.Init.File, err)}
		}
		return data, nil
	}
	return a.fill(), nil
}

func readStruct(path string) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxStructBytes+1))
	if err == nil && int64(len(data)) > MaxStructBytes {
		err = fmt.Errorf("more than %d bytes", MaxStructBytes)
	}
	return data, err
}

// fill computes contents that do not come from a file.
func (a *Arg) fill() []byte {
	data := make([]byte, a.Bytes())
	if a.Init.Kind == Zero || a.Init.Kind == Pointers {
		return data
	}
	size := int(a.Type.Bytes())
	for i := range int(a.Count) {
		putBits(data[i*size:(i+1)*size], a.Init.element(a.Type, uint64(i)))
	}
	return data
}

// element is the bit pattern of element i. Products are converted before they
// are added so that no machine may fuse the two.
func (in *Init) element(t Type, i uint64) uint64 {
	switch {
	case in.Kind == Value:
		return in.Bits
	case in.Kind == Iota && t.IsFloat():
		return roundTo(t, in.FloatStart+float64(in.FloatStep*float64(i)))
	case in.Kind == Iota:
		return in.Start + in.Step*i
	case in.Kind == Random && t.IsFloat():
		u := float64(splitMix64(in.Seed, i)>>11) * 0x1p-53
		return roundTo(t, in.FloatLow+float64((in.FloatHigh-in.FloatLow)*u))
	case in.Kind == Random:
		r := splitMix64(in.Seed, i)
		if in.Span == 0 { // 2^64 values
			return in.Low + r
		}
		high, _ := bits.Mul64(r, in.Span)
		return in.Low + high
	}
	return 0
}

// splitMix64 is output i, from 0, of the generator SplitMix64 seeded with seed.
func splitMix64(seed, i uint64) uint64 {
	z := seed + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func appendBits(b []byte, t Type, v uint64) []byte {
	var full [8]byte
	binary.LittleEndian.PutUint64(full[:], v)
	return append(b, full[:t.Bytes()]...)
}

// putBits writes the low bytes of v, as many as b has.
func putBits(b []byte, v uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	case 8:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// FormatScalar writes a scalar as a launch file may: its number, or for a
// floating-point type the shortest text that reads back equal.
func (a *Arg) FormatScalar() string {
	switch types[a.Type].domain {
	case signed:
		shift := 64 - a.Type.Bits()
		return fmt.Sprint(int64(a.Bits<<shift) >> shift)
	case float:
		switch a.Type {
		case F32:
			return fmt.Sprint(math.Float32frombits(uint32(a.Bits)))
		case F64:
			return fmt.Sprint(math.Float64frombits(a.Bits))
		}
		return fmt.Sprintf("0x%04x", a.Bits)
	}
	return fmt.Sprint(a.Bits)
}
