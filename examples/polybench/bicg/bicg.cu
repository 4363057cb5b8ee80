// The two products of the biconjugate gradient method: s = A'r and q = A p.
#include "warpbound.h"

KERNEL bicg_s(const float *a, const float *r, float *s, int rows, int columns) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= columns)
		return;
	float sum = 0.0f;
#pragma clang loop unroll_count(4)
	for (int i = 0; i < rows; i++)
		sum = fma32(a[i * columns + j], r[i], sum);
	s[j] = sum;
}

KERNEL bicg_q(const float *a, const float *p, float *q, int rows, int columns) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= rows)
		return;
	float sum = 0.0f;
#pragma clang loop unroll_count(4)
	for (int j = 0; j < columns; j++)
		sum = fma32(a[i * columns + j], p[j], sum);
	q[i] = sum;
}
