// y = a*x + y with a grid-stride loop: any grid covers any n.
#include "warpbound.h"

KERNEL saxpy(const float *x, float *y, float a, int n) {
	int stride = gridDim.x * blockDim.x;
#pragma clang loop unroll(disable)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
		y[i] = fma32(a, x[i], y[i]);
}
