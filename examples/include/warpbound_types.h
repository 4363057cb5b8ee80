// Part of warpbound.h: the launch geometry and vector types.
#ifndef WARPBOUND_TYPES_H
#define WARPBOUND_TYPES_H

typedef __SIZE_TYPE__ size_t;
#ifndef NULL
#define NULL 0
#endif

// Vector types with the sizes and alignments that CUDA documents, and the functions that make them.
#define WARPBOUND_VECTORS(T, name, align2, align4) \
	struct name##1 { T x; }; \
	struct __attribute__((aligned(align2))) name##2 { T x, y; }; \
	struct name##3 { T x, y, z; }; \
	struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; }; \
	static inline __host__ __device__ name##1 make_##name##1(T x) { return {x}; } \
	static inline __host__ __device__ name##2 make_##name##2(T x, T y) { return {x, y}; } \
	static inline __host__ __device__ name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
	static inline __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
WARPBOUND_VECTORS(signed char, char, 2, 4)
WARPBOUND_VECTORS(unsigned char, uchar, 2, 4)
WARPBOUND_VECTORS(short, short, 4, 8)
WARPBOUND_VECTORS(unsigned short, ushort, 4, 8)
WARPBOUND_VECTORS(int, int, 8, 16)
WARPBOUND_VECTORS(unsigned, uint, 8, 16)
WARPBOUND_VECTORS(long, long, 16, 16)
WARPBOUND_VECTORS(unsigned long, ulong, 16, 16)
WARPBOUND_VECTORS(long long, longlong, 16, 16)
WARPBOUND_VECTORS(unsigned long long, ulonglong, 16, 16)
WARPBOUND_VECTORS(float, float, 8, 16)
WARPBOUND_VECTORS(double, double, 16, 16)
#undef WARPBOUND_VECTORS

struct dim3 {
	unsigned x, y, z;
	constexpr __host__ __device__ dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
	constexpr __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	constexpr __host__ __device__ operator uint3() const { return {x, y, z}; }
};

// threadIdx, blockIdx, blockDim, gridDim and warpSize are clang's own.
#include <__clang_cuda_builtin_vars.h>
#define WARPBOUND_GEOMETRY(name) \
	__device__ inline name::operator dim3() const { return dim3(x, y, z); } \
	__device__ inline name::operator uint3() const { return {x, y, z}; }
WARPBOUND_GEOMETRY(__cuda_builtin_threadIdx_t)
WARPBOUND_GEOMETRY(__cuda_builtin_blockIdx_t)
WARPBOUND_GEOMETRY(__cuda_builtin_blockDim_t)
WARPBOUND_GEOMETRY(__cuda_builtin_gridDim_t)
#undef WARPBOUND_GEOMETRY

#endif
