package npy

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// file makes a version 1.0 file with the given header text.
func file(header string, contents string) string {
	return magic + "\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header + contents
}

// A file as NumPy 1.26 writes numpy.array([1, 2, 3], dtype='<f4').
const numpyFile = "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }                                                            \n" +
	"\x00\x00\x80?\x00\x00\x00@\x00\x00@@"

func TestReadNumPy(t *testing.T) {
	h, contents, err := Read(strings.NewReader(numpyFile), 12)
	if err != nil {
		t.Fatal(err)
	}
	if h.Descr != "<f4" || h.Count != 3 || len(h.Shape) != 1 || string(contents) != "\x00\x00\x80?\x00\x00\x00@\x00\x00@@" {
		t.Errorf("%+v %x", h, contents)
	}
}

func TestWriteAsNumPy(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, "<f4", []byte("\x00\x00\x80?\x00\x00\x00@\x00\x00@@")); err != nil {
		t.Fatal(err)
	}
	if b.String() != numpyFile {
		t.Errorf("%q, want %q", b.String(), numpyFile)
	}
}

func TestShapes(t *testing.T) {
	for shape, want := range map[string]int64{"()": 1, "(2,)": 2, "(2, 3)": 6, "(2,3,)": 6, "(0, 5)": 0, "( 1 ,1, 1 )": 1} {
		h, _, err := Read(strings.NewReader(file(`{"shape":`+shape+`,'fortran_order':False,'descr':'|u1'}`, strings.Repeat("x", int(want)))), 100)
		if err != nil || h.Count != want {
			t.Errorf("%s: %+v, %v", shape, h, err)
		}
	}
	if _, _, err := Read(strings.NewReader(file("{'descr': '|u1', 'fortran_order': True, 'shape': (3,)}", "abc")), 100); err != nil {
		t.Errorf("one dimension in Fortran order: %v", err)
	}
}

func TestBadFiles(t *testing.T) {
	ok := "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n"
	edit := func(from, to string) string { return file(strings.Replace(ok, from, to, 1), "abcd") }
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "not an NPY file: the file ends too early"},
		{"other magic", strings.Replace(file(ok, "abcd"), "NUMPY", "NUMPX", 1), "not an NPY file: it begins with"},
		{"version 2", strings.Replace(file(ok, "abcd"), "\x01\x00", "\x02\x00", 1), "NPY version 2.0, expected 1.0"},
		{"cut header", file(ok, "")[:30], "NPY header: the file ends too early"},
		{"no dictionary", edit("{", "["), `NPY header, byte 10: expected "{"`},
		{"text after", edit("}", "} 3"), "text after the dictionary"},
		{"unknown key", edit("descr", "dsecr"), `key "dsecr", expected descr, fortran_order and shape`},
		{"key twice", edit("fortran_order", "descr"), `key "descr" twice`},
		{"key missing", edit("'fortran_order': False, ", ""), "2 keys, expected descr, fortran_order and shape"},
		{"no colon", edit("descr':", "descr'"), `expected ":"`},
		{"no quote", edit("'descr'", "descr"), "expected a string"},
		{"string without end", file("{'descr", ""), "a string without an end"},
		{"no boolean", edit("False", "None"), `expected "False"`},
		{"shape is a number", edit("(1,)", "1"), `expected "("`},
		{"negative shape", edit("(1,)", "(-1,)"), "expected a dimension"},
		{"huge dimension", edit("(1,)", "(99999999999999999999,)"), "expected a dimension"},
		{"huge product", edit("(1,)", "(4294967296, 4294967296)"), "expected at most 2^48 elements"},
		{"too many dimensions", edit("(1,)", "("+strings.Repeat("1,", 33)+")"), "more than 32 dimensions"},
		{"big-endian", edit("<f4", ">f4"), `NPY type ">f4" is big-endian, expected little-endian`},
		{"complex", edit("<f4", "<c8"), `NPY type "<c8", expected one of <f2 <f4 <f8 <i2`},
		{"structured", edit("'<f4'", "[('a', '<f4')]"), "a structured type, expected plain numbers"},
		{"Fortran order", file("{'descr': '|u1', 'fortran_order': True, 'shape': (2,2)}", "abcd"), "2 dimensions in Fortran order, expected C order"},
		{"cut contents", file(ok, "abc"), "the file ends after 3 bytes, expected 4"},
		{"bytes after", file(ok, "abcde"), "bytes after the last element, expected 4 bytes"},
		{"larger than allowed", edit("(1,)", "(26,)"), "NPY contents of 104 bytes, expected at most 100"},
	} {
		if _, _, err := Read(strings.NewReader(c.text), 100); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestBadWrites(t *testing.T) {
	if err := Write(&bytes.Buffer{}, "<f3", nil); err == nil || !strings.Contains(err.Error(), `NPY type "<f3"`) {
		t.Errorf("%v", err)
	}
	if err := Write(&bytes.Buffer{}, "<f4", []byte("abc")); err == nil || !strings.Contains(err.Error(), "expected a multiple of 4") {
		t.Errorf("%v", err)
	}
	wall := errors.New("wall")
	if _, _, err := Read(iotest.ErrReader(wall), 100); !errors.Is(err, wall) {
		t.Errorf("%v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		descr := rapid.SampledFrom([]string{"|b1", "|i1", "|u1", "<i2", "<u2", "<f2", "<i4", "<u4", "<f4", "<i8", "<u8", "<f8"}).Draw(t, "descr")
		count := rapid.Int64Range(0, 50).Draw(t, "count")
		contents := rapid.SliceOfN(rapid.Byte(), int(count*descrs[descr]), int(count*descrs[descr])).Draw(t, "contents")
		var b bytes.Buffer
		if err := Write(&b, descr, contents); err != nil {
			t.Fatal(err)
		}
		if start := b.Len() - len(contents); start%64 != 0 {
			t.Fatalf("contents start at %d", start)
		}
		h, back, err := Read(&b, int64(len(contents)))
		if err != nil {
			t.Fatal(err)
		}
		if h.Descr != descr || h.Count != count || !bytes.Equal(back, contents) {
			t.Fatalf("%+v %x, want %s %d %x", h, back, descr, count, contents)
		}
	})
}

// FuzzNPY looks for files that panic, and for ones that read but do not survive
// being written.
func FuzzNPY(f *testing.F) {
	f.Add([]byte(numpyFile))
	f.Add([]byte(file("{'descr': '|u1', 'fortran_order': True, 'shape': (2,2)}", "abcd")))
	f.Add([]byte(file("{'descr': '>f4', 'fortran_order': False, 'shape': ()}", "abcd")))
	f.Add([]byte(file("{'shape': (281474976710656,), 'descr': \"<f8\", 'fortran_order': False}", "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, contents, err := Read(bytes.NewReader(data), 1<<20)
		if err != nil {
			return
		}
		if int64(len(contents)) != h.Bytes() {
			t.Fatalf("%d bytes of %+v", len(contents), h)
		}
		var b bytes.Buffer
		if err := Write(&b, h.Descr, contents); err != nil {
			t.Fatal(err)
		}
		again, back, err := Read(&b, 1<<20)
		if err != nil || again.Count != h.Count || !bytes.Equal(back, contents) {
			t.Fatalf("%+v became %+v: %v", h, again, err)
		}
	})
}
