package gpu

import (
	"fmt"
	"strconv"
	"strings"
)

// FrontAlgorithm orders the warps that a stage may select.
type FrontAlgorithm uint8

// The algorithms (Crouzet2024, Section II-B).
const (
	RoundRobin  FrontAlgorithm = iota // in a fixed order, by slot
	OldestFirst                       // in the order of activation
	ICount                            // fewest instructions fetched and not issued
)

// FrontCategory says what becomes of a selected warp that is not ready, and how
// long one that is stays selected.
type FrontCategory uint8

// The categories (Crouzet2024, Section II-B).
const (
	Loose        FrontCategory = iota // warps that are not ready are passed over
	Strict                            // the stage idles for a selected warp that is not ready
	Greedy                            // the warp selected last while it is ready, then loosely
	GreedyStrict                      // the warp selected last while it is ready, then strictly
	Adaptive                          // greedy while a warp is not too far ahead, then loosely
)

// FrontPolicy is how the fetch or the issue stage of a front end selects a warp.
type FrontPolicy struct {
	Algorithm FrontAlgorithm
	Category  FrontCategory
	// Lead is, for Adaptive, by how many instructions a selected warp may be
	// ahead of the active warp that issued fewest.
	Lead int64
}

var frontPolicies = []struct {
	name   string
	policy FrontPolicy
}{
	{"lrr", FrontPolicy{Algorithm: RoundRobin, Category: Loose}},
	{"lo", FrontPolicy{Algorithm: OldestFirst, Category: Loose}},
	{"licount", FrontPolicy{Algorithm: ICount, Category: Loose}},
	{"srr", FrontPolicy{Algorithm: RoundRobin, Category: Strict}},
	{"so", FrontPolicy{Algorithm: OldestFirst, Category: Strict}},
	{"sicount", FrontPolicy{Algorithm: ICount, Category: Strict}},
	{"gtlrr", FrontPolicy{Algorithm: RoundRobin, Category: Greedy}},
	{"gtlo", FrontPolicy{Algorithm: OldestFirst, Category: Greedy}},
	{"gtlicount", FrontPolicy{Algorithm: ICount, Category: Greedy}},
	{"gsrr", FrontPolicy{Algorithm: RoundRobin, Category: GreedyStrict}},
	{"atlrr", FrontPolicy{Algorithm: RoundRobin, Category: Adaptive}},
	{"atlo", FrontPolicy{Algorithm: OldestFirst, Category: Adaptive}},
}

// FrontPolicyNames lists the policies; those that begin with "at" take an
// argument.
func FrontPolicyNames() []string {
	names := make([]string, len(frontPolicies))
	for i := range frontPolicies {
		names[i] = frontPolicies[i].name
	}
	return names
}

// ParseFrontPolicy reads "lrr", "GTLO" or "atlrr:16", in either case.
func ParseFrontPolicy(s string) (FrontPolicy, error) {
	name, arg, hasArg := strings.Cut(strings.ToLower(s), ":")
	for _, f := range frontPolicies {
		if f.name != name {
			continue
		}
		p := f.policy
		if hasArg != (p.Category == Adaptive) {
			if hasArg {
				return p, fmt.Errorf("policy %s takes no argument", name)
			}
			return p, fmt.Errorf("policy %s, expected how many instructions a warp may be ahead, as in %s:16", name, name)
		}
		if hasArg {
			n, err := strconv.ParseInt(arg, 10, 64)
			if err != nil || n < 0 {
				return p, fmt.Errorf("policy %s of %q instructions, expected a number from 0", name, arg)
			}
			p.Lead = n
		}
		return p, nil
	}
	return FrontPolicy{}, fmt.Errorf("policy %q, expected one of %s", s, strings.Join(FrontPolicyNames(), ", "))
}

// String prints what ParseFrontPolicy reads, in lower case.
func (p FrontPolicy) String() string {
	for _, f := range frontPolicies {
		if f.policy.Algorithm == p.Algorithm && f.policy.Category == p.Category {
			if p.Category == Adaptive {
				return fmt.Sprintf("%s:%d", f.name, p.Lead)
			}
			return f.name
		}
	}
	return fmt.Sprintf("policy(%d,%d)", p.Algorithm, p.Category)
}
