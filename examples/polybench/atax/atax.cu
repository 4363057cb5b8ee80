// y = A'(A x), rows first, then columns.
#include "warpbound.h"

KERNEL atax_rows(const float *a, const float *x, float *tmp, int rows, int columns) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= rows)
		return;
	float sum = 0.0f;
#pragma clang loop unroll(disable)
	for (int j = 0; j < columns; j++)
		sum = fma32(a[i * columns + j], x[j], sum);
	tmp[i] = sum;
}

// Accumulates in memory, as the original does: a load and a store of y in every iteration.
KERNEL atax_columns(const float *a, const float *tmp, float *y, int rows, int columns) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= columns)
		return;
	y[j] = 0.0f;
#pragma clang loop unroll(disable)
	for (int i = 0; i < rows; i++)
		y[j] = fma32(a[i * columns + j], tmp[i], y[j]);
}
