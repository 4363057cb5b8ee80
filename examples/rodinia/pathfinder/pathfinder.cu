// Cheapest path down a grid of costs: several rows a launch, on a strip in shared memory that shrinks by one cell a side.
#include "warpbound.h"

#define STRIP 64

KERNEL pathfinder(const int *wall, const int *in, int *out, int rows, int columns, int start, int border) {
	__shared__ int before[STRIP];
	__shared__ int after[STRIP];
	int t = threadIdx.x;
	int inner = STRIP - 2 * border;
	int x = inner * (int)blockIdx.x - border + t;
	bool inside = x >= 0 && x < columns;
	int left = x > 0 ? t - 1 : t;
	int right = x < columns - 1 ? t + 1 : t;
	if (inside)
		before[t] = in[x];
	syncthreads();
	bool computed = false;
#pragma clang loop unroll(disable)
	for (int row = 0; row < rows; row++) {
		computed = inside && t > row && t < STRIP - 1 - row;
		if (computed)
			after[t] = min(before[left], min(before[t], before[right])) + wall[columns * (start + row) + x];
		syncthreads();
		if (row == rows - 1)
			break;
		if (computed)
			before[t] = after[t];
		syncthreads();
	}
	if (computed)
		out[x] = after[t];
}
