package ptx

import "slices"

// SlotKind says which field of a Form a modifier sets.
type SlotKind uint8

const (
	// SlotAny takes any modifiers left over, into Form.Other.
	SlotAny SlotKind = iota
	SlotType
	SlotType2
	SlotType3
	SlotType4
	SlotSpace
	SlotSpace2
	SlotRound
	SlotFtz
	SlotSat
	SlotSatFinite
	SlotRelu
	SlotAbs
	SlotNaN
	SlotXorSign
	SlotNoftz
	SlotOob
	SlotApprox
	SlotFull
	SlotMul
	SlotCC
	SlotCmp
	SlotBool
	SlotAtom
	SlotShift
	SlotDir
	SlotShiftAmt
	SlotShfl
	SlotVote
	SlotPrmt
	SlotTest
	SlotVec
	SlotSem
	SlotScope
	SlotVolatile
	SlotNC
	SlotCache
	SlotHint
	SlotSync
	SlotAligned
	SlotUni
	SlotTo
	SlotAction
	SlotAction2
	SlotOther
	numSlotKinds
)

// slotNames are the words for slot kinds in the rows of the opcode table.
var slotNames = [numSlotKinds]string{
	SlotAny: "*", SlotType: "type", SlotType2: "type2", SlotType3: "type3", SlotType4: "type4",
	SlotSpace: "space", SlotSpace2: "space2", SlotRound: "rnd", SlotFtz: "ftz", SlotSat: "sat",
	SlotSatFinite: "satfinite", SlotRelu: "relu", SlotAbs: "abs", SlotNaN: "nan", SlotXorSign: "xorsign",
	SlotNoftz: "noftz", SlotOob: "oob", SlotApprox: "approx", SlotFull: "full", SlotMul: "mul", SlotCC: "cc",
	SlotCmp: "cmp", SlotBool: "bool", SlotAtom: "atom", SlotShift: "shift", SlotDir: "dir",
	SlotShiftAmt: "shiftamt", SlotShfl: "shfl", SlotVote: "vote", SlotPrmt: "prmt", SlotTest: "test",
	SlotVec: "vec", SlotSem: "sem", SlotScope: "scope", SlotVolatile: "volatile", SlotNC: "nc",
	SlotCache: "cache", SlotHint: "hint", SlotSync: "sync", SlotAligned: "aligned", SlotUni: "uni",
	SlotTo: "to", SlotAction: "act", SlotAction2: "act2", SlotOther: "other",
}

// ownValue are the modifiers of slots that take a single one that differs from
// their name.
var ownValue = map[string]string{
	"nan": "NaN", "xorsign": "xorsign", "hint": "L2::cache_hint", "bool": "@bool", "vec": "@vec", "scope": "@scope",
}

// String is the word for the kind in the opcode table.
func (k SlotKind) String() string { return slotNames[k] }

func slotKind(name string) SlotKind {
	i := slices.Index(slotNames[:], name)
	if i < 0 {
		panic("ptx: opcode table names unknown slot " + name)
	}
	return SlotKind(i)
}

var (
	mulModes   = map[string]MulMode{"lo": MulLo, "hi": MulHi, "wide": MulWide}
	boolOps    = map[string]BoolOp{"and": BoolAnd, "or": BoolOr, "xor": BoolXor}
	shiftModes = map[string]ShiftMode{"clamp": ShiftClamp, "wrap": ShiftWrap}
	shflModes  = map[string]ShflMode{"up": ShflUp, "down": ShflDown, "bfly": ShflBfly, "idx": ShflIdx}
	voteModes  = map[string]VoteMode{"all": VoteAll, "any": VoteAny, "uni": VoteUni, "ballot": VoteBallot}
	prmtModes  = map[string]PrmtMode{"f4e": PrmtF4E, "b4e": PrmtB4E, "rc8": PrmtRC8, "ecl": PrmtECL, "ecr": PrmtECR, "rc16": PrmtRC16}
	sems       = map[string]Sem{"weak": SemWeak, "relaxed": SemRelaxed, "acquire": SemAcquire, "release": SemRelease,
		"acq_rel": SemAcqRel, "sc": SemSC, "mmio": SemMMIO}
	scopes = map[string]Scope{"cta": ScopeCTA, "cluster": ScopeCluster, "gpu": ScopeGPU, "gl": ScopeGPU, "sys": ScopeSys}
	caches = map[string]Cache{"ca": CacheCA, "cg": CacheCG, "cs": CacheCS, "lu": CacheLU, "cv": CacheCV,
		"wb": CacheWB, "wt": CacheWT}
	roundings = indexNames[Rounding](roundNames)
	cmps      = indexNames[Cmp](cmpNames)
	atomOps   = indexNames[AtomOp](atomNames)
	spaces    = indexNames[Space](spaceNames[:])
)

