// What CUDA C++ uses without including anything, for clang without a CUDA toolkit: qualifiers, the launch geometry, vector
// types, arithmetic, barriers, atomics, votes and shuffles. Give it to clang by -include warpbound.h, or include it.
//
// Not here, because it is code of CUDA's library and no instruction: exp, log, pow, the trigonometric and hyperbolic
// functions and the like (clang says which name it does not know); with -DWARPBOUND_FAST_MATH the single-precision ones of
// expf, exp2f, exp10f, logf, log2f, log10f, powf, sinf, cosf, tanf and sincosf are what nvcc -use_fast_math makes of them.
// Neither are printf, assert and malloc in kernels, textures and surfaces, cooperative groups, half precision, atomics with
// _block or _system in their names, shuffles and votes without _sync, and the host's part: cudaMalloc, <<<>>> and so on.
//
// nvcc defines all this itself: to it this file only adds the names in capitals and those that the examples use.
#ifndef WARPBOUND_H
#define WARPBOUND_H

#ifndef __NVCC__

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#if __clang_major__ < 15 // a keyword since
#define __noinline__ __attribute__((noinline))
#endif

#endif

#define KERNEL extern "C" __global__ void
#define INLINE static inline __attribute__((always_inline)) __device__

typedef unsigned int u32;
typedef unsigned long long u64;

#ifndef __NVCC__
#include "warpbound_types.h"
#include "warpbound_math.h"
#include "warpbound_threads.h"
#endif

// The names that the examples use. Fused multiply-adds are written out in them, because they are compiled with
// -ffp-contract=off: the arithmetic of a kernel is then what its source says, and a host reference can repeat it bit for bit.

// Barrier of the whole block: bar.sync 0.
INLINE void syncthreads() { __syncthreads(); }

// fma.rn
INLINE float fma32(float a, float b, float c) { return fmaf(a, b, c); }
INLINE double fma64(double a, double b, double c) { return fma(a, b, c); }

// sqrt.rn, min, max
INLINE float sqrt32(float x) { return __fsqrt_rn(x); }
INLINE float min32(float a, float b) { return fminf(a, b); }
INLINE float max32(float a, float b) { return fmaxf(a, b); }

// ex2.approx and lg2.approx: PTX allows an error here, so references compare with a tolerance.
#ifdef __NVCC__
INLINE float exp2_approx(float x)
{
	float y;
	asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}
INLINE float log2_approx(float x)
{
	float y;
	asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}
#else
INLINE float exp2_approx(float x) { return __nvvm_ex2_approx_f(x); }
INLINE float log2_approx(float x) { return __nvvm_lg2_approx_f(x); }
#endif
INLINE float exp_approx(float x) { return exp2_approx(x * 1.4426950408889634f); }

#endif
