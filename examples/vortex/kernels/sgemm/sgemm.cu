// C = A*B, an element a thread: A is rows x k, B k x columns.
#include "warpbound.h"

KERNEL sgemm(const float *a, const float *b, float *c, int rows, int k, int columns) {
	int row = threadIdx.y, column = threadIdx.x;
	if (row >= rows || column >= columns)
		return;
	const float *left = a + row * k, *right = b + column;
	float sum = 0.0f;
#pragma clang loop unroll(disable)
	for (int j = k; j > 0; j--) {
		sum = fma32(*left, *right, sum);
		left++;
		right += columns;
	}
	c[row * columns + column] = sum;
}
