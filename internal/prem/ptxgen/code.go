package ptxgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// kind says what a line of code is.
type kind uint8

const (
	plain   kind = iota // may be given a guard
	fixed               // a barrier, a branch, an exit: not without changing what it means
	label               // text is the label
	comment             // text is the comment
)

// line is one line of a kernel's body.
type line struct {
	kind  kind
	guard string // "%p1", "!%p1", or "" for none
	text  string
	at    loop.Pos
}

// block is a piece of code with places in it that are still filled.
type block struct{ items []item }

type item struct {
	line line
	sub  *block // instead of a line
}

func (b *block) each(f func(*line)) {
	for i := range b.items {
		if s := b.items[i].sub; s != nil {
			s.each(f)
		} else {
			f(&b.items[i].line)
		}
	}
}

// plainLines is the number of instructions, or false where one of them cannot be
// guarded.
func (b *block) plainLines() (n int, ok bool) {
	ok = true
	b.each(func(l *line) {
		if l.kind != comment {
			n++
			ok = ok && l.kind == plain && l.guard == ""
		}
	})
	return n, ok
}

// emit appends an instruction at the current place.
func (g *gen) emit(format string, args ...any) {
	g.put(plain, format, args...)
}

func (g *gen) put(k kind, format string, args ...any) {
	g.cur.out.items = append(g.cur.out.items, item{line: line{kind: k, text: fmt.Sprintf(format, args...), at: g.pos}})
}

// mark appends a label.
func (g *gen) mark(name string) { g.put(label, "%s", name) }

// putGuarded appends a guarded branch.
func (g *gen) putGuarded(guard, format string, args ...any) {
	g.put(fixed, format, args...)
	g.cur.out.items[len(g.cur.out.items)-1].line.guard = guard
}

func (g *gen) place(b *block) { g.cur.out.items = append(g.cur.out.items, item{sub: b}) }

// label makes a name that no other label has.
func (g *gen) label(name string) string {
	g.labels++
	return fmt.Sprintf("$L%d_%s", g.labels, name)
}

// The register classes, as they are declared.
var classes = [...]struct{ prefix, declare string }{{"%p", ".pred"}, {"%r", ".b32"}, {"%rd", ".b64"}, {"%f", ".f32"}, {"%fd", ".f64"}}

func (g *gen) newReg(class int) string {
	g.regs[class]++
	return fmt.Sprintf("%s%d", classes[class].prefix, g.regs[class])
}

func (g *gen) newPred() string { return g.newReg(0) }

// newFor makes a register for values of type t.
func (g *gen) newFor(t loop.Type) string {
	switch t {
	case loop.Long, loop.Ulong:
		return g.newReg(2)
	case loop.Float:
		return g.newReg(3)
	case loop.Double:
		return g.newReg(4)
	}
	return g.newReg(1)
}

func invert(p string) string {
	if s, ok := strings.CutPrefix(p, "!"); ok {
		return s
	}
	switch p {
	case yes:
		return no
	case no:
		return yes
	}
	return "!" + p
}

// write prints the kernel's body. Lines that come from another line of the source
// than those before them are led by .loc.
func (g *gen) write(w *strings.Builder, body *block) {
	for i, c := range classes {
		if g.regs[i] > 0 {
			fmt.Fprintf(w, "\t.reg %s \t%s<%d>;\n", c.declare, c.prefix, g.regs[i]+1)
		}
	}
	if g.sharedBytes > 0 && g.k.DynamicBytes() == 0 {
		fmt.Fprintf(w, "\t.shared .align 8 .b8 %s[%d];\n", g.spmName(), g.sharedBytes)
	}
	last := loop.Pos{}
	body.each(func(l *line) {
		switch l.kind {
		case label:
			fmt.Fprintf(w, "%s:\n", l.text)
			return
		case comment:
			fmt.Fprintf(w, "\t// %s\n", l.text)
			return
		}
		if l.at.Line > 0 && (l.at.Line != last.Line || l.at.File != last.File) {
			last = l.at
			fmt.Fprintf(w, "\t.loc %d %d %d\n", slices.Index(g.files, l.at.File)+1, l.at.Line, max(l.at.Col, 0))
		}
		op, operands, _ := strings.Cut(l.text, " ")
		w.WriteByte('\t')
		if l.guard != "" {
			w.WriteString("@" + l.guard + " ")
		}
		w.WriteString(op)
		if operands != "" {
			w.WriteString(" \t" + operands)
		}
		w.WriteString(";\n")
	})
}
