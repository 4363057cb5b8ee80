package multiphase

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// benchProgram is like a kernel's inner part: arithmetic with two sources over 32
// registers, now and then a load or a special function.
func benchProgram() ([]method.Op, []int32) {
	rng := rand.New(rand.NewPCG(1, 1))
	ops := make([]method.Op, 64)
	for i := range ops {
		op := method.Op{Unit: rng.IntN(2), InitCycles: 2, LatencyCycles: 4}
		switch i % 8 {
		case 6:
			op.Unit, op.InitCycles, op.LatencyCycles = 2, 4, 200
		case 7:
			op.Unit, op.InitCycles, op.LatencyCycles = 3, 8, 20
		}
		op.Reads = []int32{int32(rng.IntN(32)), int32(rng.IntN(32))}
		op.Writes = []int32{int32(rng.IntN(32))}
		ops[i] = op
	}
	run := make([]int32, 1<<14)
	for i := range run {
		run[i] = int32(rng.IntN(len(ops)))
	}
	return ops, run
}

func benchMachine(b *testing.B, logging bool, build func(*lowered) machine) {
	ops, run := benchProgram()
	p := newLowerer(ops).lower(seq.Must(seq.Run(run...)), 4)
	m := build(p)
	m.log().on = logging
	insts := p.body.items[0].insts
	b.ReportAllocs()
	for b.Loop() {
		m.log().branch, m.log().margin = m.log().branch[:0], m.log().margin[:0]
		m.run(insts)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(insts)), "ns/inst")
}

func BenchmarkIsolated(b *testing.B) {
	benchMachine(b, false, func(p *lowered) machine { return newIsoMachine(p, isoQueued) })
}

func BenchmarkIsolatedLogging(b *testing.B) {
	benchMachine(b, true, func(p *lowered) machine { return newIsoMachine(p, isoQueued) })
}

func BenchmarkBurst(b *testing.B) {
	benchMachine(b, false, func(p *lowered) machine { return newWalkMachine(p, 15, nil) })
}

func BenchmarkWalkWithRefunds(b *testing.B) {
	benchMachine(b, false, func(p *lowered) machine {
		return newWalkMachine(p, 15, &refunds{leastLambda: []int64{6, 6, 204, 28}})
	})
}

func BenchmarkPaths4Units(b *testing.B) {
	benchMachine(b, false, func(p *lowered) machine {
		g := newGroups(15, 6)
		return newPathMachine(p, &g)
	})
}

func BenchmarkLower(b *testing.B) {
	ops, run := benchProgram()
	s := seq.Must(seq.Run(run...))
	l := newLowerer(ops)
	b.ReportAllocs()
	for b.Loop() {
		l.lower(s, 4)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(run)), "ns/inst")
}

// BenchmarkTrillion analyses 10^12 iterations of a loop of 64 instructions inside
// a loop of 1000, by all methods, for 32 warps.
func BenchmarkTrillion(b *testing.B) {
	ops, run := benchProgram()
	inner := seq.Must(seq.Run(run[:64]...))
	s := seq.Must(seq.Run(run[100:140]...), seq.Repeat(1000, seq.Must(seq.Repeat(1_000_000_000, inner), seq.Run(run[200:230]...))))
	p := &method.Stream{Ops: ops, Sections: []*seq.Seq{s}}
	for b.Loop() {
		a, err := NewAnalyzer(unbounded(4), Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := a.Block(context.Background(), &method.Block{Classes: []method.WarpClass{{Stream: p, Count: 32}}}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestNoAllocation: the machines do not allocate while they run.
func TestNoAllocation(t *testing.T) {
	ops, run := benchProgram()
	p := newLowerer(ops).lower(seq.Must(seq.Run(run[:512]...)), 4)
	g := newGroups(15, 6)
	for name, m := range map[string]machine{
		"isolated": newIsoMachine(p, isoQueued),
		"walk":     newWalkMachine(p, 15, &refunds{leastLambda: []int64{6, 6, 204, 28}}),
		"paths":    newPathMachine(p, &g),
	} {
		if n := testing.AllocsPerRun(10, func() { m.run(p.body.items[0].insts) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// BenchmarkWays times the evaluator of sets of paths: a straight run, and branches of
// 16 instructions a side that lanes take alike, or that may part them.
func BenchmarkWays(b *testing.B) {
	ops, run := benchProgram()
	m := newMaker()
	sides := func(join func(...*choice.Expr) (*choice.Expr, error)) *choice.Expr {
		var parts []*choice.Expr
		for at := 0; at+32 <= len(run); at += 32 {
			parts = append(parts, m.must(join(m.run(run[at:at+16]...), m.run(run[at+16:at+32]...))))
		}
		return m.must(m.Concat(parts...))
	}
	for _, c := range []struct {
		name string
		e    *choice.Expr
	}{
		{"run", m.run(run...)},
		{"one", sides(m.One)},
		{"any", sides(m.Any)},
		{"loop", m.must(m.AtMost(1_000_000_000, m.must(m.One(m.run(run[:64]...), m.run(run[64:128]...)))))},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				a := newTestAnalyzer(b, unbounded(4))
				if _, err := alone(a, ops, nil, c.e, isoQueued); err != nil {
					b.Fatal(err)
				}
			}
			if c.name != "loop" {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(run)), "ns/inst")
			}
		})
	}
}
