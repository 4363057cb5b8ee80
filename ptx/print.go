package ptx

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// Print writes f as PTX text. Parsing the text gives a File equal to f except
// for positions. Comments are not kept; constant expressions stand as their
// values.
func Print(w io.Writer, f *File) error {
	p := printer{w: bufio.NewWriterSize(w, 64<<10)}
	p.file(f)
	return p.w.Flush()
}

// printer writes to a buffer that keeps the first error for Flush.
type printer struct {
	w      *bufio.Writer
	indent int
	buf    [64]byte
}

func (p *printer) str(s string)              { p.w.WriteString(s) }
func (p *printer) int(i int64)               { p.w.Write(strconv.AppendInt(p.buf[:0], i, 10)) }
func (p *printer) uint(u uint64)             { p.w.Write(strconv.AppendUint(p.buf[:0], u, 10)) }
func (p *printer) f(format string, a ...any) { fmt.Fprintf(p.w, format, a...) }

// dot writes a directive or modifier and a space.
func (p *printer) dot(s string) {
	p.w.WriteByte('.')
	p.str(s)
	p.w.WriteByte(' ')
}

func (p *printer) file(f *File) {
	p.f(".version %d.%d\n", f.Version.Major, f.Version.Minor)
	for i, t := range f.Targets {
		if i == 0 {
			p.str(".target ")
		} else {
			p.str(", ")
		}
		p.str(t)
	}
	p.str("\n")
	if f.HasAddressSize {
		p.f(".address_size %d\n", f.AddressSize)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *Func:
			p.function(d)
		case *VarDecl:
			p.varDecl(d)
			p.str(";\n")
		case *Alias:
			p.f(".alias %s, %s;\n", d.Name, d.Target)
		case Stmt:
			p.stmt(d)
		}
	}
}

func (l Linkage) String() string {
	return [...]string{"", "extern", "visible", "weak", "common"}[l]
}

func (p *printer) linkage(l Linkage) {
	if l != LinkNone {
		p.dot(l.String())
	}
}

func (p *printer) function(f *Func) {
	p.str("\n")
	p.linkage(f.Linkage)
	if f.Entry {
		p.dot("entry")
	} else {
		p.dot("func")
	}
	p.attributes(f.Attributes)
	if f.Rets != nil {
		p.params(f.Rets)
		p.str(" ")
	}
	p.str(f.Name)
	if f.Params != nil {
		p.params(f.Params)
	}
	p.directives(f.Directives, "\n")
	if f.Body == nil {
		p.str(";\n")
		return
	}
	p.str("\n")
	p.block(f.Body)
}

func (p *printer) attributes(list []Attribute) {
	if len(list) == 0 {
		return
	}
	p.str(".attribute(")
	for i, a := range list {
		if i > 0 {
			p.str(", ")
		}
		p.str("." + a.Name)
		for j, v := range a.Args {
			if j == 0 {
				p.str("(")
			} else {
				p.str(", ")
			}
			p.uint(v)
		}
		if len(a.Args) > 0 {
			p.str(")")
		}
	}
	p.str(") ")
}

func (p *printer) params(list []*VarDecl) {
	p.str("(")
	for i, v := range list {
		if i > 0 {
			p.str(", ")
		}
		p.varDecl(v)
	}
	p.str(")")
}

func (p *printer) directives(list []Directive, before string) {
	for _, d := range list {
		p.str(before)
		p.str("." + d.Name)
		if d.Name == "pragma" {
			p.f(" \"%s\";", d.Text)
		}
		for i, a := range d.Args {
			if i > 0 {
				p.str(",")
			}
			p.f(" %d", a)
		}
	}
}

func (p *printer) varDecl(d *VarDecl) {
	p.linkage(d.Linkage)
	if d.Bank >= 0 {
		p.f(".const[%d] ", d.Bank)
	} else {
		p.dot(d.Space.String())
	}
	p.attributes(d.Attributes)
	if d.Align != 0 {
		p.f(".align %d ", d.Align)
	}
	if d.Vec != 1 {
		p.f(".v%d ", d.Vec)
	}
	p.dot(d.Type.String())
	if d.Ptr != nil {
		p.dot("ptr")
		if d.Ptr.Space != SpaceNone {
			p.dot(d.Ptr.Space.String())
		}
		if d.Ptr.Align != 0 {
			p.f(".align %d ", d.Ptr.Align)
		}
	}
	for i := range d.Vars {
		if i > 0 {
			p.str(", ")
		}
		p.declarator(&d.Vars[i])
	}
}

