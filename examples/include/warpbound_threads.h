// Part of warpbound.h: what threads do together. Barriers and fences, atomics, votes and shuffles, the read-only cache, clocks.
#ifndef WARPBOUND_THREADS_H
#define WARPBOUND_THREADS_H

// __syncthreads is clang's own.
INLINE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
INLINE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
INLINE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
INLINE void __syncwarp(unsigned mask = 0xffffffff) { asm volatile("bar.warp.sync %0;" : : "r"(mask) : "memory"); }
INLINE void __threadfence_block() { __nvvm_membar_cta(); }
INLINE void __threadfence() { __nvvm_membar_gl(); }
INLINE void __threadfence_system() { __nvvm_membar_sys(); }

// Atomics, relaxed; each returns what was there before.
#define WARPBOUND_ATOMIC(T, name, builtin, U) \
	INLINE T name(T *p, T x) { return (T)builtin((U *)p, (U)x); }
WARPBOUND_ATOMIC(int, atomicAdd, __nvvm_atom_add_gen_i, int)
WARPBOUND_ATOMIC(unsigned, atomicAdd, __nvvm_atom_add_gen_i, int)
WARPBOUND_ATOMIC(u64, atomicAdd, __nvvm_atom_add_gen_ll, long long)
WARPBOUND_ATOMIC(float, atomicAdd, __nvvm_atom_add_gen_f, float)
#if __CUDA_ARCH__ >= 600
WARPBOUND_ATOMIC(double, atomicAdd, __nvvm_atom_add_gen_d, double)
#endif
WARPBOUND_ATOMIC(int, atomicExch, __nvvm_atom_xchg_gen_i, int)
WARPBOUND_ATOMIC(unsigned, atomicExch, __nvvm_atom_xchg_gen_i, int)
WARPBOUND_ATOMIC(u64, atomicExch, __nvvm_atom_xchg_gen_ll, long long)
INLINE float atomicExch(float *p, float x) { return __nvvm_bitcast_i2f(__nvvm_atom_xchg_gen_i((int *)p, __nvvm_bitcast_f2i(x))); }
WARPBOUND_ATOMIC(int, atomicMin, __nvvm_atom_min_gen_i, int)
WARPBOUND_ATOMIC(unsigned, atomicMin, __nvvm_atom_min_gen_ui, unsigned)
WARPBOUND_ATOMIC(long long, atomicMin, __nvvm_atom_min_gen_ll, long long)
WARPBOUND_ATOMIC(u64, atomicMin, __nvvm_atom_min_gen_ull, u64)
WARPBOUND_ATOMIC(int, atomicMax, __nvvm_atom_max_gen_i, int)
WARPBOUND_ATOMIC(unsigned, atomicMax, __nvvm_atom_max_gen_ui, unsigned)
WARPBOUND_ATOMIC(long long, atomicMax, __nvvm_atom_max_gen_ll, long long)
WARPBOUND_ATOMIC(u64, atomicMax, __nvvm_atom_max_gen_ull, u64)
WARPBOUND_ATOMIC(unsigned, atomicInc, __nvvm_atom_inc_gen_ui, unsigned)
WARPBOUND_ATOMIC(unsigned, atomicDec, __nvvm_atom_dec_gen_ui, unsigned)
#define WARPBOUND_BITWISE(name, op) \
	WARPBOUND_ATOMIC(int, name, __nvvm_atom_##op##_gen_i, int) \
	WARPBOUND_ATOMIC(unsigned, name, __nvvm_atom_##op##_gen_i, int) \
	WARPBOUND_ATOMIC(u64, name, __nvvm_atom_##op##_gen_ll, long long)
WARPBOUND_BITWISE(atomicAnd, and)
WARPBOUND_BITWISE(atomicOr, or)
WARPBOUND_BITWISE(atomicXor, xor)
#undef WARPBOUND_BITWISE
#undef WARPBOUND_ATOMIC
INLINE int atomicSub(int *p, int x) { return atomicAdd((unsigned *)p, 0u - (unsigned)x); }
INLINE unsigned atomicSub(unsigned *p, unsigned x) { return atomicAdd(p, 0u - x); }
INLINE int atomicCAS(int *p, int expected, int x) { return __nvvm_atom_cas_gen_i(p, expected, x); }
INLINE unsigned atomicCAS(unsigned *p, unsigned expected, unsigned x)
{
	return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)expected, (int)x);
}
INLINE u64 atomicCAS(u64 *p, u64 expected, u64 x)
{
	return (u64)__nvvm_atom_cas_gen_ll((long long *)p, (long long)expected, (long long)x);
}

// Votes of the threads in mask, and which of them agree. In asm, so that clang takes them whatever PTX it writes: they are
// of PTX 6.0 (sm_30), __activemask of 6.2, __match_any_sync and __match_all_sync of 6.0 (sm_70).
#define WARPBOUND_VOTE(T, name, ptx) \
	INLINE T name(unsigned mask, int p) \
	{ \
		unsigned r; \
		asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." ptx " q, p, %2; selp.u32 %0, 1, 0, q; }" : "=r"(r) : "r"(p), "r"(mask)); \
		return (T)r; \
	}
WARPBOUND_VOTE(int, __all_sync, "all.pred")
WARPBOUND_VOTE(int, __any_sync, "any.pred")
WARPBOUND_VOTE(int, __uni_sync, "uni.pred")
#undef WARPBOUND_VOTE
INLINE unsigned __ballot_sync(unsigned mask, int p)
{
	unsigned r;
	asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(r) : "r"(p), "r"(mask));
	return r;
}
INLINE unsigned __activemask()
{
	unsigned r;
	asm volatile("activemask.b32 %0;" : "=r"(r));
	return r;
}
#define WARPBOUND_MATCH(T, letter, bits) \
	INLINE unsigned __match_any_sync(unsigned mask, T x) \
	{ \
		unsigned r; \
		asm volatile("match.any.sync.b" bits " %0, %1, %2;" : "=r"(r) : letter(x), "r"(mask)); \
		return r; \
	} \
	INLINE unsigned __match_all_sync(unsigned mask, T x, int *all) \
	{ \
		unsigned r, p; \
		asm volatile("{ .reg .pred p; match.all.sync.b" bits " %0|p, %2, %3; selp.u32 %1, 1, 0, p; }" : "=r"(r), "=r"(p) : letter(x), "r"(mask)); \
		*all = (int)p; \
		return r; \
	}
