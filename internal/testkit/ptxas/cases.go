package ptxas

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A Case is a piece of PTX with what the assembler thinks of it, as a file of cases
// records: "7.8 sm_90 body + mov.u64 %rd1, g;" or "... - add.u64 %rd1, g, 8; // what
// the checker here says".
type Case struct {
	Version, Target string
	// Where it stands: in a module, in a kernel's body, or among its parameters.
	Where string
	Legal bool
	Text  string
	// Want is a part of the error here, "" where the piece is accepted here.
	Want string
}

// Cases reads a file of cases, whose comments begin with "#".
func Cases(tb testing.TB, path string) []Case {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var list []Case
	for n, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		text, want, _ := strings.Cut(line, " // ")
		f := strings.SplitN(text, " ", 5)
		if len(f) < 5 || f[3] != "+" && f[3] != "-" {
			tb.Fatalf("%s:%d: %q, expected VERSION TARGET WHERE +|- TEXT", path, n+1, line)
		}
		list = append(list, Case{f[0], f[1], f[2], f[3] == "+", f[4], want})
	}
	return list
}

// String is the case as a file of cases has it.
func (c Case) String() string {
	sign := "-"
	if c.Legal {
		sign = "+"
	}
	s := strings.Join([]string{c.Version, c.Target, c.Where, sign, c.Text}, " ")
	if c.Want != "" {
		s += " // " + c.Want
	}
	return s
}

// Module is a module with the piece in it, in a line of its own.
func (c Case) Module() string { return c.module("k") }

func (c Case) module(kernel string) string {
	head := fmt.Sprintf(".version %s\n.target %s\n", c.Version, c.Target)
	const variables = ".global .align 8 .b32 g[8]; .const .b32 c[4]; .shared .align 16 .b32 s[64];\n"
	const registers = ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .local .align 8 .b32 l[8];\n"
	switch c.Where {
	case "header":
		return c.Text + "\n.entry " + kernel + "() { ret; }\n"
	case "module":
		return head + c.Text + "\n.entry " + kernel + "() { ret; }\n"
	case "parameters":
		return head + ".entry " + kernel + "(\n" + c.Text + "\n) { ret; }\n"
	}
	if c.Version >= "2.3" {
		head += ".address_size 64\n"
	}
	if c.Version >= "3.0" {
		head += ".func (.param .b32 fr) fn(.param .b32 fa) { ret; }\n"
	}
	return head + variables + ".entry " + kernel + "(.param .u32 x, .param .u64 y) {\n" + registers + c.Text + "\nret; }\n"
}
