// Overlay writes an overlay for the go command in which all faults of package fault are
// planted (package patches says how). It is run in the root of the module:
//
//	go run ./internal/verify/fault/overlay -o build/_faults/overlay.json
//
// The files of the overlay are written next to the one named.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/warpbound/warpbound/internal/verify/fault/patches"
)

func main() {
	out := flag.String("o", "", "the `file` to write, in a folder of its own")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := patches.WriteOverlay(".", *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
