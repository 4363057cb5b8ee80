// y = alpha*A x + beta*B x: two independent chains in one loop.
#include "warpbound.h"

KERNEL gesummv(const float *a, const float *b, const float *x, float *y, float alpha, float beta, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float ax = 0.0f, bx = 0.0f;
#pragma clang loop unroll(disable)
	for (int j = 0; j < n; j++) {
		ax = fma32(a[i * n + j], x[j], ax);
		bx = fma32(b[i * n + j], x[j], bx);
	}
	y[i] = fma32(alpha, ax, beta * bx);
}
