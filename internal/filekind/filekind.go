// Package filekind tells by a file's first bytes and its name what it is: PTX, a
// program, C, a launch file, a GPU description, or something that a user may take
// for one of them. Whether the file is right is for the packages that understand it.
package filekind

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/conf"
)

// Kind is what a file is.
type Kind uint8

// The kinds of files.
const (
	Unknown Kind = iota
	PTX
	RISCV   // an ELF file for RISC-V
	CUBIN   // an ELF file with machine code of an NVIDIA GPU
	ELF     // any other
	Fatbin  // several PTX texts and cubins in one file
	CUDA    // CUDA C++ source
	C       // C source
	Launch  // a launch file
	GPU     // a GPU description
	Facts   // facts of launches (.facts), or OTAWA's (.ff)
	NPY     // a NumPy array
	Archive // a compressed file
	Project // a project file
)

// String names the kind with its article, as messages need it.
func (k Kind) String() string {
	return [...]string{"a file of no kind known here", "PTX", "a RISC-V program", "machine code of an NVIDIA GPU (cubin)", "a program for another machine", "a CUDA fat binary",
		"CUDA C++", "C", "a launch file", "a GPU description", "a file of facts", "a NumPy array", "a compressed file", "a project file"}[k]
}

const (
	machineRISCV = 243 // ELF: e_machine
	machineCUDA  = 190
)

// Of tells what a file is that is called name and begins with data; all of it
// where it is TOML.
func Of(name string, data []byte) Kind {
	switch {
	case bytes.HasPrefix(data, []byte("\x7fELF")):
		machine := uint16(0)
		if len(data) >= 20 {
			machine = binary.LittleEndian.Uint16(data[18:])
		}
		switch machine {
		case machineRISCV:
			return RISCV
		case machineCUDA:
			return CUBIN
		}
		return ELF
	case bytes.HasPrefix(data, []byte("\x93NUMPY")):
		return NPY
	case bytes.HasPrefix(data, []byte("\x50\xed\x55\xba")):
		return Fatbin
	case bytes.HasPrefix(data, []byte("\x1f\x8b")), bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return Archive
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".ptx":
		return PTX
	case ".cu", ".cuh":
		return CUDA
	case ".c", ".h":
		return C
	case ".facts", ".ff":
		return Facts
	}
	text := afterComments(strings.TrimPrefix(string(data), "\ufeff"))
	if strings.HasPrefix(text, ".version") || strings.HasPrefix(text, ".target") {
		return PTX
	}
	root, err := conf.Parse(name, data)
	switch {
	case err == nil && len(root.Entries) > 0:
		return table(root)
	case strings.EqualFold(filepath.Ext(name), ".toml"):
		return byLines(text)
	case strings.Contains(text, "__global__"):
		return CUDA
	case strings.HasPrefix(text, "#include"), strings.Contains(text, "#pragma omp"):
		return C
	}
	return Unknown
}

// projectKey is the one that project files have, and no other file.
const projectKey = "launches"

// launchKeys are keys of launch files that GPU descriptions do not have.
var launchKeys = []string{"kernel", "grid", "block", "args", "entry", "warps", "threads"}

func table(root *conf.Node) Kind {
	if root.Get(projectKey) != nil {
		return Project
	}
	for _, key := range launchKeys {
		if root.Get(key) != nil {
			return Launch
		}
	}
	return GPU
}

// byLines guesses what a TOML file is that cannot be parsed.
func byLines(text string) Kind {
	for line := range strings.Lines(text) {
		key, _, _ := strings.Cut(strings.TrimLeft(line, "[ \t"), "=")
		key = strings.TrimRight(strings.TrimSpace(key), "]")
		switch {
		case key == projectKey:
			return Project
		case slices.Contains(launchKeys, key):
			return Launch
		}
	}
	return GPU
}

// afterComments is what follows the white space and comments, as C has them, at
// the start of a text.
func afterComments(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		switch {
		case strings.HasPrefix(s, "//"):
			i := strings.IndexByte(s, '\n')
			if i < 0 {
				return ""
			}
			s = s[i:]
		case strings.HasPrefix(s, "/*"):
			i := strings.Index(s, "*/")
			if i < 0 {
				return ""
			}
			s = s[i+2:]
		default:
			return s
		}
	}
}

// maxBytes is the most that is read of a file.
const maxBytes = 256 << 20

// Read reads a regular file of which what is expected.
func Read(path, what string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: no regular file, expected %s", path, what)
	case info.Size() > maxBytes:
		return nil, fmt.Errorf("%s: %d bytes, expected at most %d", path, info.Size(), maxBytes)
	}
	return os.ReadFile(path)
}
