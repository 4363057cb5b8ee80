// Gaussian elimination without pivoting, step t: the column of multipliers, then the rows below.
#include "warpbound.h"

KERNEL fan1(float *m, const float *a, int size, int t) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= size - 1 - t)
		return;
	m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

KERNEL fan2(const float *m, float *a, float *b, int size, int t) {
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	int column = blockIdx.y * blockDim.y + threadIdx.y;
	if (row >= size - 1 - t || column >= size - t)
		return;
	float factor = m[size * (row + t + 1) + t];
	float *cell = &a[size * (row + t + 1) + column + t];
	*cell = fma32(-factor, a[size * t + column + t], *cell);
	if (column == 0)
		b[row + t + 1] = fma32(-factor, b[t], b[row + t + 1]);
}
