package cache

import (
	"fmt"
	"testing"
)

// tiled is the sequence of a tiled matrix product's warps in lock step: a block of
// lines used again and again, two streams, and a store now and then.
func tiled(n int) ([]uint64, []Kind) {
	addrs, kinds := make([]uint64, n), make([]Kind, n)
	for i := range addrs {
		switch i % 8 {
		case 7:
			addrs[i], kinds[i] = 1<<24|uint64(i/64)*128, Store
		case 0, 1, 2:
			addrs[i] = 1<<22 | uint64(i)*16
		default:
			addrs[i] = uint64(i*7919%96)*128 + uint64(i/4096)*4096
		}
	}
	return addrs, kinds
}

// scattered is a sequence without locality over twice 128 KB.
func scattered(n int) ([]uint64, []Kind) {
	addrs, kinds := make([]uint64, n), make([]Kind, n)
	seed := uint64(1)
	for i := range addrs {
		seed = seed*6364136223846793005 + 1442695040888963407
		addrs[i] = seed >> 33 % 2048 * 128
		if seed>>60 == 0 {
			kinds[i] = Store
		}
	}
	return addrs, kinds
}

const benchLength = 1 << 18

func benchConfigs() (names []string, configs []Config) {
	for _, kb := range []int{16, 32, 64} {
		for _, ways := range []int{4, 8, 16} {
			names = append(names, fmt.Sprintf("%dKB-%dways", kb, ways))
			configs = append(configs, Config{Sets: kb << 10 / 128 / ways, Ways: ways, LineBytes: 128, SectorBytes: 128, WriteEvict: true})
		}
	}
	fifo, plru := configs[2], configs[2]
	fifo.Replacement, plru.Replacement = FIFO, PLRU
	wide := rtx3070
	wide.Replacement = PLRU
	return append(names, "gtx480", "rtx3070", "fifo-16KB-16ways", "plru-16KB-16ways", "plru-rtx3070"),
		append(configs, gtx480, rtx3070, fifo, plru, wide)
}

func BenchmarkAccess(b *testing.B) {
	for _, seq := range []struct {
		name string
		make func(int) ([]uint64, []Kind)
	}{{"tiled", tiled}, {"scattered", scattered}} {
		addrs, kinds := seq.make(benchLength)
		names, configs := benchConfigs()
		for i, c := range configs {
			b.Run(seq.name+"/"+names[i], func(b *testing.B) {
				m, err := New(c)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				var n Counts
				for b.Loop() {
					for i, a := range addrs {
						n.Add(kinds[i], m.Access(a, kinds[i]))
					}
				}
				t := n.Both()
				b.ReportMetric(float64(t.Accesses)/b.Elapsed().Seconds()/1e6, "Maccess/s")
				b.ReportMetric(100*float64(t.Misses())/float64(t.Accesses), "miss%")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
