// A fixed 15-point filter on the inner points of a volume, one launch a plane.
#include "warpbound.h"

KERNEL conv3d(const float *in, float *out, int ni, int nj, int nk, int i) {
	int k = blockIdx.x * blockDim.x + threadIdx.x;
	int j = blockIdx.y * blockDim.y + threadIdx.y;
	if (j < 1 || k < 1 || j >= nj - 1 || k >= nk - 1 || i < 1 || i >= ni - 1)
		return;
	// The corners of the two outer planes, the middle row's corners and the centre.
	const float before = 2.0f, after = 4.0f, within = 5.0f, centre = 6.0f;
	float sum = centre * in[(i * nj + j) * nk + k];
#pragma unroll
	for (int y = -1; y <= 1; y += 2)
#pragma unroll
		for (int z = -1; z <= 1; z += 2) {
			sum = fma32(before, in[((i - 1) * nj + j + y) * nk + k + z], sum);
			sum = fma32(within, in[(i * nj + j + y) * nk + k + z], sum);
			sum = fma32(after, in[((i + 1) * nj + j + y) * nk + k + z], sum);
		}
	sum = fma32(before, in[((i - 1) * nj + j) * nk + k], sum);
	out[(i * nj + j) * nk + k] = fma32(after, in[((i + 1) * nj + j) * nk + k], sum);
}
