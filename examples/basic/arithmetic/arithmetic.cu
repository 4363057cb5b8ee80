// Chains of dependent operations with nothing to wait for but each other: integer, and floating point.
#include "warpbound.h"

KERNEL alu(u32 *out, int n) {
	u32 a = threadIdx.x, b = blockIdx.x;
#pragma clang loop unroll(disable)
	for (int i = 0; i < n; i++) {
		a = a * b + i;
		b = b * a + 3;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = a ^ b;
}

KERNEL fmachain(float *out, int n) {
	float a = threadIdx.x;
	float x = 1.0001f;
#pragma clang loop unroll(disable)
	for (int i = 0; i < n; i++) {
		a = fma32(a, x, 0.5f);
		a = fma32(a, x, 0.25f);
		a = fma32(a, x, 0.125f);
		a = fma32(a, x, 0.0625f);
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
