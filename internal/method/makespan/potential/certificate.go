package potential

import (
	"fmt"
	"math"
	"math/big"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// Unreachable is the offset of an abstract state that no schedule reaches.
const Unreachable = math.MinInt64

// magnitude bounds the numbers of a certificate, which keeps Check within int64: it
// adds up some dozens of their products with counts up to maxCap. Potentials of many
// warps are larger; see fits.
const magnitude = 1 << 40

// Certificate is a potential that every cycle lowers by at least Scale. A state
// with c_i warps waiting for instruction i, the first of them for p, has the
// potential Σ_i Weights[p][i]·c_i + Offsets[n], where n = Σ_i min(c_i, Caps[i])·s_i
// with s_0 = 1 and s_{i+1} = s_i·(Caps[i]+1).
type Certificate struct {
	// Kinds is the kind of each instruction, Capacities the σ of each kind.
	Kinds      []int   `json:"kinds"`
	Capacities []int64 `json:"capacities"`
	// Caps are the counts from which on states are not told apart, each at least the
	// capacity of the instruction's kind.
	Caps []int64 `json:"caps"`
	// Scale is how many units of the potential are one cycle.
	Scale int64 `json:"scale"`
	// Weights[p][i] is the potential of a warp waiting for instruction i ≥ p.
	Weights [][]int64 `json:"weights"`
	// Offsets are by abstract state; Unreachable where there is none.
	Offsets []int64 `json:"offsets"`
}

// Cycles bounds the makespan of the instance, which is the string that the
// certificate is for with any number of warps. The certificate has passed Check,
// as all certificates of Derive have. The bound is the smaller of the
// certificate's bound and the closed one (Instance.Safe); byCertificate says
// whether the former is the smaller. It fails where both leave int64.
func (c *Certificate) Cycles(in *makespan.Instance) (cycles int64, byCertificate bool, err error) {
	if err := matches(in, c.Kinds, c.Capacities); err != nil {
		return 0, false, err
	}
	safe, err := in.Safe()
	if b := c.bound(in.Warps); b.IsInt64() && (err != nil || b.Int64() < safe) {
		return b.Int64(), true, nil
	}
	return safe, false, err
}

// bound is the potential of the start over Scale. Fewer warps than the first cap
// are bounded as if there were as many as the cap: more warps never have a
// shorter makespan.
func (c *Certificate) bound(warps int64) *big.Int {
	return c.Line().at(max(warps, c.Caps[0]))
}

// fits says whether potentials of states of that many warps, with the cycles before
// them, stay within int64 in any order of addition: the largest weight for each warp,
// the largest offset and Scale for each cycle together.
func (c *Certificate) fits(warps, cycles int64) bool {
	weight, offset := int64(0), int64(0)
	for _, row := range c.Weights {
		for _, w := range row {
			weight = max(weight, w, -w)
		}
	}
	for _, o := range c.Offsets {
		if o != Unreachable {
			offset = max(offset, o, -o)
		}
	}
	sum := product(weight, warps)
	sum.Add(sum, product(c.Scale, cycles))
	return sum.Add(sum, big.NewInt(offset)).IsInt64()
}

// tooLarge is the error where the potentials do not fit.
func (c *Certificate) tooLarge(warps int64) error {
	return &makespan.LimitError{What: "states", Detail: fmt.Sprintf("the potentials of %d warps leave 64 bits", warps)}
}

// matches says whether kinds and capacities are the instance's.
func matches(in *makespan.Instance, kinds []int, capacities []int64) error {
	same := len(in.Code) == len(kinds) && len(in.Kinds) == len(capacities)
	for i := 0; same && i < len(in.Code); i++ {
		same = int(in.Code[i]) == kinds[i]
	}
	for k := 0; same && k < len(in.Kinds); k++ {
		same = in.Kinds[k].Capacity == capacities[k]
	}
	if !same {
		return fmt.Errorf("the certificate is for another string or other capacities than %s", in.Source)
	}
	return nil
}

// String is one line: the bound, and how large the certificate is.
func (c *Certificate) String() string {
	states := 0
	for _, o := range c.Offsets {
		if o != Unreachable {
			states++
		}
	}
	return fmt.Sprintf("%v, by %d abstract states", c.Line(), states)
}
