package kernels

import (
	"fmt"
	"strings"
)

// nodeKind says how a node is written.
type nodeKind uint8

const (
	straight nodeKind = iota // lines
	branch                   // lines, then body unless pred holds, else other
	loop                     // lines, then body while pred holds after it
)

// node is a statement of a generated kernel. Every register a node needs for
// itself is its own, so that any node can be dropped.
type node struct {
	kind        nodeKind
	lines       []string // code before the branch, or all of it
	pred        string   // guard that skips body, or that repeats it
	body, other []*node
	tail        []string // loop: what computes pred, after the body
}

// source is a kernel as it can be mutated and shrunk.
type source struct {
	temps int // registers handed out
	body  []*node
	calls bool // uses the functions
	bare  bool // without prologue: nothing but the body and ret
	// recent says that there are statements of generate_recent.go.
	recent bool
}

// clone copies a tree.
func clone(ns []*node) []*node {
	out := make([]*node, len(ns))
	for i, n := range ns {
		c := *n
		c.body, c.other = clone(n.body), clone(n.other)
		out[i] = &c
	}
	return out
}

// places lists every list of statements of a tree, the outermost first.
func places(top *[]*node) []*[]*node {
	out := []*[]*node{top}
	for _, n := range *top {
		if n.kind != straight {
			out = append(out, places(&n.body)...)
			out = append(out, places(&n.other)...)
		}
	}
	return out
}

// writer renders a tree.
type writer struct {
	b      strings.Builder
	labels int
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, "\t"+format+"\n", args...)
}

func (w *writer) nodes(ns []*node) {
	for _, n := range ns {
		w.node(n)
	}
}

func (w *writer) node(n *node) {
	for _, l := range n.lines {
		w.line("%s", l)
	}
	w.labels++
	id := w.labels
	switch n.kind {
	case branch:
		w.line("@%s bra $ELSE_%d;", n.pred, id)
		w.nodes(n.body)
		w.line("bra.uni $JOIN_%d;", id)
		fmt.Fprintf(&w.b, "$ELSE_%d:\n", id)
		w.nodes(n.other)
		// A label needs a statement of its own behind it.
		fmt.Fprintf(&w.b, "$JOIN_%d:\n", id)
		w.line("mov.u32 %%r6, 3;")
	case loop:
		fmt.Fprintf(&w.b, "$LOOP_%d:\n", id)
		w.nodes(n.body)
		for _, l := range n.tail {
			w.line("%s", l)
		}
		w.line("@%s bra $LOOP_%d;", n.pred, id)
	}
}

const shared = `	.shared .align 16 .b8 tile[2048];
	.shared .align 16 .b8 wide[9216];
	.shared .align 16 .b8 counters[256];
`

const functions = `.func (.reg .b32 y) twice (.reg .b32 x)
{
	.reg .b32 %a<3>;
	add.u32 %a1, x, x;
	mul.lo.u32 %a2, %a1, 3;
	mov.u32 y, %a2;
	ret;
}
.func (.reg .b32 y) down (.reg .b32 x)
{
	.reg .b32 %a<4>;
	.reg .pred %q;
	and.b32 %a1, x, 3;
	mov.u32 %a2, 1;
	setp.eq.u32 %q, %a1, 0;
	@%q bra OUT;
	sub.u32 %a1, %a1, 1;
	call (%a2), down, (%a1);
	add.u32 %a2, %a2, 1;
OUT:
	mov.u32 y, %a2;
	ret;
}
`

// text is the kernel k with parameters (in u64, out u64, n u32) as PTX.
func (s *source) text() string {
	w := &writer{}
	head := ".version 7.0\n.target sm_70\n.address_size 64\n"
	if s.recent {
		head = ".version 7.8\n.target sm_80\n.address_size 64\n" + recentFunctions
	}
	w.b.WriteString(head)
	if s.calls {
		w.b.WriteString(functions)
	}
	w.b.WriteString(".visible .entry k(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n)\n{\n\t.reg .pred %p<100>;\n")
	fmt.Fprintf(&w.b, "\t.reg .b32 %%r<%d>;\n\t.reg .b64 %%rd<12>;\n\t.reg .f32 %%f<%d>;\n\t.reg .f64 %%fd<%d>;\n", s.temps+1, floatRegs, doubleRegs)
	w.b.WriteString(shared)
	if s.recent {
		w.b.WriteString(recentDeclarations)
	}
	if !s.bare {
		w.b.WriteString(prologue)
		for i := range floatRegs {
			w.line("mov.f32 %%f%d, 0f3F80000%d;", i, i)
		}
		for i := range doubleRegs {
			w.line("mov.f64 %%fd%d, 0d3FF000000000000%d;", i, i)
		}
		if s.recent {
			w.b.WriteString(recentPrologue)
		}
	}
	w.nodes(s.body)
	if !s.bare {
		w.line("st.global.u32 [%%rd4], %%r3;")
	}
	w.b.WriteString("\tret;\n}\n")
	return w.b.String()
}

// prologue sets %r0-%r7 (data; %r1 the thread, %r5 the block size), %r8 the
// thread's own word of tile, %r10 the warp, %r11 a word of wide that conflicts
// with those of other threads, %r12 the counters, %rd3 and %rd4 the thread's
// words of input and output, %rd5 a word of the input far from those of other
// threads, %rd6 the counters in the output. tile is the thread's own, written
// before it is read; wide is everybody's and only floats come from it.
const prologue = `	ld.param.u64 %rd0, [p_in];
	ld.param.u64 %rd1, [p_out];
	ld.param.u32 %r0, [p_n];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	shl.b32 %r9, %r1, 2;
	mov.u32 %r8, tile;
	add.u32 %r8, %r8, %r9;
	cvt.u64.u32 %rd2, %r9;
	add.u64 %rd3, %rd0, %rd2;
	add.u64 %rd4, %rd1, %rd2;
	shr.u32 %r10, %r1, 5;
	shl.b32 %r9, %r1, 6;
	mov.u32 %r11, wide;
	add.u32 %r11, %r11, %r9;
	shl.b32 %r9, %r1, 7;
	cvt.u64.u32 %rd5, %r9;
	add.u64 %rd5, %rd0, %rd5;
	mov.u32 %r12, counters;
	add.u64 %rd6, %rd1, 8192;
	mov.u32 %r3, 5;
	mov.u32 %r4, 9;
	mov.u32 %r5, %ntid.x;
	mov.u32 %r6, 3;
	mov.u32 %r7, 1;
	st.shared.u32 [%r8], %r7;
	st.shared.u32 [%r8+512], %r4;
	setp.lt.u32 %p0, %r1, 16;
	and.b32 %r9, %r1, 1;
	setp.eq.u32 %p1, %r9, 0;
`
