package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a PTX file calls its source cannot control the terminal, in errors and reports.
func TestNamesFromFilesArePrintable(t *testing.T) {
	dir := t.TempDir()
	const evil = "\x1b]0;owned\x07\x1b[2Jk.cu"
	text := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n.reg .pred %q;\n" +
		"ld.param.u64 %rd1, [p];\n.loc 1 7 3\nld.global.u32 %r1, [%rd1];\nsetp.ne.u32 %q, %r1, 0;\n@%q bra L;\nadd.u32 %r1, %r1, 1;\nL:\nst.global.u32 [%rd1+FAR], %r1;\nret;\n}\n.file 1 \"" + evil + "\"\n"
	for name, far := range map[string]string{"good": "4", "bad": "4096"} {
		if err := os.WriteFile(filepath.Join(dir, name+".ptx"), []byte(strings.Replace(text, "FAR", far, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		launch := "kernel = \"" + name + ".ptx\"\ngrid = [1]\nblock = [32]\nargs = [{ name = \"p\", type = \"u32\", count = 8 }]\n"
		if err := os.WriteFile(filepath.Join(dir, name+".toml"), []byte(launch), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	seen := false
	for _, args := range [][]string{
		{"analyze", "good.toml", "--explain"}, {"analyze", "good.toml"}, {"run", "bad.toml"}, {"simulate", "good.toml"}, {"cfg", "good.toml"}, {"compare", "good.toml"}, {"run", evil + ".toml"},
	} {
		var out bytes.Buffer
		args[1] = filepath.Join(dir, args[1])
		run(context.Background(), args, &out, &out)
		if i := bytes.IndexFunc(out.Bytes(), func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }); i >= 0 {
			t.Errorf("%v: control character in %q", args, out.String())
		}
		seen = seen || strings.Contains(out.String(), `\x1b]0;owned`)
	}
	if !seen {
		t.Error("no command printed the name")
	}
}
