// Declarations that let clang compile the example kernels without a CUDA toolkit.
//
// clang itself knows the launch geometry (threadIdx, blockIdx, blockDim, gridDim); everything else a kernel here needs
// is a compiler builtin that maps to one PTX instruction. Fused multiply-adds are written out, because the examples are
// compiled with -ffp-contract=off: the arithmetic of a kernel is then what its source says, and a host reference can
// repeat it bit for bit.
#ifndef WARPBOUND_EXAMPLES_H
#define WARPBOUND_EXAMPLES_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

struct uint3 {
	unsigned x, y, z;
};
struct dim3 {
	unsigned x, y, z;
};
#include <__clang_cuda_builtin_vars.h>

typedef unsigned int u32;
typedef unsigned long long u64;

#define KERNEL extern "C" __global__ void
#define INLINE static inline __attribute__((always_inline)) __device__

// Barrier of the whole block: bar.sync 0.
INLINE void syncthreads() { __nvvm_bar_sync(0); }

// fma.rn
INLINE float fma32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE double fma64(double a, double b, double c) { return __builtin_fma(a, b, c); }

// sqrt.rn, min, max
INLINE float sqrt32(float x) { return __nvvm_sqrt_rn_f(x); }
INLINE float min32(float a, float b) { return __builtin_fminf(a, b); }
INLINE float max32(float a, float b) { return __builtin_fmaxf(a, b); }
INLINE int min(int a, int b) { return a < b ? a : b; }
INLINE int max(int a, int b) { return a > b ? a : b; }

// ex2.approx and lg2.approx: PTX allows an error here, so references compare with a tolerance.
INLINE float exp2_approx(float x) { return __nvvm_ex2_approx_f(x); }
INLINE float log2_approx(float x) { return __nvvm_lg2_approx_f(x); }
INLINE float exp_approx(float x) { return exp2_approx(x * 1.4426950408889634f); }

#endif
