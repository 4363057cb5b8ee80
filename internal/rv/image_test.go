package rv

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var samples = []string{"sample-clang", "sample-gcc"}

func loadSample(t testing.TB, name string) *Image {
	data, err := os.ReadFile("testdata/" + name + ".elf")
	if err != nil {
		t.Fatal(err)
	}
	img, err := Load(name+".elf", data)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func readTable(t testing.TB, file string) [][]string {
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		rows = append(rows, strings.Fields(s.Text()))
	}
	if len(rows) < 9 {
		t.Fatalf("%s has only %d rows", file, len(rows))
	}
	return rows
}

// TestLoadSamples compares programs of two compilers with what the GNU tools
// say of them: every word, the functions, the source line of every instruction.
func TestLoadSamples(t *testing.T) {
	for _, name := range samples {
		img := loadSample(t, name)
		if img.Entry != 0x80000000 || img.TextBase != 0x80000000 || img.Name != name+".elf" {
			t.Errorf("%s: entry %#x, text at %#x, name %s", name, img.Entry, img.TextBase, img.Name)
		}
		var functions [][]string
		for _, s := range img.Symbols {
			functions = append(functions, []string{fmt.Sprintf("%08x", s.Addr), fmt.Sprint(s.Size), s.Name})
		}
		if d := cmp.Diff(readTable(t, name+".functions"), functions); d != "" {
			t.Errorf("%s: functions:\n%s", name, d)
		}
		var lines [][]string
		want := readTable(t, name+".lines")
		for i := range want {
			addr := img.Addr(int32(i))
			place := "none"
			if l, ok := img.LineOf(addr); ok {
				place = fmt.Sprintf("%s:%d", path.Base(l.File), l.Line)
			}
			if strings.HasSuffix(want[i][2], "?") || strings.HasSuffix(want[i][2], ":0") {
				want[i][2] = "none"
			}
			lines = append(lines, []string{fmt.Sprintf("%08x", addr), fmt.Sprintf("%08x", img.Text[i]), place})
		}
		if d := cmp.Diff(want, lines); d != "" {
			t.Errorf("%s: instructions and lines:\n%s", name, d)
		}
		for i, in := range img.Insts {
			if d, err := Decode(img.Text[i]); d != in || (err != nil) != (in.Op == Invalid) {
				t.Fatalf("%s: instruction %d is %+v, its word decodes to %+v", name, i, in, d)
			}
		}
	}
}

// TestSampleData: the writable segment holds the initialised variables and
// room for the zeroed one.
func TestSampleData(t *testing.T) {
	img := loadSample(t, "sample-clang")
	if len(img.Segments) != 2 {
		t.Fatalf("%d segments", len(img.Segments))
	}
	text, data := img.Segments[0], img.Segments[1]
	if !text.Exec || text.Write || data.Exec || !data.Write {
		t.Errorf("segments %+v and %+v", text.Exec, data.Write)
	}
	want := []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0x1c, 0, 0, 0x80, 0x24, 0, 0, 0x80}
	if !bytes.Equal(data.Data, want) || data.MemBytes < 24+64 {
		t.Errorf("data % x of %d bytes, want % x and 64 zero bytes", data.Data, data.MemBytes, want)
	}
}

func TestAddresses(t *testing.T) {
	img := &Image{TextBase: 0x1000, Text: make([]uint32, 3), Symbols: []Symbol{{"a", 0x1000, 4}, {"b", 0x1008, 0}}}
	for _, c := range []struct {
		addr uint32
		i    int32
		ok   bool
		fn   string
	}{
		{0x1000, 0, true, "a"}, {0x1004, 1, true, ""}, {0x1008, 2, true, "b"}, {0x1009, 0, false, "b"},
		{0x100c, 0, false, "b"}, {0xfff, 0, false, ""}, {0xffc, 0, false, ""}, {0, 0, false, ""}, {0xffffffff, 0, false, "b"},
	} {
		i, ok := img.Index(c.addr)
		if i != c.i || ok != c.ok || ok && img.Addr(i) != c.addr {
			t.Errorf("%#x is instruction %d, %v", c.addr, i, ok)
		}
		if s, ok := img.SymbolOf(c.addr); s.Name != c.fn || ok != (c.fn != "") {
			t.Errorf("%#x is in %q, want %q", c.addr, s.Name, c.fn)
		}
	}
}

// TestSymbolsOfAssembly: the comments of testdata/labels.s say what each is.
func TestSymbolsOfAssembly(t *testing.T) {
	img := loadSample(t, "labels")
	var got []string
	for _, s := range img.Symbols {
		i, _ := img.Index(s.Addr)
		got = append(got, fmt.Sprintf("%s %d %d", s.Name, i, s.Size))
	}
	if d := cmp.Diff([]string{"_start 0 0", "f 5 8", "g 7 0", "tail 8 0"}, got); d != "" {
		t.Error(d)
	}
	if len(img.Lines) != 0 {
		t.Errorf("lines %v without debug information", img.Lines)
	}
}
