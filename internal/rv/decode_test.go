package rv

import (
	"errors"
	"strings"
	"testing"
)

// TestTableIsUnambiguous: no word can be two instructions, and no row asks for
// bits its mask leaves out.
func TestTableIsUnambiguous(t *testing.T) {
	for _, a := range Ops() {
		am, av := a.Encoding()
		if av&^am != 0 {
			t.Errorf("%s: match %#x outside mask %#x", a, av, am)
		}
		if av&3 != 3 {
			t.Errorf("%s: match %#x is not a 32-bit encoding", a, av)
		}
		for _, b := range Ops() {
			bm, bv := b.Encoding()
			if a < b && (av^bv)&am&bm == 0 {
				t.Errorf("%s and %s share words", a, b)
			}
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct {
		word uint32
		want string
	}{
		{0x00000000, "illegal instruction by definition"},
		{0xffffffff, "illegal instruction by definition"},
		{0x00008082, "compressed"},
		{0x02051513, "reserved encoding"},             // slli a0, a0, 32
		{0x42055513, "reserved encoding"},             // srai a0, a0, 32
		{0x00053503, "reserved encoding"},             // ld a0, 0(a0)
		{0x00a5302f, "atomic"},                        // amoadd.d
		{0x100522af, "atomic"},                        // lr.w t0, (a0)
		{0x0005051b, "64-bit"},                        // sext.w a0, a0
		{0x00053507, "not 32 bits wide"},              // fld fa0, 0(a0)
		{0x02b50553, "other than single"},             // fadd.d fa0, fa0, fa1
		{0x02b50543, "other than single"},             // fmadd.d
		{0x20b53553, "reserved floating-point"},       // fsgnj.s with funct3 3
		{0x58150553, "reserved floating-point"},       // fsqrt.s with rs2 1
		{0xc0250553, "reserved floating-point"},       // fcvt.l.s
		{0x30200073, "privileged"},                    // mret
		{0x10500073, "privileged"},                    // wfi
		{0x00054073, "privileged"},                    // SYSTEM funct3 4
		{0x0205655b, "unknown opcode"},                // custom-2
		{0x0005600b, "reserved SIMT encoding"},        // funct3 6
		{0x0200000b, "reserved SIMT encoding"},        // funct7 1
		{0x0000008b, "a field that must be 0 is not"}, // vx_tmc with rd ra
		{0x0020200b, "a field that must be 0 is not"}, // vx_split with rs2 field 2
		{0x0000510b, "a field that must be 0 is not"}, // vx_pred with rd field 2
	} {
		i, err := Decode(c.word)
		var de *DecodeError
		if !errors.As(err, &de) || de.Word != c.word || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Decode(%#08x) = %v, %v; want an error with %q", c.word, i, err, c.want)
		}
		if i != (Inst{Raw: c.word}) {
			t.Errorf("Decode(%#08x) = %+v beside its error", c.word, i)
		}
	}
}

func TestDecodeSIMT(t *testing.T) {
	for _, c := range []struct {
		word uint32
		want Inst
	}{
		{0x0005000b, Inst{Op: Tmc, Rs1: 10}},
		{0x00b5100b, Inst{Op: Wspawn, Rs1: 10, Rs2: 11}},
		{0x0005228b, Inst{Op: Split, Rd: 5, Rs1: 10}},
		{0x0015228b, Inst{Op: Split, Rd: 5, Rs1: 10, Neg: true}},
		{0x0002b00b, Inst{Op: Join, Rs1: 5}},
		{0x00b5400b, Inst{Op: Bar, Rs1: 10, Rs2: 11}},
		{0x00b5500b, Inst{Op: Pred, Rs1: 10, Rs2: 11}},
		{0x00b5508b, Inst{Op: Pred, Rs1: 10, Rs2: 11, Neg: true}},
	} {
		c.want.Raw = c.word
		if got, err := Decode(c.word); err != nil || got != c.want {
			t.Errorf("Decode(%#08x) = %+v, %v; want %+v", c.word, got, err, c.want)
		}
	}
}
