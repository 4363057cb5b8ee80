package ptx

// Type is a PTX type. The zero value means "no type".
type Type uint8

const (
	TypeNone Type = iota
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	B8
	B16
	B32
	B64
	B128
	F16
	F16x2
	BF16
	BF16x2
	F32
	F32x2
	F64
	TF32
	Pred
	U16x2
	S16x2
	B1
	B4
	U2
	S2
	U4
	S4
	E4M3
	E5M2
	E3M2
	E2M3
	E2M1
	UE8M0
	UE4M3
	E4M3x2
	E5M2x2
	E3M2x2
	E2M3x2
	E2M1x2
	UE8M0x2
	S2F6x2
	E4M3x4
	E5M2x4
	E3M2x4
	E2M3x4
	E2M1x4
	U8x4
	S8x4
	B4x16
	B4x16P64
	B6x16P32
	B6P2x16
	TexRef
	SamplerRef
	SurfRef
	numTypes
)

// TypeClass groups types by what the checker compares: a .b register agrees
// with any type of its size.
type TypeClass uint8

const (
	ClassNone TypeClass = iota
	ClassUnsigned
	ClassSigned
	ClassBits
	ClassFloat
	ClassPred
	ClassPacked // several small elements in a .b register
	ClassOpaque // .texref, .samplerref, .surfref
)

var typeInfo = [numTypes]struct {
	name  string
	bits  int16
	class TypeClass
}{
	TypeNone: {"", 0, ClassNone},
	U8:       {"u8", 8, ClassUnsigned}, U16: {"u16", 16, ClassUnsigned},
	U32: {"u32", 32, ClassUnsigned}, U64: {"u64", 64, ClassUnsigned},
	S8: {"s8", 8, ClassSigned}, S16: {"s16", 16, ClassSigned},
	S32: {"s32", 32, ClassSigned}, S64: {"s64", 64, ClassSigned},
	B8: {"b8", 8, ClassBits}, B16: {"b16", 16, ClassBits},
	B32: {"b32", 32, ClassBits}, B64: {"b64", 64, ClassBits}, B128: {"b128", 128, ClassBits},
	F16: {"f16", 16, ClassFloat}, F16x2: {"f16x2", 32, ClassFloat},
	BF16: {"bf16", 16, ClassFloat}, BF16x2: {"bf16x2", 32, ClassFloat},
	F32: {"f32", 32, ClassFloat}, F32x2: {"f32x2", 64, ClassPacked},
	F64: {"f64", 64, ClassFloat}, TF32: {"tf32", 32, ClassPacked},
	Pred:  {"pred", 1, ClassPred},
	U16x2: {"u16x2", 32, ClassPacked}, S16x2: {"s16x2", 32, ClassPacked},
	B1: {"b1", 1, ClassPacked}, B4: {"b4", 4, ClassPacked},
	U2: {"u2", 2, ClassPacked}, S2: {"s2", 2, ClassPacked},
	U4: {"u4", 4, ClassPacked}, S4: {"s4", 4, ClassPacked},
	E4M3: {"e4m3", 8, ClassPacked}, E5M2: {"e5m2", 8, ClassPacked},
	E3M2: {"e3m2", 8, ClassPacked}, E2M3: {"e2m3", 8, ClassPacked},
	E2M1: {"e2m1", 4, ClassPacked}, UE8M0: {"ue8m0", 8, ClassPacked},
	UE4M3:  {"ue4m3", 8, ClassPacked},
	E4M3x2: {"e4m3x2", 16, ClassPacked}, E5M2x2: {"e5m2x2", 16, ClassPacked},
	E3M2x2: {"e3m2x2", 16, ClassPacked}, E2M3x2: {"e2m3x2", 16, ClassPacked},
	E2M1x2: {"e2m1x2", 8, ClassPacked}, UE8M0x2: {"ue8m0x2", 16, ClassPacked},
	S2F6x2: {"s2f6x2", 16, ClassPacked},
	E4M3x4: {"e4m3x4", 32, ClassPacked}, E5M2x4: {"e5m2x4", 32, ClassPacked},
	E3M2x4: {"e3m2x4", 32, ClassPacked}, E2M3x4: {"e2m3x4", 32, ClassPacked},
	E2M1x4: {"e2m1x4", 16, ClassPacked},
	U8x4:   {"u8x4", 32, ClassPacked}, S8x4: {"s8x4", 32, ClassPacked},
	B4x16: {"b4x16", 64, ClassPacked}, B4x16P64: {"b4x16_p64", 64, ClassPacked},
	B6x16P32: {"b6x16_p32", 128, ClassPacked}, B6P2x16: {"b6p2x16", 128, ClassPacked},
	TexRef: {"texref", 64, ClassOpaque}, SamplerRef: {"samplerref", 64, ClassOpaque},
	SurfRef: {"surfref", 64, ClassOpaque},
}

var typeByName = func() map[string]Type {
	m := make(map[string]Type, numTypes)
	for t := TypeNone + 1; t < numTypes; t++ {
		m[typeInfo[t].name] = t
	}
	return m
}()

// TypeByName returns the type written "."+name, or TypeNone.
func TypeByName(name string) Type { return typeByName[name] }

// String is the type as written, without its dot.
func (t Type) String() string { return typeInfo[t].name }

// Bits is the width of a value of the type; 1 for a predicate.
func (t Type) Bits() int { return int(typeInfo[t].bits) }

// Bytes is the size in memory; 0 for predicates and types below a byte.
func (t Type) Bytes() int { return int(typeInfo[t].bits) / 8 }

// Class is the group of the type.
func (t Type) Class() TypeClass { return typeInfo[t].class }

// Signed reports whether t is one of .s8 to .s64.
func (t Type) Signed() bool { return typeInfo[t].class == ClassSigned }

// Float reports whether t is a floating-point type arithmetic is defined on.
func (t Type) Float() bool { return typeInfo[t].class == ClassFloat }

// Integer reports whether t is one of .u8 to .u64 or .s8 to .s64.
func (t Type) Integer() bool {
	c := typeInfo[t].class
	return c == ClassUnsigned || c == ClassSigned
}

// Space is a state space.
type Space uint8

const (
	// SpaceNone is generic addressing in an instruction.
	SpaceNone Space = iota
	SpaceReg
	SpaceSreg
	SpaceConst
	SpaceGlobal
	SpaceLocal
	SpaceParam
	SpaceShared
	SpaceTex
	// SpaceSharedCTA and SpaceSharedCluster are .shared::cta and
	// .shared::cluster; plain .shared means the former.
	SpaceSharedCTA
	SpaceSharedCluster
	// SpaceParamEntry and SpaceParamFunc are .param::entry and .param::func.
	SpaceParamEntry
	SpaceParamFunc
	numSpaces
)

var spaceNames = [numSpaces]string{"", "reg", "sreg", "const", "global", "local", "param", "shared", "tex",
	"shared::cta", "shared::cluster", "param::entry", "param::func"}

// String is the space as written, without its dot.
func (s Space) String() string { return spaceNames[s] }

// Base folds the qualified spaces: .shared::cta to .shared, .param::entry to
// .param. SpaceSharedCluster stays itself: it may name another block's memory.
func (s Space) Base() Space {
	switch s {
	case SpaceSharedCTA:
		return SpaceShared
	case SpaceParamEntry, SpaceParamFunc:
		return SpaceParam
	}
	return s
}
