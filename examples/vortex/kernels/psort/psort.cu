// Sorting by ranking: each thread compares one element with all, equal ones by position, and so knows its place. All threads
// of a warp read the same element at a time.
#include "warpbound.h"

KERNEL psort(const float *in, float *out, int n) {
#pragma clang loop unroll(disable)
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		const float *other = in;
		float mine = other[i];
		int rank = 0;
#pragma clang loop unroll(disable)
		for (int k = 0; k < n; k++, other++)
			rank += (*other < mine) | ((*other == mine) & (k < i));
		out[rank] = mine;
	}
}
