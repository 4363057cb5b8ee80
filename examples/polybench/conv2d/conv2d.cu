// A fixed 3 x 3 filter on the inner points of a grid.
#include "warpbound.h"

KERNEL conv2d(const float *in, float *out, int rows, int columns) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < 1 || j < 1 || i >= rows - 1 || j >= columns - 1)
		return;
	const float filter[3][3] = {{0.2f, -0.3f, 0.4f}, {0.5f, 0.6f, 0.7f}, {-0.8f, -0.9f, 0.1f}};
	float sum = 0.0f;
#pragma unroll
	for (int y = 0; y < 3; y++)
#pragma unroll
		for (int x = 0; x < 3; x++)
			sum = fma32(filter[y][x], in[(i + y - 1) * columns + j + x - 1], sum);
	out[i * columns + j] = sum;
}
