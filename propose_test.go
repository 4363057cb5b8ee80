package warpbound_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/warpbound/warpbound"
)

// What is proposed opens as it is, from the folder that it is for.
func TestPropose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.toml")
	for folder, opens := range map[string]bool{"": false, filepath.Dir(path): true} {
		text, err := warpbound.Propose("examples/sgemm/double/double.ptx", warpbound.ProposeOptions{Entry: "sgemm_double_8", Folder: folder})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if l, err := warpbound.Open(path); (err == nil) != opens || opens && l.Kernel() != "sgemm_double_8" {
			t.Errorf("for folder %q: %v", folder, err)
		}
	}
}

// No kernel is chosen for the caller, and what is wrong with the module is said.
func TestProposeWrong(t *testing.T) {
	var option *warpbound.OptionError
	var file *warpbound.FileError
	for _, entry := range []string{"", "sgemm_double_9"} {
		if text, err := warpbound.Propose("examples/sgemm/double/double.ptx", warpbound.ProposeOptions{Entry: entry}); text != nil || !errors.As(err, &option) || option.Option != "Entry" {
			t.Errorf("%q: %v", entry, err)
		}
	}
	for name, text := range map[string]string{
		"library.ptx": ".version 7.0\n.target sm_70\n.address_size 64\n",
		"bad.ptx":     ".version 7.0\n.target sm_70\n.address_size 64\nbad\n",
	} {
		if text, err := warpbound.Propose(written(t, name, text), warpbound.ProposeOptions{}); text != nil || !errors.As(err, &file) || filepath.Base(file.Pos.File) != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := warpbound.Propose(t.TempDir(), warpbound.ProposeOptions{}); err == nil {
		t.Error("a folder was read as PTX")
	}
}
