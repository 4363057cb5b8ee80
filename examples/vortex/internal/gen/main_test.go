package main

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const file = "../../kernels/vecadd/vecadd.elf"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := check("k.elf", data); err != nil {
		t.Error(err)
	}
	if err := check("k.elf", data[:100]); err == nil || !strings.Contains(err.Error(), "k.elf") {
		t.Errorf("half a file gives error %v", err)
	}
	// The wspawn is the fourth instruction of the start code.
	at := strings.Index(string(data), "\x0b\x90\x62\x00")
	if at < 0 {
		t.Fatalf("%s has no wspawn t0, t1", file)
	}
	for word, want := range map[uint32]string{
		0x0002b00b: "1 splits and 2 joins", // vx_join t0
		0x0000700f: "0x8000000c: .word 0x0000700f: no instruction",
	} {
		binary.LittleEndian.PutUint32(data[at:], word)
		if err := check("k.elf", data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with %08x for the wspawn: error %v, want one with %q", word, err, want)
		}
	}
}
