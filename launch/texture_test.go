package launch

import (
	"fmt"
	"strings"
	"testing"
)

func textureFile(tables string) string {
	return "kernel = \"k.ptx\"\ngrid = [1]\nblock = [32]\n" + tables
}

func TestTextures(t *testing.T) {
	l, err := Parse("l.toml", []byte(textureFile(`
[[textures]]
name     = "image"
handle   = 7
type     = "u8"
channels = 4
width    = 3
height   = 2
layout   = "linear"
pitch    = 16
read     = "normalized"
address  = ["wrap", "mirror"]
filter   = "linear"
normalized_coordinates = true
known    = true
init     = { iota = { start = 1, step = 1 } }

[[textures]]
name  = "row"
type  = "f32"
width = 5

[[samplers]]
name    = "near"
address = ["border"]
`)), ".")
	if err != nil {
		t.Fatal(err)
	}
	image, row := l.Textures[0], l.Textures[1]
	if image.Handle != 7 || !image.HasHandle || image.Channels != 4 || !image.Linear || image.Pitch != 16 || !image.Normalized || !image.Texels.Known {
		t.Errorf("%+v", image)
	}
	if image.Sampler != (Sampler{Address: [2]AddressMode{Wrap, Mirror}, Filter: Bilinear, NormalizedCoords: true}) {
		t.Errorf("%+v", image.Sampler)
	}
	if row.Pitch != 20 || row.Height != 0 || row.HasHandle || row.Linear || l.Samplers[0] != (Sampler{Name: "near", Address: [2]AddressMode{Border, Border}}) {
		t.Errorf("%+v %+v", row, l.Samplers)
	}
	data, err := l.MaterialiseTexture(0)
	if want := fmt.Sprint(iotaBytes(32)); err != nil || fmt.Sprint(data) != want {
		t.Errorf("%v %v, want %s", data, err, want)
	}
	if _, err := l.MaterialiseTexture(2); err == nil {
		t.Error("texture 2 of 2 has contents")
	}
}

func iotaBytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i + 1)
	}
	return b
}

func TestWrongTextures(t *testing.T) {
	const ok = "[[textures]]\nname = \"t\"\ntype = \"f32\"\nwidth = 8\n"
	for tables, want := range map[string]string{
		ok + "channels = 3\n":                                          "l.toml:8:12: textures.t.channels is 3, expected 1, 2 or 4",
		ok + "height = 4\npitch = 30\n":                                "pitch is set, expected it only with layout linear",
		ok + "layout = \"linear\"\nheight = 2\npitch=30":               "pitch is 30, expected a multiple of 4, the bytes of a texel, from 32",
		ok + "address = [\"wrap\"]\n":                                  "expected it only with normalized_coordinates",
		ok + "address = [\"clmap\"]\n":                                 "clamp",
		ok + "read = \"normalized\"\n":                                 "expected integers of 8 or 16 bits",
		ok + ok:                                                        "a second texture or sampler \"t\"",
		ok + "init = { file = \"\" }\n":                                "is empty, expected a path",
		strings.Replace(ok, "f32", "u64", 1):                           "type is u64, expected u8",
		strings.Replace(ok, "f32", "u32", 1) + "filter = \"linear\"\n": "filter is linear for texels read as u32",
		strings.Replace(ok, "width = 8", "", 1):                        "width",
		"[[samplers]]\nname = \"s\"\nwidth = 8\n":                      "width",
	} {
		_, err := Parse("l.toml", []byte(textureFile(tables)), ".")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", tables, err, want)
		}
	}
	_, err := Parse("l.toml", []byte("kernel = \"k.elf\"\nwarps = 4\nthreads = 4\n"+ok), ".")
	if err == nil || !strings.Contains(err.Error(), "textures is for PTX kernels") {
		t.Errorf("%v", err)
	}
}
