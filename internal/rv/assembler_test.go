package rv

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// asmBase is the address asm.s was linked to.
const asmBase = 0x80000000

type asmRow struct {
	pc, word     uint32
	text, pseudo string
}

// readAsm reads the words and texts that the GNU and LLVM tools gave.
func readAsm(t testing.TB) []asmRow {
	f, err := os.Open("testdata/asm.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []asmRow
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		fields := strings.Split(s.Text(), "|")
		word, err := strconv.ParseUint(fields[0], 16, 32)
		if err != nil || len(fields) < 2 {
			t.Fatalf("asm.txt: %q: %v", s.Text(), err)
		}
		r := asmRow{pc: asmBase + 4*uint32(len(rows)), word: uint32(word), text: fields[1], pseudo: fields[1]}
		if len(fields) == 3 {
			r.pseudo = fields[2]
		}
		rows = append(rows, r)
	}
	return rows
}

// TestAssembler compares with words and texts of independent assemblers and
// disassemblers; every operation occurs.
func TestAssembler(t *testing.T) {
	rows := readAsm(t)
	seen := map[Op]int{}
	for _, r := range rows {
		i, err := Decode(r.word)
		if err != nil {
			t.Errorf("%s: %v", r.text, err)
			continue
		}
		seen[i.Op]++
		if got := Disassemble(r.word, r.pc); got != r.text {
			t.Errorf("%#08x at %#x disassembles to %q, the GNU tools say %q", r.word, r.pc, got, r.text)
		}
		if got := i.Pseudo(r.pc); got != r.pseudo {
			t.Errorf("%#08x at %#x prints as %q, the GNU tools say %q", r.word, r.pc, got, r.pseudo)
		}
		if got, err := Encode(i); err != nil || got != r.word {
			t.Errorf("%s encodes to %#08x, %v; the assemblers say %#08x", r.text, got, err, r.word)
		}
	}
	for _, op := range Ops() {
		if seen[op] == 0 {
			t.Errorf("no row has %s", op)
		}
	}
	if len(rows) < 800 {
		t.Errorf("%d rows", len(rows))
	}
}
