// D = (A*B)*C as two launches, in double precision.
#include "warpbound.h"

INLINE void multiply(const double *x, const double *y, double *z, int rows, int columns, int inner) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= rows || j >= columns)
		return;
	double sum = 0.0;
#pragma clang loop unroll_count(4)
	for (int k = 0; k < inner; k++)
		sum = fma64(x[i * inner + k], y[k * columns + j], sum);
	z[i * columns + j] = sum;
}

KERNEL mm2_first(const double *a, const double *b, double *ab, int ni, int nj, int nk) {
	multiply(a, b, ab, ni, nj, nk);
}

KERNEL mm2_second(const double *ab, const double *c, double *d, int ni, int nj, int nl) {
	multiply(ab, c, d, ni, nl, nj);
}
