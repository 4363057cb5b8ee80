// Resampling of a particle filter: every particle takes the first whose cumulative weight reaches its own draw.
#include "warpbound.h"

KERNEL resample(const float *cumulative, const float *draw, const float *x, float *next, int particles) {
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	if (p >= particles)
		return;
	float u = draw[p];
	int k = 0;
#pragma clang loop unroll(disable)
	while (k < particles - 1 && cumulative[k] < u)
		k++;
	next[p] = x[k];
}
