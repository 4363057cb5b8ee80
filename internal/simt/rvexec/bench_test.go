package rvexec

import (
	"context"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// benchmark runs a program again and again and reports warp instructions a
// second.
func benchmark(b *testing.B, l LaunchConfig, text string) {
	k := kernel(b, l, text)
	b.ReportAllocs()
	var n int64
	for b.Loop() {
		done, err := simt.Run(context.Background(), k, simt.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		n += done
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mwarp-instr/s")
}

// loop is a program of one warp of 32 threads (or as many as active says) that
// executes body 20,000 times. x5 counts, x6 is the thread's number, x7 an
// address of its own.
func loop(active uint32, body string) string {
	return fmt.Sprintf(`
		li x5, %d
		vx_tmc x5
		li x5, 20000
		csrrs x6, mhartid, x0
		slli x7, x6, 2
		li x8, 0x90000000
		add x7, x7, x8
		li x9, 0x3f800000
		fmv.w.x f1, x9
		fcvt.s.w f2, x6
	L:	%s
		addi x5, x5, -1
		bne x5, x0, L
		ecall`, active, body)
}

const integerBody = `
	add x10, x10, x6
	slli x11, x10, 3
	xor x12, x11, x10
	and x13, x12, x6
	sub x10, x12, x13
	mul x14, x10, x6
	sltu x15, x14, x10
	or x16, x15, x14
`

func BenchmarkInteger(b *testing.B) { benchmark(b, one(32), loop(1<<32-1, integerBody)) }

// BenchmarkIntegerPartial has half of the lanes active.
func BenchmarkIntegerPartial(b *testing.B) { benchmark(b, one(32), loop(0x55555555, integerBody)) }

// BenchmarkIntegerSingle has one lane active.
func BenchmarkIntegerSingle(b *testing.B) { benchmark(b, one(32), loop(1, integerBody)) }

func BenchmarkMemory(b *testing.B) {
	benchmark(b, one(32), loop(1<<32-1, `
		lw x10, 0(x7)
		add x10, x10, x6
		sw x10, 0(x7)
		lbu x11, 128(x7)
		add x10, x10, x11
		sb x10, 128(x7)
	`))
}

// BenchmarkLocal is BenchmarkMemory in local memory.
func BenchmarkLocal(b *testing.B) {
	benchmark(b, one(32), loop(1<<32-1, `
		lui x8, -0x10000
		slli x7, x6, 2
		add x7, x7, x8
		lw x10, 0(x7)
		add x10, x10, x6
		sw x10, 0(x7)
	`))
}

// BenchmarkFewThreads has warps of four threads.
func BenchmarkFewThreads(b *testing.B) { benchmark(b, one(4), loop(15, integerBody)) }

func BenchmarkFloat(b *testing.B) {
	benchmark(b, one(32), loop(1<<32-1, `
		fadd.s f3, f1, f2
		fmul.s f4, f3, f1
		fmadd.s f5, f4, f2, f3
		fdiv.s f6, f5, f1
		fsub.s f7, f6, f4
	`))
}

func BenchmarkSplit(b *testing.B) {
	benchmark(b, one(32), loop(1<<32-1, `
		vx_split x10, x6
		vx_join x10
	`))
}
