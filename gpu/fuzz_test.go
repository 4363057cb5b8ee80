package gpu

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzLoad looks for files that panic, that fail with anything but a list of
// placed errors, or that do not survive Encode.
func FuzzLoad(f *testing.F) {
	for _, name := range presetNames() {
		text, err := PresetText(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Load("fuzz.toml", data)
		if err != nil {
			var list ErrorList
			if !errors.As(err, &list) || len(list) == 0 || len(list) > 20 {
				t.Fatalf("%T of %d: %v", err, len(list), err)
			}
			return
		}
		if _, err := d.Machine(); err != nil {
			t.Fatalf("loaded, but no machine: %v", err)
		}
		text, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Load("back.toml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(d, back); diff != "" {
			t.Fatal(diff)
		}
	})
}