func (p *printer) declarator(v *Var) {
	p.str(v.Name)
	if v.Count >= 0 {
		p.f("<%d>", v.Count)
	}
	for _, n := range v.Dims {
		if n < 0 {
			p.str("[]")
		} else {
			p.f("[%d]", n)
		}
	}
	if v.Init != nil {
		p.str(" = ")
		p.operand(v.Init)
	}
}

func (p *printer) block(b *Block) {
	p.tabs()
	p.str("{\n")
	p.indent++
	for _, s := range b.Stmts {
		p.stmt(s)
	}
	p.indent--
	p.tabs()
	p.str("}\n")
}

func (p *printer) tabs() {
	for range p.indent {
		p.str("\t")
	}
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Block:
		p.block(s)
		return
	case *Label:
		p.str(s.Name)
		p.str(":\n")
		return
	}
	p.tabs()
	switch s := s.(type) {
	case *Inst:
		p.inst(s)
	case *Call:
		p.call(s)
	case *VarDecl:
		p.varDecl(s)
		p.str(";")
	case *CallPrototype:
		p.prototype(s)
	case *CallTargets:
		p.str(s.Name + ": .calltargets ")
		p.names(s.Funcs)
	case *BranchTargets:
		p.str(s.Name + ": .branchtargets ")
		p.names(s.Labels)
	case *Pragma:
		p.str(".pragma ")
		for i, t := range s.Text {
			if i > 0 {
				p.str(", ")
			}
			p.f("\"%s\"", t)
		}
		p.str(";")
	case *Loc:
		p.loc(s)
	case *FileDirective:
		p.f(".file %d \"%s\"", s.Index, s.Name)
		if s.HasStamp {
			p.f(", %d, %d", s.Timestamp, s.Size)
		}
	case *Section:
		p.f(".section %s {%s}", s.Name, s.Raw)
	case *Dwarf:
		p.str("@@DWARF " + s.Raw)
	}
	p.str("\n")
}

func (p *printer) loc(l *Loc) {
	p.f(".loc %d %d %d", l.File, l.Line, l.Col)
	if l.FunctionName != "" {
		p.str(", function_name " + l.FunctionName)
		if l.FunctionNameOff != 0 {
			p.f("+%d", l.FunctionNameOff)
		}
	}
	if l.InlinedAt {
		p.f(", inlined_at %d %d %d", l.InFile, l.InLine, l.InCol)
	}
}

func (p *printer) names(list []string) {
	for i, s := range list {
		if i > 0 {
			p.str(", ")
		}
		p.str(s)
	}
	p.str(";")
}

func (p *printer) prototype(c *CallPrototype) {
	p.str(c.Name + ": .callprototype ")
	if c.Rets != nil {
		p.params(c.Rets)
		p.str(" ")
	}
	p.str("_")
	if c.Params != nil {
		p.str(" ")
		p.params(c.Params)
	}
	p.directives(c.Directives, " ")
	p.str(";")
}

func (p *printer) guard(g Guard) {
	if g.Reg == "" {
		return
	}
	p.str("@")
	if g.Neg {
		p.str("!")
	}
	p.str(g.Reg)
	p.str(" ")
}

func (p *printer) opcode(op string, mods []string) {
	p.str(op)
	for _, m := range mods {
		p.str(".")
		p.str(m)
	}
}

func (p *printer) inst(i *Inst) {
	p.guard(i.Guard)
	p.opcode(i.Op, i.Mods)
	if len(i.Operands) > 0 {
		p.str(" ")
		p.operands(i.Operands)
	}
	p.str(";")
}

func (p *printer) call(c *Call) {
	p.guard(c.Guard)
	p.opcode("call", c.Mods)
	p.str(" ")
	if c.Rets != nil {
		p.str("(")
		p.operands(c.Rets)
		p.str("), ")
	}
	p.operand(&c.Callee)
	if c.Args != nil {
		p.str(", (")
		p.operands(c.Args)
		p.str(")")
	}
	if c.Targets != "" {
		p.str(", " + c.Targets)
	}
	p.str(";")
}