#if __CUDA_ARCH__ >= 700
WARPBOUND_MATCH(int, "r", "32")
WARPBOUND_MATCH(unsigned, "r", "32")
WARPBOUND_MATCH(long long, "l", "64")
WARPBOUND_MATCH(u64, "l", "64")
#endif
#undef WARPBOUND_MATCH

// Shuffles within parts of width threads; eight bytes go in two.
#define WARPBOUND_SHUFFLE(name, mode, clamp, N) \
	INLINE unsigned name(unsigned mask, unsigned x, N n, int width = 32) \
	{ \
		unsigned r; \
		asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(n), "r"((32 - width) << 8 | clamp), "r"(mask)); \
		return r; \
	} \
	INLINE int name(unsigned mask, int x, N n, int width = 32) { return (int)name(mask, (unsigned)x, n, width); } \
	INLINE float name(unsigned mask, float x, N n, int width = 32) { return __uint_as_float(name(mask, __float_as_uint(x), n, width)); } \
	INLINE u64 name(unsigned mask, u64 x, N n, int width = 32) \
	{ \
		unsigned low = name(mask, (unsigned)x, n, width); \
		return (u64)name(mask, (unsigned)(x >> 32), n, width) << 32 | low; \
	} \
	INLINE long long name(unsigned mask, long long x, N n, int width = 32) { return (long long)name(mask, (u64)x, n, width); } \
	INLINE long name(unsigned mask, long x, N n, int width = 32) { return (long)name(mask, (u64)x, n, width); } \
	INLINE unsigned long name(unsigned mask, unsigned long x, N n, int width = 32) { return (unsigned long)name(mask, (u64)x, n, width); } \
	INLINE double name(unsigned mask, double x, N n, int width = 32) \
	{ \
		return __longlong_as_double((long long)name(mask, (u64)__double_as_longlong(x), n, width)); \
	}
WARPBOUND_SHUFFLE(__shfl_sync, "idx", 0x1f, int)
WARPBOUND_SHUFFLE(__shfl_up_sync, "up", 0, unsigned)
WARPBOUND_SHUFFLE(__shfl_down_sync, "down", 0x1f, unsigned)
WARPBOUND_SHUFFLE(__shfl_xor_sync, "bfly", 0x1f, int)
#undef WARPBOUND_SHUFFLE

// Loads through the read-only cache: nobody writes there while the kernel runs.
#define WARPBOUND_LDG(T, ptx, letter) \
	INLINE T __ldg(const T *p) { T r; asm("ld.global.nc." ptx " %0, [%1];" : "=" letter(r) : "l"(p)); return r; }
WARPBOUND_LDG(int, "s32", "r")
WARPBOUND_LDG(unsigned, "u32", "r")
WARPBOUND_LDG(long, "s64", "l")
WARPBOUND_LDG(unsigned long, "u64", "l")
WARPBOUND_LDG(long long, "s64", "l")
WARPBOUND_LDG(u64, "u64", "l")
WARPBOUND_LDG(float, "f32", "f")
WARPBOUND_LDG(double, "f64", "d")
#undef WARPBOUND_LDG
#define WARPBOUND_LDG2(T, ptx, letter) \
	INLINE T __ldg(const T *p) { T r; asm("ld.global.nc.v2." ptx " {%0, %1}, [%2];" : "=" letter(r.x), "=" letter(r.y) : "l"(p)); return r; }
#define WARPBOUND_LDG4(T, ptx, letter) \
	INLINE T __ldg(const T *p) \
	{ \
		T r; \
		asm("ld.global.nc.v4." ptx " {%0, %1, %2, %3}, [%4];" : "=" letter(r.x), "=" letter(r.y), "=" letter(r.z), "=" letter(r.w) : "l"(p)); \
		return r; \
	}
WARPBOUND_LDG2(int2, "s32", "r")
WARPBOUND_LDG2(uint2, "u32", "r")
WARPBOUND_LDG2(float2, "f32", "f")
WARPBOUND_LDG2(double2, "f64", "d")
WARPBOUND_LDG4(int4, "s32", "r")
WARPBOUND_LDG4(uint4, "u32", "r")
WARPBOUND_LDG4(float4, "f32", "f")
#undef WARPBOUND_LDG2
#undef WARPBOUND_LDG4

typedef int clock_t;
INLINE clock_t clock() { return __nvvm_read_ptx_sreg_clock(); }
INLINE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
INLINE void __trap() { asm volatile("trap;"); }

#endif
