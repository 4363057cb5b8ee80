package kit

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// DataDir holds the CSV files, below the root of the module.
const DataDir = "docs/results"

func Encode(records [][]string) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	for _, r := range records {
		_ = w.Write(r) // a bytes.Buffer takes everything
	}
	w.Flush()
	return out.Bytes()
}

// Number prints a count; 0 stands for none and is left empty.
func Number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// Fields reads the cells of a record one after another.
type Fields struct {
	cells []string
	err   error
}

func (f *Fields) Text() string {
	s := f.cells[0]
	f.cells = f.cells[1:]
	return s
}

func (f *Fields) Number() int64 {
	s := f.Text()
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && f.err == nil {
		f.err = err
	}
	return n
}

func Decode[T any](data []byte, header []string, record func(*Fields) T) ([]T, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = len(header)
	records, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	var out []T
	for i, cells := range records {
		if i == 0 {
			continue
		}
		f := &Fields{cells: cells}
		out = append(out, record(f))
		if f.err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, f.err)
		}
	}
	return out, nil
}

// Load reads the rows of a data file below root.
func Load[T any](root, name string, header []string, record func(*Fields) T) ([]T, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(DataDir), name))
	if err != nil {
		return nil, err
	}
	rows, err := Decode(data, header, record)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}

// Store writes a data file below root.
func Store(root, name string, data []byte) error {
	dir := filepath.Join(root, filepath.FromSlash(DataDir))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o644)
}
