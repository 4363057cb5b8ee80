package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/warpbound/warpbound"
)

// What headers may be, and what the error says where one is something else.
func TestHostileHeaders(t *testing.T) {
	dir := t.TempDir()
	inc := filepath.Join(dir, "inc")
	make := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	make(os.MkdirAll(filepath.Join(inc, "folder.h"), 0o777))
	make(os.Mkdir(filepath.Join(dir, "folder.h"), 0o777))
	make(os.Mkdir(filepath.Join(dir, "shadowed.h"), 0o777)) // a folder does not hide the file in -I
	make(os.WriteFile(filepath.Join(inc, "shadowed.h"), []byte("#define N 8\n"), 0o666))
	make(os.WriteFile(filepath.Join(dir, "huge.h"), nil, 0o666))
	make(os.Truncate(filepath.Join(dir, "huge.h"), 1<<30))
	make(os.WriteFile(filepath.Join(dir, "large.h"), []byte(strings.Repeat("int x;\n", 100<<10)), 0o666))
	make(syscall.Mkfifo(filepath.Join(dir, "fifo.h"), 0o666))
	make(os.Symlink("/dev/zero", filepath.Join(dir, "device.h")))
	make(os.Symlink("loop.h", filepath.Join(dir, "loop.h")))
	make(os.Symlink(".", filepath.Join(dir, "self")))
	make(os.WriteFile(filepath.Join(dir, "deep.h"), []byte("#include \"self/deep.h\"\n"), 0o666))
	make(os.Symlink("/proc/self/environ", filepath.Join(dir, "proc.h")))
	for name, want := range map[string]string{
		"shadowed.h":             "",
		"folder.h":               `: no such file in ` + dir + `, ` + inc + ` (`,
		"shadowed.h/x":           `: no such file in `,
		"inc/../inc/shadowed.h":  "",
		"../../../../../../../x": `: no such file in `,
		"huge.h":                 `: ` + dir + `/huge.h: 1073741824 bytes, expected at most 4194304`,
		"large.h":                dir + `/large.h:1:1: 716800 bytes of source, more than 262144`,
		"fifo.h":                 `fifo.h: no regular file, expected C`,
		"device.h":               `device.h: no regular file, expected C`,
		"/dev/zero":              `is an absolute path, expected one from the folder of the file or from one of -I`,
		"loop.h":                 `too many levels of symbolic links`,
		"deep.h":                 `too many levels of symbolic links`,
		"proc.h":                 `is not supported`, // a zero byte
		strings.Repeat("x", 500): `file name too long`,
		"\x1b[2Jx.h":             `#include "\x1b[2Jx.h": no such file`,
	} {
		file := filepath.Join(dir, "m.c")
		text := "#include \"" + name + "\"\nstatic float A[N];\nvoid f(void) {\n#pragma omp target teams distribute parallel for\nfor (int i = 0; i < N; i++) A[i] = 0;\n}\n"
		make(os.WriteFile(file, []byte(text), 0o666))
		_, err := warpbound.Prem(t.Context(), file, warpbound.PremOptions{Include: []string{inc}})
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", name, err, want)
		case err != nil && !strings.HasPrefix(err.Error(), dir+"/"):
			t.Errorf("%q: no place: %v", name, err)
		}
	}
}
