// Product of a sparse matrix in compressed rows and a vector.
#include "warpbound.h"

KERNEL spmv(const int *first, const int *column, const float *value, const float *x, float *y, int rows) {
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0;
	int end = first[row + 1];
#pragma clang loop unroll(disable)
	for (int i = first[row]; i < end; i++)
		sum = fma32(value[i], x[column[i]], sum);
	y[row] = sum;
}
