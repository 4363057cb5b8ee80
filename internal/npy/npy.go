package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	magic = "\x93NUMPY"
	// prefixBytes is the magic string, the version and the header's length.
	prefixBytes = len(magic) + 4
	// alignBytes is what the offset of the contents is a multiple of.
	alignBytes = 64
	// maxDims is NumPy's own limit.
	maxDims = 32
)

// descrs are the element types read and written, with their sizes in bytes.
var descrs = map[string]int64{
	"|b1": 1, "|i1": 1, "|u1": 1,
	"<i2": 2, "<u2": 2, "<f2": 2,
	"<i4": 4, "<u4": 4, "<f4": 4,
	"<i8": 8, "<u8": 8, "<f8": 8,
}

// Header says what a file holds.
type Header struct {
	Descr string  // NumPy's name of the element type, such as "<f4"
	Shape []int64 // extents; empty for a single value
	Count int64   // elements in all
}

// ElementBytes is the size of an element.
func (h *Header) ElementBytes() int64 { return descrs[h.Descr] }

// Bytes is the size of the contents.
func (h *Header) Bytes() int64 { return h.Count * h.ElementBytes() }

// ReadHeader reads a file up to where its contents begin.
func ReadHeader(r io.Reader) (Header, error) {
	var prefix [prefixBytes]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return Header{}, fmt.Errorf("not an NPY file: %w", short(err))
	}
	if string(prefix[:len(magic)]) != magic {
		return Header{}, fmt.Errorf("not an NPY file: it begins with %q, expected %q", prefix[:len(magic)], magic)
	}
	if major, minor := prefix[6], prefix[7]; major != 1 || minor != 0 {
		return Header{}, fmt.Errorf("NPY version %d.%d, expected 1.0", major, minor)
	}
	text := make([]byte, binary.LittleEndian.Uint16(prefix[8:]))
	if _, err := io.ReadFull(r, text); err != nil {
		return Header{}, fmt.Errorf("NPY header: %w", short(err))
	}
	return parseHeader(string(text))
}

// short names the end of a file that stops too early.
func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends too early")
	}
	return err
}

// Read reads a file of at most maxBytes of contents and refuses bytes after it.
func Read(r io.Reader, maxBytes int64) (Header, []byte, error) {
	h, err := ReadHeader(r)
	if err != nil {
		return h, nil, err
	}
	if h.Bytes() > maxBytes {
		return h, nil, fmt.Errorf("NPY contents of %d bytes, expected at most %d", h.Bytes(), maxBytes)
	}
	// The header may promise more than the file has: memory grows with what is
	// there.
	var contents bytes.Buffer
	n, err := io.Copy(&contents, io.LimitReader(r, h.Bytes()+1))
	switch {
	case err != nil:
		return h, nil, fmt.Errorf("NPY contents: %w", err)
	case n < h.Bytes():
		return h, nil, fmt.Errorf("NPY contents: the file ends after %d bytes, expected %d", n, h.Bytes())
	case n > h.Bytes():
		return h, nil, fmt.Errorf("NPY contents: bytes after the last element, expected %d bytes", h.Bytes())
	}
	return h, contents.Bytes(), nil
}

// Write writes a one-dimensional file of elements of type descr.
func Write(w io.Writer, descr string, contents []byte) error {
	size, ok := descrs[descr]
	if !ok {
		return unknownDescr(descr)
	}
	if int64(len(contents))%size != 0 {
		return fmt.Errorf("NPY contents of %d bytes, expected a multiple of %d for %s", len(contents), size, descr)
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", descr, int64(len(contents))/size)
	// The header ends in a newline, and the contents are aligned.
	padding := alignBytes - 1 - (prefixBytes+len(header))%alignBytes
	header += strings.Repeat(" ", padding) + "\n"
	head := append([]byte(magic), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(header)))
	if _, err := w.Write(append(head, header...)); err != nil {
		return err
	}
	_, err := w.Write(contents)
	return err
}

func unknownDescr(descr string) error {
	if strings.HasPrefix(descr, ">") {
		return fmt.Errorf("NPY type %q is big-endian, expected little-endian (in NumPy: a.astype(a.dtype.newbyteorder('<')))", descr)
	}
	known := make([]string, 0, len(descrs))
	for d := range descrs {
		known = append(known, d)
	}
	slices.Sort(known)
	return fmt.Errorf("NPY type %q, expected one of %s", descr, strings.Join(known, " "))
}
