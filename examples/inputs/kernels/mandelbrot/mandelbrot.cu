// Iterations until a point leaves the circle of radius 2; what part of the plane is looked at is in memory.
#include "warpbound.h"

KERNEL mandelbrot(const float *view, int *iterations, int width, int limit) {
	int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
	float cx = fma32((float)column, view[2], view[0]), cy = fma32((float)row, view[3], view[1]);
	float x = 0, y = 0;
	int n = 0;
#pragma clang loop unroll(disable)
	while (n < limit) {
		float xx = x * x, yy = y * y;
		if (xx + yy > 4)
			break;
		y = fma32(2 * x, y, cy);
		x = xx - yy + cx;
		n++;
	}
	iterations[row * width + column] = n;
}
