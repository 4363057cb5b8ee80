package ptxexec

import (
	"slices"
	"testing"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// Timing sees that a wait depends on every copy, and on nothing else of them.
func TestWaitsDependOnCopies(t *testing.T) {
	f, err := ptx.Parse("copies.ptx", []byte(`.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<3>;
	.shared .align 16 .b8 tile[64];
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, tile;
	cp.async.ca.shared.global [%r1], [%rd1], 4;
	cp.async.cg.shared.global [%r1+16], [%rd1+16], 16;
	cp.async.commit_group;
	cp.async.wait_group 0;
	ld.shared.u32 %r2, [%r1];
	cp.async.wait_all;
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Lower(f, "k")
	if err != nil {
		t.Fatal(err)
	}
	var copies []isa.Reg
	for _, in := range p.ISA().Instructions {
		if in.Kind == isa.AsyncCopy {
			copies = append(copies, in.Writes...)
		}
	}
	if len(copies) != 2 || copies[0] == copies[1] {
		t.Fatalf("the copies write %v, want a register each", copies)
	}
	waits := 0
	for _, in := range p.ISA().Instructions {
		reads := slices.Contains(in.Reads, copies[0]) || slices.Contains(in.Reads, copies[1])
		wait := in.Opcode == "cp.async.wait_group" || in.Opcode == "cp.async.wait_all"
		if wait {
			waits++
		}
		if reads != wait || wait && !slices.Contains(in.Reads, copies[1]) {
			t.Errorf("%s reads %v", in.Opcode, in.Reads)
		}
	}
	if waits != 2 {
		t.Errorf("%d waits found", waits)
	}
	if err := p.ISA().Check(); err != nil {
		t.Error(err)
	}
}
