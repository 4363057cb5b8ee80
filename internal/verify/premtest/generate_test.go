package premtest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// A seed gives one nest, and so do its recorded choices.
func TestGenerateIsDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		c := Seeded(seed)
		n := Generate(c)
		if again := Generate(Seeded(seed)); again.Source != n.Source {
			t.Fatalf("seed %d gives two nests:\n%s\n%s", seed, n.Source, again.Source)
		}
		if again := Generate(&Choices{replay: c.taken}); again.Source != n.Source {
			t.Fatalf("the choices of seed %d give another nest:\n%s\n%s", seed, n.Source, again.Source)
		}
	}
	if Generate(Seeded(1)).Source == Generate(Seeded(2)).Source {
		t.Error("two seeds give one nest")
	}
}

// Every nest is a program that the interpreter executes; in a few hundred of them
// every construct occurs.
func TestGenerateCoversTheLanguage(t *testing.T) {
	features := map[string]*regexp.Regexp{}
	for name, pattern := range map[string]string{
		"two SIMT loops":           `collapse\(2\)`,
		"three SIMT loops":         `collapse\(3\)`,
		"SIMT loop counts down":    `parallel for[^\n]*\n *for \((?:int|long) i\d+ = \S+; i\d+ >=? `,
		"loop counts down":         `for \((?:int|long) k\d+ = .*; k\d+ -= 1`,
		"stride":                   `\+= 2\) \{`,
		"stride down":              `-= 3\) \{`,
		"slanted lower bound":      `for \((?:int|long) k\d+ = i\d+`,
		"slanted upper bound":      `for \((?:int|long) k\d+ = .*; k\d+ <=? -?[ik]\d+`,
		"symbolic bound":           `; k\d+ <=? n\d+`,
		"symbolic extents":         `A\d+\[restrict m\d+\]`,
		"rank 3":                   `A\d+\[restrict [^\]]*\](\[[^\]]*\]){2}[,)]`,
		"negative coefficient":     `\[-[2 *]*i\d+`,
		"coefficient above 1":      `\[3 \* [ik]\d+`,
		"host loop":                `for \((?:int|long) t\b`,
		"host loop in subscript":   `\[-?[^\]]*\bt [-+] `,
		"row-major number":         `\[i\d+ \+ \d+ \* i\d+`,
		"indirect subscript":       `\[A\d+\[`,
		"remainder in subscript":   `\[\([^\]]*\) % \d`,
		"affine condition":         `if \(-?[ik]\d+ `,
		"condition on data":        `if \(A\d+`,
		"else":                     `else`,
		"conditional expression":   `\?`,
		"private scalar":           `(float|double|int) s\d+ = `,
		"update in place":          `A\d+\S.*[-+]= `,
		"loop over long":           `for \(long [ik]`,
		"file scope":               `^(float|double|int) A`,
		"mapped section":           `map\(tofrom: A`,
		"long":                     `(const |\()?long A`,
		"unsigned":                 `unsigned A`,
		"double":                   `double A`,
		"int":                      `int A`,
		"float":                    `float A`,
		"sum":                      `reduction\(\+`,
		"product":                  `reduction\(\*`,
		"maximum":                  `reduction\(max`,
		"result":                   `(?m)^(?:int|float|double) ` + Function + `\(`,
		"early return":             `if \(r\d+ .*\) return r`,
		"minimum":                  `reduction\(min`,
		"imperfect nest":           `\n {8}\S.*;\n {8}for`,
		"loop in a loop in a loop": `for \((?:int|long) k.*\n *for \((?:int|long) k.*\n *for \((?:int|long) k`,
	} {
		features[name] = regexp.MustCompile(pattern)
	}
	const nests = 300
	found := make(map[string]int)
	for seed := range uint64(nests) {
		n := Generate(Seeded(seed))
		p, err := cfront.Parse("nest.c", n.Source, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, n.Source)
		}
		if err := loopkit.Run(p, Function, n.Args(0)); err != nil && !strings.Contains(err.Error(), "overflow") {
			t.Fatalf("%v\n%s", err, n.Source)
		}
		for name, r := range features {
			if r.MatchString(n.Source) {
				found[name]++
			}
		}
	}
	for name := range features {
		if found[name] < nests/150 {
			t.Errorf("%s occurs in %d of %d nests", name, found[name], nests)
		}
	}
	t.Log(found)
}

// Shrinking keeps what is asked for and little else.
func TestShrink(t *testing.T) {
	wanted := func(c *Choices) bool { return strings.Contains(Generate(c).Source, "reduction(max") }
	seed := uint64(0)
	for !wanted(Seeded(seed)) {
		seed++
	}
	c := Seeded(seed)
	large := Generate(c).Source
	s := Shrink(c, 3000, wanted)
	small := Generate(s).Source
	if !strings.Contains(small, "reduction(max") || len(small) > len(large) || strings.Count(small, "\n") > 12 {
		t.Errorf("from\n%s\nstays\n%s", large, small)
	}
	if same := Shrink(s, 0, wanted); !slices.Equal(same.replay[:1], s.replay[:1]) || Generate(same).Source != small {
		t.Error("without attempts the choices change")
	}
}
