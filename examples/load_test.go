package examples

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// launchFile is the launch file format as far as the examples use it, read strictly.
type launchFile struct {
	Kernel             string      `toml:"kernel"`
	Entry              string      `toml:"entry"`
	Grid               []int       `toml:"grid"`
	Block              []int       `toml:"block"`
	DynamicSharedBytes int         `toml:"dynamic_shared_bytes"`
	Args               []launchArg `toml:"args"`
	Textures           []texture   `toml:"textures"`

	Loops map[string]any `toml:"loops"`
}

// texture is contents of width times height elements, and how they are read, which is the reference's own matter.
type texture struct {
	Name    string     `toml:"name"`
	Type    string     `toml:"type"`
	Width   int        `toml:"width"`
	Height  int        `toml:"height"`
	Layout  string     `toml:"layout"`
	Address []string   `toml:"address"`
	Init    launchInit `toml:"init"`
}

type launchArg struct {
	Name  string     `toml:"name"`
	Type  string     `toml:"type"`
	Value any        `toml:"value"`
	Count int        `toml:"count"`
	Init  launchInit `toml:"init"`
	Known bool       `toml:"known"`
	Bytes string     `toml:"bytes"`
}

type launchInit struct {
	File  string `toml:"file"`
	Value any    `toml:"value"`
	Iota  *struct {
		Start any `toml:"start"`
		Step  any `toml:"step"`
	} `toml:"iota"`
	Random *struct {
		Seed uint64 `toml:"seed"`
		Low  any    `toml:"low"`
		High any    `toml:"high"`
	} `toml:"random"`
}

func readLaunch(t *testing.T, path string) launchFile {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	var l launchFile
	d := toml.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(l.Grid) != 3 || len(l.Block) != 3 {
		t.Fatalf("%s: grid %v and block %v want three numbers each", path, l.Grid, l.Block)
	}
	return l
}

// buffers builds the arguments of a launch. Random contents are this test's own: nothing a reference computes may rest on
// one particular generator.
func buffers(t *testing.T, path string) Buffers {
	t.Helper()
	l := readLaunch(t, path)
	b := Buffers{Grid: [3]int(l.Grid), Block: [3]int(l.Block), Args: map[string]Arg{}}
	for _, a := range l.Args {
		if _, twice := b.Args[a.Name]; twice {
			t.Errorf("%s: argument %s is declared twice", path, a.Name)
		}
		if a.Bytes != "" {
			a.Type = "b8"
		}
		b.Args[a.Name] = Arg{Type: a.Type, Data: a.contents(t, path)}
	}
	for _, x := range l.Textures {
		a := launchArg{Name: x.Name, Type: x.Type, Count: x.Width * x.Height, Init: x.Init}
		b.Args[a.Name] = Arg{Type: a.Type, Data: a.contents(t, path)}
	}
	return b
}

func (a launchArg) contents(t *testing.T, path string) []byte {
	t.Helper()
	switch {
	case a.Bytes != "":
		data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.FromSlash(path)), a.Bytes))
		if err != nil {
			t.Fatal(err)
		}
		return data
	case a.Value != nil:
		return encodeAs(t, a.Type, 1, func(int) float64 { return number(t, a.Value) })
	case a.Count <= 0:
		t.Fatalf("%s: argument %s has neither a value nor a count", path, a.Name)
	case a.Init.File != "":
		data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.FromSlash(path)), a.Init.File))
		if err != nil {
			t.Fatal(err)
		}
		typ, count, elements, err := readNPY(data)
		if err != nil {
			t.Fatalf("%s: %s: %v", path, a.Init.File, err)
		}
		if typ != a.Type || count != a.Count {
			t.Fatalf("%s: argument %s wants %d x %s, %s holds %d x %s", path, a.Name, a.Count, a.Type, a.Init.File, count, typ)
		}
		return elements
	case a.Init.Iota != nil:
		start, step := number(t, a.Init.Iota.Start), number(t, a.Init.Iota.Step)
		return encodeAs(t, a.Type, a.Count, func(i int) float64 { return start + float64(i)*step })
	case a.Init.Random != nil:
		low := number(t, a.Init.Random.Low)
		width := number(t, a.Init.Random.High) - low
		state := a.Init.Random.Seed
		return encodeAs(t, a.Type, a.Count, func(int) float64 {
			state = state*6364136223846793005 + 1442695040888963407
			return low + width*float64(state>>11)/(1<<53)
		})
	case a.Init.Value != nil:
		return encodeAs(t, a.Type, a.Count, func(int) float64 { return number(t, a.Init.Value) })
	}
	return encodeAs(t, a.Type, a.Count, func(int) float64 { return 0 })
}

func number(t *testing.T, v any) float64 {
	t.Helper()
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	t.Fatalf("%v is no number", v)
	return 0
}

func encodeAs(t *testing.T, typ string, count int, value func(i int) float64) []byte {
	t.Helper()
	var data []byte
	for i := range count {
		v := value(i)
		switch typ {
		case "f32":
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
		case "f64":
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		case "u64":
			data = binary.LittleEndian.AppendUint64(data, uint64(v))
		case "s32", "u32":
			data = binary.LittleEndian.AppendUint32(data, uint32(int64(math.Floor(v))))
		default:
			t.Fatalf("type %s is not used by the examples", typ)
		}
	}
	return data
}

var npyHeader = regexp.MustCompile(`^\{'descr': '<([iuf])([48])', 'fortran_order': False, 'shape': \((\d+),\), \} *\n$`)

// readNPY takes an NPY version 1.0 file of one dimension apart.
func readNPY(data []byte) (typ string, count int, elements []byte, err error) {
	if len(data) < 10 || string(data[:8]) != "\x93NUMPY\x01\x00" {
		return "", 0, nil, fmt.Errorf("no NPY version 1.0 file")
	}
	end := 10 + int(binary.LittleEndian.Uint16(data[8:]))
	if end > len(data) || end%64 != 0 {
		return "", 0, nil, fmt.Errorf("header ends at byte %d of %d", end, len(data))
	}
	m := npyHeader.FindSubmatch(data[10:end])
	if m == nil {
		return "", 0, nil, fmt.Errorf("unexpected header %q", data[10:end])
	}
	size, _ := strconv.Atoi(string(m[2]))
	count, err = strconv.Atoi(string(m[3]))
	if err != nil || len(data)-end != count*size {
		return "", 0, nil, fmt.Errorf("%d bytes of data, header %q", len(data)-end, m[0])
	}
	kind := map[string]string{"i": "s", "u": "u", "f": "f"}[string(m[1])]
	return kind + strconv.Itoa(8*size), count, data[end:], nil
}