func indexNames[T ~uint8](names []string) map[string]T {
	m := make(map[string]T, len(names))
	for i, n := range names {
		m[n] = T(i)
	}
	return m
}

// setters store a modifier in the field of its slot.
var setters = [numSlotKinds]func(*Form, string){
	SlotAny:       func(f *Form, m string) { f.Other = append(f.Other, m) },
	SlotType:      func(f *Form, m string) { f.Type = TypeByName(m) },
	SlotType2:     func(f *Form, m string) { f.Type2 = TypeByName(m) },
	SlotType3:     func(f *Form, m string) { f.Type3 = TypeByName(m) },
	SlotType4:     func(f *Form, m string) { f.Type4 = TypeByName(m) },
	SlotSpace:     func(f *Form, m string) { f.Space = spaces[m] },
	SlotSpace2:    func(f *Form, m string) { f.Space2 = spaces[m] },
	SlotRound:     func(f *Form, m string) { f.Round = roundings[m] },
	SlotFtz:       func(f *Form, _ string) { f.Ftz = true },
	SlotSat:       func(f *Form, _ string) { f.Sat = true },
	SlotSatFinite: func(f *Form, _ string) { f.SatFinite = true },
	SlotRelu:      func(f *Form, _ string) { f.Relu = true },
	SlotAbs:       func(f *Form, _ string) { f.Abs = true },
	SlotNaN:       func(f *Form, _ string) { f.NaN = true },
	SlotXorSign:   func(f *Form, _ string) { f.XorSign = true },
	SlotNoftz:     func(f *Form, _ string) { f.Noftz = true },
	SlotOob:       func(f *Form, _ string) { f.Oob = true },
	SlotApprox:    func(f *Form, _ string) { f.Approx = true },
	SlotFull:      func(f *Form, _ string) { f.Full = true },
	SlotMul:       func(f *Form, m string) { f.Mul = mulModes[m] },
	SlotCC:        func(f *Form, _ string) { f.CC = true },
	SlotCmp:       func(f *Form, m string) { f.Cmp = cmps[m] },
	SlotBool:      func(f *Form, m string) { f.Bool = boolOps[m] },
	SlotAtom:      func(f *Form, m string) { f.Atom = atomOps[m] },
	SlotShift:     func(f *Form, m string) { f.Shift = shiftModes[m] },
	SlotDir:       func(f *Form, m string) { f.ShiftRight = m == "r" },
	SlotShiftAmt:  func(f *Form, _ string) { f.ShiftAmt = true },
	SlotShfl:      func(f *Form, m string) { f.Shfl = shflModes[m] },
	SlotVote:      func(f *Form, m string) { f.Vote = voteModes[m] },
	SlotPrmt:      func(f *Form, m string) { f.Prmt = prmtModes[m] },
	SlotTest:      func(f *Form, m string) { f.Test = m },
	SlotVec:       func(f *Form, m string) { f.Vec = m[1] - '0' },
	SlotSem:       func(f *Form, m string) { f.Sem = sems[m] },
	SlotScope:     func(f *Form, m string) { f.Scope = scopes[m] },
	SlotVolatile:  func(f *Form, _ string) { f.Volatile = true },
	SlotNC:        func(f *Form, _ string) { f.NC = true },
	SlotCache:     func(f *Form, m string) { f.Cache = caches[m] },
	SlotHint:      func(f *Form, _ string) { f.CacheHint = true },
	SlotSync:      func(f *Form, _ string) { f.Sync = true },
	SlotAligned:   func(f *Form, _ string) { f.Aligned = true },
	SlotUni:       func(f *Form, _ string) { f.Uni = true },
	SlotTo:        func(f *Form, _ string) { f.To = true },
	SlotAction:    func(f *Form, m string) { f.Action = m },
	SlotAction2:   func(f *Form, m string) { f.Action2 = m },
	SlotOther:     func(f *Form, m string) { f.Other = append(f.Other, m) },
}
