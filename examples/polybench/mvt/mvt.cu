// x1 += A y1 and x2 += A' y2.
#include "warpbound.h"

KERNEL mvt_rows(const float *a, float *x1, const float *y1, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
#pragma clang loop unroll(disable)
	for (int j = 0; j < n; j++)
		x1[i] = fma32(a[i * n + j], y1[j], x1[i]);
}

KERNEL mvt_columns(const float *a, float *x2, const float *y2, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
#pragma clang loop unroll(disable)
	for (int j = 0; j < n; j++)
		x2[i] = fma32(a[j * n + i], y2[j], x2[i]);
}
