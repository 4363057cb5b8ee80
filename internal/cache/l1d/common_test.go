package l1d

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
)

// openExample opens a launch file below examples.
func openExample(t testing.TB, name string) *load.Opened {
	t.Helper()
	l, err := load.Open("../../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return l.Bare() // what facts say of loops is checked elsewhere
}

func fresh(t testing.TB, l *load.Opened) *ptxexec.Kernel {
	t.Helper()
	k, err := l.Kernel(false)
	if err != nil {
		t.Fatal(err)
	}
	return k.(*ptxexec.Kernel)
}

func tainted(t testing.TB, l *load.Opened) *ptxexec.Kernel {
	t.Helper()
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	return k.(*ptxexec.Kernel)
}

// source is a kernel written in a test.
type source struct {
	grid, block int
	warpSize    int
	known       bool // the contents of the buffer
	words       int  // of the buffer
	init        []byte
	functions   string // before the kernel
	text        string // body between the braces; %base is the buffer, %tid and %cta the numbers
}

func (s source) program(t testing.TB) *ptxexec.Code {
	t.Helper()
	module, err := ptx.Parse("test.ptx", []byte(".version 7.0\n.target sm_70\n.address_size 64\n"+s.functions+
		".visible .entry k(.param .u64 buffer) {\n.reg .b64 %base, %rd<16>;\n.reg .b32 %tid, %cta, %r<32>;\n.reg .f32 %f<8>;\n.reg .pred %p<8>;\n.shared .align 4 .b8 tile[4096];\n"+
		"ld.param.u64 %base, [buffer];\nmov.u32 %tid, %tid.x;\nmov.u32 %cta, %ctaid.x;\n"+s.text+"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptxexec.Lower(module, "k")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (s source) launch() ptxexec.LaunchConfig {
	contents := make([]byte, 4*max(s.words, 4096))
	copy(contents, s.init)
	return ptxexec.LaunchConfig{
		Grid: [3]int{s.grid, 1, 1}, Block: [3]int{s.block, 1, 1}, WarpSize: s.warpSize,
		Args: []ptxexec.Arg{{Name: "buffer", Buffer: &ptxexec.Buffer{Contents: contents, ElementBytes: 4, Known: s.known}}},
	}
}

func (s source) kernel(t testing.TB, taint bool) *ptxexec.Kernel {
	t.Helper()
	l := s.launch()
	l.Options.Taint = taint
	k, err := ptxexec.NewKernel(s.program(t), l)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// again makes new kernels of one program.
func (s source) again(t testing.TB) (*Analysis, func() (simt.Kernel, error)) {
	t.Helper()
	p := s.program(t)
	l := s.launch()
	l.Options.Taint = true
	follow, err := ptxexec.NewKernel(p, l)
	if err != nil {
		t.Fatal(err)
	}
	return analyse(t, follow), func() (simt.Kernel, error) { return ptxexec.NewKernel(p, s.launch()) }
}

// sequence drains an order with the given blocks resident on SM 0, retires them
// and returns copies of the accesses.
func sequence(t testing.TB, o *Order, blocks ...int64) []Access {
	t.Helper()
	for _, b := range blocks {
		if err := o.Admit(0, b); err != nil {
			t.Fatal(err)
		}
	}
	var out []Access
	for {
		a, err := o.NextAccess(0)
		if err != nil {
			t.Fatal(err)
		}
		if a == nil {
			break
		}
		c := *a
		c.Lines = append([]uint64(nil), a.Lines...)
		out = append(out, c)
		if err := o.Sent(0); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range blocks {
		if err := o.Retire(0, b); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func blocksOf(k simt.Kernel) []int64 {
	out := make([]int64, simt.NumBlocks(k.Grid()))
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

// analyse is Analyse of a kernel that it accepts.
func analyse(t testing.TB, k *ptxexec.Kernel) *Analysis {
	t.Helper()
	a, err := Analyse(context.Background(), k, AnalyseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// pair is the analysis of the kernel and the kernel itself.
func (s source) pair(t testing.TB) (*Analysis, *ptxexec.Kernel) {
	t.Helper()
	a, newKernel := s.again(t)
	k, err := newKernel()
	if err != nil {
		t.Fatal(err)
	}
	return a, k.(*ptxexec.Kernel)
}

// order is an order of the kernel with nothing resident.
func (s source) order(t testing.TB, opt Options) *Order {
	t.Helper()
	a, k := s.pair(t)
	return newOrder(t, a, k, opt)
}

func newOrder(t testing.TB, a *Analysis, k simt.Kernel, opt Options) *Order {
	t.Helper()
	o, err := a.NewOrder(k, opt)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
