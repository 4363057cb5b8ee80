package ptx

import (
	"slices"
	"strconv"
	"strings"
)

// rule says what is wrong with modifiers that the opcode table allows one by one,
// but not together, with these operands, or with the module's version and target;
// "" where nothing is wrong. The rules are those of the PTX ISA's pages on each
// instruction; docs/ptxas.md holds them against NVIDIA's assembler.
func (c *checker) rule(in *Inst, f *Form) string {
	longest := 0
	for _, list := range f.Variant.Operands {
		longest = max(longest, len(list))
	}
	n := len(in.Operands)
	policy := len(f.Variant.Operands) > 1 && n == longest
	switch in.Op {
	case "ld", "st":
		if s := accessRule(in, f); s != "" {
			return s
		}
		return hintRule(f, policy, policy)
	case "atom", "red":
		half := f.Type == F16 || f.Type == F16x2 || f.Type == BF16 || f.Type == BF16x2
		switch {
		case f.Atom == AtomAdd && half && !f.Noftz:
			return "no modifier .noftz, expected it with ." + f.Type.String()
		case f.Atom == AtomAdd && f.Type == S64:
			return "addition of .s64, expected .u64: the result is the same"
		case f.CacheHint && f.Space.Base() == SpaceShared:
			return "modifier .L2::cache_hint in shared memory, expected global memory"
		}
		return hintRule(f, policy, policy)
	case "cp":
		if f.Action2 != "" {
			return ""
		}
		if o := in.Operands[min(2, n-1)]; slices.Contains(in.Mods, "cg") && (o.Kind != KindInt || o.Imm != 16) {
			return "modifier .cg and another size, expected 16 bytes"
		}
		if f.CacheHint && n >= 4 && in.Operands[n-1].Kind == KindName {
			if obj, ok := c.scope.lookup(in.Operands[n-1].Base()); ok && obj.typ.Bits() != 64 {
				return "a cache policy of type ." + obj.typ.String() + ", expected a register of 64 bits"
			}
		}
		return hintRule(f, n >= 4, n == 5)
	case "set", "setp":
		if with := n == longest; with != (f.Bool != 0) {
			if with {
				return "a predicate to combine and no operation, expected .and, .or or .xor"
			}
			return "an operation to combine and no predicate, expected one as the last operand"
		}
	case "vote", "shfl":
		if !f.Sync && c.file.Version.AtLeast(6, 4) && c.architecture() >= 70 {
			return "no modifier .sync, expected it for " + c.file.Targets[0] + " from PTX 6.4 on"
		}
	case "cvt":
		if f.Type2 == BF16 && f.Type.Integer() && f.Round == 0 {
			return "no rounding, expected .rni, .rzi, .rmi or .rpi"
		}
	case "div", "rcp", "sqrt", "sin", "cos", "lg2", "ex2", "rsqrt", "mad":
		return c.precisionRule(in, f)
	}
	return ""
}

// hintRule ties .L2::cache_hint to the cache policy it announces: may says that
// there may be one among the operands, must that there is one.
func hintRule(f *Form, may, must bool) string {
	switch {
	case f.CacheHint && !may:
		return "modifier .L2::cache_hint and no cache policy, expected one as the last operand"
	case !f.CacheHint && must:
		return "a cache policy and no modifier for it, expected .L2::cache_hint"
	}
	return ""
}

// accessRule ties the ordering and cache modifiers of ld and st to the state
// space.
func accessRule(in *Inst, f *Form) string {
	s := f.Space.Base()
	private := s == SpaceConst || s == SpaceLocal || s == SpaceParam
	switch {
	case f.Volatile && private:
		return "modifier .volatile in ." + s.String() + ", expected it in global or shared memory"
	case f.Sem >= SemRelaxed && private:
		return "order of accesses in ." + s.String() + ", expected it in global or shared memory"
	case f.NC && s != SpaceGlobal:
		return "modifier .nc, expected it with .global"
	case (private || s == SpaceShared) && slices.ContainsFunc(in.Mods, isPrefetch):
		return "prefetch into L2 from ." + s.String() + ", expected it from global memory"
	case f.Cache != 0 && slices.ContainsFunc(in.Mods, isEviction):
		return "a cache operator and an eviction priority, expected one of them"
	}
	return ""
}

func isEviction(mod string) bool {
	return strings.HasPrefix(mod, "L1::") || strings.HasPrefix(mod, "L2::evict")
}

func isPrefetch(mod string) bool { return mod == "L2::64B" || mod == "L2::128B" || mod == "L2::256B" }

// precisionRule requires the precision modifier for which PTX 1.4 and later have
// no default.
func (c *checker) precisionRule(in *Inst, f *Form) string {
	if !c.file.Version.AtLeast(1, 4) || f.Type != F32 && f.Type != F64 || f.Approx || f.Full || f.Round != 0 {
		return ""
	}
	switch in.Op {
	case "sin", "cos", "lg2", "ex2", "rsqrt":
		return "no modifier .approx, expected it"
	case "mad":
		if f.Type == F32 && c.architecture() < 20 {
			return ""
		}
		return "no rounding, expected .rn, .rz, .rm or .rp"
	}
	if f.Type == F64 {
		return "no rounding, expected .rn, .rz, .rm or .rp"
	}
	return "no accuracy, expected a rounding such as .rn or .approx"
}

// architecture is the number of the module's target, 0 where there is none.
func (c *checker) architecture() int {
	if len(c.file.Targets) == 0 {
		return 0
	}
	_, number, _ := strings.Cut(c.file.Targets[0], "_")
	n, err := strconv.Atoi(strings.TrimRight(number, "af"))
	if err != nil {
		return 0
	}
	return n
}
