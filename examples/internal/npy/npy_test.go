package npy

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		name   string
		data   []byte
		header string
		tail   []byte
	}{
		{"s32", Encode([]int32{1, -2}), "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", []byte{1, 0, 0, 0, 254, 255, 255, 255}},
		{"u32", Encode([]uint32{0xfffffffe}), "{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }", []byte{254, 255, 255, 255}},
		{"f32", Encode([]float32{-2}), "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", []byte{0, 0, 0, 0xc0}},
		{"f64", Encode([]float64{1}), "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
		{"empty", Encode([]int32{}), "{'descr': '<i4', 'fortran_order': False, 'shape': (0,), }", nil},
	} {
		if string(c.data[:8]) != "\x93NUMPY\x01\x00" {
			t.Errorf("%s: file begins %q", c.name, c.data[:8])
		}
		end := 10 + int(binary.LittleEndian.Uint16(c.data[8:]))
		if end%64 != 0 {
			t.Errorf("%s: data begin at byte %d, want a multiple of 64", c.name, end)
		}
		header := string(c.data[10:end])
		if strings.TrimRight(header, " \n") != c.header || !strings.HasSuffix(header, "\n") {
			t.Errorf("%s: header %q, want %q, spaces and a newline", c.name, header, c.header)
		}
		if !slices.Equal(c.data[end:], c.tail) {
			t.Errorf("%s: data % x, want % x", c.name, c.data[end:], c.tail)
		}
	}
}

func TestWriteAll(t *testing.T) {
	dir := t.TempDir()
	if err := WriteAll(dir); err == nil {
		t.Error("writing below a directory without the suites gives no error")
	}
	for _, f := range Files() {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Path)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, f := range Files() {
		if got, err := os.ReadFile(filepath.Join(dir, f.Path)); err != nil || !slices.Equal(got, f.Data) {
			t.Errorf("%s is not as written: %v", f.Path, err)
		}
	}
}
