// Package npy makes the input files of the example kernels: small graphs, index lists and masks, each computed by a fixed
// rule, and writes them as NPY version 1.0, little endian, C order, one dimension; a parameter structure goes raw, as .bin.
//
// It is not a reader; launch files are read by whoever executes them.
package npy

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// File is one input file: its path below the examples directory and its bytes.
type File struct {
	Path string
	Data []byte
}

// number is what an input file can hold.
type number interface {
	int32 | uint32 | float32 | float64
}

// Encode returns values as an NPY version 1.0 file of one dimension.
func Encode[T number](values []T) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", descr[T](), len(values))
	// The format asks for a header that ends in a newline and makes the data start at a multiple of 64.
	const prefix = 10
	pad := 63 - (prefix+len(header))%64
	header += strings.Repeat(" ", pad) + "\n"
	data := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	data = append(data, header...)
	// Append of fixed-size numbers has no error to report.
	data, _ = binary.Append(data, binary.LittleEndian, values)
	return data
}

func descr[T number]() string {
	switch any(T(0)).(type) {
	case int32:
		return "<i4"
	case uint32:
		return "<u4"
	case float32:
		return "<f4"
	default:
		return "<f8"
	}
}

// WriteAll writes every input file below dir.
func WriteAll(dir string) error {
	for _, f := range Files() {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(f.Path)), f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
