package ptxexec

import (
	"testing"
)

func saxpy(t testing.TB, n, grid, block int) *Kernel {
	x := floats(n, func(i int) float32 { return float32(i) / 8 })
	y := floats(n, func(i int) float32 { return float32(2 * i) })
	return launch(t, lower(t, read(t, "testdata/saxpy.ptx"), "saxpy"), LaunchConfig{
		Grid: [3]int{grid, 1, 1}, Block: [3]int{block, 1, 1},
		Args: []Arg{{Name: "x", Buffer: buffer(f32bytes(x...))}, {Name: "y", Buffer: buffer(f32bytes(y...))}, {Bytes: f32bytes(3)}, {Bytes: u32bytes(uint32(n))}},
	})
}

func TestSaxpy(t *testing.T) {
	for _, shape := range [][3]int{{1000, 4, 128}, {1000, 2, 96}, {7, 1, 40}, {1, 1, 1}} {
		k := saxpy(t, shape[0], shape[1], shape[2])
		run(t, k)
		for i, got := range f32s(k.Buffer("y")) {
			if want := 3*float32(i)/8 + float32(2*i); got != want {
				t.Fatalf("shape %v: y[%d] = %v, want %v", shape, i, got, want)
			}
		}
	}
}

func sgemm(t testing.TB, n int) (*Kernel, []float32, []float32) {
	a := floats(n*n, func(i int) float32 { return float32(i%13) - 5 })
	b := floats(n*n, func(i int) float32 { return float32(i%7) / 4 })
	return launch(t, lower(t, read(t, "testdata/sgemm.ptx"), "sgemm"), LaunchConfig{
		Grid: [3]int{n / 16, n / 16, 1}, Block: [3]int{16, 16, 1},
		Args: []Arg{{Name: "a", Buffer: buffer(f32bytes(a...))}, {Name: "b", Buffer: buffer(f32bytes(b...))}, {Name: "c", Buffer: buffer(make([]byte, 4*n*n))}, {Bytes: u32bytes(uint32(n))}},
	}), a, b
}

func TestTiledSgemm(t *testing.T) {
	const n = 48
	k, a, b := sgemm(t, n)
	run(t, k)
	c := f32s(k.Buffer("c"))
	for i := range n {
		for j := range n {
			var want float32 // exact: the values are small multiples of a quarter
			for l := range n {
				want += a[i*n+l] * b[l*n+j]
			}
			if c[i*n+j] != want {
				t.Fatalf("c[%d][%d] = %v, want %v", i, j, c[i*n+j], want)
			}
		}
	}
}

func TestReduceInDynamicSharedMemory(t *testing.T) {
	const n = 1000
	var in []uint32
	for i := range uint32(n) {
		in = append(in, i*i)
	}
	k := launch(t, lower(t, read(t, "testdata/reduce.ptx"), "reduce"), LaunchConfig{
		Grid: [3]int{8, 1, 1}, Block: [3]int{128, 1, 1}, DynamicSharedBytes: 512,
		Args: []Arg{{Name: "in", Buffer: buffer(u32bytes(in...))}, {Name: "out", Buffer: buffer(make([]byte, 32))}, {Bytes: u32bytes(n)}},
	})
	run(t, k)
	for b, got := range u32s(k.Buffer("out")) {
		var want uint32
		for i := b * 128; i < min(n, (b+1)*128); i++ {
			want += in[i]
		}
		if got != want {
			t.Errorf("sum of block %d is %d, want %d", b, got, want)
		}
	}
}
