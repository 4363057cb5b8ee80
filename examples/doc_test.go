package examples_test

import (
	"encoding/binary"
	"fmt"

	"github.com/warpbound/warpbound/examples"
)

// A launch of vecadd on three elements, whose last sum went wrong.
func ExampleExample_Check() {
	f32 := func(v ...float32) examples.Arg {
		data, _ := binary.Append(nil, binary.LittleEndian, v)
		return examples.Arg{Type: "f32", Data: data}
	}
	before := examples.Buffers{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: map[string]examples.Arg{
		"a": f32(1, 2, 3), "b": f32(10, 20, 30), "c": f32(0, 0, 0), "n": {Type: "s32", Data: []byte{3, 0, 0, 0}},
	}}
	after := examples.Buffers{Grid: before.Grid, Block: before.Block, Args: map[string]examples.Arg{
		"a": before.Args["a"], "b": before.Args["b"], "c": f32(11, 22, 30), "n": before.Args["n"],
	}}
	for _, e := range examples.All() {
		if e.Launch == "basic/vecadd/vecadd-1warp.toml" {
			fmt.Println(e.Check(before, after))
		}
	}
	// Output: basic/vecadd/vecadd-1warp.toml: c[2] = 30, want 33
}
