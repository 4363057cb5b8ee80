package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/testkit/ptxas"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/internal/verify/premtest"
	"github.com/warpbound/warpbound/ptx"
)

// The PTX of random nests, with the guard and without, is legal to NVIDIA's assembler.
func TestRandomNestsAssemble(t *testing.T) {
	a := ptxas.Need(t)
	var modules modules
	assembled, first := settings.Cases(t, 12), settings.Seed(t, 0)
	for seed := first; seed < first+assembled; seed++ {
		nest := premtest.Generate(premtest.Seeded(uint64(seed)))
		p, err := cfront.Parse("nest.c", nest.Source, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, nest.Source)
		}
		for i, s := range schemes {
			opt := Options{Scheme: s, Tile: tile.Options{SPMBytes: []int64{48 << 10, 2 << 10}[seed%2]}, PTX: ptxgen.Options{Unroll: seed / 2 % 4, Guard: (seed+i)%2 == 0}}
			m, err := Compile(p, premtest.Function, opt)
			if err != nil {
				continue // dependent, or too large for the scratchpad: TestRandomNests says how often
			}
			modules.add(m.PTX, "seed %d, %s", seed, s)
		}
	}
	modules.assemble(t, a)
	if len(modules.texts) < assembled {
		t.Errorf("only %d modules of %d nests", len(modules.texts), assembled)
	}
	t.Logf("%d modules of %d nests", len(modules.texts), assembled)
}

// convertingSource converts between all pairs of types that C programs have.
func convertingSource() string {
	types := []string{"int", "unsigned int", "long", "unsigned long", "float", "double"}
	var params, body strings.Builder
	for i, t := range types {
		fmt.Fprintf(&params, ", %s x%d[restrict 64], %s y%d[restrict 64][%d]", t, i, t, i, len(types))
	}
	for i, t := range types {
		fmt.Fprintf(&body, "\t\t%s s%d = x%d[i];\n", t, i, i)
	}
	for i, t := range types {
		for j := range types {
			fmt.Fprintf(&body, "\t\ty%d[i][%d] = (%s)s%d;\n", i, j, t, j)
		}
	}
	return "void convert(" + params.String()[2:] + ")\n{\n\t#pragma omp target teams distribute parallel for\n\tfor (int i = 0; i < 64; i++) {\n" + body.String() + "\t}\n}\n"
}

// So is that of conversions between all types, to NVIDIA's assembler and to ours,
// which once took int to long rounded.
func TestConversionsAssemble(t *testing.T) {
	p, err := cfront.Parse("convert.c", convertingSource(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Compile(p, "convert", Options{Tile: tile.Options{SPMBytes: 1 << 16}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := ptx.Parse("convert.ptx", []byte(m.PTX))
	if err != nil {
		t.Fatal(err)
	}
	if err := ptx.Check(f); err != nil {
		t.Error(err)
	}
	if n := strings.Count(m.PTX, "cvt."); n < 20 {
		t.Errorf("%d conversions in\n%s", n, m.PTX)
	}
	var one modules
	one.add(m.PTX, "conversions")
	one.assemble(t, ptxas.Need(t))
}

// The PTX of the example programs is.
func TestExamplesAssemble(t *testing.T) {
	a := ptxas.Need(t)
	var modules modules
	for i, e := range prem.All() {
		s := schemes[i%len(schemes)]
		m, err := Compile(parsed(t, e), e.Function(), Options{Scheme: s, Tile: tile.Options{SPMBytes: 6 << 10}, PTX: ptxgen.Options{Guard: i%2 == 0}})
		if err != nil {
			t.Errorf("%s %s: %v", e.Name, s, err)
			continue
		}
		modules.add(m.PTX, "%s %s", e.Name, s)
	}
	modules.assemble(t, a)
}

// modules are PTX texts that have to be legal, and what messages call them.
type modules struct{ names, texts []string }

func (m *modules) add(text, format string, args ...any) {
	m.names, m.texts = append(m.names, fmt.Sprintf(format, args...)), append(m.texts, text)
}

// assemble asks NVIDIA's assembler about them.
func (m *modules) assemble(t *testing.T, a *ptxas.Assembler) {
	t.Helper()
	all, err := a.CheckAll("sm_70", m.texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, complaints := range all {
		if len(complaints) > 0 {
			t.Errorf("%s: %d complaints, the first: %+v\n%s", m.names[i], len(complaints), complaints[0], m.texts[i])
		}
	}
}
