package schedule

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Share says how the memory is shared: the GPU holds it for Mem parts of the time
// and the CPU for Comp parts, so that p_mem = Mem/(Mem+Comp). Both are positive:
// a side that never holds memory cannot be scheduled by equation 2.
type Share struct {
	Mem, Comp int64
}

// NewShare returns mem:comp in lowest terms.
func NewShare(mem, comp int64) (Share, error) {
	s := Share{mem, comp}
	if err := s.check("share"); err != nil {
		return Share{}, err
	}
	g := gcd(mem, comp)
	return Share{mem / g, comp / g}, nil
}

func (s Share) check(field string) error {
	for _, p := range [2]struct {
		name  string
		value int64
	}{{"mem", s.Mem}, {"comp", s.Comp}} {
		if p.value <= 0 {
			return &InputError{field + "." + p.name, fmt.Sprintf("is %d, expected a positive number of parts", p.value)}
		}
	}
	if s.Mem > math.MaxInt64-s.Comp {
		return overflow(field + " mem+comp")
	}
	return nil
}

// Cmp compares the p_mem of two valid shares: -1, 0 or 1.
func (s Share) Cmp(o Share) int { return compareProducts(s.Mem, o.Comp, o.Mem, s.Comp) }

// PMem is Mem/(Mem+Comp) of a valid share.
func (s Share) PMem() Ratio { return newRatio(Time(s.Mem), Time(s.Mem+s.Comp)) }

// String gives Mem:Comp.
func (s Share) String() string {
	return strconv.FormatInt(s.Mem, 10) + ":" + strconv.FormatInt(s.Comp, 10)
}

// ParseShare reads a share, exactly:
//
//	3:7        parts of the GPU and of the CPU
//	3/10       p_mem
//	30%        p_mem, with up to six decimals
//	30%:70%    p_mem and p_comp, which must sum to 100 %
func ParseShare(text string) (Share, error) {
	if left, right, ok := strings.Cut(text, ":"); ok {
		if strings.HasSuffix(left, "%") != strings.HasSuffix(right, "%") {
			return Share{}, shareError(text, "mixes percent and parts")
		}
		if strings.HasSuffix(left, "%") {
			return parsePercents(text, left, right)
		}
		mem, err := parseParts(text, left)
		if err != nil {
			return Share{}, err
		}
		comp, err := parseParts(text, right)
		if err != nil {
			return Share{}, err
		}
		return NewShare(mem, comp)
	}
	if left, right, ok := strings.Cut(text, "/"); ok {
		num, err := parseParts(text, left)
		if err != nil {
			return Share{}, err
		}
		den, err := parseParts(text, right)
		if err != nil {
			return Share{}, err
		}
		if num >= den {
			return Share{}, shareError(text, "leaves the CPU no share, expected a fraction below 1")
		}
		return NewShare(num, den-num)
	}
	if strings.HasSuffix(text, "%") {
		mem, err := parsePercent(text, text)
		if err != nil {
			return Share{}, err
		}
		if mem >= hundredPercent {
			return Share{}, shareError(text, "leaves the CPU no share, expected less than 100%")
		}
		return NewShare(mem, hundredPercent-mem)
	}
	return Share{}, shareError(text, `is no share, expected one like "3:7", "3/10", "30%" or "30%:70%"`)
}

// Percentages are read in units of a millionth of a percent.
const (
	percentDecimals = 6
	onePercent      = 1_000_000
	hundredPercent  = 100 * onePercent
)

func shareError(text, what string) error {
	return &InputError{"share", strconv.Quote(text) + " " + what}
}

func parsePercents(text, left, right string) (Share, error) {
	mem, err := parsePercent(text, left)
	if err != nil {
		return Share{}, err
	}
	comp, err := parsePercent(text, right)
	if err != nil {
		return Share{}, err
	}
	if mem+comp != hundredPercent {
		return Share{}, shareError(text, "does not sum to 100%")
	}
	return NewShare(mem, comp)
}

// parsePercent reads "12.5%" as millionths of a percent, at most 100 %.
func parsePercent(text, part string) (int64, error) {
	whole, decimals, dotted := strings.Cut(strings.TrimSuffix(part, "%"), ".")
	if dotted && (decimals == "" || len(decimals) > percentDecimals) {
		return 0, shareError(text, fmt.Sprintf("has a percentage with %d decimals, expected 1 to %d after the point", len(decimals), percentDecimals))
	}
	high, err := parseDigits(text, whole)
	if err != nil {
		return 0, err
	}
	var low int64
	if dotted {
		if low, err = parseDigits(text, decimals); err != nil {
			return 0, err
		}
		for range percentDecimals - len(decimals) {
			low *= 10
		}
	}
	if high > 100 || high == 100 && low > 0 {
		return 0, shareError(text, "is above 100%")
	}
	value := high*onePercent + low
	if value == 0 {
		return 0, shareError(text, "has a zero part, expected positive ones")
	}
	return value, nil
}

func parseParts(text, part string) (int64, error) {
	n, err := parseDigits(text, part)
	if err == nil && n == 0 {
		return 0, shareError(text, "has a zero part, expected positive ones")
	}
	return n, err
}

func parseDigits(text, part string) (int64, error) {
	if strings.HasPrefix(part, "-") {
		return 0, shareError(text, "has a negative part, expected positive ones")
	}
	for i := range len(part) {
		if part[i] < '0' || part[i] > '9' {
			return 0, shareError(text, fmt.Sprintf("has %q where a whole number was expected", part))
		}
	}
	if part == "" {
		return 0, shareError(text, "lacks a number")
	}
	n, err := strconv.ParseInt(part, 10, 64)
	if err != nil {
		return 0, overflow("share " + strconv.Quote(text))
	}
	return n, nil
}
