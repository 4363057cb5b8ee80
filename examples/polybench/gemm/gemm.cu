// C = alpha*A*B + beta*C, one thread an element.
#include "warpbound.h"

KERNEL gemm(const float *a, const float *b, float *c, float alpha, float beta, int ni, int nj, int nk) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= ni || j >= nj)
		return;
	float sum = c[i * nj + j] * beta;
#pragma clang loop unroll(disable)
	for (int k = 0; k < nk; k++)
		sum = fma32(alpha * a[i * nk + k], b[k * nj + j], sum);
	c[i * nj + j] = sum;
}
